"""Looks for anything hidden in a data set: ``python -m tests.research.leaks data.parquet records.jsonl``.

Every row is compared with two other worlds that look the same to its seat. In the first, all that the seat
could not see when it decided is dealt anew. In the second, by the log of the whole game, the cards that the
seat did not get to see by its end are exchanged in every hand.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from arena.bots.redeal import redeal
from arena.games import features_of, game_of
from arena.games.features import Features
from arena.games.kernel import State
from arena.records.decisions import decisions
from arena.records.record import Record, load_records


class Checked(NamedTuple):
    """``rows`` that were compared, how many of them also in a ``second`` world, and the leaks."""

    rows: int
    second: int
    leaks: list[str]


def check(path: Path, records: Iterable[Record]) -> Checked:
    """Compare all rows of a data set that was made of these records."""
    file = pq.ParquetFile(path)
    about = json.loads(file.schema_arrow.metadata[b"botequim"])
    rows: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    left = 0
    for batch in file.iter_batches(columns=["game", "decision", "seat", "observation", "legal", "action"]):
        vectors, masks = (
            bytes(batch.column(name).flatten().to_numpy().tobytes()) for name in ("observation", "legal")
        )
        size, count = len(vectors) // batch.num_rows, len(masks) // batch.num_rows
        for place, (game, decision, seat, action) in enumerate(
            zip(
                *(batch.column(name).to_pylist() for name in ("game", "decision", "seat", "action")),
                strict=True,
            )
        ):
            shown = (vectors[size * place : size * (place + 1)], masks[count * place : count * (place + 1)])
            rows[game][decision] = {"seat": seat, "shown": shown, "action": action}
            left += 1
    game = game_of(about["kind"])
    checker = _Checker(features_of(game.kind, about["rules"]), about["actions"])
    second = 0
    for record in records:
        own = rows.pop(record["canonical"]["game"], None)
        if own is not None:
            second += checker.compare(record, own)
    assert not rows, f"rows of games that are in no record: {list(rows)[:3]}"
    return Checked(left, second, checker.leaks)


class _Checker:
    def __init__(self, features: Features, actions: list[str]) -> None:
        self.features = features
        self.actions = actions
        self.leaks: list[str] = []
        self._random = Random(1)

    def shown(self, state: State, seat: int) -> tuple[bytes, bytes]:
        """What a row shows of a state."""
        legal = set(state.legal_actions(seat))
        mask = bytes(action in legal for action in self.actions)
        return bytes(self.features.vector(state.observation(seat))), mask

    def compare(self, record: Record, rows: dict[int, dict[str, Any]]) -> int:
        """Compare the rows of a game; returns how many the second world showed otherwise hidden cards for."""
        canonical = record["canonical"]
        found = 0
        for one in decisions(record):
            if one.action is not None and (row := rows.get(one.after)) is not None:
                found += 1
                other = redeal(one.turn, self._random)
                self._expect(
                    record, one.after, row, (other, one.seat), self.actions[row["action"]] == one.action
                )
        assert found == len(rows), f"{canonical['game']} has rows that are no decisions"
        return sum(self._second(record, rows, seat) for seat in {row["seat"] for row in rows.values()})

    def _second(self, record: Record, rows: dict[int, dict[str, Any]], seat: int) -> int:
        canonical = record["canonical"]
        game = game_of(canonical["kind"])
        rules = game.options.complete(canonical["rules"])
        log = [(acting, action) for acting, action, *_ in canonical["actions"]]
        module = import_module(f"tests.contract.redeal_{game.kind}")
        other = module.alternative_log(log, seat, self._random, rules)
        if other is None:
            return 0
        state = game.new_state(rules)
        different = 0
        for number, (acting, action) in enumerate(other):
            if number in rows and rows[number]["seat"] == seat:
                self._expect(record, number, rows[number], (state, seat), True)
                different += 1
            state.apply(acting, action)
        return different

    def _expect(
        self, record: Record, number: int, row: dict[str, Any], world: tuple[State, int], same: bool
    ) -> None:
        if row["seat"] != world[1] or not same or self.shown(*world) != row["shown"]:
            self.leaks.append(f"{record['canonical']['game']}, decision {number}, seat {row['seat']}")


def main() -> int:
    """Check a data set against the file of its records."""
    path, records = sys.argv[1:]
    found = check(Path(path), load_records(records))
    print(f"{found.rows} rows compared, {found.second} of them in a second world, {len(found.leaks)} leaks")
    print("\n".join(found.leaks[:20]))
    return 1 if found.leaks else 0


if __name__ == "__main__":
    raise SystemExit(main())
