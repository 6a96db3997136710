"""The arithmetic behind ``benchmarks.ladder`` and ``benchmarks.mirroring``."""

from __future__ import annotations

import json
from random import Random

import pytest

from arena.tournaments.local_run import margins, run
from benchmarks.ladder import LADDER, LadderStep
from benchmarks.mirroring import MIRRORING, measure_mirroring, saving, score_margins


def test_every_step_of_both_lists_can_be_played() -> None:
    for step in (*LADDER, *MIRRORING):
        plan = step.plan()
        assert [bot.name for bot in plan.bots] == [step.stronger, step.weaker]
        assert len(plan.all_groups()) == step.groups


def test_equal_samples_save_nothing_and_halved_deviations_save_three_quarters() -> None:
    source = Random(1)
    sample = [source.gauss(0, 1) for _ in range(2000)]
    same = saving(sample, sample)
    assert same.ratio == pytest.approx(1)
    assert same.low < 1 < same.high
    halved = saving([value / 2 for value in sample], sample)
    assert halved.ratio == pytest.approx(4)
    assert halved.mirrored == pytest.approx(halved.independent / 2)
    # The logarithm of each of two normal sample variances has the variance 2 / 2000.
    assert halved.high / halved.ratio == pytest.approx(1.092, abs=0.01)


def test_score_margins_are_those_of_the_records() -> None:
    step = LadderStep("toepen", {"seats": 4}, "rookie", "random", 3)
    results = sorted(run(step.plan()), key=lambda result: result.index)
    expected = []
    for result in results:
        games = []
        for line in result.records:
            game = json.loads(line)["canonical"]
            names = [player["name"] for player in game["players"]]
            assert names.count("rookie") == names.count("random") == 2
            signs = [1 if name == "rookie" else -1 for name in names]
            games.append(sum(s * sign for s, sign in zip(game["outcome"]["scores"], signs, strict=True)) / 2)
        expected.append(sum(games) / len(games))
    assert score_margins(results, "rookie") == pytest.approx(expected)
    assert score_margins(results, "random") == pytest.approx([-value for value in expected])
    assert all(-1 <= margin <= 1 for margin in margins(results))


@pytest.mark.nightly("simulations")
def test_mirroring_is_measured_on_equal_numbers_of_games() -> None:
    measured = measure_mirroring(LadderStep("truco", {"cut": "none"}, "regular", "rookie", 40), jobs=1)
    assert measured.games == 80
    for found in (measured.results, measured.scores):
        assert 0 < found.low < found.ratio < found.high
