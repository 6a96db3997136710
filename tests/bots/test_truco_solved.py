"""Truco for two by a solved table: what a seat distinguishes, and what the tables say."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from arena.games import game_of
from arena.games.kernel import CHANCE, State, Turn
from arena.games.truco.bots.race import Race
from arena.games.truco.bots.sight import TrucoSight, play
from arena.games.truco.bots.solved import decisions, solved_choice, spot_at, spot_in, strategy
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, PLAY
from benchmarks.solve import Solver
from tests.bots.test_truco_bots import dealt, turn_of
from tests.contract.playouts import choose

GAME = game_of("truco")
PRESETS = ("paulista-2@1", "mineiro-2@1")


def rules_of(preset: str) -> dict[str, Any]:
    return GAME.options.complete({**GAME.preset(preset).rules, "max_hands": 60})


def actions_of(state: TrucoState, seat: int) -> list[str | None]:
    """The actions in the order of the tables."""
    if state.phase == ANSWER:
        return list(state.legal)
    hand = sorted(state.hands[seat], key=state.order.strength.__getitem__)
    return [*map(play, hand), state.turn_calls[seat]]


def place_of(action: str, state: TrucoState, seat: int) -> int | None:
    """The place of an action in its chances, None for a hidden card. Of equal cards, the first one counts."""
    actions = actions_of(state, seat)
    if action not in actions:
        return None
    place = actions.index(action)
    strengths = sorted(state.order.strength[card] for card in state.hands[seat])
    return strengths.index(strengths[place]) if action.startswith("play") else place


@pytest.mark.parametrize("preset", PRESETS)
def test_a_turn_its_state_and_the_record_of_a_hand_give_the_same_spot(preset: str) -> None:
    """In games of random actions, with hidden cards."""
    source = random.Random(preset)
    rules = rules_of(preset)
    compared = 0
    for _ in range(20):
        state: State = GAME.new_state(rules)
        done: list[list[tuple[int, int]]] = [[], []]
        while state.awaiting() or state.chance() is not None:
            assert isinstance(state, TrucoState)
            seat, action = choose(state, 2, source)
            if seat == CHANCE:
                done = [[], []]
            elif state.phase in (PLAY, ANSWER):
                number = spot_in(state, seat)
                assert spot_at(TrucoSight(cast(Turn, turn_of(state, rules)))) == number
                for who in (0, 1):
                    assert list(decisions(state, who)) == done[who]
                    compared += 1
                place = place_of(action, state, seat)
                if place is not None:
                    done[seat].append((number, place))
            state.apply(seat, action)
    assert compared > 1000


@pytest.mark.parametrize("preset", PRESETS)
def test_a_table_bluffs_and_stays_with_good_cards(preset: str) -> None:
    """In hands of the table against itself."""
    table = strategy(2 if preset == "mineiro-2@1" else 1)
    assert 10_000 < len(table) < 15_000
    assert all(abs(sum(chances) - 1) < 1e-9 for chances in table.values())
    source = random.Random(1)
    # For weak hands that may call: whether they do. For two manilhas that are asked: whether they run.
    bluffs, runs = [], []
    for state in dealt(preset, 2000):
        assert isinstance(state, TrucoState)
        hand = state.hand_number
        while state.hand_number == hand and state.phase in (PLAY, ANSWER):
            seat = state.actor
            strengths = [state.order.strength[card] for card in state.hands[seat]]
            action = solved_choice(state, seat, source) or state.legal[0]
            if state.phase == ANSWER:
                runs += [action.startswith("run")] if sum(one > 10 for one in strengths) > 1 else []
            elif state.turn_calls[seat] and max(strengths) < 5:
                bluffs.append(action == state.turn_calls[seat])
            state.apply(seat, action)
    assert len(bluffs) > 100
    assert 0.05 < sum(bluffs) / len(bluffs) < 0.4
    assert len(runs) > 10
    assert not any(runs)


class RecordingSolver(Solver):
    """Plays a hand of random actions, and records the spots and the actions."""

    def __init__(self, preset: str) -> None:
        super().__init__(preset)
        self.done: list[tuple[int, int]] = []

    def _decide(self, seat: int, number: int, actions: int, value: Callable[[int], float]) -> float:
        action = self._random.randrange(actions)
        self.done.append((number, action))
        return value(action)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_solver_plays_by_the_rules(preset: str) -> None:
    """Hands in which seat 0 leads, from the same score, with the same cards and the same actions."""
    rules = rules_of(preset)
    solver = RecordingSolver(preset)
    race = Race((0, 0), rules["max_hands"], tuple(map(int, rules["stakes"].split("-"))))
    for state in dealt(preset, 500):
        assert isinstance(state, TrucoState)
        strength = state.order.strength
        first, second = (tuple(sorted(strength[card] for card in hand)) for hand in state.hands)
        solver.done = []
        value = solver.play((0, 0), (first, second))
        hand = state.hand_number
        while state.hand_number == hand and state.phase in (PLAY, ANSWER):
            seat = state.actor
            legal = [action for action in actions_of(state, seat) if action]
            if len(legal) == 1:
                state.apply(seat, legal[0])
                continue
            number, place = solver.done.pop(0)
            assert number == spot_in(state, seat)
            state.apply(seat, legal[place])
        assert solver.done == []
        ours, theirs = state.score
        assert value == (race.won(ours) if ours else race.lost(theirs) if theirs else race.nobody)
