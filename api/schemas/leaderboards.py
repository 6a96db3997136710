"""Leaderboards: ratings with intervals, titles, and their history."""

from __future__ import annotations

from typing import Final, TypedDict

from marshmallow import fields, validate

from api.schemas.common import (
    GivenPage,
    PageQuery,
    RequestSchema,
    ResponseSchema,
    absent,
    described,
    listed,
    optional,
)
from api.schemas.fields import Moment, WholeNumber
from api.schemas.games import KINDS
from arena.events.boards import PAGE_ROWS
from arena.inputs.names import NAME_PATTERN
from arena.integrity.suspicions import DUMPING, SIGNALLING
from arena.play.players import DIVISIONS
from arena.ratings.board import RETIRED_DAYS

FORMATS: Final = ("json", "csv", "text")


def form() -> fields.String:
    """Return the field for the format of a table."""
    return optional(
        fields.String, "The format of the table.", load_default="json", validate=validate.OneOf(FORMATS)
    )


class RowsQuery(RequestSchema):
    """The start and length of a page of a table."""

    cursor = optional(
        fields.String,
        "The `cursor` of the previous page. Omit it for the first page.",
        load_default=absent,
        validate=validate.Length(1, 200),
    )
    limit = optional(
        fields.Integer,
        "The maximum number of rows.",
        load_default=PAGE_ROWS,
        validate=validate.Range(1, PAGE_ROWS),
    )


def preset() -> fields.String:
    """Return the field for the preset of a leaderboard."""
    return optional(
        fields.String,
        "The preset of rules that was played, such as `duel@1`; by default the game's first one.",
        load_default=absent,
        validate=validate.Length(1, 80),
    )


class TableQuery(RowsQuery):
    """The format of a table, and a page of it. CSV and text contain all rows."""

    format = form()


class GivenRows(TypedDict):
    """What :class:`RowsQuery` loads."""

    cursor: str | None
    limit: int


class GivenTable(GivenRows):
    """What :class:`TableQuery` loads."""

    format: str


def cursor() -> fields.String:
    """Return the field for the cursor of a table's page."""
    return described(fields.String, "Pass it to get the next page; null on the last page.", allow_none=True)


class BoardTableQuery(TableQuery):
    """The leaderboard, its format and a page of it."""

    preset = preset()


class GivenBoardTable(GivenTable):
    """What :class:`BoardTableQuery` loads."""

    preset: str | None


class BoardPageQuery(PageQuery):
    """The leaderboard, which of its bots to show, and which of them stand out in the drawing, for people."""

    preset = preset()
    owner = fields.String(load_default=absent, validate=validate.Length(0, 80))
    house = fields.Boolean(load_default=absent)
    provisional = fields.Boolean(load_default=absent)
    versions = fields.String(load_default="current", validate=validate.OneOf(("current", "all")))
    columns = fields.String(load_default="few", validate=validate.OneOf(("few", "all")))
    bot = fields.String(load_default=absent, validate=validate.Length(1, 80))
    second = fields.String(load_default=absent, validate=validate.Length(1, 80))


class GivenBoardPage(GivenPage):
    """What :class:`BoardPageQuery` loads."""

    preset: str | None
    owner: str | None
    house: bool | None
    provisional: bool | None
    versions: str
    columns: str
    bot: str | None
    second: str | None


class HistoryQuery(RowsQuery):
    """The leaderboard, and filters for its history."""

    preset = preset()

    bot = optional(
        fields.String,
        "Only this bot.",
        load_default=absent,
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z")),
        metadata={"pattern": NAME_PATTERN},
    )


class GivenHistory(GivenRows):
    """What :class:`HistoryQuery` loads."""

    preset: str | None
    bot: str | None


class BoardQuery(RequestSchema):
    """The leaderboard."""

    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    preset = preset()


class GivenBoard(TypedDict):
    """What :class:`BoardQuery` loads."""

    kind: str
    division: str
    preset: str | None


def _rating(description: str, *, allow_none: bool = False) -> fields.Float:
    return described(fields.Float, description, allow_none=allow_none)


class RatingSchema(ResponseSchema):
    """The rating of one version of a bot."""

    version = described(fields.String, "The version's label.")
    rating = _rating("The rating on an Elo-like scale, with the house bot `rookie` at 1500.")
    low = _rating("The lower bound of the 95% interval of the difference to `rookie`.")
    high = _rating("The upper bound of that interval.")
    provisional = described(
        fields.Boolean,
        "Whether the rating is provisional: fewer than 30 groups, or no chain of games to `rookie`.",
    )
    groups = described(WholeNumber, "The number of groups that count for the rating.")
    games = described(WholeNumber, "The number of games in these groups.")
    faults = described(WholeNumber, "The number of faults in these groups.")
    forfeits = described(WholeNumber, "The number of groups lost by forfeit.")
    last_seen_ms = described(Moment, "When the last game ended; null if not recorded.", allow_none=True)
    illegal = optional(WholeNumber, "Division `models`: the number of illegal and malformed answers.")
    late = optional(WholeNumber, "Division `models`: the number of turns without an answer in time.")
    adjusted = _rating(
        "The rating without the luck of the cards, which decides nothing; null where luck is not measured or "
        "too little is known.",
        allow_none=True,
    )
    adjusted_low = _rating("The lower bound of its own 95% interval.", allow_none=True)
    adjusted_high = _rating("The upper bound of that interval.", allow_none=True)


class BoardRowSchema(RatingSchema):
    """A bot, with the rating of its current version (the one seen last) since that version became current."""

    rank = described(
        WholeNumber,
        "One more than the number of bots that are better by the 95% interval of the difference; null while "
        "the rating is provisional, and if the bot has retired.",
        allow_none=True,
    )
    name = described(fields.String, "The bot's name.")
    best_version = described(fields.String, "The version with the best rating.")
    retired = described(
        fields.Boolean,
        f"Whether the bot was not seen in the {RETIRED_DAYS} days before the newest group of the board.",
    )
    versions_tried = described(WholeNumber, "How many versions of the bot have played here.")
    model = optional(
        fields.String, "Division `models`: the language model, as the owner says; empty for house bots."
    )
    game_cost = optional(
        fields.Float,
        "Division `models`: what a game costs in US dollars, as the owner says, or null.",
        allow_none=True,
    )
    versions = listed(RatingSchema, "All versions, the one seen last first.")


class AnchorSchema(ResponseSchema):
    """The bot that anchors the scale."""

    name = described(fields.String, "The house bot.")
    rating = _rating("The fixed rating of the house bot.")
    played = described(
        fields.Boolean,
        "Whether the house bot has played here; if not, this is the rating of the average bot.",
    )


class TitleSchema(ResponseSchema):
    """A title of the rules (TP-7.3)."""

    holders = listed(fields.String(), "The names of the bots that hold the title.")
    value = _rating("The value of the measure.")
    measure = described(fields.String, "The measure that decides the title.")


class BoardSummarySchema(ResponseSchema):
    """A leaderboard as shown in lists."""

    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of rules that was played.")
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    groups = described(WholeNumber, "The number of groups that count.")
    records = described(WholeNumber, "The number of records the leaderboard is computed from.")
    records_hash = described(fields.String, "The SHA-256 of the sorted hashes of these records.")
    published_ms = described(Moment, "When the leaderboard was published; null if not yet.", allow_none=True)


class BoardSchema(BoardSummarySchema):
    """A leaderboard. `botequim leaderboard` computes the same one from the records."""

    method = described(WholeNumber, "The version of the method (see *Ratings, leaderboards and standings*).")
    luck_table = described(
        fields.String,
        "The hash of the equity table by which luck is measured (see *Luck*); null where it is not.",
        allow_none=True,
    )
    anchor = fields.Nested(AnchorSchema, required=True)
    rows = listed(BoardRowSchema, "Sorted by rank, those without a rank last; at most 200 on a page.")
    cursor = cursor()
    titles = described(
        fields.Dict, "The titles, by name.", keys=fields.String(), values=fields.Nested(TitleSchema)
    )


class BoardListSchema(ResponseSchema):
    """All leaderboards."""

    leaderboards = fields.List(fields.Nested(BoardSummarySchema), required=True)


class HistoryPointSchema(ResponseSchema):
    """The rating of a bot at the end of a day, or now."""

    day = described(fields.String, "The day in UTC, as `YYYY-MM-DD`.")
    name = described(fields.String, "The bot's name.")
    version = described(fields.String, "The bot's current version on that day.")
    rating = _rating("The rating.")
    low = _rating("The lower bound of the 95% interval.")
    high = _rating("The upper bound of that interval.")
    provisional = described(fields.Boolean, "Whether the rating was provisional.")


class HistorySchema(ResponseSchema):
    """The daily ratings of a leaderboard."""

    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of rules that was played.")
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    points = listed(HistoryPointSchema, "Sorted by day, then by name; at most 200 on a page.")
    cursor = cursor()


class RatedPlayer(ResponseSchema):
    """One version of one bot."""

    name = described(fields.String, "The bot's name.")
    version = described(fields.String, "The bot's version.")


class GainerSchema(RatedPlayer):
    """The version that gains by it."""

    owner = described(fields.String, "The bot's owner; null if the bot was deleted.", allow_none=True)


class HelperSchema(GainerSchema):
    """A version that helps."""

    groups = described(WholeNumber, "The number of groups of the two.")
    score = described(fields.Float, "The score of the gainer per group of the two.")
    fold_rate = described(
        fields.Float,
        "How often the helper folded when it could in these groups; null if it never could.",
        allow_none=True,
    )
    fold_rate_elsewhere = described(
        fields.Float, "The same in its other groups; null if it never could.", allow_none=True
    )
    forfeits = described(WholeNumber, "The number of groups of the two that the helper forfeited.")


class SuspicionSchema(ResponseSchema):
    """Bots whose results look arranged."""

    what = described(
        fields.String,
        "`dumping`: `gainer` gains from the `helpers`. `signalling`: both gain from the other players.",
        validate=validate.OneOf((DUMPING, SIGNALLING)),
    )
    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    tournament = described(
        fields.String, "The tournament in which it gained more than in others; null for all.", allow_none=True
    )
    gainer = fields.Nested(GainerSchema, required=True)
    helpers = fields.List(fields.Nested(HelperSchema), required=True)
    groups = described(WholeNumber, "The number of groups with the gainer and a helper.")
    score = described(fields.Float, "The score of the gainer per group.")
    expected = described(fields.Float, "The score predicted from all other results.")
    chance = described(
        fields.Float, "At most this is the probability that anybody in an honest field deviates as much."
    )
    group_ids = listed(fields.String(), "The ids of the groups, at most 20, the most telling first.")


class CopiedVersionSchema(RatedPlayer):
    """One of several versions with the same upload."""

    owner = described(fields.String, "The bot's owner.")
    created_ms = described(Moment, "When the version was added.")


class CopiesSchema(ResponseSchema):
    """An upload that bots of different owners share, byte for byte."""

    digest = described(fields.String, "The SHA-256 of the upload.")
    versions = listed(CopiedVersionSchema, "The versions with this upload, the oldest first.")


class SuspicionListSchema(ResponseSchema):
    """Results that look arranged, least likely first."""

    suspicions = fields.List(fields.Nested(SuspicionSchema), required=True)
    copies = listed(
        CopiesSchema,
        "Uploads that several owners have, the latest copy first; in the division `open`, none.",
    )
