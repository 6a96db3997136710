"""The decisions of a recorded game are exactly the turns that the bots saw, in order, faults included."""

from __future__ import annotations

from random import Random

import pytest

from arena.bots import Bot, BotFailure, Turn
from arena.errors import ArenaError
from arena.games import GAMES
from arena.play.faults import FAULT_LIMIT, FAULTS
from arena.play.match import play
from arena.play.table import Table
from arena.records.decisions import decisions, decisions_until
from arena.records.record import Record, build_record
from arena.records.verify import verify

SEED = bytes(range(32))
OWN_FAULTS = [fault for fault in FAULTS if fault != "unreachable"]


class Clumsy(Bot):
    """Plays at random, goes wrong ``faults`` times, and stores its turns with the result."""

    wants_rights = True

    def __init__(self, seat: int, faults: int) -> None:
        self.random = Random(seat)
        self.left = faults
        self.turns: list[tuple[Turn, str | None]] = []

    def choose(self, turn: Turn) -> str | None:
        if self.left and self.random.random() < 0.3:
            self.left -= 1
            fault = self.random.choice(OWN_FAULTS)
            self.turns.append((turn, fault))
            if fault == "illegal":
                return "no such action"
            raise BotFailure(fault, "as it happens")
        if turn["optional"] and self.random.random() < 0.9:
            return None
        self.turns.append((turn, None))
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
def test_decisions_are_the_turns_that_the_bots_saw(kind: str, faults: int) -> None:
    record, bots = played(kind, faults)
    assert sum(fault["seat"] > 0 for fault in record["canonical"]["faults"]) == faults * (len(bots) - 1)
    for seat, bot in enumerate(bots):
        found = [one for one in decisions(record) if one.seat == seat]
        assert [one.turn for one in found] == [turn for turn, _ in bot.turns]
        for one, (_, fault) in zip(found, bot.turns, strict=True):
            if fault is None:
                assert (one.fault, one.mark) == (None, None)
            else:
                assert one.fault == fault or (one.fault is None and one.mark == FAULTS[fault])


@pytest.mark.parametrize("kind", sorted(GAMES))
def test_the_last_decision_of_a_forfeiting_seat_is_the_forfeit(kind: str) -> None:
    record, bots = played(kind, FAULT_LIMIT)
    assert record["canonical"]["outcome"]["forfeits"]
    for seat in record["canonical"]["outcome"]["forfeits"]:
        turn, fault = bots[seat].turns[-1]
        found = decisions_until(record, turn["turn"])
        assert (found[-1].turn, found[-1].fault, found[-1].summary) == (turn, fault, f"a fault ({fault})")
        assert [one.turn for one in found] == [turn for turn, _ in bots[seat].turns]


def test_decisions_are_counted_per_seat_or_over_all_seats() -> None:
    record, bots = played("toepen", 0)
    everything = list(decisions(record))
    assert decisions_until(record, 7)[-1] == everything[6]
    assert [one.turn for one in decisions_until(record, 3, seat=1)] == [turn for turn, _ in bots[1].turns[:3]]
    for where in (len(everything) + 1, "g1.0.99999", "nonsense"):
        with pytest.raises(ArenaError, match=f"{where}.* in game g1.*1 to {len(everything)}") as caught:
            decisions_until(record, where)
        assert caught.value.code == "unknown_turn"
