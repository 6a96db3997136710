"""The benchmark of the rules: that it measures what it says, not how fast it is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import islice
from random import Random

import pytest

from arena.games import GAMES, game_of
from arena.games.toepen.cards import PACK
from benchmarks.engines import compare, costs, deals, playout_of
from tests.waiting import PATIENCE


@pytest.mark.parametrize("kind", GAMES)
def test_a_playout_ends_and_counts_every_step(kind: str) -> None:
    game = game_of(kind)
    playout = playout_of(game, game.options.complete(), Random(1))
    steps = [playout(Random(number)) for number in range(20)]
    assert min(steps) > 20
    assert len(set(steps)) > 5


def test_every_deal_is_a_shuffle_of_the_whole_pack() -> None:
    tops: Counter[str] = Counter()
    for deal in islice(deals(PACK, Random(1)), 3200):
        cards = deal.removeprefix("deal:")
        assert sorted(cards[i : i + 2] for i in range(0, len(cards), 2)) == sorted(PACK)
        tops[cards[:2]] += 1
    # 100 expected of each, with a standard deviation of 10.
    assert set(tops) == set(PACK)
    assert max(tops.values()) < 160


def test_rates_and_costs_are_positive() -> None:
    speeds = {speed.name: speed for speed in compare(rounds=1, seconds=0.02, seed=1)}
    assert {name.split()[0] for name in speeds} >= GAMES.keys()
    assert all(speed.steps > speed.playouts > 0 for speed in speeds.values())
    cost = costs(game_of("truco"), game_of("truco").options.complete(), games=2, seed=1)
    assert min(cost.legal_actions, cost.apply, cost.observation, cost.serialise, cost.bytes) > 0


@pytest.mark.system
def test_the_command_prints_a_line_per_game() -> None:
    command = [sys.executable, "-m", "benchmarks.rules", "--rounds", "1", "--seconds", "0.02"]
    wide = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command, env=wide, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    presets = [f"{game.kind} {preset.name}" for game in GAMES.values() for preset in game.presets]
    assert len(presets) > len(GAMES)
    assert all(done.stdout.count(f" {name} ") == 1 for name in presets)
