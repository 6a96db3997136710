"""Records of games that were really played, at random, for the tests of what reads them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from hashlib import sha256
from typing import Any

from arena.play.seatings import seatings
from arena.play.table import Table
from arena.records.record import Record, build_record, canonical_hash, dumps

RULES: dict[str, dict[str, Any]] = {"truco": {"cut": "none"}, "toepen": {"seats": 3, "lives": 4}}


@cache
def _line(
    kind: str, names: tuple[str, ...], group_id: str, index: int, size: int, mirrored: bool, attempt: int
) -> str:
    """One game as its line; ``names`` are those of its seats, as ``name`` or ``name@version``."""
    seed = sha256(f"{group_id} {attempt} {0 if mirrored else index}".encode()).digest()
    rng = random.Random(f"{group_id} {index} {attempt}")
    table = Table(f"{group_id}.{attempt}-{index}", kind, RULES[kind], seed)
    table.start()
    while not table.is_over():
        seat = table.awaited()[0]
        table.submit(seat, table.turn_number(seat), rng.choice(table.legal_actions(seat)))
    players = [(name, version or "1") for name, _, version in (text.partition("@") for text in names)]
    group = {"id": group_id, "index": index, "size": size, "mirrored": mirrored, "attempt": attempt}
    return dumps(build_record(table, players=players, group=group, info={}))


def group_records(
    kind: str, names: str, group_id: str = "g1", *, mirrored: bool = True, attempt: int = 0
) -> list[Record]:
    """A whole group. ``names``: the players of game 0 in seat order, separated by blanks."""
    teams = Table("any", kind, RULES[kind], bytes(32)).teams
    seats: Sequence[Sequence[str]] = seatings(teams, names.split())
    return [
        json.loads(_line(kind, tuple(own), group_id, index, len(seats), mirrored, attempt))
        for index, own in enumerate(seats)
    ]


def changed(
    record: Record, canonical: Mapping[str, Any] | None = None, info: Mapping[str, Any] | None = None
) -> Record:
    """A copy with other parts, and with the hash that belongs to it."""
    copy = deepcopy(record)
    copy["canonical"].update(canonical or {})
    copy["info"].update(info or {})
    copy["hash"] = canonical_hash(copy["canonical"])
    return copy


def forfeited(record: Record, name: str, after: int | None = None) -> Record:
    """A copy in which the seat of ``name`` had three faults and forfeited, ``after`` so many actions (None:
    all).
    """
    canonical = record["canonical"]
    (seat,) = [seat for seat, player in enumerate(canonical["players"]) if player["name"] == name]
    fault = {"seat": seat, "type": "late", "after": len(canonical["actions"]) if after is None else after}
    outcome = {**canonical["outcome"], "forfeits": [seat]}
    return changed(record, {"faults": [fault] * 3, "outcome": outcome})
