"""Tournaments: announcing them, entering, how far they are."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from marshmallow import Schema, fields, validate

from api.schemas.common import ByKind, PageQuery, Reply, Request, absent, told
from api.schemas.fields import Moment, Rules, Truth, WholeNumber
from api.schemas.games import KINDS, ClockSchema, OfToepen, OfTruco, ShownClock, nonce
from api.schemas.turns import wait
from arena.live.event import STATES
from arena.ratings.results import DIVISIONS, OPEN
from arena.ratings.standings import TIE_BREAKS
from arena.tournaments.spec import FORMATS, MAX_ENTRIES, PARTNERS, WHO

ENTRY_STATES: Final = ("entered", "qualifying", "qualified", "failed", "withdrawn")
GROUP_STATES: Final = ("planned", "done", "void")
MAX_REASON: Final = 300


def _count(description: str, most: int, default: int | None = None, least: int = 1) -> WholeNumber:
    metadata: dict[str, Any] = {"description": description}
    if default is not None:
        metadata["default"] = default
    return WholeNumber(validate=validate.Range(least, most), metadata=metadata)


def _choice(description: str, choices: tuple[str, ...], default: str | None = None) -> fields.String:
    metadata = {"description": description, **({"default": default} if default else {})}
    return fields.String(validate=validate.OneOf(choices), required=default is None, metadata=metadata)


def _event_name() -> fields.String:
    return fields.String(
        required=True,
        validate=validate.Length(1, 80),
        metadata={"description": "A name for people: printable characters."},
    )


class TournamentSettings(Request):
    """What one-off tournaments and those of a schedule have in common."""

    name = _event_name()
    format = _choice("How bots are paired: see the page on tournaments.", FORMATS)
    groups = _count("Groups per pairing.", 1000, 1)
    rounds = WholeNumber(
        validate=validate.Range(1, 100),
        allow_none=True,
        metadata={
            "description": "`round_robin`: how often everybody meets everybody. `swiss`: how many rounds; "
            "by default as many as halve the field to one."
        },
    )
    clock = fields.Nested(ClockSchema)
    max_entries = _count("The most bots.", MAX_ENTRIES, 64, 2)
    per_owner = _count("The most bots of one owner.", MAX_ENTRIES)
    who = _choice("Who may enter.", WHO, "anyone")
    division = _choice(
        "`sealed`: for uploaded bots, which the arena runs. `open`: for bots that run elsewhere. House bots "
        "take part in both.",
        DIVISIONS,
        OPEN,
    )
    house = fields.List(
        fields.String(validate=validate.Length(1, 40)),
        validate=validate.Length(0, MAX_ENTRIES),
        metadata={
            "description": "House bots that take part; with no others, also `rookie+2` beside `rookie`."
        },
    )
    invited = fields.List(
        fields.String(validate=validate.Length(1, 80)),
        validate=validate.Length(0, MAX_ENTRIES),
        metadata={"description": "The names of the bots that may enter, with `who` `invited`."},
    )
    auto_enter = Truth(
        metadata={
            "description": "Whether every qualified bot that is online, or uploaded, is entered.",
            "default": False,
        }
    )
    rated = Truth(metadata={"description": "Whether it counts for the leaderboards.", "default": True})
    games_per_bot = _count("The most live games of one bot at once.", 64, 4)
    max_repeats = _count("`open` only: the most groups of the same bots.", 10_000)
    tie_breaks = fields.List(
        fields.String(validate=validate.OneOf(tuple(TIE_BREAKS))),
        validate=validate.Length(0, len(TIE_BREAKS)),
        metadata={"description": "In the order of their use."},
    )


class _NewTournament(TournamentSettings):
    opens_ms = Moment(metadata={"description": "When entry opens; by default now."})
    locks_ms = Moment(
        metadata={"description": "When entry is locked and play starts; by default a minute after that."}
    )
    ends_ms = Moment(metadata={"description": "`open` only, required there: when it ends."})


def tournament_kind(kind: str) -> fields.String:
    return fields.String(
        required=True, validate=validate.OneOf((kind,)), metadata={"description": "The kind of game."}
    )


def partners() -> fields.String:
    return _choice("`mixed`: every bot partners every other, and each is rated alone.", PARTNERS, "same")


class NewTrucoTournament(_NewTournament):
    """A tournament of Brazilian Truco to announce."""

    kind = tournament_kind("truco")
    rules = Rules("truco")
    partners = partners()


class NewToepenTournament(_NewTournament):
    """A tournament of Toepen to announce; the rule option `seats` is the size of its tables."""

    kind = tournament_kind("toepen")
    rules = Rules("toepen")


class NewTournamentSchema(ByKind):
    """A tournament to announce."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {
        "truco": NewTrucoTournament,
        "toepen": NewToepenTournament,
    }


class EnterSchema(Request):
    """Who enters."""

    bot = fields.String(
        required=True,
        validate=validate.Length(1, 40),
        metadata={"description": "The name of a bot; or a house bot, also as one of several: `rookie+2`."},
    )
    version = fields.String(
        load_default=absent,
        validate=validate.Length(1, 32),
        metadata={"description": "The label of its version; by default the current one."},
    )
    nonce = nonce()


class ReasonSchema(Request):
    """Why; everybody can read it."""

    reason = fields.String(
        required=True,
        validate=validate.Length(1, MAX_REASON),
        metadata={"description": "Why; everybody can read it."},
    )


class TournamentsQuery(PageQuery):
    """Which tournaments to list."""

    state = fields.String(
        load_default=absent,
        validate=validate.OneOf((*STATES, "over")),
        metadata={"description": "Only in this state; `over`: finished or cancelled."},
    )
    kind = fields.String(
        load_default=absent, validate=validate.OneOf(KINDS), metadata={"description": "Only this kind."}
    )


class TournamentQuery(Request):
    """For what to wait."""

    since = fields.Integer(
        load_default=absent,
        validate=validate.Range(0, 2**53),
        metadata={"description": "A version. If the tournament has not changed from it, the answer is 204."},
    )
    wait = wait()


class TournamentRecordsQuery(Request):
    """Which records."""

    group = fields.String(
        load_default=absent,
        validate=validate.Length(1, 64),
        metadata={"description": "Only those of this group."},
    )


# What comes back


class EntrySchema(Reply):
    """A bot in a tournament."""

    bot = told(fields.String, "The bot's name.")
    version = told(fields.String, "The version that plays.")
    owner = told(fields.String, "Whose it is; null: the house's.", allow_none=True)
    house = told(fields.Boolean, "Whether it is a house bot.")
    nonce = told(fields.String, "What it added to the shuffles.")
    status = told(
        fields.String,
        "`qualifying`: it plays a group against `rookie` first. `failed`: that went wrong, `reason` says "
        "how. Who is not qualified when entry is locked is left out.",
        validate=validate.OneOf(ENTRY_STATES),
    )
    reason = told(fields.String, "Why it is out, if it is.", allow_none=True)


class ProgressSchema(Reply):
    """How far a tournament is."""

    done = told(WholeNumber, "Groups with a result.")
    planned = told(WholeNumber, "Groups that there will be, as far as is known.")
    games = told(WholeNumber, "Games played.")
    games_per_s = told(fields.Float, "Games per second since play started.")
    left_s = told(fields.Float, "Seconds until the end, by that; null: too early to tell.", allow_none=True)
    round = told(WholeNumber, "The round that is played, from 1; 0: none yet.")
    state = told(fields.String, "As that of the tournament.", validate=validate.OneOf(STATES))


class PlaceSchema(Reply):
    """Where a bot came in a knockout."""

    name = told(fields.String, "The bot's name.")
    version = told(fields.String, "Its version.")
    place = told(WholeNumber, "From 1; who went out in the same round shares it.")


class VoidSchema(Reply):
    """An attempt at a group that counts for nobody, because the service failed."""

    group = told(fields.String, "The group.")
    attempt = told(WholeNumber, "Which attempt, from 0.")
    reason = told(fields.String, "What went wrong.")
    at_ms = told(Moment, "When.")


class _Tournament(Reply):
    id = told(fields.String, "The id.")
    name = told(fields.String, "The name.")
    state = told(
        fields.String,
        "How far it is: `entry` from `opens_ms` to `locks_ms`.",
        validate=validate.OneOf(STATES),
    )
    format = told(fields.String, "How bots are paired.", validate=validate.OneOf(FORMATS))
    groups = told(WholeNumber, "Groups per pairing.")
    rounds = told(WholeNumber, "Rounds; null: it follows from the format.", allow_none=True)
    partners = told(fields.String, "Truco: who partners whom.", validate=validate.OneOf(PARTNERS))
    clock = fields.Nested(ShownClock, required=True)
    opens_ms = told(Moment, "When entry opens.")
    locks_ms = told(Moment, "When entry is locked and play starts.")
    ends_ms = told(Moment, "`open`: when it ends.", allow_none=True)
    max_entries = told(WholeNumber, "The most bots.")
    division = told(fields.String, "For which bots.", validate=validate.OneOf(DIVISIONS))
    per_owner = told(WholeNumber, "The most bots of one owner.")
    who = told(fields.String, "Who may enter.", validate=validate.OneOf(WHO))
    invited = fields.List(
        fields.String(), required=True, metadata={"description": "The bots that may enter, if not all."}
    )
    auto_enter = told(fields.Boolean, "Whether every qualified bot that is online is entered.")
    rated = told(fields.Boolean, "Whether it counts for the leaderboards.")
    games_per_bot = told(WholeNumber, "The most live games of one bot at once.")
    max_repeats = told(WholeNumber, "`open`: the most groups of the same bots.")
    tie_breaks = fields.List(
        fields.String(), required=True, metadata={"description": "In the order of their use."}
    )
    created_by = told(fields.String, "The owner that announced it; empty: the service.")
    created_ms = told(Moment, "When it was announced.")
    started_ms = told(Moment, "When play started.", allow_none=True)
    finished_ms = told(Moment, "When it was over.", allow_none=True)
    reason = told(fields.String, "Why it was cancelled.", allow_none=True)
    commitment = told(fields.String, "SHA-256 of the event seed, known before anybody enters.")
    seed = told(fields.String, "The event seed, once it is over.", allow_none=True)
    entries_hash = told(
        fields.String, "The hash of the entries and their nonces, from the lock on.", allow_none=True
    )
    places = fields.List(
        fields.Nested(PlaceSchema),
        required=True,
        allow_none=True,
        metadata={"description": "`knockout`, once it is finished: who came where; null: points decide."},
    )
    records_hash = told(
        fields.String, "SHA-256 of the sorted hashes of its records, once it is finished.", allow_none=True
    )
    progress = fields.Nested(ProgressSchema, required=True)
    version = told(WholeNumber, "Changes with every change of the tournament.")


class TrucoTournamentSummary(OfTruco, _Tournament):
    """A tournament of Brazilian Truco."""


class ToepenTournamentSummary(OfToepen, _Tournament):
    """A tournament of Toepen."""


class TournamentSummarySchema(ByKind):
    """A tournament as lists show it."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {
        "truco": TrucoTournamentSummary,
        "toepen": ToepenTournamentSummary,
    }


class _WithEntries(Reply):
    entries = fields.List(
        fields.Nested(EntrySchema), required=True, metadata={"description": "In the order of entering."}
    )
    voids = fields.List(
        fields.Nested(VoidSchema),
        required=True,
        metadata={"description": "Attempts at groups that failed by a fault of the service."},
    )


class TrucoTournament(_WithEntries, TrucoTournamentSummary):
    """A tournament of Brazilian Truco and who takes part."""


class ToepenTournament(_WithEntries, ToepenTournamentSummary):
    """A tournament of Toepen and who takes part."""


class TournamentSchema(ByKind):
    """A tournament and who takes part."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {"truco": TrucoTournament, "toepen": ToepenTournament}


class TournamentPageSchema(Reply):
    """A page of tournaments, the newest first. It may be short though more follow: only `cursor` says."""

    tournaments = fields.List(fields.Nested(TournamentSummarySchema), required=True)
    cursor = told(fields.String, "Gets the next page; null on the last.", allow_none=True)


class AnnulmentSchema(Reply):
    """Why a group counts for nobody."""

    group = told(fields.String, "The group.")
    reason = told(fields.String, "Why.")
    by = told(fields.String, "Which admin did it: an owner's name, or `admin`.")
    at_ms = told(Moment, "When.")


class EventGroupSchema(Reply):
    """A group of a tournament."""

    id = told(
        fields.String,
        "The id in the tournament; in records the id of the tournament and a hyphen stand before it.",
    )
    round = told(WholeNumber, "The round, from 1.")
    pairing = told(WholeNumber, "The pairing in the round, from 1.")
    players = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "Each bot once, by the seats of the first game."},
    )
    state = told(
        fields.String,
        "`void`: it counts for nobody, because the service failed three times or an admin annulled it.",
        validate=validate.OneOf(GROUP_STATES),
    )
    mirrored = told(fields.Boolean, "Whether all its games have the same deals.")
    commitment = told(fields.String, "SHA-256 of the group's seed.")
    voids = told(WholeNumber, "How many attempts failed by a fault of the service.")
    score = fields.Dict(
        keys=fields.String(),
        values=fields.Float(),
        required=True,
        allow_none=True,
        metadata={"description": "What each gained, from 0 to 1, by name; null: not over."},
    )
    forfeits = fields.List(
        fields.String(), required=True, metadata={"description": "Who forfeited a game of it, by name."}
    )
    games = fields.List(fields.String(), required=True, metadata={"description": "The ids of its games."})
    annulled = fields.Nested(
        AnnulmentSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Why an admin annulled it; null: nobody did."},
    )


class GroupPageSchema(Reply):
    """A page of groups, in the order of planning."""

    groups = fields.List(fields.Nested(EventGroupSchema), required=True)
    cursor = told(fields.String, "Gets the next page; null on the last.", allow_none=True)


class StandingSchema(Reply):
    """The line of one bot."""

    place = told(WholeNumber, "From 1; who is tied after all tie-breaks shares it.")
    name = told(fields.String, "The bot's name.")
    version = told(fields.String, "Its version.")
    groups = told(WholeNumber, "Groups that count for it.")
    byes = told(WholeNumber, "Byes, a point each.")
    points = told(fields.Float, "The sum of what its groups gave, from 0 to 1 each.")
    score = told(fields.Float, "Points per group; this decides.")
    half_width = told(
        fields.Float, "Of the 95% interval of the score; null: too few groups.", allow_none=True
    )
    won = told(WholeNumber, "Groups in which nobody else gained as much.")
    games = told(WholeNumber, "Games in its groups.")
    faults = told(WholeNumber, "Its faults.")
    forfeits = told(WholeNumber, "Groups that it lost by forfeit.")
    used_ms = told(WholeNumber, "Time for all its actions; null: not told.", allow_none=True)
    tie_breaks = fields.Dict(
        keys=fields.String(),
        values=fields.Float(),
        required=True,
        metadata={"description": "The values of the tie-breaks that were needed, by name."},
    )


class MeetingSchema(Reply):
    """What one bot gained against another."""

    points = told(fields.Float, "Of at most one per group.")
    groups = told(WholeNumber, "How many groups.")


class StandingsSchema(Reply):
    """Standings and crosstable: those so far, or the final ones."""

    groups = told(WholeNumber, "Groups that count.")
    records_hash = told(fields.String, "SHA-256 of the sorted hashes of their records.")
    tie_breaks = fields.List(
        fields.String(), required=True, metadata={"description": "In the order of their use."}
    )
    rows = fields.List(
        fields.Nested(StandingSchema), required=True, metadata={"description": "From first to last."}
    )
    crosstable = fields.List(
        fields.List(fields.Nested(MeetingSchema, allow_none=True)),
        required=True,
        metadata={
            "description": "What the bot of each row gained against that of each column, both in the order "
            "of `rows`; null: they did not meet."
        },
    )
