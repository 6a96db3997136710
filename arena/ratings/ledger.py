"""The groups that count on one board, as arrays: small, quick to read and rated as they are."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from typing import Final
from zipfile import BadZipFile

import numpy as np

from arena.errors import ArenaError
from arena.ratings.model import Block, IntArray
from arena.ratings.results import GroupResult, Player

_VERSION: Final = 1


class InvalidLedger(ArenaError):
    """Bytes that are not a ledger of this version."""

    code = "invalid_ledger"


@dataclass
class Doings:
    """What one player did on a board: ``groups`` and ``games`` that count for it, its ``faults``, the
    groups it lost by forfeit, when it was last seen (milliseconds since 1970, 0 if unknown); in
    Toepen the games with three hands won in a row, and how often it folded of how often it was asked.
    """

    groups: int = 0
    games: int = 0
    faults: int = 0
    forfeits: int = 0
    last_seen_ms: int = 0
    king_games: int = 0
    folds: int = 0
    fold_opportunities: int = 0

    def merged(self, other: Doings) -> Doings:
        """Both together."""
        sums = {name: value + getattr(other, name) for name, value in vars(self).items()}
        return Doings(**{**sums, "last_seen_ms": max(self.last_seen_ms, other.last_seen_ms)})


_Shape = tuple[int, int, int, int]
"""Sides, players per side, games, and whether the rows count for a forfeiter alone."""


class Ledger:
    """The groups of one game and division, in whatever order they were added, each once.

    What was added stays: when a game is annulled, the ledger has to be made anew.
    """

    def __init__(self, kind: str, division: str) -> None:
        self.kind = kind
        self.division = division
        self.groups = 0
        """How many groups there are."""
        self.doings: dict[Player, Doings] = {}
        """What everybody did, for all who played in a group (it may count for others only)."""
        self._hashes: set[bytes] = set()
        self._numbers: dict[Player, int] = {}
        self._read: dict[_Shape, IntArray] = {}
        # A row: the players side by side, the places game by game, the forfeiter or -1.
        self._rows: dict[_Shape, list[list[int]]] = defaultdict(list)
        self._seating = cache(self._uncached_seating)

    @property
    def records(self) -> int:
        """How many records the groups have."""
        return len(self._hashes)

    def records_hash(self) -> bytes:
        """The SHA-256 of the hashes of all records (32 bytes each, sorted)."""
        return sha256(b"".join(sorted(self._hashes))).digest()

    def add(self, group: GroupResult) -> bool:
        """Take a group, and say whether it is new here and counts. Others change nothing."""
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
                self.doings[player] = Doings()
        self._note_doings(group)
        for loser in group.forfeiters or (None,):
            self._add_rows(group, loser)
        return True

    def blocks(self, numbers: Mapping[Player, int]) -> list[Block]:
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
            "players": [[*player, asdict(self.doings[player])] for player in self._numbers],
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
                for name, version, doings in meta["players"]:
                    player = Player(name, version)
                    ledger._numbers[player] = len(ledger._numbers)
                    ledger.doings[player] = Doings(**doings)
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

    def _note_doings(self, group: GroupResult) -> None:
        own = {player: self.doings[player] for player in group.counts_for}
        seen = max([game.finished_ms for game in group.games])
        for doings in own.values():
            doings.groups += 1
            doings.games += len(group.games)
            doings.last_seen_ms = max(doings.last_seen_ms, seen)
        for player in group.forfeiters:
            own[player].forfeits += 1
        for game in group.games:
            if any(game.faults):
                for player, faults in zip(game.players, game.faults, strict=True):
                    if player in own:
                        own[player].faults += faults
            for player, style in zip(game.players, game.styles, strict=bool(game.styles)):
                if player in own:
                    own[player].king_games += style.is_toepkoning
                    own[player].folds += style.folds
                    own[player].fold_opportunities += style.fold_opportunities

    def _add_rows(self, group: GroupResult, loser: Player | None) -> None:
        # The sides are the same in all games of a group as the arena plays them; if they are not,
        # every set of sides is a group by itself.
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
        self, players: tuple[Player, ...], teams: Sequence[Sequence[int]]
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
        """The sides (the players of each, sorted) in a fixed order, and a seat of each."""
        seats = [self._numbers[player] for player in players]
        sides = sorted((tuple(sorted({seats[seat] for seat in team})), team[0]) for team in teams)
        return tuple(side for side, _ in sides), tuple(seat for _, seat in sides)


@cache
def _dense(places: tuple[int, ...]) -> tuple[int, ...]:
    """The places of sides among themselves."""
    return tuple(1 + sum(other < place for other in places) for place in places)
