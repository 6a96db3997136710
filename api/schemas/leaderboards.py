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
        "The preset of rules that was played, such as `duel@1`; by default, the game's first preset.",
        load_default=absent,
        validate=validate.Length(1, 80),
    )


class TableQuery(RowsQuery):
    """The format of a table, and a page of the table. CSV and text contain all rows."""

    format = form()


class GivenRows(TypedDict):
    """The values loaded by :class:`RowsQuery`."""

    cursor: str | None
    limit: int


class GivenTable(GivenRows):
    """The values loaded by :class:`TableQuery`."""

    format: str


def cursor() -> fields.String:
    """Return the field for the cursor of a table's page."""
    return described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)


class BoardTableQuery(TableQuery):
    """The leaderboard, its format and the page to return."""

    preset = preset()


class GivenBoardTable(GivenTable):
    """The values loaded by :class:`BoardTableQuery`."""

    preset: str | None


class BoardPageQuery(PageQuery):
    """The leaderboard, and which of its bots to show and to highlight in the drawing on the page."""

    preset = preset()
    owner = fields.String(load_default=absent, validate=validate.Length(0, 80))
    house = fields.Boolean(load_default=absent)
    provisional = fields.Boolean(load_default=absent)
    versions = fields.String(load_default="current", validate=validate.OneOf(("current", "all")))
    columns = fields.String(load_default="few", validate=validate.OneOf(("few", "all")))
    bot = fields.String(load_default=absent, validate=validate.Length(1, 80))
    second = fields.String(load_default=absent, validate=validate.Length(1, 80))


class GivenBoardPage(GivenPage):
    """The values loaded by :class:`BoardPageQuery`."""

    preset: str | None
    owner: str | None
    house: bool | None
    provisional: bool | None
    versions: str
    columns: str
    bot: str | None
    second: str | None


class SupplementQuery(RequestSchema):
    """The leaderboard."""

    preset = preset()


class GivenSupplement(TypedDict):
    """The values loaded by :class:`SupplementQuery`."""

    preset: str | None


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
    """The values loaded by :class:`HistoryQuery`."""

    preset: str | None
    bot: str | None


class BoardQuery(RequestSchema):
    """The leaderboard."""

    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))
    preset = preset()


class GivenBoard(TypedDict):
    """The values loaded by :class:`BoardQuery`."""

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
    high = _rating("The upper bound of this interval.")
    provisional = described(
        fields.Boolean,
        "Whether the rating is provisional: fewer than 30 groups, or no chain of games to `rookie`.",
    )
    groups = described(WholeNumber, "The number of groups on which the rating is based.")
    games = described(WholeNumber, "The number of games in these groups.")
    faults = described(WholeNumber, "The number of faults in these groups.")
    forfeits = described(WholeNumber, "The number of groups lost by forfeit.")
    last_seen_ms = described(Moment, "When the last game ended; null if not recorded.", allow_none=True)
    illegal = optional(WholeNumber, "Division `models`: the number of illegal and malformed answers.")
    late = optional(WholeNumber, "Division `models`: the number of turns without an answer in time.")
    adjusted = _rating(
        "The rating without the luck of the cards, which does not affect the rank; null if luck is not "
        "measured, if there is too little data, or if the interval would be wider.",
        allow_none=True,
    )
    adjusted_low = _rating("The lower bound of the 95% interval of `adjusted`.", allow_none=True)
    adjusted_high = _rating("The upper bound of this interval.", allow_none=True)
    house_groups = described(WholeNumber, "The number of these groups in which the version met a house bot.")
    without_house = _rating(
        "What the rating would be without these; null if there are too few others.", allow_none=True
    )


class BoardRowSchema(RatingSchema):
    """A bot, with the rating of its current version (the one seen last) since it became current."""

    rank = described(
        WholeNumber,
        "The best rank that the bot can have: one more than the number of bots that are significantly "
        "better. With a probability of 95%, all ranks of the board are between `rank` and `worst_rank`. Null "
        "while the rating is provisional, if the bot has retired, or if its owners want no rank for it.",
        allow_none=True,
    )
    worst_rank = described(
        WholeNumber,
        "The worst rank that the bot can have: the number of ranked bots, less those that are significantly "
        "worse. Null if `rank` is null.",
        allow_none=True,
    )
    name = described(fields.String, "The bot's name.")
    best_version = described(fields.String, "The version with the best rating.")
    retired = described(
        fields.Boolean,
        f"Whether the bot was not seen in the {RETIRED_DAYS} days before the newest group of the board, or "
        "was withdrawn, paused or deleted.",
    )
    proven = described(
        fields.Boolean, "Whether an owner has proven to be a person, or the bot belongs to the house."
    )
    chosen = described(
        fields.Boolean, "Whether its owners want a rank for it, of the three that they can have."
    )
    versions_tried = described(
        WholeNumber, "The number of versions of the bot that have played on this board."
    )
    model = optional(
        fields.String, "Division `models`: the language model, as stated by the owner; empty for house bots."
    )
    game_cost = optional(
        fields.Float,
        "Division `models`: the cost of a game in US dollars, as stated by the owner, or null.",
        allow_none=True,
    )
    versions = listed(RatingSchema, "All versions, most recently seen first.")


class AnchorSchema(ResponseSchema):
    """The bot that anchors the scale."""

    name = described(fields.String, "The house bot.")
    rating = _rating("The fixed rating of the house bot.")
    played = described(
        fields.Boolean,
        "Whether the house bot has played on this board; if not, `rating` is the rating of the average bot.",
    )


class TitleSchema(ResponseSchema):
    """A title of the rules (TP-7.3)."""

    holders = listed(fields.String(), "The names of the bots that hold the title.")
    value = _rating("The value of the measure.")
    measure = described(fields.String, "The measure that decides the title.")


class OfBoard:
    """The fields that say to which leaderboard a response belongs."""

    kind = described(fields.String, "The kind of game.", validate=validate.OneOf(KINDS))
    preset = described(fields.String, "The preset of rules that was played.")
    division = described(fields.String, "The division.", validate=validate.OneOf(DIVISIONS))


class BoardSummarySchema(OfBoard, ResponseSchema):
    """A leaderboard as shown in lists."""

    groups = described(WholeNumber, "The number of groups that count.")
    records = described(WholeNumber, "The number of records from which the leaderboard is computed.")
    records_hash = described(fields.String, "The SHA-256 of the sorted hashes of these records.")
    supplement_hash = described(fields.String, "The hash of the supplement of the leaderboard.")
    published_ms = described(Moment, "When the leaderboard was published; null if not yet.", allow_none=True)


class BoardSchema(BoardSummarySchema):
    """A leaderboard. `botequim leaderboard` computes the same leaderboard from the records."""

    method = described(WholeNumber, "The version of the method (see *Ratings, leaderboards and standings*).")
    luck_table = described(
        fields.String,
        "The hash of the equity table with which luck is measured (see *Luck*); null if it is not measured.",
        allow_none=True,
    )
    proven_parties = described(WholeNumber, "The number of its parties that have proven to be persons.")
    proven_needed = described(
        WholeNumber, "From this number on, results against bots of other parties count for these bots alone."
    )
    anchor = fields.Nested(AnchorSchema, required=True)
    rows = listed(BoardRowSchema, "The bots, sorted by rank, with unranked bots last; at most 200 per page.")
    cursor = cursor()
    titles = described(
        fields.Dict, "The titles, by name.", keys=fields.String(), values=fields.Nested(TitleSchema)
    )


class SupplementBotSchema(ResponseSchema):
    """A bot in the supplement of a leaderboard."""

    digest = described(fields.String, "The SHA-256 of the bot's name.")
    withdrawn = described(
        fields.Boolean, "Whether the bot gets no new games, because it was withdrawn, paused or deleted."
    )
    ranked = described(fields.Boolean, "Whether its owners want a rank for it.")
    since_ms = described(
        WholeNumber,
        "When they decided so, in Unix milliseconds, or 0 if it was ranked from the beginning. Its rating "
        "counts only later groups.",
    )


class PartySchema(ResponseSchema):
    """Owners who share bots."""

    proven = described(fields.Boolean, "Whether any of them has proven to be a person.")
    bots = listed(fields.Nested(SupplementBotSchema), "Their bots on the leaderboard.")


class SupplementSchema(OfBoard, ResponseSchema):
    """The supplement of a leaderboard. The leaderboard is a function of its records and this."""

    format = described(WholeNumber, "The version of the format of supplements.")
    parties = listed(
        fields.Nested(PartySchema),
        "The owners of the bots on the leaderboard, without names. House bots belong to none of them.",
    )
    hash = described(
        fields.String,
        "The SHA-256 of `format` and `parties`, as JSON with sorted keys and without spaces.",
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
    high = _rating("The upper bound of this interval.")
    provisional = described(fields.Boolean, "Whether the rating was provisional.")
    rank = described(WholeNumber, "The rank; null if the bot had none, or if it is unknown.", allow_none=True)
    groups = described(WholeNumber, "The number of groups; null if it is unknown.", allow_none=True)


class HistorySchema(OfBoard, ResponseSchema):
    """The daily ratings of a leaderboard."""

    points = listed(HistoryPointSchema, "The ratings, sorted by day, then by name; at most 200 per page.")
    cursor = cursor()


class RatedPlayer(ResponseSchema):
    """One version of one bot."""

    name = described(fields.String, "The bot's name.")
    version = described(fields.String, "The bot's version.")


class GainerSchema(RatedPlayer):
    """The version that gains."""

    owner = described(fields.String, "The bot's owner; null if the bot was deleted.", allow_none=True)


class HelperSchema(GainerSchema):
    """A version that helps."""

    groups = described(WholeNumber, "The number of groups in which both played.")
    score = described(fields.Float, "The score of the gainer per group in which both played.")
    fold_rate = described(
        fields.Float,
        "The share of opportunities at which the helper folded in these groups; null if it never could fold.",
        allow_none=True,
    )
    fold_rate_elsewhere = described(
        fields.Float,
        "The same share in the helper's other groups; null if it never could fold.",
        allow_none=True,
    )
    forfeits = described(WholeNumber, "The number of groups in which both played that the helper forfeited.")


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
        fields.String,
        "The tournament in which it gained more than in others; null for all tournaments.",
        allow_none=True,
    )
    gainer = fields.Nested(GainerSchema, required=True)
    helpers = fields.List(fields.Nested(HelperSchema), required=True)
    groups = described(WholeNumber, "The number of groups with the gainer and a helper.")
    score = described(fields.Float, "The score of the gainer per group.")
    expected = described(fields.Float, "The score predicted from all other results.")
    chance = described(
        fields.Float, "An upper bound on the probability that any bot in an honest field deviates as much."
    )
    group_ids = listed(fields.String(), "The ids of the groups, at most 20, most suspicious first.")


class CopiedVersionSchema(RatedPlayer):
    """One of several versions with the same upload."""

    owner = described(fields.String, "The bot's owner.")
    created_ms = described(Moment, "When the version was added.")


class CopiesSchema(ResponseSchema):
    """An upload that bots of different owners share, byte for byte."""

    digest = described(fields.String, "The SHA-256 of the upload.")
    versions = listed(CopiedVersionSchema, "The versions with this upload, oldest first.")


class SuspicionListSchema(ResponseSchema):
    """Results that look arranged, least likely first."""

    suspicions = fields.List(fields.Nested(SuspicionSchema), required=True)
    copies = listed(
        CopiesSchema,
        "Uploads that several owners have, latest copy first; always empty in the division `open`.",
    )
