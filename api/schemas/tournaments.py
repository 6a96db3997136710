"""Tournaments: announcing, entering and progress."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NotRequired, TypedDict

from marshmallow import fields, validate

from api.schemas.common import (
    ByKind,
    GivenPage,
    PageQuery,
    RequestSchema,
    ResponseSchema,
    absent,
    described,
    listed,
    name,
    nested,
    optional,
)
from api.schemas.derived import request_field, request_fields, response_fields
from api.schemas.fields import Moment, Rules, TypedLine, WholeNumber
from api.schemas.games import KINDS, ClockSchema, ShownClock, nonce
from api.schemas.games_apart import OF_GAME, for_each_game, kind_of
from api.schemas.turns import wait
from arena.declarations import settings_of
from arena.events.tournament import STATES
from arena.games.descriptor import Game
from arena.tournaments.settings import (
    MAX_ENTRIES,
    HouseBots,
    InvitedOwners,
    OneOffSettings,
    SharedSettings,
)
from arena.tournaments.spec import Spec

ENTRY_STATES: Final = ("entered", "qualifying", "qualified", "failed", "withdrawn")
GROUP_STATES: Final = ("planned", "done", "void")
MAX_REASON: Final = 300
PRESET_TEXT: Final = "The preset that sets the rules, in place of `rules`."

MAX_SETTINGS: Final = 128_000
MAX_SETTINGS_VALUES: Final = 2 * MAX_ENTRIES + 500
"""The maximum bytes and number of values of a tournament's settings: two lists of bots, and the rest."""


def settings_schema(*of: type, without: Collection[str] = ()) -> type[RequestSchema]:
    """Return a schema for the settings of declared classes, the house bots to enter, and the clock."""
    members = request_fields(*of, HouseBots, without=without)
    return type("Settings", (RequestSchema,), {**members, "clock": fields.Nested(ClockSchema)})


OF_TEAMS: Final = ("partners",)
"""The settings that apply only to games with partners; see :func:`what_to_play`."""


def what_to_play(game: Game) -> Mapping[str, object]:
    """Return the fields for a tournament's game, its rules and, for team games, its partners."""
    presets = [preset.name for preset in game.presets]
    members: dict[str, Any] = {
        "kind": kind_of(game),
        "rules": Rules(game.game_rules),
        "preset": optional(fields.String, PRESET_TEXT, validate=validate.OneOf(presets)),
    }
    if game.has_partners:
        members |= {name: request_field(settings_of(SharedSettings)[name]) for name in OF_TEAMS}
    return members


class NewTournamentSchema(ByKind):
    """A tournament to announce."""

    type_schemas = for_each_game(
        "New{}Tournament",
        "A tournament of {title} to announce. The rule option `seats` is the table size.",
        settings_schema(OneOffSettings, InvitedOwners, without=OF_TEAMS),
        members=what_to_play,
    )


class GivenTournament(TypedDict):
    """The values loaded by :class:`NewTournamentSchema` that are checked before the arena receives all."""

    kind: str
    invited: NotRequired[list[str]]
    invited_owners: NotRequired[list[str]]
    baseline: NotRequired[list[str]]


class EnterSchema(RequestSchema):
    """A bot to enter."""

    bot = described(
        fields.String,
        "The name of a bot or house bot. Additional copies of a house bot are named like `rookie+2`. `pool`: "
        "`regular` or `barfly`, drawn by lot at the lock.",
        validate=validate.Length(1, 40),
    )
    version = optional(
        fields.String,
        "The label of the version; by default, the current version.",
        load_default=absent,
        validate=validate.Length(1, 32),
    )
    nonce = nonce()


class GivenEntry(TypedDict):
    """The values loaded by :class:`EnterSchema`."""

    bot: str
    version: str | None
    nonce: str


class ReasonSchema(RequestSchema):
    """A public reason."""

    reason = TypedLine(
        MAX_REASON,
        least=1,
        required=True,
        metadata={"description": "The reason, which is public."},
    )


class GivenReason(TypedDict):
    """The values loaded by :class:`ReasonSchema`."""

    reason: str


class TournamentsQuery(PageQuery):
    """Filters for tournaments."""

    state = optional(
        fields.String,
        "Only tournaments in this state. `over` means finished or cancelled.",
        load_default=absent,
        validate=validate.OneOf((*STATES, "over")),
    )
    kind = optional(
        fields.String,
        "Only tournaments of this kind of game.",
        load_default=absent,
        validate=validate.OneOf(KINDS),
    )
    bot = optional(
        fields.String,
        "Only tournaments in which this bot has played a group, at most its last 200.",
        load_default=absent,
        validate=validate.Length(1, 64),
    )


class GivenTournaments(GivenPage):
    """The values loaded by :class:`TournamentsQuery`."""

    state: str | None
    kind: str | None
    bot: str | None


class GroupsQuery(PageQuery):
    """Filters for the groups of a tournament."""

    bot = optional(
        fields.String, "Only groups with this bot.", load_default=absent, validate=validate.Length(1, 64)
    )
    against = optional(
        fields.String,
        "Only groups that also have this bot.",
        load_default=absent,
        validate=validate.Length(1, 64),
    )


class GivenGroups(GivenPage):
    """The values loaded by :class:`GroupsQuery`."""

    bot: str | None
    against: str | None


TABS: Final = ("standings", "crosstable", "groups", "entries", "rules")
"""The tabs of the page of a tournament."""


class TournamentPageQuery(GroupsQuery):
    """The tab of the page of a tournament, and filters."""

    tab = optional(
        fields.String,
        "The part of the page to show.",
        load_default=absent,
        validate=validate.OneOf(TABS),
    )

    round = optional(
        fields.Integer,
        "Only the pairings of this round; by default, the last round.",
        load_default=absent,
        validate=validate.Range(1, 10**6),
    )


class TournamentsPageQuery(RequestSchema):
    """The part of the page of all tournaments to show."""

    of = optional(
        fields.String,
        "`ratings`: those in which the arena rates bots; by default, the others.",
        load_default=absent,
        validate=validate.OneOf(("ratings",)),
    )

    cursor = optional(
        fields.String,
        "Where the older tournaments begin.",
        load_default=absent,
        validate=validate.Length(1, 200),
    )
    later = optional(
        fields.String,
        "Where the running and upcoming tournaments begin.",
        load_default=absent,
        validate=validate.Length(1, 200),
    )


class TournamentQuery(RequestSchema):
    """The version to wait for."""

    since = optional(
        fields.Integer,
        "A version of the tournament. If it is still current, the response has status 204.",
        load_default=absent,
        validate=validate.Range(0, 2**53),
    )
    wait = wait()


class GivenTournamentVersion(TypedDict):
    """The values loaded by :class:`TournamentQuery`."""

    since: int | None
    wait: float


class TournamentRecordsQuery(RequestSchema):
    """Filters for records."""

    group = optional(
        fields.String, "Only the records of this group.", load_default=absent, validate=validate.Length(1, 64)
    )


class GivenTournamentRecords(TypedDict):
    """The values loaded by :class:`TournamentRecordsQuery`."""

    group: str | None


# Responses


class EntrySchema(ResponseSchema):
    """A bot in a tournament."""

    bot = described(fields.String, "The bot's name.")
    version = described(
        fields.String, "The label of the version that plays; `by lot` before `pool` is drawn."
    )
    owner = described(fields.String, "The bot's owner; null for a house bot.", allow_none=True)
    co_owners = listed(
        fields.String(),
        "The owners who share the bot: as of its entry or, after the lock, as of the lock. "
        "Bots that share an owner count as one owner's.",
    )
    house = described(fields.Boolean, "Whether the bot is a house bot.")
    drawn = described(fields.Boolean, "Whether the bot was drawn by lot from the house bots of `pool`.")
    baseline = described(fields.Boolean, "Whether the bot takes no place.")
    nonce = described(fields.String, "The bot's contribution to the shuffles.")
    status = described(
        fields.String,
        "`qualifying`: the version must first play a group against `rookie`. `failed`: it did not qualify; "
        "its owner can see the reason in the qualifications of the version. Bots that have not qualified "
        "when entry is "
        "locked do not play.",
        validate=validate.OneOf(ENTRY_STATES),
    )
    reason = described(
        fields.String, "Why the bot is out of the tournament, otherwise null.", allow_none=True
    )


class ProgressSchema(ResponseSchema):
    """The progress of a tournament."""

    done = described(WholeNumber, "The number of groups with a result.")
    planned = described(WholeNumber, "The number of groups planned so far.")
    games = described(WholeNumber, "The number of games played.")
    games_per_s = described(fields.Float, "Games per second since play started.")
    left_s = described(
        fields.Float,
        "The estimated seconds until the end, at the pace of the last minute; null if unknown.",
        allow_none=True,
    )
    round = described(WholeNumber, "The current round, from 1; 0 before the first round.")
    state = described(fields.String, "The state of the tournament.", validate=validate.OneOf(STATES))


class PlaceSchema(ResponseSchema):
    """The place of a bot in a knockout."""

    name = described(fields.String, "The bot's name.")
    version = described(fields.String, "The version's label.")
    place = described(WholeNumber, "The place, from 1; bots eliminated in the same round share it.")


class VoidSchema(ResponseSchema):
    """An attempt to play a group that does not count because the service failed."""

    group = described(fields.String, "The group's id.")
    attempt = described(WholeNumber, "The number of the attempt, from 0.")
    reason = described(fields.String, "What failed.")
    at_ms = described(Moment, "When the attempt failed.")


class _Named(ResponseSchema):
    id = described(fields.String, "The tournament's id.")


class _Tournament(_Named.from_dict(response_fields(Spec))):  # type: ignore[misc]
    state = described(
        fields.String,
        "The state of the tournament; `entry` lasts from `opens_ms` to `locks_ms`.",
        validate=validate.OneOf(STATES),
    )
    clock = fields.Nested(ShownClock, required=True)
    preset = described(
        fields.String, "The preset that the rules match; null if they match none.", allow_none=True
    )
    organisers = listed(
        fields.String(), "The co-organisers, who can edit and cancel the tournament and invite owners."
    )
    created_by = described(
        fields.String, "The owner that announced the tournament; empty if the service did."
    )
    created_ms = described(Moment, "When the tournament was announced.")
    started_ms = described(Moment, "When play started.", allow_none=True)
    finished_ms = described(Moment, "When the tournament was finished or cancelled.", allow_none=True)
    reason = described(fields.String, "Why the tournament was cancelled, otherwise null.", allow_none=True)
    commitment = described(
        fields.String, "The SHA-256 of the tournament's seed, published before the first entry."
    )
    seed = described(
        fields.String, "The tournament's seed; null until the tournament is over.", allow_none=True
    )
    entries_hash = described(
        fields.String,
        "The hash of the entries and their nonces; null until entry is locked.",
        allow_none=True,
    )
    places = listed(
        PlaceSchema,
        "The final places of a finished knockout; null in formats that are decided by points.",
        allow_none=True,
    )
    winners = listed(
        fields.String(), "The bots in the first place of a finished tournament, otherwise empty."
    )
    records_hash = described(
        fields.String,
        "The SHA-256 of the sorted hashes of the records; null until the tournament is finished.",
        allow_none=True,
    )
    progress = fields.Nested(ProgressSchema, required=True)
    version = described(WholeNumber, "The tournament's version, which changes with every update.")


_SUMMARIES: Final = for_each_game("{}TournamentSummary", "A tournament of {title}.", OF_GAME, _Tournament)


class TournamentSummarySchema(ByKind):
    """A tournament as shown in lists."""

    type_schemas = _SUMMARIES


class EditSchema(ResponseSchema):
    """A change to a setting after the announcement."""

    at_ms = described(Moment, "When the setting was changed.")
    by = described(fields.String, "Who changed the setting: an owner, or `admin`.")
    field = described(fields.String, "The name of the setting, as in the tournament.")
    old = described(fields.Raw, "The former value.", allow_none=True)
    new = described(fields.Raw, "The new value.", allow_none=True)


class _WithEntries(ResponseSchema):
    entries = listed(EntrySchema, "The entries, in order of entry.")
    edits = listed(EditSchema, "The changes after the announcement, oldest first.")
    voids = listed(VoidSchema, "Attempts to play a group that failed because of the service.")


class TournamentSchema(ByKind):
    """A tournament and its entries."""

    type_schemas = for_each_game(
        "{}Tournament", "A tournament of {title} and its entries.", _WithEntries, _SUMMARIES
    )


class TournamentPageSchema(ResponseSchema):
    """A page of tournaments, newest first. A short page is not always the last: check `cursor`."""

    tournaments = fields.List(fields.Nested(TournamentSummarySchema), required=True)
    cursor = described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)


class AnnulmentSchema(ResponseSchema):
    """The annulment of a group by an admin."""

    group = described(fields.String, "The group's id.")
    reason = described(fields.String, "The admin's reason.")
    by = described(fields.String, "The admin: an owner's name, or `admin`.")
    at_ms = described(Moment, "When the group was annulled.")


class OwnerPairSchema(ReasonSchema):
    """Two owners, and the reason why games between their bots do not count."""

    owners = fields.List(
        name("An owner's name"),
        required=True,
        validate=validate.Length(equal=2),
        metadata={
            "description": "Two owners. All rated groups between their bots are annulled.",
            "uniqueItems": True,
        },
    )
    cursor = optional(
        fields.String,
        "The `cursor` of the previous response. Omit it at first.",
        validate=validate.Length(1, 200),
    )


class GivenOwnerPair(GivenReason):
    """The values loaded by :class:`OwnerPairSchema`."""

    owners: list[str]
    cursor: NotRequired[str]


class AnnulledPairSchema(ResponseSchema):
    """How many groups between two owners were annulled."""

    annulled = described(WholeNumber, "The number of groups that this request has annulled.")
    cursor = described(
        fields.String, "With what to go on in another request; null at the end.", allow_none=True
    )


class EventGroupSchema(ResponseSchema):
    """A group of a tournament."""

    id = described(
        fields.String,
        "The id in the tournament. In records, the tournament's id and a hyphen precede it.",
    )
    round = described(WholeNumber, "The round, from 1.")
    pairing = described(WholeNumber, "The number of the pairing in the round, from 1.")
    players = listed(fields.String(), "Each bot once, in the order of their seats in the first game.")
    state = described(
        fields.String,
        "The state of the group. `void`: it does not count, because the service failed three times or an "
        "admin annulled it.",
        validate=validate.OneOf(GROUP_STATES),
    )
    mirrored = described(fields.Boolean, "Whether all games of the group have the same deals.")
    commitment = described(fields.String, "The SHA-256 of the group's seed.")
    voids = described(WholeNumber, "The number of attempts that failed because of the service.")
    score = described(
        fields.Dict,
        "The score of each bot, from 0 to 1, by name; null until the group is over.",
        keys=fields.String(),
        values=fields.Float(),
        allow_none=True,
    )
    forfeits = listed(fields.String(), "The names of bots that forfeited a game of the group.")
    games = listed(fields.String(), "The ids of the games.")
    annulled = nested(AnnulmentSchema, "The annulment by an admin, otherwise null.", allow_none=True)


class GroupPageSchema(ResponseSchema):
    """A page of groups, in the order in which they were planned."""

    groups = fields.List(fields.Nested(EventGroupSchema), required=True)
    cursor = described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)
