"""The contract of ``arena.games.kernel``, required of every game alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import CorruptState, IllegalAction, InvalidOption
from arena.games import GAMES
from arena.games.kernel import CHANCE, Game, State
from tests.contract.playouts import LOG, choose, playout, random_rules, rules_of

PLAYOUTS = 10_000
BATCHES = 8

games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def everything_seen(state: State, size: int) -> list[Any]:
    """What all viewers see and may do, to compare two states by."""
    return [
        state.awaiting(),
        state.chance(),
        state.outcome(),
        [state.observation(seat) for seat in (None, *range(size))],
        [tuple(state.legal_actions(seat)) for seat in range(size)],
    ]


@games
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_playouts_end_and_never_get_stuck(game: Game, batch: int) -> None:
    random = Random(batch)
    for number in range(PLAYOUTS // BATCHES):
        rules = game.options.complete() if number % 2 else random_rules(game, random)
        size = game.seats(rules)
        state = game.new_state(rules)
        steps = 0
        while awaited := state.awaiting():
            assert state.outcome() is None
            if awaited != (CHANCE,):
                assert all(0 <= seat < size and state.legal_actions(seat) for seat in awaited)
            assert (state.chance() is not None) == (awaited == (CHANCE,))
            seat, action = choose(state, size, random)
            assert state.apply(seat, action)
            steps += 1
            assert steps < 100_000, rules
        check_outcome(game, rules, state)


def check_outcome(game: Game, rules: Mapping[str, Any], state: State) -> None:
    outcome = state.outcome()
    assert outcome is not None
    teams = game.teams(rules)
    assert sorted(seat for team in teams for seat in team) == list(range(game.seats(rules)))
    places = [outcome.places[team[0]] for team in teams]
    for team, place in zip(teams, places, strict=True):
        assert {outcome.places[seat] for seat in team} == {place}
        assert place == 1 + sum(other < place for other in places)
    assert len(outcome.scores) == game.seats(rules)
    assert not any(state.legal_actions(seat) for seat in range(game.seats(rules)))


@games
@settings(max_examples=60, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_serialised_and_cloned_states_are_the_same_state(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    random = Random(seed)
    size = game.seats(rules)
    log: LOG = []
    state = game.new_state(rules)
    while state.awaiting() and len(log) < 400:
        copy, back = state.clone(), game.deserialise(state.serialise())
        seen = everything_seen(state, size)
        seat, action = choose(state, size, random)
        before = state.serialise()
        events = copy.apply(seat, action)
        assert state.serialise() == before
        assert everything_seen(back, size) == seen
        assert back.apply(seat, action) == events
        assert state.apply(seat, action) == events
        assert copy.serialise() == back.serialise() == state.serialise()
        log.append((seat, action))
    again = game.new_state(rules)
    for seat, action in log:
        again.apply(seat, action)
    assert again.serialise() == state.serialise()


@games
@settings(max_examples=60, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_an_illegal_action_changes_nothing(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    random = Random(seed)
    size = game.seats(rules)
    known = {
        "",
        "deal:",
        "dealer:9",
        "play:",
        "play:ZZ",
        "accept:99",
        "knock:-1",
        "x" * 300,
        "deal:" + "4C" * 40,
    }
    for step, (state, _, action, _) in enumerate(playout(game, rules, random)):
        known.add(action)
        if step % 7 == 0:
            before = state.serialise()
            tried = random.sample(sorted(known), min(len(known), 12))
            for seat in (CHANCE, *range(size), size, -2):
                if seat == CHANCE and state.chance() is not None:
                    continue
                legal = state.legal_actions(seat)
                for wrong in tried:
                    if wrong in legal:
                        continue
                    with pytest.raises(IllegalAction) as raised:
                        state.apply(seat, wrong)
                    assert raised.value.extra["legal_actions"] == list(legal)
                    assert state.serialise() == before
        if step > 300:
            break


@games
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_a_wrong_deal_changes_nothing(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    state = game.new_state(rules)
    random = Random(seed)
    while (chance := state.chance()) is not None:
        before = state.serialise()
        items = [str(item) for item in chance.items]
        wrong = [
            "deal:" + "".join(cards) for cards in (items[1:], items + items[:1], items[:-1] + items[:1], [])
        ]
        wrong += ["dealer:99", "dealer:-1", "dealer:x", "dealer:", "deal", "deal:" + "?" * 2 * len(items)]
        for action in wrong:
            with pytest.raises(IllegalAction):
                state.apply(CHANCE, action)
            assert state.serialise() == before
        state.apply(*choose(state, game.seats(rules), random))


@games
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_default_actions_are_legal_and_end_the_game(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    random = Random(seed)
    state = game.new_state(rules)
    size = game.seats(rules)
    raising = ("truco", "raise", "knock", "exchange", "challenge")
    steps = 0
    while awaited := state.awaiting():
        if awaited == (CHANCE,) or random.random() < 0.3:
            state.apply(*choose(state, size, random))
        else:
            action = state.default_action(awaited[0])
            assert action in state.legal_actions(awaited[0])
            assert not action.startswith(raising)
            state.apply(awaited[0], action)
        steps += 1
        assert steps < 100_000


@games
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_what_is_shown_is_json_and_says_whose_it_is(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    size = game.seats(rules)
    for step, (state, _, _, events) in enumerate(playout(game, rules, Random(seed))):
        assert json.loads(json.dumps(events)) == json.loads(json.dumps([list(event) for event in events]))
        for viewer in (None, *range(size)):
            observation = state.observation(viewer)
            assert json.loads(json.dumps(observation)) == observation
            for event in events:
                view = game.view_event(event, viewer)
                assert view is None or (
                    json.loads(json.dumps(view)) == view and isinstance(view["type"], str)
                )
        if step > 200:
            break


@games
def test_rules_are_complete_and_checked(game: Game) -> None:
    complete = game.options.complete()
    assert game.options.complete(complete) == complete
    for option in game.options.by_name.values():
        assert option.doc
        for wrong in (None, [], {}, 1.5, "no such word", -1, 10**9):
            if option.accepts(wrong):
                continue
            with pytest.raises(InvalidOption) as raised:
                game.options.complete({option.name: wrong})
            assert raised.value.field == f"rules.{option.name}"
            assert raised.value.expected == option.allowed
    with pytest.raises(InvalidOption, match="no rule option 'colour'"):
        game.options.complete({"colour": "red"})


@games
@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"null", b"{", b"\xff", b'{"rules": {}}'])
def test_what_is_no_state_is_refused(game: Game, text: bytes) -> None:
    with pytest.raises(CorruptState):
        game.deserialise(text)
