"""The variants of Truco against a second implementation of them: refused rules, and random games compared at
every step.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.games.truco_reference import OPTIONS
from tests.games.truco_tables import Table, check_refusal, clash


def random_given(random: Random) -> dict[str, Any]:
    """Some of the options with any values; often they do not go together."""
    return {name: random.choice(values) for name, values in OPTIONS.items() if random.random() < 0.6}


def random_rules(random: Random) -> dict[str, Any]:
    """Options that do go together."""
    while clash(given := random_given(random)):
        pass
    return given


PRESETS: dict[str, Callable[[Random], dict[str, Any]]] = {
    "base": lambda _: {},
    "paulista": lambda _: {"variant": "paulista"},
    "paulista for two": lambda _: {"variant": "paulista", "seats": 2},
    "paulista with the clean pack": lambda _: {"variant": "paulista", "pack": "clean"},
    "paulista with the old manilhas": lambda _: {"variant": "paulista", "manilhas": "fixed"},
    "mineiro": lambda _: {"variant": "mineiro"},
    "mineiro for two": lambda _: {"variant": "mineiro", "seats": 2},
    "any": random_rules,
}


def play_games(preset: str, games: int, seed: str) -> int:
    """Random games, most of a few hands; the number of actions."""
    random = Random(f"{preset} {seed}")
    steps = 0
    for number in range(games):
        hands = 100 if number % 25 == 0 else random.randint(4, 12)
        table = Table({**PRESETS[preset](random), "max_hands": hands})
        table.finish(random, (0.05, 0.3, 1.0)[number % 3])
        steps += len(table.log)
    return steps


@pytest.mark.parametrize("preset", PRESETS)
def test_the_reference_agrees_at_every_step(preset: str) -> None:
    assert play_games(preset, 60, "few") > 60 * 20


@pytest.mark.nightly("simulations")
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("preset", PRESETS)
def test_the_reference_agrees_in_ten_thousand_games(preset: str, part: int) -> None:
    assert play_games(preset, 2_500, f"many, part {part}") > 2_500 * 20


@pytest.mark.parametrize("points", [(10, 10), (10, 8), (8, 10), (11, 11), (11, 9), (9, 11), (10, 11), (9, 9)])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_reference_agrees_near_the_end(preset: str, points: tuple[int, int]) -> None:
    random = Random(f"{preset} {points}")
    for number in range(4):
        table = Table({**PRESETS[preset](random), "max_hands": 100})
        if any(score % table.reference.stakes[0] for score in points):
            continue
        table.start(*points, dealer=random.randrange(table.reference.seats))
        table.finish(random, (0.05, 0.3, 1.0)[number % 3])


def test_the_options_that_are_refused() -> None:
    random = Random(1)
    drawn = [random_given(random) for _ in range(3000)]
    for given in drawn:
        check_refusal(given)
    assert len({tuple(option.split("=")[0] for option in clash(given)) for given in drawn}) == 8
