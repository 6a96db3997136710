"""The luck of a record from nothing but ``docs/luck.md``, the rules, the house bots and the tables' files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena.games import game_of
from arena.records.record import Record

TABLES = Path(__file__).parent.parent.parent / "arena/luck/tables"
PAR = {"truco": "regular", "toepen": "regular"}
WEIGHTS = {"truco": 1.0, "toepen": 0.65}


def chance(table: dict[str, Any], own: int, other: int) -> float:
    """The equity of the team in view."""
    for row in table["standings"]:
        if row[:2] == [own, other]:
            return float(row[2])
    return 1.0 if own > other else 0.0


def first_teams_chance(table: dict[str, Any], state: Any) -> float:
    """The equity of team 0 between two hands, from what a spectator sees."""
    seen = state.observation(None)
    if table["kind"] == "toepen":
        view, values = seen["dealer"], seen["lives"]
    else:
        seats = table["rules"]["seats"]
        moved_on = seen["phase"] != "over"
        view = (seen["dealer"] + (1 if moved_on else 2)) % seats % 2
        values = seen["score"]
    value = chance(table, values[view], values[1 - view])
    return value if view == 0 else 1 - value


def par_plays(kind: str, rules: dict[str, Any], state: Any, deal: str) -> None:
    """Play the hand to its end."""
    players = {}
    while state.awaiting() and state.awaiting()[0] >= 0:
        (seat,) = state.awaiting()
        if seat not in players:
            digest = sha256(f"botequim par v1 {seat} {deal}".encode()).digest()
            seed = random.Random(int.from_bytes(digest, "big"))
            players[seat] = game_of(kind).house_bots[PAR[kind]].player(seed)
        turn = {
            "turn": "t",
            "game": "g",
            "kind": kind,
            "rules": rules,
            "seat": seat,
            "optional": False,
            "legal_actions": list(state.legal_actions(seat)),
            "deadline_ms": None,
            "bank_ms": None,
            "observation": json.loads(json.dumps(state.observation(seat))),
            "events": [],
        }
        state.apply(seat, players[seat].choose(turn))


def lucks(record: Record, table_name: str) -> Iterator[float]:
    """The luck of the lot, then that of each hand, for team 0."""
    canonical = record["canonical"]
    kind = canonical["kind"]
    table = json.loads((TABLES / f"{table_name}.json").read_text())
    rules = game_of(kind).options.complete(canonical["rules"])
    actions = canonical["actions"]
    for index, (seat, action, *_) in enumerate(actions):
        if seat != -1:
            continue
        state = game_of(kind).new_state(rules)
        for who, what, *_ in actions[:index]:
            state.apply(who, what)
        if action.startswith("dealer:"):
            state.apply(seat, action)
            yield first_teams_chance(table, state) - 0.5
            continue
        before = first_teams_chance(table, state)
        state.apply(seat, action)
        for who, what, *_ in actions[index + 1 :]:
            if state.observation(None)["phase"] != "cut":
                break
            state.apply(who, what)
        par_plays(kind, rules, state, action)
        yield first_teams_chance(table, state) - before
