"""Matchups: who beats whom on a leaderboard."""

from __future__ import annotations

from typing import TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, described, listed
from api.schemas.fields import Moment, WholeNumber
from api.schemas.games import KINDS
from api.schemas.leaderboards import form, preset
from arena.play.players import DIVISIONS


def _share(description: str, *, allow_none: bool = False) -> fields.Float:
    return described(fields.Float, description, allow_none=allow_none, validate=validate.Range(0, 1))


class MatchupsQuery(RequestSchema):
    """The leaderboard, and the format."""

    preset = preset()
    format = form()


class GivenMatchups(TypedDict):
    """What :class:`MatchupsQuery` loads."""

    preset: str | None
    format: str


class MatchedBotSchema(ResponseSchema):
    """A bot of the matrix, as on the leaderboard."""

    rank = described(WholeNumber, "The bot's rank on the leaderboard.")
    name = described(fields.String, "The bot's name.")
    version = described(fields.String, "The bot's current version.")
    rating = described(fields.Float, "The bot's rating.")
    nash = described(
        fields.Integer,
        "Nash averaging, which cycles do not mislead: what the bot wins from the mix of bots that no bot "
        "beats, in rating points; 0 for the bots in the mix, less for others.",
    )
    mix = _share("The bot's weight in this mix, in steps of 0.05.")
    in_mix = _share("The share of bootstrap resamples in which the bot is in the mix, in steps of 0.05.")
    worst = described(
        fields.String,
        "The opponent against whom the upper bound of the bot's share is the lowest; null if it met none.",
        allow_none=True,
    )


class PairSchema(ResponseSchema):
    """Two bots of the matrix."""

    bot = described(fields.String, "The bot's name.")
    opponent = described(fields.String, "The opponent's name.")
    groups = described(WholeNumber, "The number of groups between them that count.")
    share = _share(
        "The share of the games that the bot won, where a draw is half a game; null without groups.",
        allow_none=True,
    )
    low = _share("The lower bound of its 95% interval; null without groups.", allow_none=True)
    high = _share("The upper bound of that interval; null without groups.", allow_none=True)
    predicted = _share("The share that the ratings predict.")
    fits = described(
        fields.Boolean, "Whether the share fits the ratings; null without groups.", allow_none=True
    )


class FitSchema(ResponseSchema):
    """How well one number per bot, the rating, fits the pairs."""

    pairs = described(WholeNumber, "The number of pairs.")
    met = described(WholeNumber, "The number of pairs with groups.")
    marked = described(WholeNumber, "The number of pairs that the ratings do not fit.")
    error = _share("By how much a predicted share is off, beyond chance (root of the mean square).")
    explained = _share(
        "The part of the differences between shares, beyond chance, that the ratings explain; null without "
        "such differences.",
        allow_none=True,
    )


class MatchupsSchema(ResponseSchema):
    """Who beats whom among the best bots of a leaderboard."""

    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of rules.")
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    method = described(WholeNumber, "The version of the method (see *Ratings, leaderboards and standings*).")
    records_hash = described(
        fields.String, "The `records_hash` of the leaderboard from whose groups they were computed."
    )
    computed_ms = described(Moment, "When they were computed.")
    bots = listed(MatchedBotSchema, "The ranked bots in the order of the leaderboard, at most 50.")
    pairs = listed(PairSchema, "Every pair once, the bot that is first on the leaderboard as `bot`.")
    fit = fields.Nested(FitSchema, required=True)
