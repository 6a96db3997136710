"""The rules against a second implementation of them, and counts of all games from stated deals."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from arena.games.kernel import CHANCE
from arena.games.truco.state import TRUCO, TrucoState
from benchmarks.engines import chance_action
from tests.games.truco_play import do, game_at, hands, new_game, random_rules, score
from tests.games.truco_reference import Reference

Log = list[tuple[int, str]]


def random_action(state: TrucoState, random: Random, boldness: float) -> tuple[int, str]:
    """A random action, signals of others included; ``boldness`` is how often a truco is answered by ``run``
    or a truco called where it could be.
    """
    chance = state.chance()
    if chance is not None:
        return CHANCE, chance_action(chance, random)
    seat = random.randrange(4) if random.random() < 0.2 else state.awaiting()[0]
    legal = list(state.legal_actions(seat)) or list(state.legal_actions(seat := state.awaiting()[0]))
    calm = [action for action in legal if not action.startswith(("truco", "run", "raise"))]
    return seat, random.choice(legal if random.random() < boldness else calm or legal)


def compare(state: TrucoState, reference: Reference) -> None:
    assert state.awaiting() == (() if reference.over else (reference.awaited,))
    assert [set(state.legal_actions(seat)) for seat in range(4)] == [reference.legal(n) for n in range(4)]
    assert state.observation(None)["score"] == [reference.points["A"], reference.points["B"]]


@pytest.mark.parametrize("batch", range(4))
def test_the_reference_agrees_at_every_step(batch: int) -> None:
    random = Random(batch)
    steps = 0
    for number in range(40):
        rules = random_rules(random)
        state, reference = TRUCO.new_state(rules), Reference(rules)
        boldness = (0.05, 0.3, 1.0)[number % 3]
        compare(state, reference)
        while state.awaiting():
            seat, action = random_action(state, random, boldness)
            state.apply(seat, action)
            reference.apply(seat, action)
            compare(state, reference)
            steps += 1
        assert reference.over
    assert steps > 2000


@pytest.mark.parametrize("points", [(10, 10), (11, 10), (9, 11), (11, 11)])
@pytest.mark.parametrize("signals", ["off", "table"])
def test_the_reference_agrees_near_the_end(points: tuple[int, int], signals: str) -> None:
    random = Random(sum(points))
    for _ in range(25):
        rules = {**random_rules(random), "max_hands": 100, "signals": signals}
        state = game_at(*points, **rules)
        reference = Reference(rules)
        reference.points = {"A": points[0], "B": points[1]}
        reference.apply(CHANCE, "dealer:3")
        compare(state, reference)
        while state.awaiting():
            seat, action = random_action(state, random, 0.3)
            state.apply(seat, action)
            reference.apply(seat, action)
            compare(state, reference)
        assert reference.over


def count(state: TrucoState, depth: int) -> int:
    """How many sequences of that many seats' actions there are, or shorter ones to the end of the hand.

    With ``signals`` only those of awaited seats count.
    """
    seat = state.awaiting()[0]
    if depth == 0 or seat == CHANCE:
        return 1
    total = 0
    for action in state.legal_actions(seat):
        after = state.clone()
        after.apply(seat, action)
        total += count(after, depth - 1)
    return total


def count_by_reference(rules: dict[str, Any], log: Log, depth: int) -> int:
    """The same, by telling the whole story again for every sequence."""
    reference = Reference(rules)
    for seat, action in log:
        reference.apply(seat, action)
    awaited = reference.awaited
    assert awaited is not None
    if depth == 0 or awaited == CHANCE:
        return 1
    return sum(
        count_by_reference(rules, [*log, (awaited, action)], depth - 1) for action in reference.legal(awaited)
    )


DEAL = hands("4C7HAS", "7D3C3H", "2C2HKC", "QCJC6C")
MIXED = hands("4C5D6D", "7H3CQC", "2CKDQH", "3HJC5C")
TIES = hands("3C2CKC", "3H2HKH", "3S2SKS", "3D2DKD")


@pytest.mark.parametrize(
    ("rules", "depth", "sequences"),
    [
        ({}, 1, 3),
        ({}, 2, 12),
        ({}, 3, 67),
        ({}, 4, 411),
        ({}, 5, 2576),
        ({"cut": "player"}, 1, 79),
        ({"cut": "player"}, 2, 237),
        ({"max_burns": 0, "face_down": "never"}, 5, 412),
        ({"max_burns": 0, "face_down": "never"}, 6, 1228),
        ({"max_burns": 0, "face_down": "after_first_trick"}, 6, 1552),
        ({"max_burns": 9}, 5, 2559),
        ({"signals": "table"}, 3, 283),
    ],
)
def test_counts_of_action_sequences(rules: dict[str, Any], depth: int, sequences: int) -> None:
    state = new_game(**rules)
    do(state, DEAL)
    assert count(state, depth) == sequences
    complete = TRUCO.options.complete({"cut": "none", **rules})
    assert count_by_reference(complete, [(CHANCE, "dealer:3"), (CHANCE, DEAL)], depth) == sequences


def results(state: TrucoState) -> Counter[tuple[int, int]]:
    """How often the sequences to the end of the hand bring the teams how many points."""
    before = score(state)
    found: Counter[tuple[int, int]] = Counter()

    def follow(state: TrucoState) -> None:
        if state.observation(None)["phase"] in ("deal", "over"):
            ours, theirs = score(state)
            found[ours - before[0], theirs - before[1]] += 1
            return
        seat = state.awaiting()[0]
        for action in state.legal_actions(seat):
            after = state.clone()
            after.apply(seat, action)
            follow(after)

    follow(state)
    return found


def results_by_reference(reference: Reference, log: Log) -> Counter[tuple[int, int]]:
    """The same; ``reference`` stands before the log, which tells a hand from its deal on."""
    rules, before = reference.rules, dict(reference.points)
    found: Counter[tuple[int, int]] = Counter()

    def follow(log: Log) -> None:
        told = Reference(rules)
        told.points = dict(before)
        for seat, action in [(CHANCE, "dealer:3"), *log]:
            told.apply(seat, action)
        if told.over or told.awaited == CHANCE:
            found[told.points["A"] - before["A"], told.points["B"] - before["B"]] += 1
            return
        assert told.awaited is not None
        for action in told.legal(told.awaited):
            follow([*log, (told.awaited, action)])

    follow(log)
    return found


WHOLE_HANDS: list[tuple[tuple[int, int], str, list[str], dict[tuple[int, int], int]]] = [
    ((11, 4), MIXED, ["accept:3"], {(1, 0): 432, (0, 3): 864}),
    ((4, 11), TIES, ["accept:3"], {(3, 0): 579, (0, 1): 579, (0, 0): 138}),
    ((0, 0), MIXED, ["keep", "play:6D", "truco", "accept:3"], {(3, 0): 12, (0, 3): 30}),
    ((0, 0), TIES, ["keep", "truco", "raise:6", "accept:6"], {(6, 0): 178, (0, 6): 178, (0, 0): 250}),
    (
        (0, 0),
        TIES,
        ["keep", *(f"play:{card}" for card in ("3C", "3H", "3S", "3D", "2C", "2H", "2S", "2D", "KC"))],
        {
            (9, 0): 48,
            (12, 0): 32,
            (0, 9): 24,
            (0, 6): 20,
            (6, 0): 16,
            (0, 12): 16,
            (3, 0): 12,
            (0, 3): 6,
            (0, 1): 4,
            (1, 0): 2,
            (0, 0): 1,
        },
    ),
]


@pytest.mark.parametrize(
    ("points", "deal", "actions", "expected"),
    WHOLE_HANDS,
    ids=["eleven", "eleven with ties", "truco", "truco with ties", "last trick"],
)
def test_results_of_all_ways_to_play_a_hand(
    points: tuple[int, int], deal: str, actions: list[str], expected: dict[tuple[int, int], int]
) -> None:
    """Nobody may hide, so that all sequences can be followed to the end."""
    state = game_at(*points, face_down="never")
    log: Log = [(CHANCE, deal)]
    do(state, deal)
    for action in actions:
        log.append((state.awaiting()[0], action))
        do(state, action)
    assert results(state) == expected
    reference = Reference(TRUCO.options.complete({"cut": "none", "face_down": "never"}))
    reference.points = {"A": points[0], "B": points[1]}
    assert results_by_reference(reference, log) == expected
