"""Records for the tests of replay pages: random legal play (``tests/records/games_played.py``)."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any

from arena.games import game_of
from arena.play.table import Table
from arena.records.record import Record, build_record, canonical_hash, dumps

RULES: list[tuple[str, dict[str, Any]]] = [
    ("truco", {}),
    ("truco", {"cut": "none", "face_down": "after_first_trick"}),
    ("truco", {"signals": "table", "max_hands": 6}),
    ("truco", {"face_down": "never", "max_burns": 0}),
    ("truco", {"variant": "paulista", "max_hands": 12}),
    ("truco", {"variant": "paulista", "seats": 2, "max_hands": 12}),
    ("truco", {"variant": "paulista", "pack": "clean", "max_hands": 6}),
    ("truco", {"variant": "mineiro", "seats": 2, "max_hands": 12}),
    *(("toepen", {"seats": seats, "lives": 4}) for seats in range(2, 9)),
    ("toepen", {"seats": 3, "whistling": True}),
    ("toepen", {"seats": 4, "end": "rubber", "rubbers": 2, "lives": 3, "knocking": "on_turn"}),
]
NAMES = ("ana", "bia", "caio", "davi", "eva", "fabio", "gil", "hugo")


def played(kind: str, rules: Mapping[str, Any], number: int = 0, *, names: tuple[str, ...] = NAMES) -> Record:
    """The record of a game of random legal play; the same arguments give the same record."""
    rng = random.Random(f"{kind} {number}")
    seats = game_of(kind).seats(game_of(kind).options.complete(rules))
    nonces = ("salt", *[""] * (seats - 2), "pepper")
    table = Table(f"{kind}-{number}", kind, rules, sha256(f"{number}".encode()).digest(), nonces)
    table.start()
    while not table.is_over():
        seat = rng.choice(table.seats_with_turns()) if rng.random() < 0.2 else table.awaited()[0]
        legal = [action for action in table.legal_actions(seat) if not action.startswith(("run", "fold"))]
        action = rng.choice(legal if legal and rng.random() < 0.8 else table.legal_actions(seat))
        table.submit(seat, table.turn_number(seat), action)
    players = [(name, "1") for name in names[: table.size]]
    record: Record = json.loads(dumps(build_record(table, players=players)))
    return record


def forged(record: Record) -> Record:
    """The same game with another seed than the one it was dealt from, and a hash that fits."""
    copy: Record = json.loads(dumps(record))
    canonical = copy["canonical"]
    canonical["seed"] = "17" * 32
    canonical["commitment"] = sha256(bytes.fromhex(canonical["seed"])).hexdigest()
    copy["hash"] = canonical_hash(canonical)
    return copy


@cache
def long_record(moves: int) -> Record:
    """The record of a game of Toepen of eight that is over after about ``moves`` moves, because nobody knocks
    or folds.
    """
    rules = {"seats": 8, "lives": 30, "end": "rubber", "rubbers": max(1, moves // 1000)}
    rng = random.Random(moves)
    table = Table(f"toepen-long-{moves}", "toepen", rules, sha256(b"long").digest(), [""] * 8)
    table.start()
    while not table.is_over():
        (seat, *_) = table.awaited()
        legal = table.legal_actions(seat)
        calm = [action for action in legal if not action.startswith(("knock", "fold"))]
        table.submit(seat, table.turn_number(seat), rng.choice(calm or legal))
    record: Record = json.loads(dumps(build_record(table, players=[(name, "1") for name in NAMES])))
    return record
