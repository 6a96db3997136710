"""What the bots of a recorded game were asked: exactly what they saw, in order, faults included."""

from __future__ import annotations

from random import Random

import pytest

from arena.asked import asked, asked_until
from arena.bots import Bot, BotFailure, Turn
from arena.errors import ArenaError
from arena.games import GAMES
from arena.match import play
from arena.records import Record, build_record
from arena.table import FAULT_LIMIT, Table
from arena.verify import verify

SEED = bytes(range(32))
FAULTS = ("illegal", "crashed", "late", "malformed")


class Clumsy(Bot):
    """Plays at random, goes wrong ``faults`` times, and notes what it was asked and what came of it."""

    wants_rights = True

    def __init__(self, seat: int, faults: int) -> None:
        self.random = Random(seat)
        self.left = faults
        self.asked: list[tuple[Turn, str | None]] = []

    def choose(self, turn: Turn) -> str | None:
        if self.left and self.random.random() < 0.3:
            self.left -= 1
            fault = self.random.choice(FAULTS)
            self.asked.append((turn, fault))
            if fault == "illegal":
                return "no such action"
            raise BotFailure(fault, "as it happens")
        if turn["optional"] and self.random.random() < 0.9:
            return None
        self.asked.append((turn, None))
        return str(self.random.choice(turn["legal_actions"]))


def played(kind: str, faults: int) -> tuple[Record, list[Clumsy]]:
    """A game in which every bot but the first goes wrong that often."""
    table = Table("g1", kind, {}, SEED)
    bots = [Clumsy(seat, faults if seat else 0) for seat in range(table.size)]
    play(table, bots)
    record = build_record(table, players=[("a", "1")] * table.size)
    assert verify(record) == []
    return record, bots


@pytest.mark.parametrize("faults", [0, FAULT_LIMIT - 1, FAULT_LIMIT])
@pytest.mark.parametrize("kind", sorted(GAMES))
def test_it_is_what_the_bots_were_asked(kind: str, faults: int) -> None:
    record, bots = played(kind, faults)
    assert sum(fault["seat"] > 0 for fault in record["canonical"]["faults"]) == faults * (len(bots) - 1)
    for seat, bot in enumerate(bots):
        found = [one for one in asked(record) if one.seat == seat]
        assert [one.turn for one in found] == [turn for turn, _ in bot.asked]
        for one, (_, fault) in zip(found, bot.asked, strict=True):
            if fault is None:
                assert (one.fault, one.mark) == (None, None)
            else:
                mark = {"late": "clock", "crashed": "crashed"}.get(fault)
                assert one.fault == fault or (one.fault is None and one.mark == mark)


@pytest.mark.parametrize("kind", sorted(GAMES))
def test_a_seat_that_forfeits_was_asked_last_where_it_did(kind: str) -> None:
    record, bots = played(kind, FAULT_LIMIT)
    assert record["canonical"]["outcome"]["forfeits"]
    for seat in record["canonical"]["outcome"]["forfeits"]:
        turn, fault = bots[seat].asked[-1]
        found = asked_until(record, turn["turn"])
        assert (found[-1].turn, found[-1].fault, found[-1].told) == (turn, fault, f"a fault ({fault})")
        assert [one.turn for one in found] == [turn for turn, _ in bots[seat].asked]


def test_decisions_are_counted_of_a_seat_or_of_all() -> None:
    record, bots = played("toepen", 0)
    everything = list(asked(record))
    assert asked_until(record, 7)[-1] == everything[6]
    assert [one.turn for one in asked_until(record, 3, seat=1)] == [turn for turn, _ in bots[1].asked[:3]]
    for where in (len(everything) + 1, "g1.0.99999", "nonsense"):
        with pytest.raises(ArenaError, match=f"{where}.* in game g1.*1 to {len(everything)}") as caught:
            asked_until(record, where)
        assert caught.value.code == "unknown_turn"
