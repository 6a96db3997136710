"""One tournament in memory: its specification, entries and progress."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol, TypedDict

import orjson

from arena.accounts.payers import DAILY
from arena.accounts.versions import BotAccount
from arena.bots import BotSpec
from arena.bots.transports import HOUSE, OWNER_RUN, SANDBOX, Runner
from arena.errors import ArenaError
from arena.games.options import Rules
from arena.play.board_names import BoardName
from arena.play.dealing import Entry, commitment, entries_hash, group_seed
from arena.play.players import MODELS, PlayerId, division_of
from arena.ratings.standings import Standings
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
"""The prefix of the ids of private tournaments. Ids of public tournaments can begin with it, too."""

COMPARISON: Final = "comparison"
"""The purpose of tournaments that serve comparisons."""

MAX_VOIDS: Final = 3
"""A group is abandoned after it has been void this many times."""


class TournamentNotFound(ArenaError):
    """The tournament does not exist."""

    code = "tournament_not_found"


def check_tournament_id(text: str) -> str:
    """Return ``text`` if it is a well-formed tournament id. Raises :class:`TournamentNotFound` otherwise."""
    if not _ID(text):
        raise TournamentNotFound(f"there is no tournament {printable(text, 80)!r}", field="tournament")
    return text


# The ids of a tournament's games begin with its id and have up to 64 characters.
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,39}\Z").match


class Sandbox(Protocol):
    """Runs uploaded bots."""

    @property
    def runtime_id(self) -> str:
        """The id by which records name the sandbox."""

    def check(self) -> None:
        """Check, before a group begins, that it would be played in the service's runtime.

        Raises :class:`~arena.events.runtimes.RuntimeReplaced` or
        :class:`~arena.events.runtimes.OtherRuntime`.
        """

    def spec(self, name: str, version: str) -> BotSpec:
        """Return a version of a bot that can run in this process."""


class EntryView(TypedDict):
    """An entry as published; see :class:`Entered`."""

    bot: str
    version: str
    owner: str | None
    co_owners: list[str]
    house: bool
    drawn: bool
    baseline: bool
    nonce: str
    status: Status
    reason: str | None


class Link(TypedDict):
    """An invitation link, with the hash of its code and the number of times that it was accepted."""

    id: str
    expires_ms: int
    hash: str
    created_by: str
    created_ms: int
    accepted: int


class Edit(TypedDict):
    """A change to a setting."""

    at_ms: int
    by: str
    field: str
    old: object
    new: object


@dataclass
class Entered:
    """An entry. ``co_owners`` share the bot with ``owner``. ``baseline``: whether the bot plays without
    taking a place. ``source``: the name of the house bot, or empty for other bots. ``uploaded``: whether the
    arena runs the bot in the sandbox. ``reason`` explains ``status``. ``auto``: whether the bot was entered
    automatically. ``model``: whether its owner declared it to be a language model. ``drawn``: whether the bot
    was drawn from the pool of house bots.
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
    drawn: bool = field(default=False, metadata=OPTIONAL)
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
        """Return an entry for a registered bot. Raises :class:`~arena.accounts.versions.UnknownVersion`."""
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
        """The runner of the bot: the arena or its owner."""
        if self.source:
            return HOUSE
        return SANDBOX if self.uploaded else OWNER_RUN

    @property
    def player(self) -> PlayerId:
        """The id of the player in records and ratings."""
        return PlayerId(self.name, self.version)

    @property
    def owners(self) -> tuple[str, ...]:
        """The owner and co-owners of the bot; empty for house bots."""
        return self.entrant.owners

    @property
    def is_copy(self) -> bool:
        """Whether the bot is a copy of a house bot, such as ``rookie+2``. Live games do not support
        copies.
        """
        return self.source not in ("", self.name)

    @property
    def entrant(self) -> Entrant:
        """The entry in the form that the tournament formats use."""
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
            "drawn": self.drawn,
            "baseline": self.baseline,
            "nonce": self.nonce,
            "status": self.status,
            "reason": self.reason or None,
        }


class PlannedGroup(NamedTuple):
    """A planned group. ``seats``: the players of each game by seat, as indexes of the entries in play.
    ``mirrored``: whether the arena runs all of its players.
    """

    id: str
    round: int
    pairing: int
    seats: list[list[int]]
    mirrored: bool
    commitment: str

    @classmethod
    def loads(cls, group_id: str, row: bytes) -> PlannedGroup:
        """Parse the output of :meth:`dumps`. Raises :class:`~arena.errors.CorruptState`."""
        with reading(f"group {group_id}"):
            # A newer version may have added fields to the row.
            found = cls(group_id, *orjson.loads(row)[: len(cls._fields) - 1])
            for value, kind in zip(found[1:], (int, int, list, bool, str), strict=True):
                if not isinstance(value, kind):
                    raise TypeError(f"unexpected value {value!r} in a planned group")
            return found

    def dumps(self) -> bytes:
        """Return the row to store."""
        return orjson.dumps(list(self[1:]))

    @property
    def players(self) -> list[int]:
        """The indexes of the players, each once, in the seat order of the first game."""
        return list(dict.fromkeys(self.seats[0]))

    @property
    def plan(self) -> GroupPlan:
        """The group in the form that the tournament formats use."""
        return GroupPlan(self.id, self.round, self.pairing, tuple(map(tuple, self.seats)))


@dataclass
class Tournament:
    """A tournament. Times are Unix times in milliseconds. ``seed`` is hexadecimal, and secret until the end.
    ``entries`` are in the order of entry; after the lock, the first ``in_play`` of them play, in seeding
    order. ``byes``: the number of byes by index of the entry. ``expected``: the total number of groups.
    ``places``: rows of name, version and place, set if they do not follow from the standings. ``purpose``:
    the row of the qualification that the tournament serves, ``COMPARISON``, or empty; tournaments with a
    purpose are not listed and have no organisers. ``visibility``: a ``private`` tournament is hidden from
    most (see :class:`~arena.events.rights.Visibility`); its id begins with ``PRIVATE_PREFIX``.
    ``organisers``: owners who organise it besides ``created_by``; ``asked``: owners who are invited to.
    ``guests``: invited owners; ``pending``: those of them who have not accepted. ``links``: the
    invitation links of :class:`~arena.events.guests.Guests`. ``comparison``: the settings and state of
    the comparison that the tournament serves, or None. ``daily``: whether it is daily play.
    ``final_hash``: the hash of the records of ``final``, once ``final`` is stored separately. ``winners``:
    the bots in the first place of the final standings, which lists show without them. ``edits``: the
    history of edits, oldest first; see :func:`~arena.events.views.read_edit`.
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
    winners: list[str] = field(default_factory=list, metadata=OPTIONAL)
    places: list[list[Any]] | None = None
    purpose: str = ""
    visibility: Literal["public", "private"] = "public"
    organisers: list[str] = field(default_factory=list, metadata=OPTIONAL)
    asked: list[str] = field(default_factory=list, metadata=OPTIONAL)
    guests: list[str] = field(default_factory=list, metadata=OPTIONAL)
    pending: list[str] = field(default_factory=list, metadata=OPTIONAL)
    links: list[Link] = field(default_factory=list, metadata=OPTIONAL)
    edits: list[Edit] = field(default_factory=list, metadata=OPTIONAL)
    comparison: dict[str, Any] | None = None
    daily: bool = field(default=False, metadata=OPTIONAL)
    spec_unknown: dict[str, Any] = field(default_factory=dict)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def loads(cls, data: bytes) -> Tournament:
        """Parse the output of :meth:`dumps`. Raises :class:`~arena.errors.CorruptState`."""
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
        """Return the row to store."""
        values = row_values(self)
        values["spec"] = {**self.spec.stored(), **values.pop("spec_unknown")}
        values["entries"] = [row_values(entry) for entry in self.entries]
        values["byes"] = {str(number): count for number, count in self.byes.items()}
        return orjson.dumps(values)

    @property
    def pairs_by(self) -> TournamentFormat:
        """The format that plans the groups."""
        if self.comparison is not None:
            return ComparisonFormat(ComparisonSettings.from_json(self.comparison))
        return FORMATS[self.spec.format]

    @property
    def payer(self) -> str:
        """The account that pays for the groups, empty for the arena itself."""
        return DAILY if self.daily else self.created_by

    @property
    def playing(self) -> list[Entered]:
        """The entries in play, in seeding order; groups refer to them by index."""
        return self.entries[: self.in_play]

    def decide(self, standings: Standings) -> None:
        """Set the final standings."""
        self.final = standings.stored()
        self.winners = [row.name for row in standings.rows if row.place == 1]

    def find(self, name: str) -> Entered | None:
        """Return the entry of a bot, or None if it has not entered."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def hash_entries(self) -> bytes:
        """Return the hash of the entries in play with their nonces."""
        return entries_hash(Entry(entry.name, entry.version, entry.nonce) for entry in self.playing)

    def is_organised_by(self, owner: str) -> bool:
        """Return whether the owner may edit and cancel the tournament. Nobody organises one with a
        purpose.
        """
        return not self.purpose and (owner == self.created_by or owner in self.organisers)

    def marked(self, entry: Entered) -> Entered:
        """Set whether ``entry`` is a baseline bot, and return it. Baseline bots are named as such in the
        settings, and are house bots or belong to an organiser.
        """
        named = entry.name in self.spec.baseline
        entry.baseline = named and (not entry.owner or any(map(self.is_organised_by, entry.owners)))
        return entry

    @property
    def has_guests(self) -> bool:
        """Whether any bot other than house bots has entered, even if it has left since."""
        return any(not entry.source for entry in self.entries)

    @property
    def is_public(self) -> bool:
        """Whether everybody may see the tournament, its games and its records."""
        return self.visibility == "public"

    # Groups

    def group_id(self, group: str) -> str:
        """Return the id of a group in records, which is unique across all tournaments."""
        return f"{self.id}-{group}"

    def seed_of(self, group: str, attempt: int = 0) -> bytes:
        """Return the seed for an attempt at a group."""
        return group_seed(
            bytes.fromhex(self.seed), bytes.fromhex(self.entries_hash), self.group_id(group), attempt
        )

    def planned(self, plan: GroupPlan) -> PlannedGroup:
        """Return the planned group for ``plan``."""
        seats = [list(seats) for seats in plan.seats]
        mirrored = all(self.playing[player].runner.arena_run for player in seats[0])
        return PlannedGroup(
            plan.id, plan.round, plan.pairing, seats, mirrored, commitment(self.seed_of(plan.id))
        )

    def uploaded(self, group: PlannedGroup) -> dict[int, str]:
        """Return the group's players that run in the sandbox, mapped to the names of their bots."""
        entries = ((player, self.playing[player]) for player in group.players)
        return {player: entry.name for player, entry in entries if entry.runner is SANDBOX}

    def local_group(self, group: PlannedGroup, sandbox: Sandbox | None = None) -> LocalGroup:
        """Return the group in the form that a worker plays. ``sandbox`` runs its uploaded bots."""
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
        """Return the rules of the group, with every option filled in."""
        return self.spec.rules_for(len(group.seats[0]))
