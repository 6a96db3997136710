"""Every deal of real records, computed by the program that knows only ``docs/fair-deals.md``."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import independent_dealing
import pytest
from dealing_vectors import CLEAN_PACK, TOEPEN_PACK, TRUCO_PACK

from arena.play.table import Table
from arena.records.record import build_record


@pytest.mark.parametrize(
    ("kind", "rules", "pack"),
    [
        ("truco", {}, TRUCO_PACK),
        ("truco", {"cut": "none"}, TRUCO_PACK),
        ("truco", {"variant": "paulista", "seats": 2}, TRUCO_PACK),
        ("truco", {"variant": "paulista", "pack": "clean"}, CLEAN_PACK),
        ("toepen", {}, TOEPEN_PACK),
        ("toepen", {"seats": 3, "end": "rubber"}, TOEPEN_PACK),
    ],
)
def test_the_deals_of_a_record(kind: str, rules: dict[str, object], pack: Sequence[str]) -> None:
    table = Table(
        "g", kind, rules, sha256(kind.encode()).digest(), ["one", "", "three", "4"][: rules.get("seats", 4)]
    )
    table.start()
    while not table.is_over():
        table.act_for(table.awaited()[0], "clock")
    canonical = build_record(table, players=[("p", "1")] * table.size)["canonical"]
    chance = [action for seat, action, *_ in canonical["actions"] if seat == -1]
    assert len(chance) > 3
    call = {"seed": canonical["seed"], "nonces": canonical["nonces"]}
    seats = " ".join(str(seat) for seat in range(table.size))
    expected = [independent_dealing.chance({**call, "kind": "dealer", "hand": 1, "items": seats})["action"]]
    for hand in range(1, len(chance)):
        deal = {**call, "kind": "deal", "hand": hand, "items": " ".join(pack)}
        expected.append(independent_dealing.chance(deal)["action"])
    assert chance == expected
    assert independent_dealing.commitment(call) == {"commitment": canonical["commitment"]}
