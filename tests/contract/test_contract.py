"""The contract of ``arena.games.kernel``, required of every game alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from re import fullmatch
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import CorruptState, IllegalAction, InvalidOption, NewerFormat, UnknownBot
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, State
from arena.play.table import Table
from tests.contract.conformity import field_problems, problems
from tests.contract.playouts import LOG, choose, playout, random_rules, rules_of

PLAYOUTS = 250
"""In a batch; forty are 10,000 playouts of each game, of which the first always run."""

BATCHES = [0, *(pytest.param(batch, marks=pytest.mark.nightly("simulations")) for batch in range(1, 40))]


def everything_seen(state: State, size: int) -> list[Any]:
    """What all viewers see and may do, to compare two states by."""
    return [
        state.awaiting(),
        state.chance(),
        state.outcome(),
        [state.observation(seat) for seat in (None, *range(size))],
        [tuple(state.legal_actions(seat)) for seat in range(size)],
    ]


@pytest.mark.parametrize("batch", BATCHES)
def test_random_playouts_end_and_never_get_stuck(game: Game, batch: int) -> None:
    random = Random(batch)
    for number in range(PLAYOUTS):
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


@pytest.mark.costly(6, "plays each of its games three times")
@settings(max_examples=60)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_serialised_and_cloned_states_are_the_same_state(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    random = Random(seed)
    size = game.seats(rules)
    log: LOG = []
    state = game.new_state(rules)
    while state.awaiting() and len(log) < 400:
        before = state.serialise()
        copy, back = state.clone(), game.deserialise(before)
        seen = everything_seen(state, size)
        seat, action = choose(state, size, random)
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


@settings(max_examples=60)
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


@settings(max_examples=40)
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


@settings(max_examples=40)
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


@settings(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_observations_are_json_and_name_their_seat(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    size = game.seats(rules)
    for step, (state, _, _, events) in enumerate(playout(game, rules, Random(seed))):
        assert orjson.dumps(events)
        for viewer in (None, *range(size)):
            views = [view for event in events if (view := game.view_event(event, viewer)) is not None]
            assert all(isinstance(view["type"], str) for view in views)
            shown = [state.observation(viewer), *views]
            assert orjson.loads(orjson.dumps(shown)) == shown
        if step > 200:
            break


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


def test_turns_carry_what_the_table_does_for_a_late_seat(game: Game) -> None:
    for number, preset in enumerate(({}, *(preset.rules for preset in game.presets))):
        random = Random(number)
        table = Table("g", game.kind, preset, bytes([number]) * 32)
        table.start()
        while awaited := table.awaited():
            turns = [table.turn(seat) or {} for seat in table.seats_with_turns()]
            for turn in turns:
                required = turn["seat"] in awaited
                assert turn["optional"] is not required
                assert (turn["default_action"] in turn["legal_actions"]) is required
                assert (turn["default_action"] is None) is not required
            turn = next(turn for turn in turns if not turn["optional"])
            if random.random() < 0.5:
                table.act_for(turn["seat"], "clock")
                assert (turn["seat"], turn["default_action"], "clock") in table.actions[-4:]
            else:
                table.submit(
                    turn["seat"], table.turn_number(turn["seat"]), random.choice(turn["legal_actions"])
                )


def test_observations_of_every_preset_have_every_field(game: Game) -> None:
    """For every seat and for spectators, at every moment: none is absent, and none is unknown."""
    for number, preset in enumerate(({}, *(preset.rules for preset in game.presets))):
        rules = game.options.complete(preset)
        viewers = (None, *range(game.seats(rules)))
        for seed in range(3):
            for state, _, _, _ in playout(game, rules, Random(3 * number + seed)):
                for viewer in viewers:
                    assert list(problems(game.observation, state.observation(viewer))) == []


@pytest.mark.costly(6, "compares 80,000 values with their shapes")
def test_everything_shown_has_its_shape(game: Game) -> None:
    types = [type for event in game.events for type in event.types]
    assert len(types) == len(set(types))
    names = [event.name for event in game.events]
    assert len(names) == len(set(names))
    shapes = {type: event.fields for event in game.events for type in event.types}
    seen = set()
    for seed in range(40):
        random = Random(seed)
        rules = random_rules(game, random)
        for state, _, _, events in playout(game, rules, random):
            viewer = random.choice([None, *range(game.seats(rules))])
            wrong = list(problems(game.observation, state.observation(viewer)))
            for event in events:
                view = game.view_event(event, viewer)
                if view is not None:
                    kind = view.pop("type")
                    seen.add(kind)
                    wrong += [f"{kind}{problem}" for problem in field_problems(shapes[kind], view)]
            assert wrong == []
    assert seen == shapes.keys()


def test_every_action_has_one_form(game: Game) -> None:
    used = set()
    for seed in range(40):
        random = Random(seed)
        rules = random_rules(game, random)
        for state, seat, action, _ in playout(game, rules, random):
            offered = [(seat, action)]
            offered += [(other, one) for other in state.awaiting() for one in state.legal_actions(other)]
            for who, text in offered:
                forms = [form for form in game.actions if fullmatch(form.pattern, text)]
                assert [form.by_chance for form in forms] == [who == CHANCE], text
                used.update(forms)
    assert used == set(game.actions)
    assert all(fullmatch(form.pattern, form.example) for form in game.actions)


def test_the_descriptor_is_complete(game: Game) -> None:
    for rules in (game.duel_rules, *game.ladder_rules, *(preset.rules for preset in game.presets)):
        game.options.complete(rules)
    assert all(fullmatch(r"[a-z0-9-]+@[0-9]+", preset.name) for preset in game.presets)
    assert "rookie" in game.house_bots
    low, high = game.seat_range
    assert 2 <= low <= high
    assert low <= game.seats(game.options.complete()) <= high
    with pytest.raises(UnknownBot, match="grandmaster"):
        game.house_bot("grandmaster")


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"null", b"{", b"\xff", b'{"rules": {}}'])
def test_invalid_states_are_refused(game: Game, text: bytes) -> None:
    with pytest.raises(CorruptState):
        game.deserialise(text)


@pytest.mark.parametrize("change", [{"version": 99}, {"wild": [2]}, {"rules": {"wild": 2}}])
def test_states_of_a_newer_version_are_told_from_damaged_ones(game: Game, change: dict[str, Any]) -> None:
    state = game.new_state(game.options.complete())
    with pytest.raises(NewerFormat):
        game.deserialise(json.dumps({**state.content(), **change}).encode())
    with pytest.raises(CorruptState) as caught:
        game.deserialise(json.dumps({**state.content(), "version": "x"}).encode())
    assert not isinstance(caught.value, NewerFormat)
