"""Data sets for machine learning: decisions of recorded games as rows of a Parquet file.

A row contains what a seat knew at a decision, its legal actions, the action it took, and how the game ended
for it. The columns are :data:`COLUMNS`; docs/research.md explains them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from arena.errors import ArenaError
from arena.games import features_of
from arena.games.descriptor import Game
from arena.games.features import Features
from arena.games.options import RuleValue
from arena.records.decisions import decisions
from arena.records.record import Record, seat_flags
from arena.records.verify import verify
from arena.research.serial import returns_of, rules_named

FORMAT: Final = 1

LICENCE: Final = "CC0-1.0"
"""The licence of data sets that a service publishes, as an SPDX identifier."""

_ROWS_AT_ONCE: Final = 20_000
_LEVEL: Final = 9
"""The compression level. Files are 30 % smaller than at the default level, and no slower to read."""


class Column(NamedTuple):
    """A column. ``type`` is its Arrow type, or None for vectors, whose length depends on the rules."""

    type: pa.DataType | None
    doc: str


COLUMNS: Final[dict[str, Column]] = {
    "game": Column(pa.string(), "The id of the game."),
    "group": Column(
        pa.string(), "The id of its group (the games of one pairing); null if the game was played alone."
    ),
    "index": Column(pa.int16(), "The index of the game in its group, from 0; null if it has none."),
    "finished_ms": Column(pa.int64(), "When the game ended, in Unix milliseconds; null if unknown."),
    "decision": Column(pa.int32(), "The number of earlier actions in the record, including those of chance."),
    "hand": Column(pa.int32(), "The hand, from 1."),
    "seat": Column(pa.int8(), "The seat that made the decision."),
    "bot": Column(pa.string(), "The name of the bot on that seat."),
    "version": Column(pa.string(), "The version of the bot."),
    "optional": Column(pa.bool_(), "Whether the seat used a right out of turn."),
    "mark": Column(pa.string(), "Why the table chose the action; null if the bot chose it."),
    "observation": Column(None, "What the seat knew: a vector of zeros and ones."),
    "legal": Column(None, "For each action, 1 if it was legal, else 0."),
    "action": Column(pa.int16(), "The number of the action taken."),
    "place": Column(pa.int8(), "The seat's place at the end of the game; 1 is the best."),
    "score": Column(pa.int32(), "The seat's score."),
    "result": Column(pa.float32(), "The value of the place, from -1 to 1."),
    "forfeited": Column(pa.bool_(), "Whether the seat forfeited the game because of faults."),
}
"""The columns of a data set, in order."""


def parse_name(game: Game, preset: str) -> dict[str, RuleValue]:
    """Return the complete rules of a data set's preset. Raises :class:`~arena.errors.UnknownPreset`."""
    return rules_named(game, preset, {})


@dataclass
class Wanted:
    """A selection of decisions: those in games that ended in [``from_ms``, ``to_ms``), by bots for which
    ``is_in(name, house)`` is true. Decisions by people are never included.
    """

    from_ms: int | None = None
    to_ms: int | None = None
    is_in: Callable[[str, bool], bool] = field(default=lambda name, house: True)

    def takes(self, record: Record) -> bool:
        """Return whether any decisions in a game are wanted. Games of annulled groups and practice games are
        excluded.
        """
        info = record["info"]
        if info.get("annulled") or info.get("practice") or info.get("exhibition"):
            return False
        if self.from_ms is None and self.to_ms is None:
            return True
        ended = _ended_ms(record)
        if ended is None:
            return False
        return (self.from_ms is None or ended >= self.from_ms) and (self.to_ms is None or ended < self.to_ms)

    def seats(self, record: Record) -> set[int]:
        """Return the seats whose decisions are wanted. Raises
        :class:`~arena.records.record.InvalidRecord`.
        """
        house, people = seat_flags(record, "house"), seat_flags(record, "people")
        return {
            seat
            for seat, player in enumerate(record["canonical"]["players"])
            if not people[seat] and self.is_in(player["name"], house[seat])
        }


def _ended_ms(record: Record) -> int | None:
    """Return when a game ended, or None if its record, which can contain anything, has no valid time."""
    ended = record["info"].get("finished_ms")
    return ended if type(ended) is int and 0 <= ended < 1 << 53 else None


@dataclass
class Written:
    """The contents of a data set: ``rows`` from ``games``. ``skipped`` games had no wanted decision, and
    ``others`` were played under other rules.
    """

    rows: int = 0
    games: int = 0
    skipped: int = 0
    others: int = 0


class DataSet:
    """Writes the decisions of games under the rules of one preset to a Parquet file."""

    def __init__(self, game: Game, preset: str) -> None:
        self.game = game
        self.rules = parse_name(game, preset)
        self.preset = game.preset_of(self.rules)
        self.features = features_of(game.kind, self.rules)
        self.number = {action: number for number, action in enumerate(self.features.actions)}
        sizes = {"observation": self.features.layout.size, "legal": len(self.features.actions)}
        self.schema = pa.schema(
            [
                pa.field(name, column.type or pa.list_(pa.int8(), sizes[name]))
                for name, column in COLUMNS.items()
            ]
        )

    def metadata(self, source: str, licence: str | None) -> dict[str, object]:
        """Return a file's self-description, stored as JSON under the ``botequim`` metadata key. ``source`` is
        the source of the records. ``licence`` is the licence of the file, or None if it has no licence.
        """
        return {
            "format": FORMAT,
            "kind": self.game.kind,
            "preset": self.preset,
            "rules": self.rules,
            "rules_version": self.game.version,
            "actions": self.features.actions,
            "observation": self.features.layout.parts,
            "columns": {name: column.doc for name, column in COLUMNS.items()},
            "source": source,
            "licence": licence,
        }

    def write(
        self,
        path: Path,
        records: Iterable[Record],
        wanted: Wanted,
        *,
        source: str = "",
        licence: str | None = None,
        on_game: Callable[[int], None] = lambda games: None,
    ) -> Written:
        """Write a file. Games under other rules are only counted. For ``licence``, see :meth:`metadata`.
        ``on_game`` is called with the number of games so far.

        The file appears only when it is complete. Raises ``unproven_record`` for a record that does not
        verify.
        """
        written = Written()
        temporary = path.with_name(path.name + ".new")
        schema = self.schema.with_metadata({"botequim": json.dumps(self.metadata(source, licence))})
        try:
            with pq.ParquetWriter(temporary, schema, compression="zstd", compression_level=_LEVEL) as out:
                batch = _Batch(schema)
                for record in records:
                    if not self._is_of_preset(record):
                        written.others += 1
                        continue
                    rows = len(batch)
                    if wanted.takes(record):
                        for row in self.rows(record, wanted.seats(record)):
                            batch.add(row)
                    written.games += len(batch) > rows
                    written.skipped += len(batch) == rows
                    written.rows += len(batch) - rows
                    if len(batch) >= _ROWS_AT_ONCE:
                        out.write_table(batch.table())
                        batch = _Batch(schema)
                    on_game(written.games)
                if len(batch):
                    out.write_table(batch.table())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        return written

    def _is_of_preset(self, record: Record) -> bool:
        canonical = record["canonical"]
        return (
            canonical["kind"] == self.game.kind
            and self.game.options.complete(canonical["rules"]) == self.rules
        )

    def rows(self, record: Record, seats: Iterable[int]) -> Iterator[dict[str, object]]:
        """Yield a row for each decision of these seats. Raises ``unproven_record``."""
        problems = verify(record)
        canonical = record["canonical"]
        if problems:
            raise ArenaError(
                f"the record of {canonical['game']} does not verify: {problems[0]}",
                code="unproven_record",
                field="records",
                expected="records accepted by 'botequim verify'",
            )
        ends = _Ends(self.features, record, self.game.teams(self.rules))
        wanted = set(seats)
        for one in decisions(record):
            if one.action is None or one.seat not in wanted:
                continue
            seen = one.turn["observation"]
            yield {
                **ends.of(one.seat),
                "decision": one.after,
                "hand": seen["hand_number"],
                "optional": one.turn["optional"],
                "mark": one.mark,
                "observation": self.features.vector(seen),
                "legal": self._mask(one.turn["legal_actions"]),
                "action": self.number[one.action],
            }

    def _mask(self, legal: Iterable[str]) -> bytearray:
        mask = bytearray(len(self.number))
        for action in legal:
            mask[self.number[action]] = 1
        return mask


class _Ends:
    """The columns that are the same in all rows of a game, or of a seat in it."""

    def __init__(self, features: Features, record: Record, teams: Sequence[Sequence[int]]) -> None:
        canonical = record["canonical"]
        group: Mapping[str, Any] = canonical["group"] or {}
        self._game = {
            "game": canonical["game"],
            "group": group.get("id"),
            "index": group.get("index"),
            "finished_ms": _ended_ms(record),
        }
        self._players = canonical["players"]
        self._outcome = canonical["outcome"]
        self._results = returns_of(self._outcome["places"], teams)

    def of(self, seat: int) -> dict[str, object]:
        """Return these columns for a seat."""
        return {
            **self._game,
            "seat": seat,
            "bot": self._players[seat]["name"],
            "version": self._players[seat]["version"],
            "place": self._outcome["places"][seat],
            "score": self._outcome["scores"][seat],
            "result": self._results[seat],
            "forfeited": seat in self._outcome["forfeits"],
        }


class _Batch:
    """Rows collected for one Arrow table."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._values: dict[str, list[Any]] = {name: [] for name in schema.names}
        self._vectors = {name: bytearray() for name in ("observation", "legal")}
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        for name, value in row.items():
            if name in self._vectors:
                self._vectors[name] += value
            else:
                self._values[name].append(value)
        self._rows += 1

    def table(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        arrays = []
        for column in self._schema:
            if column.name in self._vectors:
                flat = pa.array(np.frombuffer(self._vectors[column.name], np.int8))
                arrays.append(pa.FixedSizeListArray.from_arrays(flat, type=column.type))
            else:
                arrays.append(pa.array(self._values[column.name], column.type))
        return pa.Table.from_arrays(arrays, schema=self._schema)
