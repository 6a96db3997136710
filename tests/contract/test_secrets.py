"""Non-interference: what a seat cannot see does not change anything that it is shown."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.kernel import CHANCE, Game
from arena.redeal import redeal
from tests.contract import redeal_toepen, redeal_truco
from tests.contract.playouts import LOG, playout, rules_of

games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def alternative_log(game: Game, rules: dict[str, Any], log: LOG, viewer: int, random: Random) -> LOG | None:
    """The log of another world; Toepen's cannot be made without knowing the number of seats."""
    if game.kind == "toepen":
        return redeal_toepen.alternative_log(log, viewer, random, rules)
    return redeal_truco.alternative_log(log, viewer, random)


def shown(game: Game, rules: dict[str, Any], log: LOG, viewer: int) -> list[Any]:
    """All that ``viewer`` is shown over a log: after each action the events, the observation, what
    it may do, and who is awaited.
    """
    state = game.new_state(rules)
    seen: list[Any] = []
    for seat, action in log:
        events = state.apply(seat, action)
        seen.append(
            (
                [game.view_event(event, viewer) for event in events],
                state.observation(viewer),
                tuple(state.legal_actions(viewer)),
                state.awaiting(),
            )
        )
    return seen


@games
@settings(max_examples=150, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_hidden_cards_change_nothing_that_a_seat_is_shown(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    random = Random(seed)
    log: LOG = []
    stop = random.randrange(10, 250)
    for _, seat, action, _ in playout(game, rules, random):
        log.append((seat, action))
        if len(log) >= stop:
            break
    viewer = random.randrange(game.seats(rules))
    other = alternative_log(game, rules, log, viewer, random)
    if other is None:
        return
    assert [(seat, action) for seat, action in other if seat == viewer] == [
        (seat, action) for seat, action in log if seat == viewer
    ]
    assert shown(game, rules, other, viewer) == shown(game, rules, log, viewer)


@games
def test_alternative_logs_do_differ(game: Game) -> None:
    """The test above would pass for nothing if the other world were always the same one."""
    different = 0
    for seed in range(60):
        random = Random(seed)
        log: LOG = []
        for _, seat, action, _ in playout(game, game.options.complete(), random):
            log.append((seat, action))
            if len(log) >= 60:
                break
        other = alternative_log(game, game.options.complete(), log, 0, random)
        different += other is not None and other != log
    assert different > 40


@games
@settings(max_examples=100, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_redealt_states_look_the_same_to_the_seat(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    random = Random(seed)
    stop = random.randrange(3, 120)
    for number, (state, _, _, _) in enumerate(playout(game, rules, random)):
        if number < stop or not state.awaiting() or state.awaiting() == (CHANCE,):
            continue
        for seat in range(game.seats(rules)):
            legal = list(state.legal_actions(seat))
            if not legal:
                continue
            observation = state.observation(seat)
            turn = {
                "kind": game.kind,
                "rules": rules,
                "seat": seat,
                "observation": observation,
                "legal_actions": legal,
                "events": [],
            }
            other = redeal(turn, random)
            assert other.observation(seat) == observation
            assert list(other.legal_actions(seat)) == legal
            assert other.awaiting() == state.awaiting()
        if number > stop + 4:
            break
