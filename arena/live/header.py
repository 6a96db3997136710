"""The header of a game: its settings, seats and state, but not its cards and clocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypedDict

import orjson

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.descriptor import Game
from arena.play.clocks import ClockSettings
from arena.play.dealing import check_nonce, commitment
from arena.store.rows import OPTIONAL, field_names, optional, read_row, unreadable, write_row
from arena.text import printable

STATES: Final = ("waiting", "running", "finished", "cancelled", "void")
VISIBILITIES: Final = ("public", "private")

PERSON_VERSION: Final = "person"
"""The version recorded for people."""

GUEST: Final = "0"
"""The first character of the accounts of people; names of owners do not begin with a digit."""


EXHIBITION: Final = "Exhibition"
"""The account of the arena that pays for exhibition games, and has a budget. The names of owners have no
capitals; ids of jobs allow no spaces.
"""


class InvalidSeats(ArenaError):
    """The seats do not fit the game, or a seat is not a bot, a house bot or open."""

    code = "invalid_seats"


class InvalidGame(ArenaError):
    """Another part of a request for a game is invalid."""

    code = "invalid_game"


class GameNotFound(ArenaError):
    """The game does not exist, or is hidden from the viewer."""

    code = "game_not_found"


class EarlierGame(NamedTuple):
    """How a practice game begins: ``game`` is a finished game whose ``seed`` and ``nonces`` give the deals,
    and ``actions`` are those of its first actions that are played again, in the format of records.
    """

    game: str
    seed: bytes
    nonces: Sequence[str]
    actions: Sequence[Sequence[Any]] = ()

    def as_row(self) -> dict[str, Any]:
        """Return what rows and records of the practice game say about it."""
        return {"game": self.game, "after": len(self.actions)}


def check_game_id(text: str) -> str:
    """Return ``text`` if it is a valid game id. Raises :class:`GameNotFound`."""
    if not _GAME_ID(text):
        raise GameNotFound(f"there is no game {printable(text, 80)!r}", field="game")
    return text


_GAME_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}\Z").match


class Viewer(NamedTuple):
    """The viewer of a game. ``bot`` is the bot whose token was sent, or a person at tables. ``owner`` is the
    owner whose token was sent, or who has signed in. An ``admin`` sees every game, but no hidden cards. If
    all are empty, the viewer is a visitor.
    """

    bot: str | None = None
    owner: str | None = None
    admin: bool = False


ANYBODY: Final = Viewer()


class SeatSummary(TypedDict):
    """A seat as shown to everyone. For ``type``, see :attr:`SeatEntry.type`."""

    seat: int
    type: str
    name: str | None
    version: str | None
    nonce: str


class GameSummary(TypedDict):
    """The entry of a game in lists; see :class:`GameHeader`."""

    game: str
    kind: str
    state: str
    rules: dict[str, Any]
    seats: list[SeatSummary]
    clock: dict[str, Any]
    visibility: str
    rated: bool
    group: dict[str, Any] | None
    commitment: str
    created_by: str
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    released: bool
    outcome: dict[str, Any] | None
    reason: str | None


@dataclass(slots=True)
class SeatEntry:
    """The player at a seat: a bot, a person, a house bot, or nobody yet.

    ``person`` is a person's name in this game. In that case ``bot`` identifies the person across all tables,
    and is secret. ``agrees`` is whether this person agrees to make the finished game public.
    """

    bot: str | None = None
    house: str | None = None
    version: str = ""
    nonce: str = ""
    person: str = optional("")
    agrees: bool = optional(False)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the seat is free."""
        return self.bot is None and self.house is None

    @property
    def type(self) -> str:
        """``bot``, ``person``, ``house`` or ``open``."""
        if self.bot is not None:
            return "person" if self.person else "bot"
        return "open" if self.house is None else "house"

    @property
    def name(self) -> str | None:
        """The public name of the player."""
        return self.person or self.bot or self.house

    def as_json(self, seat: int) -> SeatSummary:
        """Return the seat as shown in summaries."""
        return {
            "seat": seat,
            "type": self.type,
            "name": self.name,
            "version": self.version or None,
            "nonce": self.nonce,
        }


@dataclass(slots=True)
class GameHeader:
    """The header of one game. Times are in milliseconds of the server's clock. ``seed`` is hexadecimal, and
    secret until the record is released. ``reason`` is why the game was cancelled or is void. ``models`` is
    whether the game belongs to a tournament for language models. ``practice`` is what a practice game repeats
    (:meth:`EarlierGame.as_row`), and empty for all other games. ``exhibition`` is whether the arena plays
    the game for those who watch, at the speed of people.
    """

    game: str
    kind: str
    rules: dict[str, Any]
    seats: list[SeatEntry]
    clock: ClockSettings
    seed: str
    created_by: str
    created_ms: int
    visibility: str = "public"
    rated: bool = False
    group: dict[str, Any] | None = None
    state: str = "waiting"
    started_ms: int | None = None
    finished_ms: int | None = None
    released: bool = False
    outcome: dict[str, Any] | None = None
    reason: str | None = None
    commitment: str = field(default="")
    models: bool = optional(False)
    practice: dict[str, Any] = field(default_factory=dict, metadata=OPTIONAL)
    exhibition: bool = optional(False)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.commitment:
            self.commitment = commitment(bytes.fromhex(self.seed))

    @classmethod
    def loads(cls, data: bytes) -> GameHeader:
        """Return the header written by :meth:`dumps`. Raises :class:`~arena.errors.CorruptState`."""
        values: Any = None
        try:
            values = orjson.loads(data)
            values["seats"] = [read_row(SeatEntry, entry) for entry in values["seats"]]
            values["clock"] = read_row(ClockSettings, values["clock"])
            values["rules"] = game_of(values["kind"]).options.complete(values["rules"])
        except (AttributeError, KeyError, TypeError, ValueError, ArenaError) as error:
            raise unreadable("a game's header", values, error, field_names(cls)) from error
        return read_row(cls, values)

    def dumps(self) -> bytes:
        """Return the stored form of the header."""
        return write_row(replace(self, rules=game_of(self.kind).options.stored(self.rules)))

    @property
    def is_full(self) -> bool:
        """Whether no seat is open."""
        return not any(entry.is_open for entry in self.seats)

    @property
    def is_mirrored(self) -> bool:
        """Whether other games of its group have the same deals."""
        return self.group is not None and bool(self.group["mirrored"])

    def bots(self) -> set[str]:
        """Return the bots at the table, without house bots."""
        return {entry.bot for entry in self.seats if entry.bot is not None}

    def seats_of(self, bot: str | None) -> list[int]:
        """Return the seats in which the bot sits."""
        return [seat for seat, entry in enumerate(self.seats) if entry.bot is not None and entry.bot == bot]

    def people(self) -> list[SeatEntry]:
        """Return the seats of people."""
        return [entry for entry in self.seats if entry.person]

    @property
    def has_one_person(self) -> bool:
        """Whether exactly one person sits at the table, and house bots on all other seats."""
        others = [entry for entry in self.seats if not entry.person]
        return len(others) == len(self.seats) - 1 and all(entry.house is not None for entry in others)

    def show_if_agreed(self) -> None:
        """Make a finished game of people public if all of them agree. Practice games stay private."""
        people = self.people()
        if (
            people
            and not self.practice
            and self.state == "finished"
            and all(entry.agrees for entry in people)
        ):
            self.visibility = "public"

    def void(self, reason: str, now_ms: int) -> None:
        """Declare the game void now."""
        self.state, self.reason, self.finished_ms = "void", reason, now_ms

    def is_hidden_from(self, viewer: Viewer) -> bool:
        """Return whether the game is hidden from the viewer.

        A private game is visible only to its creator and its players. Before a game of a mirrored group is
        released, it is visible only to its players, because the other games of the group have the same cards.
        """
        if self.seats_of(viewer.bot):
            return False
        if self.is_mirrored and not self.released:
            return True
        mine = viewer.admin or (viewer.owner is not None and viewer.owner == self.created_by)
        return self.visibility == "private" and not mine

    def is_unlisted_for(self, viewer: Viewer) -> bool:
        """Return whether lists leave the game out for the viewer. They show practice games only to those who
        play them, and exhibition games only while they are running.
        """
        if self.exhibition and self.state != "running":
            return True
        return self.is_hidden_from(viewer) or (bool(self.practice) and not self.seats_of(viewer.bot))

    @property
    def listed_creator(self) -> str:
        """The owner on whose list the game is while it is unfinished; empty if it belongs to a group."""
        return self.created_by if self.group is None else ""

    @property
    def payer(self) -> str:
        """The account that pays for this game: the owner who created it, or at a table of people the person
        at the first seat, or at a practice game the person who plays (see
        :class:`arena.accounts.payers.Payers`). It is empty for the arena itself, except for exhibition games.
        """
        if self.exhibition:
            return EXHIBITION
        opener = next(iter(self.people()), None) if self.practice else self.seats[0]
        if opener is None or not opener.person or self.created_by:
            return self.created_by
        return payer_of_person(opener.bot or "", self.game)

    def summary(self) -> GameSummary:
        """Return the entry of the game in lists, without its cards and seed."""
        return {
            "game": self.game,
            "kind": self.kind,
            "state": self.state,
            "rules": self.rules,
            "seats": [entry.as_json(seat) for seat, entry in enumerate(self.seats)],
            "clock": self.clock.as_json(),
            "visibility": self.visibility,
            "rated": self.rated,
            "group": self.group,
            "commitment": self.commitment,
            "created_by": self.created_by,
            "created_ms": self.created_ms,
            "started_ms": self.started_ms,
            "finished_ms": self.finished_ms,
            "released": self.released,
            "outcome": self.outcome,
            "reason": self.reason,
        }


def person_account(person: str) -> str:
    """Return the account of a person at tables, which is a hash."""
    return GUEST + sha256(person.encode()).hexdigest()[:24]


def payer_of_person(person: str, work: str) -> str:
    """Return the payer of a person's work: the account of the person, and the id of the work."""
    return f"{person_account(person)}-{work}"


def new_header(
    game: str,
    kind: str,
    *,
    seats: Sequence[Mapping[str, object]],
    rules: Mapping[str, object] | None,
    clock: Mapping[str, object] | None,
    seed: bytes,
    created_by: str,
    created_ms: int,
    visibility: str,
    rated: bool,
    group: Mapping[str, object] | None,
) -> GameHeader:
    """Return the header of a requested game. Raises an :class:`~arena.errors.ArenaError` that names the
    invalid field.
    """
    rules_of_game = game_of(kind)
    complete = rules_of_game.options.complete(rules)
    count = rules_of_game.seats(complete)
    if len(seats) != count:
        raise InvalidSeats(
            f"the game needs {count} seats, but {len(seats)} were given",
            field="seats",
            expected=f"{count} seats",
        )
    if visibility not in VISIBILITIES:
        raise InvalidGame(
            f"{visibility!r} is not a valid visibility",
            field="visibility",
            expected="one of " + ", ".join(VISIBILITIES),
        )
    return GameHeader(
        game=game,
        kind=kind,
        rules=complete,
        seats=[_seat_entry(rules_of_game, seat, f"seats[{index}]") for index, seat in enumerate(seats)],
        clock=ClockSettings.parse(clock),
        seed=seed.hex(),
        created_by=created_by,
        created_ms=created_ms,
        visibility=visibility,
        rated=rated,
        group=None if group is None else _group(group),
    )


def _seat_entry(game: Game, seat: Mapping[str, Any], where: str) -> SeatEntry:
    match dict(seat):
        case {"open": True, **rest} if not rest:
            return SeatEntry()
        case {"house": str(name), **rest} if not rest:
            if name not in game.house_bots:
                raise InvalidSeats(
                    f"there is no house bot {name!r}",
                    field=f"{where}.house",
                    expected="one of " + ", ".join(game.house_bots),
                )
            return SeatEntry(house=name, version=game.house_bots[name].version)
        case {"bot": str(name), **rest} if rest.keys() <= {"version", "nonce"}:
            return seated(name, rest.get("version", "1"), rest.get("nonce", ""), where)
        case {"person": str(person), "name": str(name), "agrees": bool(agrees), **rest} if not rest:
            return seated_person(person, name, agrees)
    raise InvalidSeats(
        "this is not a valid seat", field=where, expected='{"bot": name}, {"house": name} or {"open": true}'
    )


def seated(bot: str, version: str, nonce: str, where: str = "") -> SeatEntry:
    """Return the seat entry of a bot."""
    prefix = f"{where}." if where else ""
    # The name becomes part of a key, whose hash tag ends at the first brace.
    if not 1 <= len(bot) <= 64 or not bot.isprintable() or "{" in bot or "}" in bot:
        raise InvalidSeats(f"{bot[:80]!r} is not a valid bot name", field=f"{prefix}bot")
    return SeatEntry(bot=bot, version=version, nonce=check_nonce(nonce, f"{prefix}nonce"))


def seated_person(person: str, name: str, agrees: bool) -> SeatEntry:
    """Return the seat entry of a person; see :class:`SeatEntry`."""
    entry = seated(person, PERSON_VERSION, "")
    entry.person, entry.agrees = name, agrees
    return entry


def _group(group: Mapping[str, object]) -> dict[str, object]:
    match dict(group):
        case {"id": str(), "index": int(), "size": int(), "mirrored": bool(), **rest} if (
            rest.keys() <= {"attempt"} and type(rest.get("attempt", 0)) is int
        ):
            return {"attempt": 0, **group}
    raise InvalidGame(
        "invalid position in a group",
        field="group",
        expected="id, index, size, mirrored and attempt",
    )
