"""Matchups: the head-to-head results on a leaderboard."""

from __future__ import annotations

from typing import TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, described, listed
from api.schemas.fields import Moment, WholeNumber
from api.schemas.leaderboards import OfBoard, form, preset


def _share(description: str, *, allow_none: bool = False) -> fields.Float:
    return described(fields.Float, description, allow_none=allow_none, validate=validate.Range(0, 1))


class MatchupsQuery(RequestSchema):
    """The leaderboard, and the format of the matchups."""

    preset = preset()
    format = form()


class GivenMatchups(TypedDict):
    """The values loaded by :class:`MatchupsQuery`."""

    preset: str | None
    format: str


class MatchedBotSchema(ResponseSchema):
    """A bot in the matrix, with its data from the leaderboard."""

    rank = described(WholeNumber, "The bot's rank on the leaderboard.")
    name = described(fields.String, "The bot's name.")
    version = described(fields.String, "The bot's current version.")
    rating = described(fields.Float, "The bot's rating.")
    nash = described(
        fields.Integer,
        "Nash averaging, which is not misled by cycles: the bot's margin against the mix of bots that no bot "
        "beats, in rating points: 0 for bots in the mix, negative for others.",
    )
    mix = _share("The bot's weight in this mix, in steps of 0.05.")
    in_mix = _share("The share of bootstrap resamples in which the bot is in the mix, in steps of 0.05.")
    worst = described(
        fields.String,
        "The opponent against which the upper bound of the bot's share is lowest; null if it met no "
        "opponent.",
        allow_none=True,
    )


class PairSchema(ResponseSchema):
    """A pair of bots in the matrix."""

    bot = described(fields.String, "The bot's name.")
    opponent = described(fields.String, "The opponent's name.")
    groups = described(WholeNumber, "The number of groups between the two bots that count.")
    share = _share(
        "The share of games that the bot won, counting a draw as half; null without groups.",
        allow_none=True,
    )
    low = _share("The lower bound of the 95% interval of `share`; null without groups.", allow_none=True)
    high = _share("The upper bound of this interval; null without groups.", allow_none=True)
    predicted = _share("The share that the ratings predict.")
    fits = described(
        fields.Boolean, "Whether the share agrees with the ratings; null without groups.", allow_none=True
    )


class FitSchema(ResponseSchema):
    """How well the ratings, as one number per bot, explain the results of the pairs."""

    pairs = described(WholeNumber, "The number of pairs.")
    met = described(WholeNumber, "The number of pairs with groups.")
    marked = described(WholeNumber, "The number of pairs whose results disagree with the ratings.")
    error = _share("The error of predicted shares beyond chance (root mean square).")
    explained = _share(
        "The fraction of the differences between shares, beyond chance, that the ratings explain; null "
        "without "
        "such differences.",
        allow_none=True,
    )


class MatchupsSchema(OfBoard, ResponseSchema):
    """The head-to-head results of the best bots on a leaderboard."""

    method = described(WholeNumber, "The version of the method (see *Ratings, leaderboards and standings*).")
    records_hash = described(
        fields.String, "The `records_hash` of the leaderboard from whose groups the matchups were computed."
    )
    computed_ms = described(Moment, "When the matchups were computed.")
    bots = listed(MatchedBotSchema, "The ranked bots in the order of the leaderboard, at most 50.")
    pairs = listed(
        PairSchema, "Every pair of bots once, with the one that is higher on the leaderboard as `bot`."
    )
    fit = fields.Nested(FitSchema, required=True)
