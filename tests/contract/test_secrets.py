"""Non-interference: what a seat cannot see does not change anything that it is shown."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.redeal import redeal
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, State
from arena.play.turn_texts import LEGAL, turn_text
from arena.replays.live_table import LiveTable
from tests.contract.history import HandHistory
from tests.contract.playouts import LOG, AlternativeLog, beginning, playout, rules_of


def shown(game: Game, rules: dict[str, Any], log: LOG, viewer: int) -> list[Any]:
    """All that ``viewer`` is shown over a log: after each action the events, the observation, what
    it may do, who is awaited, what the table does if it is late, its turn as text, what it is asked as a
    person, and the picture of the table and what changes at it, with the lines about that.
    """
    state = game.new_state(rules)
    names = [f"player {seat}" for seat in range(game.seats(rules))]
    live = LiveTable(
        {"kind": game.kind, "rules": rules, "seats": [{"name": name} for name in names]}, you=viewer
    )
    picture = None if game.picture is None else game.picture(names, rules)
    seen: list[Any] = []
    since: list[dict[str, Any]] = []
    for seat, action in log:
        events = [game.view_event(event, viewer) for event in state.apply(seat, action)]
        since = ([] if seat == viewer else since) + [event for event in events if event is not None]
        legal = tuple(state.legal_actions(viewer))
        way = LEGAL[len(seen) % len(LEGAL)]
        turn: Any = turn_of(game, rules, state, viewer, since)
        text = turn_text(turn, way) if legal else ""
        panel = game.panel(turn, names) if legal and game.panel is not None else None
        table = None
        if picture is not None:
            for event in events:
                if event is not None:
                    picture.take(event)
            table = picture.shown(state.awaiting())
        default = state.default_action(viewer) if viewer in state.awaiting() else None
        numbered = [{"n": len(seen), **event} for event in events if event is not None]
        changes = live.take(numbered, list(state.awaiting()))
        told = (table, panel, changes)
        seen.append((events, state.observation(viewer), legal, state.awaiting(), default, text, told))
    return seen


def turn_of(
    game: Game, rules: dict[str, Any], state: State, seat: int, events: list[dict[str, Any]]
) -> dict[str, Any]:
    """The turn of a seat."""
    return {
        "turn": "game.0.1",
        "kind": game.kind,
        "rules": rules,
        "seat": seat,
        "optional": seat not in state.awaiting(),
        "legal_actions": list(state.legal_actions(seat)),
        "default_action": state.default_action(seat) if seat in state.awaiting() else None,
        "deadline_ms": None,
        "bank_ms": None,
        "observation": state.observation(seat),
        "events": events,
    }


@pytest.mark.costly(6, "plays each of its games with other cards")
@settings(max_examples=150)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_hidden_cards_change_nothing_that_a_seat_is_shown(
    game: Game, alternative_log: AlternativeLog, data: st.DataObject, seed: int
) -> None:
    rules = data.draw(rules_of(game))
    random = Random(seed)
    log = beginning(game, rules, random, random.randrange(10, 250))
    viewer = random.randrange(game.seats(rules))
    other = alternative_log(log, viewer, random, rules)
    if other is None:
        return
    assert [(seat, action) for seat, action in other if seat == viewer] == [
        (seat, action) for seat, action in log if seat == viewer
    ]
    assert shown(game, rules, other, viewer) == shown(game, rules, log, viewer)


def test_alternative_logs_do_differ(game: Game, alternative_log: AlternativeLog) -> None:
    """The test above would pass for nothing if the other world were always the same one."""
    different = 0
    for seed in range(60):
        random = Random(seed)
        log = beginning(game, game.options.complete(), random, 60)
        other = alternative_log(log, 0, random, game.options.complete())
        different += other is not None and other != log
    assert different > 40


@settings(max_examples=100)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_one_observation_tells_all_that_was_seen_of_the_hand(
    game: Game, hand_history: HandHistory, data: st.DataObject, seed: int
) -> None:
    """A bot that forgets everything between two turns knows as much of the hand as one that does not."""
    rules = data.draw(rules_of(game))
    viewers = (None, *range(game.seats(rules)))
    history: list[Any] = []
    for number, (state, _, _, events) in enumerate(playout(game, rules, Random(seed))):
        for event in events:
            if event[0] == hand_history.begins:
                history = []
            view = game.view_event(event, None)
            history += hand_history.by_event(view) if view is not None else []
        for viewer in viewers:
            assert hand_history.by_observation(state.observation(viewer)) == history
        if number > 250:
            break


@settings(max_examples=100)
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
