"""Styles: playing-style statistics of bots on a leaderboard."""

from __future__ import annotations

from marshmallow import fields, validate

from api.schemas.common import ResponseSchema, described, listed
from api.schemas.fields import WholeNumber
from api.schemas.leaderboards import GivenRows, OfBoard, RowsQuery, cursor, preset


class StylesQuery(RowsQuery):
    """The leaderboard, and a page of its styles."""

    preset = preset()


class GivenStyles(GivenRows):
    """The values loaded by :class:`StylesQuery`."""

    preset: str | None


class FigureSchema(ResponseSchema):
    """A playing-style figure: an event that is counted."""

    name = described(fields.String, "The name of the figure, as in `counts`.")
    title = described(fields.String, "The display name of the figure.")
    of = described(fields.String, "The display name of the total of which it is a share.")
    meaning = described(fields.String, "What is counted, exactly.")


class CountSchema(ResponseSchema):
    """How often a bot did something, out of how many opportunities."""

    count = described(WholeNumber, "How often.")
    of = described(WholeNumber, "The number of opportunities.")
    share = described(
        fields.Float,
        "`count` divided by `of`; null if `of` is 0.",
        allow_none=True,
        validate=validate.Range(0, 1),
    )


class BotStyleSchema(ResponseSchema):
    """The playing-style statistics of a bot, over all its versions."""

    name = described(fields.String, "The bot's name.")
    games = described(WholeNumber, "The number of games that were counted.")
    counts = described(
        fields.Dict, "The counts by figure.", keys=fields.String(), values=fields.Nested(CountSchema)
    )


class StylesSchema(OfBoard, ResponseSchema):
    """The playing-style statistics of a leaderboard's bots."""

    figures = listed(FigureSchema, "The figures that are counted in games of this kind.")
    bots = listed(BotStyleSchema, "The bots, sorted by name; at most 200 per page.")
    cursor = cursor()
