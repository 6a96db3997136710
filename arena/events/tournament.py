"""One tournament in memory: its specification, entries and progress."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol, TypedDict

import orjson

from arena.accounts.versions import BotAccount
from arena.bots import BotSpec
from arena.bots.transports import HOUSE, OWNER_RUN, SANDBOX, Runner
from arena.errors import ArenaError
from arena.games.options import Rules
from arena.live.header import Viewer
from arena.play.board_names import BoardName
from arena.play.dealing import Entry, commitment, entries_hash, group_seed
from arena.play.players import MODELS, PlayerId, division_of
from arena.store.rows import (
    OPTIONAL,
    check_types,
    field_names,
    read_row,
    reading,
    row_values,
    unreadable,
)
from arena.text import printable
from arena.tournaments.comparison import ComparisonFormat, ComparisonSettings
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.plan import GroupPlan
from arena.tournaments.sealed import LocalGroup, ServerFault
from arena.tournaments.spec import SPEC_FIELDS, Spec

State = Literal["announced", "entry", "running", "finished", "cancelled"]
STATES: Final = ("announced", "entry", "running", "finished", "cancelled")
OVER: Final = ("finished", "cancelled")

Status = Literal["entered", "qualifying", "qualified", "failed", "withdrawn"]

PRIVATE_PREFIX: Final = "q-"
"""Of the ids of private tournaments. Ids of public ones may begin with it, too."""

COMPARISON: Final = "comparison"
"""The purpose of the tournaments of comparisons."""

MAX_VOIDS: Final = 3
"""A group is abandoned after this many voids."""


class TournamentNotFound(ArenaError):
    """The tournament does not exist."""

    code = "tournament_not_found"


def check_tournament_id(text: str) -> str:
    """``text`` if it is a possible id of a tournament. Raises :class:`TournamentNotFound`."""
    if not _ID(text):
        raise TournamentNotFound(f"there is no tournament {printable(text, 80)!r}", field="tournament")
    return text


# The ids of its games begin with it and have up to 64 characters.
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,39}\Z").match


class Sandbox(Protocol):
    """Runs uploaded bots."""

    @property
    def runtime_id(self) -> str:
        """The id of the sandbox in records."""

    def check(self) -> None:
        """Check before a group begins that it would be played in the service's runtime.

        Raises :class:`~arena.events.runtimes.RuntimeReplaced` or
        :class:`~arena.events.runtimes.OtherRuntime`.
        """

    def spec(self, name: str, version: str) -> BotSpec:
        """Return a version of a bot, to be run in this process."""


class EntryView(TypedDict):
    """An entry as published, see :class:`Entered`."""

    bot: str
    version: str
    owner: str | None
    co_owners: list[str]
    house: bool
    baseline: bool
    nonce: str
    status: Status
    reason: str | None


class Link(TypedDict):
    """A link to a tournament: the hash of its code, and how often it was accepted."""

    id: str
    expires_ms: int
    hash: str
    created_by: str
    created_ms: int
    accepted: int


class Edit(TypedDict):
    """A change of a setting."""

    at_ms: int
    by: str
    field: str
    old: object
    new: object


@dataclass
class Entered:
    """An entry. ``co_owners`` share the bot with ``owner``. ``baseline``: whether it takes no place.
    ``source``: the house bot, empty for other bots. ``uploaded``: whether the arena runs it in the sandbox.
    ``reason``: explains ``status``. ``auto``: whether it was entered automatically. ``model``: whether its
    owner said that it is a language model.
    """

    name: str
    version: str
    owner: str = ""
    nonce: str = ""
    source: str = ""
    entered_ms: int = 0
    status: Status = "entered"
    reason: str = ""
    withdrawn: int | None = None
    uploaded: bool = False
    auto: bool = False
    baseline: bool = field(default=False, metadata=OPTIONAL)
    co_owners: list[str] = field(default_factory=list, metadata=OPTIONAL)
    model: bool = field(default=False, metadata=OPTIONAL)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        bot: BotAccount,
        version: str,
        *,
        nonce: str = "",
        entered_ms: int = 0,
        status: Status = "entered",
        auto: bool = False,
    ) -> Entered:
        """Return the entry of a registered bot. Raises :class:`~arena.accounts.versions.UnknownVersion`."""
        uploaded = bot.find(version).runner is SANDBOX
        return cls(
            bot.name,
            version,
            bot.owner,
            nonce,
            "",
            entered_ms,
            status,
            uploaded=uploaded,
            auto=auto,
            co_owners=list(bot.co_owners),
            model=bool(bot.model),
        )

    @property
    def runner(self) -> Runner:
        """Who runs it."""
        if self.source:
            return HOUSE
        return SANDBOX if self.uploaded else OWNER_RUN

    @property
    def player(self) -> PlayerId:
        """The player in records and ratings."""
        return PlayerId(self.name, self.version)

    @property
    def owners(self) -> tuple[str, ...]:
        """The owner of the bot and the co-owners; none for house bots."""
        return self.entrant.owners

    @property
    def is_copy(self) -> bool:
        """Whether it is a copy of a house bot (``rookie+2``), which live games do not support."""
        return self.source not in ("", self.name)

    @property
    def entrant(self) -> Entrant:
        """The entry as the formats use it."""
        return Entrant(
            name=self.name,
            version=self.version,
            owner=self.owner,
            runner=self.runner,
            nonce=self.nonce,
            entered_ms=self.entered_ms,
            withdrawn=self.withdrawn,
            baseline=self.baseline,
            co_owners=tuple(self.co_owners),
            model=self.model,
        )

    def as_json(self) -> EntryView:
        """Return the entry as published."""
        return {
            "bot": self.name,
            "version": self.version,
            "owner": self.owner or None,
            "co_owners": self.co_owners,
            "house": bool(self.source),
            "baseline": self.baseline,
            "nonce": self.nonce,
            "status": self.status,
            "reason": self.reason or None,
        }


class PlannedGroup(NamedTuple):
    """A planned group: its seats per game (indexes of the entries in play), whether the arena runs all its
    players, and its commitment.
    """

    id: str
    round: int
    pairing: int
    seats: list[list[int]]
    mirrored: bool
    commitment: str

    @classmethod
    def loads(cls, group_id: str, row: bytes) -> PlannedGroup:
        """Invert :meth:`dumps`. Raises :class:`~arena.errors.CorruptState`."""
        with reading(f"group {group_id}"):
            # A newer version may have added fields to the row.
            found = cls(group_id, *orjson.loads(row)[: len(cls._fields) - 1])
            for value, kind in zip(found[1:], (int, int, list, bool, str), strict=True):
                if not isinstance(value, kind):
                    raise TypeError(f"{value!r} in a planned group")
            return found

    def dumps(self) -> bytes:
        """Return the row as stored."""
        return orjson.dumps(list(self[1:]))

    @property
    def players(self) -> list[int]:
        """The players (indexes), each once, in the seat order of the first game."""
        return list(dict.fromkeys(self.seats[0]))

    @property
    def plan(self) -> GroupPlan:
        """The group as the formats use it."""
        return GroupPlan(self.id, self.round, self.pairing, tuple(map(tuple, self.seats)))


@dataclass
class Tournament:
    """A tournament. Times are milliseconds since 1970; ``seed`` is hexadecimal and secret until the end.

    ``entries`` are in the order of entry; after the lock those ``in_play`` come first, by seeding. ``byes``:
    number per entry in play. ``expected``: the total number of groups. ``places`` (name, version, place) are
    set where the standings do not decide. ``purpose``: the row of the qualification that the tournament
    serves, else empty; such a tournament is not listed. ``visibility``: ``public``, or ``private``: only
    organisers, owners who are invited or have entered, and admins see it; its id then begins with
    ``PRIVATE_PREFIX``. ``organisers``: owners who organise it besides ``created_by``. ``guests``: owners who
    are invited. ``links``: rows of :class:`~arena.events.guests.Guests`. ``comparison``: the settings and the
    state of the comparison that the tournament serves, else None. ``final_hash``: the
    hash of the records of ``final``, once that is stored apart. ``edits``: what was changed, oldest first, as
    :func:`~arena.events.views.read_edit` shows it.
    """

    id: str
    spec: Spec
    created_by: str
    created_ms: int
    seed: str
    state: State = "announced"
    entries: list[Entered] = field(default_factory=list)
    in_play: int = 0
    entries_hash: str = ""
    round: int = 0
    byes: dict[int, int] = field(default_factory=dict)
    started_ms: int | None = None
    finished_ms: int | None = None
    reason: str = ""
    expected: int = 0
    final: dict[str, Any] | None = None
    final_hash: str = ""
    places: list[list[Any]] | None = None
    purpose: str = ""
    visibility: Literal["public", "private"] = "public"
    organisers: list[str] = field(default_factory=list, metadata=OPTIONAL)
    guests: list[str] = field(default_factory=list, metadata=OPTIONAL)
    links: list[Link] = field(default_factory=list, metadata=OPTIONAL)
    edits: list[Edit] = field(default_factory=list, metadata=OPTIONAL)
    comparison: dict[str, Any] | None = None
    spec_unknown: dict[str, Any] = field(default_factory=dict)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def loads(cls, data: bytes) -> Tournament:
        """Invert :meth:`dumps`. Raises :class:`~arena.errors.CorruptState`."""
        values: Any = None
        try:
            values = orjson.loads(data)
            spec = values["spec"]
            values["spec"] = Spec.from_json(spec)
            check_types(Spec, vars(values["spec"]))
            values["spec_unknown"] = {name: spec[name] for name in spec.keys() - set(SPEC_FIELDS)}
            values["entries"] = [read_row(Entered, entry) for entry in values["entries"]]
            values["byes"] = {int(number): count for number, count in values["byes"].items()}
        except (AttributeError, KeyError, TypeError, ValueError, ArenaError) as error:
            raise unreadable("a tournament", values, error, field_names(cls)) from error
        return read_row(cls, values)

    def dumps(self) -> bytes:
        """Return the row as stored."""
        values = row_values(self)
        values["spec"] = {**self.spec.stored(), **values.pop("spec_unknown")}
        values["entries"] = [row_values(entry) for entry in self.entries]
        values["byes"] = {str(number): count for number, count in self.byes.items()}
        return orjson.dumps(values)

    @property
    def pairs_by(self) -> TournamentFormat:
        """The format that plans its groups."""
        if self.comparison is not None:
            return ComparisonFormat(ComparisonSettings.from_json(self.comparison))
        return FORMATS[self.spec.format]

    @property
    def playing(self) -> list[Entered]:
        """The entries in play by seeding; groups refer to their indexes."""
        return self.entries[: self.in_play]

    def find(self, name: str) -> Entered | None:
        """Return the entry of a bot."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def hash_entries(self) -> bytes:
        """Return the hash of the entries in play with their nonces."""
        return entries_hash(Entry(entry.name, entry.version, entry.nonce) for entry in self.playing)

    def is_organised_by(self, owner: str) -> bool:
        """Return whether the owner may edit and cancel the tournament."""
        return owner == self.created_by or owner in self.organisers

    def marked(self, entry: Entered) -> Entered:
        """``entry``, with whether it is a baseline bot here: one that is named as such, of the house or of
        somebody who organises the tournament.
        """
        named = entry.name in self.spec.baseline
        entry.baseline = named and (not entry.owner or any(map(self.is_organised_by, entry.owners)))
        return entry

    @property
    def has_guests(self) -> bool:
        """Whether a bot that is not of the house has entered, even if it has left."""
        return any(not entry.source for entry in self.entries)

    @property
    def is_public(self) -> bool:
        """Whether everybody may see it, its games and its records."""
        return self.visibility == "public"

    def is_hidden_from(self, viewer: Viewer) -> bool:
        """Return whether the viewer may not see the tournament, its games and records."""
        if self.is_public or viewer.admin:
            return False
        owner = viewer.owner
        if not owner:
            return True
        invited = owner in self.guests or any(owner in entry.owners for entry in self.entries)
        return not invited and not self.is_organised_by(owner)

    # Groups

    def group_id(self, group: str) -> str:
        """Return the id of a group in records, unique over all tournaments."""
        return f"{self.id}-{group}"

    def seed_of(self, group: str, attempt: int = 0) -> bytes:
        """Return the seed of a group."""
        return group_seed(
            bytes.fromhex(self.seed), bytes.fromhex(self.entries_hash), self.group_id(group), attempt
        )

    def planned(self, plan: GroupPlan) -> PlannedGroup:
        """Return the planned group of ``plan``."""
        seats = [list(seats) for seats in plan.seats]
        mirrored = all(self.playing[player].runner.arena_run for player in seats[0])
        return PlannedGroup(
            plan.id, plan.round, plan.pairing, seats, mirrored, commitment(self.seed_of(plan.id))
        )

    def uploaded(self, group: PlannedGroup) -> dict[int, str]:
        """Return the players of the group that run in the sandbox, and the names of their bots."""
        entries = ((player, self.playing[player]) for player in group.players)
        return {player: entry.name for player, entry in entries if entry.runner is SANDBOX}

    def local_group(self, group: PlannedGroup, sandbox: Sandbox | None = None) -> LocalGroup:
        """Return the group as a worker plays it. ``sandbox``: for uploaded bots."""
        bots = [BotSpec(entry.name, entry.version, entry.source) for entry in self.playing]
        uploaded = frozenset(self.uploaded(group))
        for player in uploaded:
            if sandbox is None:
                raise ServerFault("this process has no sandbox for uploaded bots")
            bots[player] = sandbox.spec(self.playing[player].name, self.playing[player].version)
        return LocalGroup(
            self.group_id(group.id),
            self.spec.kind,
            self.rules_of(group),
            bots,
            group.seats,
            self.seed_of(group.id),
            self.board_of(group) is not None,
            uploaded,
            sandbox.runtime_id if sandbox is not None and uploaded else "",
        )

    def board_of(self, group: PlannedGroup) -> BoardName | None:
        """Return the board of the group, or None if it is not rated."""
        preset = self.spec.game.preset_of(self.rules_of(group)) if self.spec.rated else None
        if preset is None:
            return None
        return BoardName(self.spec.kind, division_of(group.mirrored, self.spec.division == MODELS), preset)

    def rules_of(self, group: PlannedGroup) -> Rules:
        """Return the rules of the group, every option filled in."""
        return self.spec.rules_for(len(group.seats[0]))
