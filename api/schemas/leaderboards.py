"""Leaderboards: ratings with intervals, titles, and their history."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields, validate

from api.schemas.common import Reply, Request, absent, told
from api.schemas.fields import Moment, WholeNumber
from api.schemas.games import KINDS
from arena.live.accounts import NAME_PATTERN
from arena.ratings.collusion import DUMPING, SIGNALLING
from arena.ratings.results import DIVISIONS

FORMATS: Final = ("json", "csv", "text")
TEXTS: Final = ("text/csv", "text/plain")
"""The media types of the last two."""


def form() -> fields.String:
    """As what a table comes."""
    return fields.String(
        load_default="json",
        validate=validate.OneOf(FORMATS),
        metadata={"description": "As what the table comes."},
    )


class FormatQuery(Request):
    """As what the table comes."""

    format = form()


class HistoryQuery(Request):
    """Whose history, and how much of it."""

    bot = fields.String(
        load_default=absent,
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z")),
        metadata={"description": "Only this bot's.", "pattern": NAME_PATTERN},
    )


class BoardQuery(Request):
    """Which leaderboard."""

    kind = fields.String(
        required=True, validate=validate.OneOf(KINDS), metadata={"description": "The kind of game."}
    )
    division = fields.String(
        required=True, validate=validate.OneOf(DIVISIONS), metadata={"description": "The division."}
    )


def _rating(description: str) -> Any:
    return told(fields.Float, description)


class RatingSchema(Reply):
    """The rating of one version of a bot."""

    version = told(fields.String, "The version.")
    rating = _rating("On a scale like Elo's; house bot `rookie` is 1500.")
    low = _rating("Lower bound of the 95% interval of the difference to `rookie`.")
    high = _rating("Upper bound of it.")
    provisional = told(fields.Boolean, "Fewer than 30 groups, or no chain of games leads to `rookie`.")
    groups = told(WholeNumber, "Groups that count for it.")
    games = told(WholeNumber, "Games in these.")
    faults = told(WholeNumber, "Its faults in these.")
    forfeits = told(WholeNumber, "Groups that it lost by forfeit.")
    last_seen_ms = told(Moment, "When its last game ended; null: not told.", allow_none=True)


class BoardRowSchema(RatingSchema):
    """A bot, with the rating of its current version (the last seen)."""

    rank = told(WholeNumber, "1 + the number of bots whose lower bound is above this bot's upper bound.")
    name = told(fields.String, "The bot's name.")
    best_version = told(fields.String, "The version with the best rating.")
    versions = fields.List(
        fields.Nested(RatingSchema), required=True, metadata={"description": "All, the last seen first."}
    )


class AnchorSchema(Reply):
    """What holds the scale."""

    name = told(fields.String, "The house bot.")
    rating = _rating("Its rating.")
    played = told(fields.Boolean, "Whether it has played here; if not, the average bot has this rating.")


class TitleSchema(Reply):
    """A title of the rules (TP-7.3)."""

    holders = fields.List(fields.String(), required=True, metadata={"description": "Who holds it, by name."})
    value = _rating("With how much.")
    measure = told(fields.String, "Of what.")


class BoardSummarySchema(Reply):
    """A leaderboard in a list."""

    kind = told(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    division = told(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    groups = told(WholeNumber, "Groups that count.")
    records = told(WholeNumber, "Records that it is made from.")
    records_hash = told(fields.String, "SHA-256 of the sorted hashes of these records.")
    published_ms = told(Moment, "When it was published; null: never yet.", allow_none=True)


class BoardSchema(BoardSummarySchema):
    """A leaderboard. `botequim leaderboard` makes the same from the records."""

    anchor = fields.Nested(AnchorSchema, required=True)
    rows = fields.List(
        fields.Nested(BoardRowSchema),
        required=True,
        metadata={"description": "By rank; the provisional ones after all others."},
    )
    titles = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(TitleSchema),
        required=True,
        metadata={"description": "By name."},
    )


class BoardListSchema(Reply):
    """All leaderboards."""

    leaderboards = fields.List(fields.Nested(BoardSummarySchema), required=True)


class HistoryPointSchema(Reply):
    """The rating of a bot at the end of a day, or now."""

    day = told(fields.String, "The day in UTC, `YYYY-MM-DD`.")
    name = told(fields.String, "The bot's name.")
    version = told(fields.String, "Its current version then.")
    rating = _rating("Its rating.")
    low = _rating("Lower bound of the 95% interval.")
    high = _rating("Upper bound of it.")
    provisional = told(fields.Boolean, "Whether it was provisional.")


class HistorySchema(Reply):
    """Daily points of a leaderboard."""

    kind = told(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    division = told(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    points = fields.List(
        fields.Nested(HistoryPointSchema),
        required=True,
        metadata={"description": "By day, then by name."},
    )


class RatedPlayer(Reply):
    """One version of one bot."""

    name = told(fields.String, "The bot's name.")
    version = told(fields.String, "Its version.")


class SuspicionSchema(Reply):
    """Two bots whose results look arranged."""

    what = told(
        fields.String,
        "`dumping`: `gainer` gains from `helper`. `signalling`: the two gain from the others.",
        validate=validate.OneOf((DUMPING, SIGNALLING)),
    )
    kind = told(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    division = told(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    gainer = fields.Nested(RatedPlayer, required=True)
    helper = fields.Nested(RatedPlayer, required=True)
    groups = told(WholeNumber, "Groups of the two.")
    score = told(fields.Float, "What was gained per group.")
    expected = told(fields.Float, "What all other results predict.")
    deviations = told(fields.Float, "How many standard deviations lie between.")
    fold_rate = told(
        fields.Float,
        "How often `helper` folded when asked, in these groups; null: never asked.",
        allow_none=True,
    )
    fold_rate_elsewhere = told(
        fields.Float, "How often in its other groups; null: never asked.", allow_none=True
    )
    forfeits = told(WholeNumber, "Groups of the two that `helper` forfeited.")
    group_ids = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The groups, at most 20, those first that tell most."},
    )


class SuspicionListSchema(Reply):
    """Pairs to look into, the strangest first."""

    suspicions = fields.List(fields.Nested(SuspicionSchema), required=True)
