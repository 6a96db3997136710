"""What the decisions of a person cost: computed from a record and a seat."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from arena.bots import bot_spec
from arena.games import GAMES, game_of
from arena.games.kernel import Turn
from arena.people.coach import WORLDS, costs_of, dearest, told_cost
from arena.people.reviews import Review, review_of
from arena.records.costs import cost_of
from arena.records.record import Record, parse_record
from arena.records.remarks import Remark, own_decisions
from arena.replays.moves import read_moves
from arena.tournaments.local_run import Plan, play_group

PRESETS = [(game.kind, preset.name) for game in GAMES.values() for preset in game.presets]


def played(kind: str, preset: str) -> Record:
    """A game of ``random`` on the first seat against ``rookie``."""
    game = game_of(kind)
    rules = game.options.complete(game.preset(preset).rules)
    plan = Plan(kind, rules, (bot_spec("random", kind), bot_spec("rookie", kind)), 1, "coach")
    return parse_record(play_group(plan, 0, plan.all_groups()[0]).records[0])


def review(record: Record, choose: Any, seconds: float = 0.0) -> Review:
    """A review whose every look at the clock takes some seconds."""
    return review_of(record, 0, choose, itertools.count(0.0, seconds).__next__)


def first_legal(name: str, seat: int, turn: Turn, seed: int) -> str | None:
    return turn["legal_actions"][0]


@pytest.fixture(scope="module")
def duel() -> Record:
    return played("toepen", "duel@1")


def test_the_best_decision_costs_nothing(duel: Record) -> None:
    """If the person chose as the reviewer would have, there is nothing to pay, and nothing is listed."""
    mine = {one.id: one.action for one in own_decisions(duel, [0])}
    as_played = iter(mine.values())
    found = review(duel, lambda name, seat, turn, seed: next(as_played))
    assert found.complete
    assert (found.asked, found.same, found.costs) == (len(mine), len(mine), [])
    assert set(found.remarks.values()) == {"shark: the same"}
    for one in itertools.islice(own_decisions(duel, [0]), 4):
        assert cost_of(Remark(one, one.action), "1", 3).value == 0


def test_a_decision_that_was_better_costs_nothing() -> None:
    better = {"value": -0.4, "low": -0.6, "high": -0.2, "unit": "points", "after": 3}
    assert told_cost(better) == "0.00 points (−0.60 to −0.20, no clear difference)"
    assert dearest([better]) == []


def test_costs_are_a_function_of_the_record_and_the_seat(duel: Record) -> None:
    found = review(duel, first_legal)
    assert found.complete
    assert len(found.costs) == found.asked - found.same > 3
    values = [one["value"] for one in found.costs]
    assert values == sorted(values, reverse=True)
    assert [one["value"] for one in dearest(found.costs)] == [value for value in values if value > 0][:3]
    moves = read_moves(duel).moves
    remarks = {one.after: Remark(one, one.turn["legal_actions"][0]) for one in own_decisions(duel, [0])}
    for one in found.costs:
        move = moves[one["move"] - 1]
        assert one["after"] in move.decisions
        assert one["hand"] == move.hand
        assert f"yours cost {told_cost(one)}" in found.remarks[str(one["after"])]
    after = found.costs[0]["after"]
    for _ in range(2):
        cost = cost_of(remarks[after], duel["canonical"]["seed"], WORLDS)
        assert found.costs[0]["value"] == round(cost.value, 2)


def test_a_review_ends_when_its_time_is_up(duel: Record) -> None:
    """First what the reviewer would have done, then the costs, as far as the time goes."""
    whole = review(duel, first_legal)
    part = review(duel, first_legal, seconds=20 / (whole.asked + 3))
    assert part.asked == whole.asked
    assert not part.complete
    assert 0 < len(part.costs) < 4
    assert {one["after"] for one in part.costs} <= {one["after"] for one in whole.costs}
    least = review(duel, first_legal, seconds=15.0)
    assert (least.asked, least.costs, least.complete) == (1, [], False)


@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_costs_in_every_preset(kind: str, preset: str) -> None:
    record = played(kind, preset)
    ones = itertools.islice(own_decisions(record, [0]), 3)
    remarks = [Remark(one, one.turn["legal_actions"][-1]) for one in ones]
    costs = costs_of(record, remarks, lambda: False)
    assert len(costs) == 3
    for _, cost in costs:
        assert cost.low <= cost.value <= cost.high
