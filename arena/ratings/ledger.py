"""Ledgers: the groups that count on one board, as compact arrays that are quick to read and can be rated
directly.
"""

from __future__ import annotations

import io
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np

from arena.errors import ArenaError
from arena.games import game_of
from arena.luck.equity import TABLES_VERSION
from arena.play.board_names import BoardName
from arena.play.players import MODELS, PlayerId
from arena.ratings.blocks import Block
from arena.ratings.results import GameResult, GroupResult
from arena.ratings.solver import IntArray

VERSION: Final = f"5-{TABLES_VERSION}"
"""The version of ledgers. It changes with the equity tables, because ledgers contain luck."""

_PART_ROWS: Final = 4096
"""The number of rows or hashes in one part of a stored ledger."""

_HASHES: Final = "hashes"
_HASH_BYTES: Final = 32


class InvalidLedger(ArenaError):
    """The bytes are not a ledger of this version."""

    code = "invalid_ledger"


@dataclass
class PlayerTotals:
    """The totals of one player on a board.

    ``groups`` and ``games`` are the numbers of groups and games that count for the player, ``forfeits`` is
    the number of groups that it lost by forfeit, and ``completed`` is the number of games that it finished
    without a forfeit. ``last_seen_ms`` is Unix time in milliseconds, or 0 if unknown. ``tally`` holds the
    sums of the style counts of its game by name (see :class:`~arena.games.descriptor.Awards`). ``illegal``
    and ``late`` are the numbers of such answers in the division ``models``.
    """

    groups: int = 0
    games: int = 0
    faults: int = 0
    forfeits: int = 0
    completed: int = 0
    last_seen_ms: int = 0
    tally: Counter[str] = field(default_factory=Counter)
    illegal: int = 0
    late: int = 0

    def merged(self, other: PlayerTotals) -> PlayerTotals:
        """Return the sum of both totals."""
        return PlayerTotals(
            self.groups + other.groups,
            self.games + other.games,
            self.faults + other.faults,
            self.forfeits + other.forfeits,
            self.completed + other.completed,
            max(self.last_seen_ms, other.last_seen_ms),
            Counter({name: self.tally[name] + other.tally[name] for name in {**self.tally, **other.tally}}),
            self.illegal + other.illegal,
            self.late + other.late,
        )

    def as_json(self) -> dict[str, int]:
        """Return a flat form that :meth:`from_json` can read."""
        return {**{name: getattr(self, name) for name in _COUNTS}, **self.tally}

    @classmethod
    def from_json(cls, data: Mapping[str, int]) -> PlayerTotals:
        """Return the totals from the output of :meth:`as_json`."""
        tally = Counter({name: value for name, value in data.items() if name not in _COUNTS})
        return cls(tally=tally, **{name: data[name] for name in _COUNTS})


_COUNTS: Final = ("groups", "games", "faults", "forfeits", "completed", "last_seen_ms", "illegal", "late")


_TAIL: Final = 3
"""The number of columns at the end of a row that hold the luck of the first of two sides (in millionths of a
game) and the time in milliseconds (the part above 31 bits, then the lower 31 bits).
"""

_Shape = tuple[int, int, int, int]
"""The shape of a group: the numbers of sides, of players per side and of games, and
:attr:`~arena.ratings.model.Block.status`.
"""


class Stints(NamedTuple):
    """The groups in the form that the model uses.

    ``earlier`` maps each player with groups before the given time to the number of the extra player that has
    these groups.
    """

    blocks: list[Block]
    earlier: dict[PlayerId, int]


class LedgerParts(NamedTuple):
    """A ledger in the form that a database stores: the ``head``, which changes with every group, and
    ``parts`` by name. Only the last part of each column changes.
    """

    head: bytes
    parts: Mapping[str, bytes]


class Ledger:
    """The groups of one board, each stored once. The order in which they were added does not matter.

    Groups cannot be removed. When a group is annulled, the ledger must be rebuilt.
    """

    def __init__(self, kind: str, division: str, preset: str | None = None) -> None:
        """Create an empty ledger. For ``preset``, see :meth:`~arena.play.board_names.BoardName.of`."""
        self.board = BoardName.of(kind, division, preset)
        self.groups = 0
        """The number of groups."""
        self.totals: dict[PlayerId, PlayerTotals] = {}
        """The totals of all players, including those for whom no group counts."""
        # Hashes in the order in which they were added: first those read from the store, then the new ones.
        self._order = bytearray()
        self._known = _sorted(b"")
        self._new: set[bytes] = set()
        self._stored: dict[str, int] = {}
        self._numbers: dict[PlayerId, int] = {}
        self._read: dict[_Shape, IntArray] = {}
        # Columns of a row: the players by side, the places by game, the forfeiters, the luck, the time.
        self._rows: dict[_Shape, list[list[int]]] = defaultdict(list)
        self._seating = cache(self._uncached_seating)

    @property
    def records(self) -> int:
        """The number of records in the groups."""
        return len(self._order) // _HASH_BYTES

    def records_hash(self) -> bytes:
        """Return the SHA-256 of the hashes of all records (32 bytes each, sorted)."""
        return sha256(_sorted(self._order).tobytes()).digest()

    def add(self, group: GroupResult) -> bool:
        """Add a group, and return whether it is new to the ledger and counts. Groups that do not count have
        no effect.
        """
        if group.board != self.board or not group.counts_for:
            return False
        hashes = [bytes.fromhex(game.hash) for game in group.games]
        if not self._new.isdisjoint(hashes) or self._has_read(hashes):
            return False
        # Each record is added once, even if a group lists it twice.
        for digest in dict.fromkeys(hashes):
            self._new.add(digest)
            self._order += digest
        self.groups += 1
        for player in group.players:
            if player not in self._numbers:
                self._numbers[player] = len(self._numbers)
                self.totals[player] = PlayerTotals()
        self._add_totals(group)
        leavers = [self._numbers[player] for player in sorted(group.forfeiters)]
        for loser in sorted(group.forfeiters):
            owner = self._numbers[loser]
            places = [group.places_for(game, loser) for game in group.games]
            self._add_rows(group, group.games, places, 1, [owner])
        if group.finished:
            places = [game.places for game in group.finished]
            status = 1 + len(leavers) if leavers else 0
            self._add_rows(group, group.finished, places, status, leavers)
        return True

    def blocks(self, numbers: Mapping[PlayerId, int]) -> list[Block]:
        """Return the groups in the form that the model uses, with players numbered by ``numbers``."""
        return self.stints(numbers, {}).blocks

    def stints(self, numbers: Mapping[PlayerId, int], since: Mapping[PlayerId, int]) -> Stints:
        """Return the groups in the form that the model uses, with players numbered by ``numbers``.

        Players in ``since`` with groups that ended before the time given there (in milliseconds) get another
        number for those groups: the next free numbers, in order.
        """
        known = list(self._numbers)
        renumber = np.array([numbers[player] for player in known], dtype=np.int64)
        start = np.array([since.get(player, 0) for player in known], dtype=np.int64)
        arrays = {shape: (rows, _times(rows)) for shape, rows in self._arrays().items()}
        parted = np.zeros(len(known), dtype=np.bool_)
        for (m, k, *_), (rows, times) in arrays.items():
            players = rows[:, : m * k]
            parted[players[times[:, None] < start[players]]] = True
        order = sorted(np.flatnonzero(parted).tolist(), key=lambda number: int(renumber[number]))
        before = renumber.copy()
        before[order] = renumber.max(initial=-1) + 1 + np.arange(len(order))
        blocks = []
        for (m, k, games, status), (rows, times) in arrays.items():
            seats = rows[:, : m * k]
            early = times[:, None] < start[seats]
            sides = np.where(early, before[seats], renumber[seats]).reshape(-1, m, k)
            places = rows[:, m * k : m * k + games * m].reshape(-1, games, m)
            owners = rows[:, m * k + games * m : -_TAIL]
            leavers = np.where(times[:, None] < start[owners], before[owners], renumber[owners])
            blocks.append(
                Block(
                    sides,
                    places,
                    leavers[:, 0] if status == 1 else None,
                    leavers if status > 1 else None,
                    rows[:, -_TAIL],
                )
            )
        return Stints(blocks, {known[number]: int(before[number]) for number in order})

    def to_bytes(self) -> bytes:
        """Return the whole ledger as bytes, for example for a file."""
        arrays = self._arrays()
        columns = {f"rows_{number}": rows.astype(np.int32) for number, rows in enumerate(arrays.values())}
        columns["hashes"] = np.frombuffer(_sorted(self._order).tobytes(), dtype=np.uint8)
        columns["meta"] = np.frombuffer(json.dumps(self._meta(list(arrays))).encode(), dtype=np.uint8)
        out = io.BytesIO()
        np.savez(out, **columns)  # type: ignore[arg-type]
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Ledger:
        """Return the ledger from the output of :meth:`to_bytes`. Raises :class:`InvalidLedger`."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as columns:
                meta = json.loads(columns["meta"].tobytes())
                ledger = cls._of_meta(meta)
                ledger._take_hashes(columns["hashes"].tobytes())
                for number, shape in enumerate(meta["shapes"]):
                    m, k, games, status = shape
                    ledger._read[m, k, games, status] = columns[f"rows_{number}"].astype(np.int64)
        except (ValueError, LookupError, TypeError, AttributeError, OSError, EOFError, BadZipFile) as error:
            raise InvalidLedger(f"invalid ledger: {error}", expected=f"version {VERSION}") from None
        return ledger

    def changed(self) -> LedgerParts:
        """Return the parts that a database must store: all parts of a new ledger, or those that have changed
        since :meth:`from_parts`.
        """
        arrays = self._arrays()
        columns: dict[str, bytes] = {_HASHES: bytes(self._order)}
        widths = {_HASHES: _HASH_BYTES}
        for shape, rows in arrays.items():
            columns[_column(shape)] = rows.astype(np.int32).tobytes()
            widths[_column(shape)] = 4 * rows.shape[1]
        parts = {}
        for name, data in columns.items():
            size = _PART_ROWS * widths[name]
            for start in range(self._stored.get(name, 0) // size * size, len(data), size):
                parts[_part(name, start // size)] = zlib.compress(data[start : start + size])
        lengths = {name: len(data) for name, data in columns.items()}
        meta = {**self._meta(list(arrays)), "bytes": lengths}
        return LedgerParts(zlib.compress(json.dumps(meta).encode()), parts)

    @classmethod
    def from_parts(cls, stored: LedgerParts) -> Ledger:
        """Return the ledger with this head and all of its parts. Raises :class:`InvalidLedger`."""
        try:
            meta = json.loads(zlib.decompress(stored.head))
            ledger = cls._of_meta(meta)
            ledger._stored = dict(meta["bytes"])
            ledger._take_hashes(_joined(stored.parts, _HASHES, meta["bytes"][_HASHES], _HASH_BYTES))
            for shape in meta["shapes"]:
                m, k, games, status = shape
                width = m * k + m * games + (status - 1 if status > 1 else status) + _TAIL
                name = _column(shape)
                data = _joined(stored.parts, name, meta["bytes"][name], 4 * width)
                rows = np.frombuffer(data, dtype=np.int32).reshape(-1, width)
                ledger._read[m, k, games, status] = rows.astype(np.int64)
        except (ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
            raise InvalidLedger(f"invalid ledger: {error}", expected=f"version {VERSION}") from None
        return ledger

    def _meta(self, shapes: Sequence[_Shape]) -> dict[str, object]:
        return {
            "version": VERSION,
            **self.board._asdict(),
            "groups": self.groups,
            "players": [[*player, self.totals[player].as_json()] for player in self._numbers],
            "shapes": shapes,
        }

    @classmethod
    def _of_meta(cls, meta: Mapping[str, Any]) -> Ledger:
        if meta["version"] != VERSION:
            raise ValueError(f"unsupported version {meta['version']}")
        ledger = cls(meta["kind"], meta["division"], meta["preset"])
        ledger.groups = meta["groups"]
        for name, version, totals in meta["players"]:
            player = PlayerId(name, version)
            ledger._numbers[player] = len(ledger._numbers)
            ledger.totals[player] = PlayerTotals.from_json(totals)
        return ledger

    def _take_hashes(self, data: bytes) -> None:
        self._order = bytearray(data)
        self._known = _sorted(data)

    def _has_read(self, hashes: Sequence[bytes]) -> bool:
        """Return whether any of the hashes was in the ledger when it was read."""
        if not len(self._known):
            return False
        wanted = np.array(hashes, dtype=self._known.dtype)
        places = np.minimum(np.searchsorted(self._known, wanted), len(self._known) - 1)
        return bool((self._known[places] == wanted).any())

    def _arrays(self) -> dict[_Shape, IntArray]:
        for shape, rows in self._rows.items():
            new = np.array(rows, dtype=np.int64)
            self._read[shape] = np.concatenate([self._read[shape], new]) if shape in self._read else new
        self._rows.clear()
        return dict(sorted(self._read.items()))

    def _add_totals(self, group: GroupResult) -> None:
        counting = {player: self.totals[player] for player in group.counts_for}
        awards = game_of(self.board.kind).awards
        seen = max([game.finished_ms for game in group.games])
        for player, totals in counting.items():
            games = len(group.games_for(player))
            totals.groups += 1
            totals.games += games
            totals.completed += games
            totals.last_seen_ms = max(totals.last_seen_ms, seen)
        for player in group.forfeiters:
            counting[player].forfeits += 1
        for game in group.games:
            for player in {game.players[seat] for seat in game.forfeits}:
                counting[player].completed -= 1
            own = counting if not group.forfeiters or game in group.finished else group.forfeiters
            if any(game.faults):
                for player, faults in zip(game.players, game.faults, strict=True):
                    if player in own:
                        counting[player].faults += faults
            if self.board.division == MODELS and game.mistakes:
                for player, (illegal, late) in zip(game.players, game.mistakes, strict=True):
                    if player in own:
                        counting[player].illegal += illegal
                        counting[player].late += late
            if awards is not None and game.styles:
                for player, style in zip(game.players, game.styles, strict=True):
                    if player in own:
                        counting[player].tally.update(awards.tally(style))

    def _add_rows(
        self,
        group: GroupResult,
        games: Sequence[GameResult],
        places: Sequence[Sequence[int]],
        status: int,
        leavers: Sequence[int],
    ) -> None:
        # In groups that the arena plays, all games have the same sides. Otherwise,
        # every set of sides gets a separate row.
        by_sides: dict[tuple[tuple[int, ...], ...], list[int]] = {}
        lucks: dict[tuple[tuple[int, ...], ...], int] = defaultdict(int)
        seen = max(game.finished_ms for game in group.games)
        for game, own in zip(games, places, strict=True):
            sides, seats = self._seating(game.players, group.teams)
            by_sides.setdefault(sides, []).extend(_dense(tuple([own[seat] for seat in seats])))
            # A group that counts only for a forfeiter is lost regardless of the cards.
            if game.luck is not None and status != 1:
                lucks[sides] += game.luck if seats[0] in group.teams[0] else -game.luck
        for sides, places_of_games in by_sides.items():
            m, k = len(sides), max(map(len, sides))
            row = [player for side in sides for player in side * (k // len(side))]
            shape = (m, k, len(places_of_games) // m, status)
            self._rows[shape].append(
                [*row, *places_of_games, *leavers, lucks[sides], seen >> 31, seen & _LOW]
            )

    def _uncached_seating(
        self, players: tuple[PlayerId, ...], teams: Sequence[Sequence[int]]
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
        """Return the sides (each as its sorted players) in a fixed order, with one seat of each side."""
        seats = [self._numbers[player] for player in players]
        sides = sorted((tuple(sorted({seats[seat] for seat in team})), team[0]) for team in teams)
        return tuple(side for side, _ in sides), tuple(seat for _, seat in sides)


def _sorted(hashes: bytes | bytearray) -> np.ndarray[tuple[int], np.dtype[np.bytes_]]:
    """Return concatenated hashes as a sorted array."""
    found: np.ndarray[tuple[int], np.dtype[np.bytes_]] = np.frombuffer(bytes(hashes), dtype=f"S{_HASH_BYTES}")
    return np.sort(found)


_LOW: Final = (1 << 31) - 1


def _times(rows: IntArray) -> IntArray:
    """Return the times at which the groups of ``rows`` ended."""
    times: IntArray = (rows[:, -2] << 31) | rows[:, -1]
    return times


def _column(shape: Sequence[int]) -> str:
    return "-".join(map(str, shape))


def _part(column: str, number: int) -> str:
    return f"{column}/{number}"


def _joined(parts: Mapping[str, bytes], column: str, length: int, width: int) -> bytes:
    """Return the first ``length`` bytes of a column with ``width`` bytes per row."""
    count = -(-length // (_PART_ROWS * width))
    data = b"".join(zlib.decompress(parts[_part(column, number)]) for number in range(count))
    if len(data) != length:
        raise ValueError(f"{column} has {len(data)} bytes instead of {length}")
    return data


@cache
def _dense(places: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places of the sides relative to each other. Sides that share a place have the same number
    (1, 2, 2, 4).
    """
    return tuple(1 + sum(other < place for other in places) for place in places)
