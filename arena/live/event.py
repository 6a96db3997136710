"""One tournament in memory: what was asked for, who entered, how far it has come."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol

import orjson

from arena.bots import BotSpec
from arena.dealing import Entry, commitment, entries_hash, group_seed
from arena.errors import ArenaError
from arena.ratings.results import OPEN, SEALED, Player
from arena.text import printable
from arena.tournaments.entry import Entrant
from arena.tournaments.plan import GroupPlan
from arena.tournaments.playing import HouseGroup, ServerFault
from arena.tournaments.spec import Spec

State = Literal["announced", "entry", "running", "finished", "cancelled"]
STATES: Final = ("announced", "entry", "running", "finished", "cancelled")
OVER: Final = ("finished", "cancelled")

Status = Literal["entered", "qualifying", "qualified", "failed", "withdrawn"]

MAX_VOIDS: Final = 3
"""So many voids stop a group."""


class TournamentNotFound(ArenaError):
    """There is no such tournament."""

    code = "tournament_not_found"


def check_tournament_id(text: str) -> str:
    """``text`` if a tournament can have that id. Raises :class:`TournamentNotFound`."""
    if not _ID(text):
        raise TournamentNotFound(f"there is no tournament {printable(text, 80)!r}", field="tournament")
    return text


# Its groups' games have ids of up to 64 characters, which begin with it.
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,39}\Z").match


def tournament_of(group_id: str) -> str | None:
    """The tournament whose group has that id in records; None if none has."""
    found = _GROUP_ID(group_id)
    return None if found is None else found[1]


_GROUP_ID: Final = re.compile(r"(.+?)-r[0-9]+-p[0-9]+-g[0-9]+(?:-x[0-9]+)?\Z").match


class Sandbox(Protocol):
    """Where uploaded bots are run."""

    @property
    def runtime_id(self) -> str:
        """What names the sandbox in records."""

    def spec(self, name: str, version: str) -> BotSpec:
        """A version of a bot, to be played in this process."""


@dataclass
class Entered:
    """An entry. ``source``: the house bot that it is, empty for others. ``uploaded``: whether the arena runs
    it in the sandbox. ``reason``: why ``status``.
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

    @property
    def arena_run(self) -> bool:
        """Whether the arena runs it itself."""
        return self.uploaded or bool(self.source)

    @property
    def player(self) -> Player:
        """Under what it stands in records and ratings."""
        return Player(self.name, self.version)

    @property
    def is_copy(self) -> bool:
        """Whether it is one of several of a house bot (``rookie+2``): a live game knows the one only."""
        return self.source not in ("", self.name)

    @property
    def entrant(self) -> Entrant:
        """As the formats take it."""
        return Entrant(
            name=self.name,
            version=self.version,
            owner=self.owner,
            house=bool(self.source),
            nonce=self.nonce,
            entered_ms=self.entered_ms,
            withdrawn=self.withdrawn,
            uploaded=self.uploaded,
        )

    def as_json(self) -> dict[str, Any]:
        """As it is published."""
        return {
            "bot": self.name,
            "version": self.version,
            "owner": self.owner or None,
            "house": bool(self.source),
            "nonce": self.nonce,
            "status": self.status,
            "reason": self.reason or None,
        }


class PlannedGroup(NamedTuple):
    """A group as planned: its seats per game (indexes of the entries in play), whether the arena runs all
    its players, and its commitment.
    """

    id: str
    round: int
    pairing: int
    seats: list[list[int]]
    mirrored: bool
    commitment: str

    @classmethod
    def loads(cls, group_id: str, row: bytes) -> PlannedGroup:
        """The inverse of :meth:`dumps`."""
        return cls(group_id, *orjson.loads(row))

    def dumps(self) -> bytes:
        """As stored."""
        return orjson.dumps(list(self[1:]))

    @property
    def players(self) -> list[int]:
        """Who takes part (indexes), each once, in the seat order of the first game."""
        return list(dict.fromkeys(self.seats[0]))

    @property
    def plan(self) -> GroupPlan:
        """As the formats know it."""
        return GroupPlan(self.id, self.round, self.pairing, tuple(map(tuple, self.seats)))


@dataclass
class Event:
    """A tournament. Times are milliseconds since 1970; ``seed`` is hexadecimal and secret until the end.

    ``entries`` are in the order of entering, from the lock on those ``in_play`` first, in the order of
    their seeding; ``byes`` are counted per entry in play, ``expected`` are the groups in the end. ``places``
    (name, version, place) are set where the standings do not decide. ``purpose``: the qualification that
    it is, which is on no list, else empty.
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
    places: list[list[Any]] | None = None
    purpose: str = ""

    @classmethod
    def loads(cls, data: bytes) -> Event:
        """The inverse of :meth:`dumps`."""
        values = orjson.loads(data)
        values["spec"] = Spec.from_json(values["spec"])
        values["entries"] = [Entered(**entry) for entry in values["entries"]]
        values["byes"] = {int(number): count for number, count in values["byes"].items()}
        return cls(**values)

    def dumps(self) -> bytes:
        """As stored."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["spec"] = self.spec.as_json()
        values["entries"] = [asdict(entry) for entry in self.entries]
        values["byes"] = {str(number): count for number, count in self.byes.items()}
        return orjson.dumps(values)

    @property
    def playing(self) -> list[Entered]:
        """The entries in play, in the order of their seeding: what groups count by."""
        return self.entries[: self.in_play]

    def find(self, name: str) -> Entered | None:
        """The entry of a bot."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def hash_entries(self) -> bytes:
        """The hash of the entries in play with their nonces."""
        return entries_hash(Entry(entry.name, entry.version, entry.nonce) for entry in self.playing)

    # Groups

    def group_id(self, group: str) -> str:
        """The id of a group in records: no other tournament has it."""
        return f"{self.id}-{group}"

    def seed_of(self, group: str, attempt: int = 0) -> bytes:
        """The seed of a group."""
        return group_seed(
            bytes.fromhex(self.seed), bytes.fromhex(self.entries_hash), self.group_id(group), attempt
        )

    def planned(self, plan: GroupPlan) -> PlannedGroup:
        """The group of a plan."""
        seats = [list(seats) for seats in plan.seats]
        mirrored = all(self.playing[player].arena_run for player in seats[0])
        return PlannedGroup(
            plan.id, plan.round, plan.pairing, seats, mirrored, commitment(self.seed_of(plan.id))
        )

    def house_group(self, group: PlannedGroup, sandbox: Sandbox | None = None) -> HouseGroup:
        """The group as the arena plays it. ``sandbox``: for uploaded bots."""
        bots = [BotSpec(entry.name, entry.version, entry.source) for entry in self.playing]
        uploaded = frozenset(player for player in group.players if self.playing[player].uploaded)
        for player in uploaded:
            if sandbox is None:
                raise ServerFault("there is no sandbox here for uploaded bots")
            bots[player] = sandbox.spec(self.playing[player].name, self.playing[player].version)
        return HouseGroup(
            self.group_id(group.id),
            self.spec.kind,
            self.rules_of(group),
            bots,
            group.seats,
            self.seed_of(group.id),
            self.spec.rated,
            uploaded,
            sandbox.runtime_id if sandbox is not None and uploaded else "",
        )

    def board_of(self, group: PlannedGroup) -> str | None:
        """The board ``<kind>/<division>`` on which the group counts."""
        return f"{self.spec.kind}/{SEALED if group.mirrored else OPEN}" if self.spec.rated else None

    def rules_of(self, group: PlannedGroup) -> dict[str, Any]:
        """The rules of the group, every option filled in."""
        return self.spec.rules_for(len(group.seats[0]))
