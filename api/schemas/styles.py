"""Styles: how bots play on a leaderboard."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import ResponseSchema, described, listed
from api.schemas.fields import WholeNumber
from api.schemas.games import KINDS
from api.schemas.leaderboards import GivenRows, RowsQuery, cursor, preset
from arena.play.players import DIVISIONS


class StylesQuery(RowsQuery):
    """The leaderboard, and a page of its styles."""

    preset = preset()


class GivenStyles(GivenRows):
    """What :class:`StylesQuery` loads."""

    preset: str | None


class FigureSchema(ResponseSchema):
    """Something that is counted."""

    name = described(fields.String, "Its name, as in `counts`.")
    title = described(fields.String, "Its name for people.")
    of = described(fields.String, "What it is a share of, for people.")
    meaning = described(fields.String, "What is counted, exactly.")


class CountSchema(ResponseSchema):
    """How often a bot did something, and out of how many times."""

    count = described(WholeNumber, "How often.")
    of = described(WholeNumber, "Of how many times.")
    share = described(
        fields.Float,
        "`count` over `of`; null if that is 0.",
        allow_none=True,
        validate=validate.Range(0, 1),
    )


class BotStyleSchema(ResponseSchema):
    """How a bot plays, over all its versions."""

    name = described(fields.String, "The bot's name.")
    games = described(WholeNumber, "The number of games that were counted.")
    counts = described(
        fields.Dict, "The counts by figure.", keys=fields.String(), values=fields.Nested(CountSchema)
    )


class StylesSchema(ResponseSchema):
    """How the bots of a leaderboard play."""

    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of rules.")
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    figures = listed(FigureSchema, "What is counted in games of this kind.")
    bots = listed(BotStyleSchema, "Sorted by name; at most 200 on a page.")
    cursor = cursor()
