"""The luck of a record and the contents of a table, from ``docs/luck.md``, ``docs/fair-deals.md``, the
rules, the house bots and the tables' files.
"""

from __future__ import annotations

import hmac
import json
import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from struct import pack, unpack
from typing import Any

import numpy as np

from arena.games import game_of
from arena.luck.par import model_of
from arena.records.record import Record

TABLES = Path(__file__).parent.parent.parent / "arena/luck/tables"
PAR = {"truco": "regular", "toepen": "regular"}
HANDS = {"truco": 3, "toepen": 4}
RANKS = {"truco": "4567QJKA23", "toepen": "JQKA789T"}
PLAYS = {"truco": 8, "toepen": 1}
WEIGHTS = {"truco": 1.0, "toepen": 0.65}


def chance(table: dict[str, Any], own: int, other: int) -> float:
    """The equity of the team in view."""
    for row in table["standings"]:
        if row[:2] == [own, other]:
            return float(row[2])
    return 1.0 if own > other else 0.0


def in_view(kind: str, rules: dict[str, Any], seen: Any) -> int:
    """The team from whose view a table states the equity: that of the dealer, or in Truco of the forehand."""
    if kind == "toepen":
        return int(seen["dealer"])
    moved_on = seen["phase"] != "over"
    return int((seen["dealer"] + (1 if moved_on else 2)) % rules["seats"] % 2)


def first_teams_chance(table: dict[str, Any], state: Any) -> float:
    """The equity of team 0 between two hands, from what a spectator sees."""
    seen = state.observation(None)
    view = in_view(table["kind"], table["rules"], seen)
    values = seen["lives"] if table["kind"] == "toepen" else seen["score"]
    value = chance(table, values[view], values[1 - view])
    return value if view == 0 else 1 - value


def par_plays(kind: str, rules: dict[str, Any], state: Any, deal: str, play: int = 1) -> None:
    """Play the hand to its end."""
    players = {}
    while state.awaiting() and state.awaiting()[0] >= 0:
        (seat,) = state.awaiting()
        if seat not in players:
            digest = sha256(f"botequim par v2 {seat} {play} {deal}".encode()).digest()
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
        after = []
        for play in range(1, PLAYS[kind] + 1):
            played = state.clone()
            par_plays(kind, rules, played, action, play)
            after.append(first_teams_chance(table, played))
        yield sum(after) / len(after) - before


def deals(kind: str, text: str, count: int, seats: int) -> list[str]:
    """The first packs of a text, as actions."""
    found = []
    for hand in range(1, count // 2 + 1):
        name = b"botequim deal v1"
        message = pack(">I", len(name)) + name + pack(">II", hand, 0)
        key = hmac.digest(sha256(text.encode()).digest(), message, "sha256")
        blocks = (unpack(">8I", sha256(key + pack(">I", number)).digest()) for number in range(1000))
        words = (word for block in blocks for word in block)
        cards = [rank + suit for suit in "CHSD" for rank in RANKS[kind]]
        for last in range(len(cards) - 1, 0, -1):
            place = next(word for word in words if word < 2**32 - 2**32 % (last + 1)) % (last + 1)
            cards[last], cards[place] = cards[place], cards[last]
        size = HANDS[kind]
        exchanged = cards[:]
        for number in range(0, seats, 2):
            one, other = (
                slice(number * size, (number + 1) * size),
                slice((number + 1) * size, (number + 2) * size),
            )
            exchanged[one], exchanged[other] = cards[other], cards[one]
        found += ["deal:" + "".join(cards), "deal:" + "".join(exchanged)]
    return found


def ends(table: dict[str, Any], own: int, other: int, text: str, count: int) -> list[tuple[bool, int, int]]:
    """How par ends the first packs of a text at a score: whether the other team is in view then, the values
    of the team in view and of the other one.
    """
    kind, rules = table["kind"], table["rules"]
    seats = rules["seats"]
    found = []
    for deal in deals(kind, text, count, seats):
        state = model_of(game_of(kind)).start(rules, own, other)
        view = in_view(kind, rules, state.observation(None))
        state.apply(-1, deal)
        par_plays(kind, rules, state, deal)
        seen = state.observation(None)
        values = seen["lives"] if kind == "toepen" else seen["score"]
        after = in_view(kind, rules, seen)
        found.append((after != view, values[after], values[1 - after]))
    return found


def equities(table: dict[str, Any]) -> dict[tuple[int, int], float]:
    """The solution of the equations of a table, as a system of linear equations."""
    rows = table["standings"]
    places = {(own, other): place for place, (own, other, *_) in enumerate(rows)}
    matrix, constant = np.eye(len(rows)), np.zeros(len(rows))
    for place, (*_, results) in enumerate(rows):
        for turned, own, other, packs in results:
            part = packs / table["packs"]
            sign = -1 if turned else 1
            constant[place] += part * turned
            if (own, other) in places:
                matrix[place, places[own, other]] -= sign * part
            else:
                constant[place] += sign * part * (own > other)
    return dict(zip(places, np.linalg.solve(matrix, constant).tolist(), strict=True))
