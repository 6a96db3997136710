"""Vectors of observations: what is in them, and that nothing hidden is."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import GAMES, features_of
from arena.games.descriptor import Game
from arena.games.features import Features, Layout
from arena.games.kernel import CHANCE
from arena.research.histories import Histories
from arena.research.serial import DECLINE, SerialPlay, returns_of, rules_named
from benchmarks.engines import chance_action
from tests.contract.playouts import beginning, rules_of

KINDS = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def serial_playout(
    game: Game, rules: dict[str, Any], random: Random
) -> Iterator[tuple[SerialPlay, list[Any]]]:
    """A random game in which one seat is asked at a time, after each action with its events."""
    play = SerialPlay(game.kind, rules)
    while play.to_act is not None:
        chance = play.state.chance()
        legal = play.legal_actions()
        action = chance_action(chance, random) if chance is not None else random.choice(legal)
        yield play, play.apply(action)


def part(features: Features, vector: bytearray, name: str) -> list[int]:
    """The places of the ones in a part."""
    start = features.layout.start(name)
    size = 1
    for length in features.layout.parts[name]:
        size *= length
    return [place for place in range(size) if vector[start + place]]


@KINDS
@settings(max_examples=12)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_every_observation_fits_and_every_action_has_a_number(
    game: Game, data: st.DataObject, seed: int
) -> None:
    rules = data.draw(rules_of(game))
    features = features_of(game.kind, rules)
    assert len(set(features.actions)) == len(features.actions)
    for number, (play, _) in enumerate(serial_playout(game, rules, Random(seed))):
        for seat in (None, *range(play.seats)):
            vector = features.vector(play.state.observation(seat))
            assert len(vector) == features.layout.size
            assert set(vector) <= {0, 1}
        for seat in range(play.seats):
            assert set(play.state.legal_actions(seat)) <= set(features.actions)
        if number > 100:
            break


@KINDS
@settings(max_examples=12)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_the_bounds_hold(game: Game, data: st.DataObject, seed: int) -> None:
    """Per hand: decisions, and the numbers of what a seat is shown; and of the game the hands and points."""
    rules = data.draw(rules_of(game))
    features, histories = features_of(game.kind, rules), Histories(game)
    decisions, numbers, hands = 0, [0] * features.seats, 0
    points = [0.0] * features.seats
    play = SerialPlay(game.kind, rules)
    random = Random(seed)
    while play.to_act is not None and hands < 60:
        chance = play.state.chance()
        if chance is not None and chance.kind == "deal":
            decisions, numbers, hands = 0, [0] * features.seats, hands + 1
        elif chance is None:
            decisions += 1
        action = chance_action(chance, random) if chance else random.choice(play.legal_actions())
        happened = play.apply(action)
        for event in happened:
            gains = features.gains(game.view_event(event, None) or {"type": ""})
            if gains is not None:
                assert sum(gains) == pytest.approx(0)
                points = [sum(pair) for pair in zip(points, gains, strict=True)]
        for seat in range(features.seats):
            views = [game.view_event(event, seat) for event in happened]
            numbers[seat] += sum(len(histories.numbers(view)) for view in views if view is not None)
            numbers[seat] += 2 * (action == DECLINE)
        assert decisions <= features.most_decisions
        # What is once in a game has a place of its own.
        assert max(numbers) <= features.most_numbers + 2 * features.seats + 8
    assert hands <= features.most_hands
    assert max(map(abs, points)) <= features.most_points + 1e-9


@KINDS
def test_cards_that_matter_are_dealt(game: Game) -> None:
    """With the rest of the pack in another order, every game is the same."""
    random = Random(5)
    for preset in game.presets:
        rules = game.options.complete(preset.rules)
        dealt = features_of(game.kind, rules).dealt
        for seed in range(6):
            same = Random(seed)
            plays = [SerialPlay(game.kind, rules), SerialPlay(game.kind, rules)]
            while plays[0].to_act is not None:
                chance = plays[0].state.chance()
                if chance is None:
                    action = same.choice(plays[0].legal_actions())
                    first, second = (play.apply(action) for play in plays)
                    assert first == second
                    continue
                action = chance_action(chance, same)
                other = action
                if chance.kind == "deal":
                    cards = action[5:]
                    rest = [cards[at : at + 2] for at in range(2 * dealt, len(cards), 2)]
                    random.shuffle(rest)
                    other = "deal:" + cards[: 2 * dealt] + "".join(rest)
                plays[0].apply(action)
                plays[1].apply(other)
            for seat in range(plays[0].seats):
                assert plays[0].state.observation(seat) == plays[1].state.observation(seat)


@KINDS
@settings(max_examples=25)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_hidden_cards_change_no_vector(game: Game, data: st.DataObject, seed: int) -> None:
    rules = data.draw(rules_of(game))
    features = features_of(game.kind, rules)
    random = Random(seed)
    log = beginning(game, rules, random, random.randrange(5, 150))
    viewer = random.randrange(game.seats(rules))
    other = import_module(f"tests.contract.redeal_{game.kind}").alternative_log(log, viewer, random, rules)
    if other is None:
        return
    states = game.new_state(rules), game.new_state(rules)
    for (seat, action), (_, changed) in zip(log, other, strict=True):
        states[0].apply(seat, action)
        states[1].apply(seat, changed)
        first, second = (features.vector(state.observation(viewer)) for state in states)
        assert first == second


def test_a_vector_of_truco() -> None:
    game = GAMES["truco"]
    rules = rules_named(game, "paulista-2@1", {})
    features = features_of(game.kind, rules)
    pack = game.new_state(rules)
    pack.apply(CHANCE, "dealer:0")
    chance = pack.chance()
    assert chance is not None
    first = ["3H", "4C", "AS", "2D", "7H", "KC", "QS"]
    rest = [card for card in chance.items if card not in first]
    pack.apply(CHANCE, "deal:" + "".join([*first, *rest]))
    vector = features.vector(pack.observation(1))
    cards = list(chance.items)
    assert {cards[place] for place in part(features, vector, "hand")} == {"3H", "4C", "AS"}
    assert {cards[place] for place in part(features, vector, "manilhas")} == {"JC", "JH", "JS", "JD"}
    # 3, A and 4; no manilha.
    assert part(features, vector, "strengths") == [10, 15 + 8, 30 + 1]
    assert part(features, vector, "awaited") == [0]
    assert part(features, vector, "dealer") == [1]
    pack.apply(1, "play:AS")
    vector = features.vector(pack.observation(0))
    # The first trick, the other seat: 2 x 15 per trick.
    assert part(features, vector, "played") == [15 + 8]
    assert part(features, vector, "held") == [3, 4 + 2]


def test_layouts_refuse_places_that_there_are_not() -> None:
    vector = Layout({"a": (2, 3), "b": (1,)}).vector()
    vector.mark("a", 1, 2)
    vector.mark_if("b", True)
    assert bytes(vector.data) == bytes([0, 0, 0, 0, 0, 1, 1])
    with pytest.raises(IndexError):
        vector.mark("a", 0, 3)


def test_returns_are_of_places() -> None:
    teams = ((0, 2), (1, 3))
    assert returns_of((1, 2, 1, 2), teams) == [1, -1, 1, -1]
    alone = ((0,), (1,), (2,), (3,))
    shared = returns_of((1, 2, 2, 4), alone)
    assert shared == pytest.approx([1, 0, 0, -1])
    assert returns_of((1, 1), ((0,), (1,))) == [0, 0]
