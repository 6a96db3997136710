"""The groups that count on one board, as arrays: small, quick to read and rated as they are."""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Final
from zipfile import BadZipFile

import numpy as np

from arena.errors import ArenaError
from arena.games import game_of
from arena.play.players import PlayerId
from arena.ratings.model import Block
from arena.ratings.results import GroupResult
from arena.ratings.solver import IntArray

_VERSION: Final = 1


class InvalidLedger(ArenaError):
    """Bytes that are not a ledger of this version."""

    code = "invalid_ledger"


@dataclass
class PlayerTotals:
    """The totals of one player on a board: ``groups`` and ``games`` that count for it, its ``faults``, the
    groups it lost by forfeit, when it was last seen (milliseconds since 1970, 0 if unknown); and the
    sums of what its game counts about its style (:class:`~arena.games.descriptor.Awards`), by name.
    """

    groups: int = 0
    games: int = 0
    faults: int = 0
    forfeits: int = 0
    last_seen_ms: int = 0
    tally: Counter[str] = field(default_factory=Counter)

    def merged(self, other: PlayerTotals) -> PlayerTotals:
        """The sums of both."""
        return PlayerTotals(
            self.groups + other.groups,
            self.games + other.games,
            self.faults + other.faults,
            self.forfeits + other.forfeits,
            max(self.last_seen_ms, other.last_seen_ms),
            Counter({name: self.tally[name] + other.tally[name] for name in {**self.tally, **other.tally}}),
        )

    def as_json(self) -> dict[str, int]:
        """A flat form that :meth:`from_json` reads back."""
        return {**{name: getattr(self, name) for name in _COUNTS}, **self.tally}

    @classmethod
    def from_json(cls, data: Mapping[str, int]) -> PlayerTotals:
        """The totals of an :meth:`as_json`."""
        tally = Counter({name: value for name, value in data.items() if name not in _COUNTS})
        return cls(tally=tally, **{name: data[name] for name in _COUNTS})


_COUNTS: Final = ("groups", "games", "faults", "forfeits", "last_seen_ms")


_Shape = tuple[int, int, int, int]
"""Sides, players per side, games, and whether the rows count for a forfeiter alone."""


class Ledger:
    """The groups of one game and division, each once, independent of the order of adding.

    Groups cannot be removed: when a game is annulled, the ledger has to be rebuilt.
    """

    def __init__(self, kind: str, division: str) -> None:
        self.kind = kind
        self.division = division
        self.groups = 0
        """The number of groups."""
        self.totals: dict[PlayerId, PlayerTotals] = {}
        """The totals of all players, also of those for whom no group counts."""
        self._hashes: set[bytes] = set()
        self._numbers: dict[PlayerId, int] = {}
        self._read: dict[_Shape, IntArray] = {}
        # A row: the players side by side, the places game by game, the forfeiter or -1.
        self._rows: dict[_Shape, list[list[int]]] = defaultdict(list)
        self._seating = cache(self._uncached_seating)

    @property
    def records(self) -> int:
        """The number of records of the groups."""
        return len(self._hashes)

    def records_hash(self) -> bytes:
        """The SHA-256 of the hashes of all records (32 bytes each, sorted)."""
        return sha256(b"".join(sorted(self._hashes))).digest()

    def add(self, group: GroupResult) -> bool:
        """Add a group and return whether it is new here and counts. Other groups change nothing."""
        if (group.kind, group.division) != (self.kind, self.division) or not group.counts_for:
            return False
        hashes = [bytes.fromhex(game.hash) for game in group.games]
        if not self._hashes.isdisjoint(hashes):
            return False
        self._hashes.update(hashes)
        self.groups += 1
        for player in group.players:
            if player not in self._numbers:
                self._numbers[player] = len(self._numbers)
                self.totals[player] = PlayerTotals()
        self._add_totals(group)
        for loser in group.forfeiters or (None,):
            self._add_rows(group, loser)
        return True

    def blocks(self, numbers: Mapping[PlayerId, int]) -> list[Block]:
        """The groups as the model takes them, with players numbered by ``numbers``."""
        renumber = np.array([numbers[player] for player in self._numbers] + [-1], dtype=np.int64)
        blocks = []
        for shape, rows in self._arrays().items():
            m, k, games, forfeited = shape
            sides = renumber[rows[:, : m * k]].reshape(-1, m, k)
            places = rows[:, m * k : -1].reshape(-1, games, m)
            blocks.append(Block(sides, places, renumber[rows[:, -1]] if forfeited else None))
        return blocks

    def to_bytes(self) -> bytes:
        """The ledger, to be stored."""
        arrays = self._arrays()
        meta = {
            "version": _VERSION,
            "kind": self.kind,
            "division": self.division,
            "groups": self.groups,
            "players": [[*player, self.totals[player].as_json()] for player in self._numbers],
            "shapes": list(arrays),
        }
        columns = {f"rows_{number}": rows.astype(np.int32) for number, rows in enumerate(arrays.values())}
        columns["hashes"] = np.frombuffer(b"".join(sorted(self._hashes)), dtype=np.uint8)
        columns["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
        out = io.BytesIO()
        np.savez(out, **columns)  # type: ignore[arg-type]
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Ledger:
        """The ledger of a :meth:`to_bytes`. Raises :class:`InvalidLedger`."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as columns:
                meta = json.loads(columns["meta"].tobytes())
                if meta["version"] != _VERSION:
                    raise ValueError(f"version {meta['version']}")
                ledger = cls(meta["kind"], meta["division"])
                ledger.groups = meta["groups"]
                for name, version, totals in meta["players"]:
                    player = PlayerId(name, version)
                    ledger._numbers[player] = len(ledger._numbers)
                    ledger.totals[player] = PlayerTotals.from_json(totals)
                hashes = columns["hashes"].tobytes()
                ledger._hashes = {hashes[start : start + 32] for start in range(0, len(hashes), 32)}
                for number, shape in enumerate(meta["shapes"]):
                    m, k, games, forfeited = shape
                    ledger._read[m, k, games, forfeited] = columns[f"rows_{number}"].astype(np.int64)
        except (ValueError, LookupError, TypeError, AttributeError, OSError, EOFError, BadZipFile) as error:
            raise InvalidLedger(f"this is not a ledger: {error}", expected=f"version {_VERSION}") from None
        return ledger

    def _arrays(self) -> dict[_Shape, IntArray]:
        for shape, rows in self._rows.items():
            new = np.array(rows, dtype=np.int64)
            self._read[shape] = np.concatenate([self._read[shape], new]) if shape in self._read else new
        self._rows.clear()
        return dict(sorted(self._read.items()))

    def _add_totals(self, group: GroupResult) -> None:
        counting = {player: self.totals[player] for player in group.counts_for}
        awards = game_of(self.kind).awards
        seen = max([game.finished_ms for game in group.games])
        for totals in counting.values():
            totals.groups += 1
            totals.games += len(group.games)
            totals.last_seen_ms = max(totals.last_seen_ms, seen)
        for player in group.forfeiters:
            counting[player].forfeits += 1
        for game in group.games:
            if any(game.faults):
                for player, faults in zip(game.players, game.faults, strict=True):
                    if player in counting:
                        counting[player].faults += faults
            if awards is not None and game.styles:
                for player, style in zip(game.players, game.styles, strict=True):
                    if player in counting:
                        counting[player].tally.update(awards.tally(style))

    def _add_rows(self, group: GroupResult, loser: PlayerId | None) -> None:
        # The sides are the same in all games of a group as the arena plays them; if they are not,
        # every set of sides gets a row of its own.
        by_sides: dict[tuple[tuple[int, ...], ...], list[int]] = {}
        for game in group.games:
            places = game.places if loser is None else group.places_for(game, loser)
            sides, seats = self._seating(game.players, group.teams)
            by_sides.setdefault(sides, []).extend(_dense(tuple([places[seat] for seat in seats])))
        owner = -1 if loser is None else self._numbers[loser]
        for sides, places_of_games in by_sides.items():
            m, k = len(sides), max(map(len, sides))
            row = [player for side in sides for player in side * (k // len(side))]
            shape = (m, k, len(places_of_games) // m, int(loser is not None))
            self._rows[shape].append([*row, *places_of_games, owner])

    def _uncached_seating(
        self, players: tuple[PlayerId, ...], teams: Sequence[Sequence[int]]
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
        """The sides (the players of each, sorted) in a fixed order, and a seat of each."""
        seats = [self._numbers[player] for player in players]
        sides = sorted((tuple(sorted({seats[seat] for seat in team})), team[0]) for team in teams)
        return tuple(side for side, _ in sides), tuple(seat for _, seat in sides)


@cache
def _dense(places: tuple[int, ...]) -> tuple[int, ...]:
    """The places of sides among themselves."""
    return tuple(1 + sum(other < place for other in places) for place in places)
