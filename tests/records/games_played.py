"""Real records for the tests: random legal play, with players who fail, resign and are late."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from arena.play.faults import FAULTS
from arena.play.seatings import seatings
from arena.play.table import Table
from arena.records.record import Record, build_record, canonical_hash, dumps

RULES: dict[str, list[dict[str, Any]]] = {
    "truco": [
        {},
        {"cut": "none"},
        {"signals": "table", "max_hands": 4},
        {"face_down": "never", "max_burns": 0},
    ],
    "toepen": [{}, {"seats": 3, "lives": 4}, {"seats": 8, "lives": 3}, {"whistling": True, "end": "rubber"}],
}
PLAYERS = [(f"player {letter}", "1.0") for letter in "ABCDEFGH"]


def play(
    kind: str,
    number: int = 0,
    rules: Mapping[str, Any] | None = None,
    *,
    nonces: tuple[str, ...] = (),
    trouble: float = 0.0,
) -> Table:
    """A finished game. ``trouble``: how likely a decision goes wrong in some way."""
    rng = random.Random(f"{kind} {number}")
    table = Table(f"{kind}-{number}", kind, rules or {}, sha256(f"seed {number}".encode()).digest(), nonces)
    table.start()
    while not table.is_over():
        seat = rng.choice(table.seats_with_turns()) if rng.random() < 0.3 else table.awaited()[0]
        awaited = seat in table.awaited()
        if rng.random() >= trouble:
            table.submit(seat, table.turn_number(seat), rng.choice(table.legal_actions(seat)))
            continue
        what = rng.choice([*FAULTS, "resign"])
        if what == "resign":
            table.resign(seat)
        elif not table.fault(seat, what, f"{what} on\nseat {seat}") and awaited and (mark := FAULTS[what]):
            table.act_for(seat, mark)
    return table


def record_of(table: Table, **keywords: Any) -> Record:
    """The record of a finished table, as it comes back from its line."""
    players = keywords.pop("players", PLAYERS[: table.size])
    loaded: Record = json.loads(dumps(build_record(table, players=players, **keywords)))
    return loaded


@cache
def record_line(kind: str, variant: int = 0, number: int = 0, trouble: float = 0.0) -> str:
    """One record as its line; cached, so each test parses its own copy."""
    rules = RULES[kind][variant]
    return dumps(record_of(play(kind, number, rules, trouble=trouble)))


def group(
    kind: str, name: str = "g1", *, mirrored: bool = True, rules: dict[str, Any] | None = None, first: int = 1
) -> list[Record]:
    """A group as the arena plays it; ``first`` is the number of its first game (:func:`play`)."""
    one = play(kind, first, rules)
    size = len(one.teams)
    records = []
    for index, players in enumerate(seatings(one.teams, PLAYERS[: one.size])):
        table = play(kind, first if mirrored else first + index, rules)
        table.game_id = f"{name}-{index}"
        place = {"id": name, "index": index, "size": size, "mirrored": mirrored}
        records.append(record_of(table, players=players, group=place))
    return records


def rehash(record: Record) -> Record:
    """``record`` with the hash that its canonical part has now: what a careful forger does."""
    record["hash"] = canonical_hash(record["canonical"])
    return record


def write(path: Any, records: list[Record]) -> str:
    """Write JSON lines; returns the path as text."""
    path.write_text("".join(dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)
