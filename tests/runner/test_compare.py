"""``botequim compare``: the sequential test, and the command as a user runs it."""

from __future__ import annotations

from math import inf, log
from pathlib import Path
from statistics import mean, variance

import pytest

from arena.tournaments.sequential import FLOOR, SequentialTest, elo_of, margin_of
from benchmarks.sequential import fixed_groups, simulate, skewed
from tests.runner.test_play import botequim

pytestmark = pytest.mark.system


def test_elo_points_and_margins() -> None:
    assert margin_of(0) == 0
    assert margin_of(20) == pytest.approx(0.0575, abs=1e-4)
    assert margin_of(400) == pytest.approx(9 / 11)
    for elo in (-300.0, -1.0, 0.0, 35.0, 800.0):
        assert elo_of(margin_of(elo)) == pytest.approx(elo)
    assert (elo_of(1.0), elo_of(-1.0)) == (inf, -inf)


def test_the_likelihood_ratio_and_its_bounds() -> None:
    test = SequentialTest(0, 20, alpha=0.05, beta=0.1)
    margins = [1.0, 0.0, -1.0, 0.0, 1.0, 0.5, 0.0, -0.5]
    for margin in margins:
        test.add(margin)
    difference = margin_of(20)
    normal = difference * (2 * mean(margins) - difference) / (2 * variance(margins))
    cubes = mean([(margin - mean(margins)) ** 3 for margin in margins])
    powers = mean(margins) ** 3 - (mean(margins) - difference) ** 3
    skewness = cubes * powers / (3 * variance(margins) ** 3)
    assert 0 < abs(skewness) < abs(normal) / 2
    assert test.llr == pytest.approx(len(margins) * (normal + skewness))
    assert test.bounds == pytest.approx((log(0.1 / 0.95), log(0.9 / 0.05)))
    assert test.margin.value == pytest.approx(mean(margins))
    assert test.margin.low < test.margin.value < test.margin.high
    assert test.elo.low == pytest.approx(elo_of(test.margin.low))


def test_nothing_is_decided_before_the_floor() -> None:
    test = SequentialTest()
    for _ in range(FLOOR - 1):
        test.add(1.0)
        assert test.decision is None
    test.add(1.0)
    assert test.decision == test.elo1
    with pytest.raises(ValueError, match="ended"):
        test.add(1.0)


def test_bots_that_play_alike_are_not_better() -> None:
    test = SequentialTest(0, 20)
    for _ in range(FLOOR):
        test.add(0.0)
    assert test.decision == 0


@pytest.mark.parametrize(
    "values", [(5, 5, 0.05, 0.05), (5, 4, 0.05, 0.05), (0, 5, 0, 0.05), (0, 5, 0.05, 0.5)]
)
def test_values_that_make_no_test(values: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        SequentialTest(*values)


def test_errors_and_groups_of_2000_simulated_tests() -> None:
    equal, better = (simulate(elo, 0, 35, 2000, "1") for elo in (0.0, 35.0))
    assert equal.share <= 0.06
    assert better.share >= 0.94
    assert max(equal.groups, better.groups) <= 0.6 * fixed_groups(0, 35)


def test_the_term_for_skewness_never_outweighs_the_margins() -> None:
    """A bot that nearly always loses, far outside the bounds: the expansion does not hold there."""
    test = SequentialTest(0, 20)
    margins = [-1.0] * 50 + [0.0] * 9
    for margin in margins:
        test.add(margin)
    difference = margin_of(20)
    normal = len(margins) * difference * (2 * mean(margins) - difference) / (2 * variance(margins))
    assert test.llr == pytest.approx(normal / 2)
    test.add(-1.0)
    assert test.decision == 0


@pytest.mark.parametrize("elo", [0.0, 20.0])
def test_the_errors_hold_for_very_unequal_bots(elo: float) -> None:
    found = simulate(elo, 0, 20, 400, "1", skewed)
    error = found.share if elo == 0 else 1 - found.share
    assert error <= 0.065


@pytest.mark.nightly("simulations")
def test_the_decision_does_not_depend_on_the_number_of_jobs() -> None:
    words = ("compare", "rookie", "random", "--kind", "truco", "--preset", "paulista-2@1", "--seed", "3")
    alone, both = (botequim(*words, "--jobs", jobs) for jobs in ("1", "3"))
    assert alone.returncode == both.returncode == 0
    assert alone.stdout == both.stdout
    line, decision = alone.stdout.splitlines()
    assert line.startswith("LLR: ")
    assert f"(-2.94, 2.94) <0, 20>, groups: {FLOOR}, margin: +" in line
    assert decision == "rookie is better than random: elo1 is accepted"


def test_a_bot_that_is_not_better() -> None:
    done = botequim("compare", "random", "rookie", "--kind", "toepen", "--rule", "seats=2", "--seed", "3")
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[-1] == "random is not better than rookie by 20 Elo: elo0 is accepted"


def test_a_test_that_is_not_decided() -> None:
    done = botequim(
        "compare", "random", "random", "--kind", "truco", "--elo0=-5", "--elo1", "5", "--most", "60"
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert done.stdout.splitlines()[-1] == "not decided after 60 groups"
    assert done.stdout.startswith("seed ")


def test_faults_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("class Bot:\n    def choose(self, turn):\n        return [][1]\n")
    done = botequim("compare", str(path), "random", "--kind", "truco", "--seed", "1")
    assert done.returncode == 1, done.stderr
    assert "broken: crashed" in done.stdout
    assert "broken.py:3" in done.stdout
    ended = tmp_path / "ended.py"
    ended.write_text("import os\nclass Bot:\n    def choose(self, turn):\n        os._exit(1)\n")
    done = botequim("compare", str(ended), "random", "--kind", "truco", "--seed", "1")
    assert done.returncode == 3, done.stderr
    assert "ended ended its process (and 9 more groups)" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--elo0", "5", "--elo1", "5"), "Invalid value for '--elo1': 5 is not greater than --elo0 (5)"),
        (("--alpha", "0.7"), "Invalid value for '--alpha': 0.7 is not in the range 0<x<0.5"),
        (("--most", "59"), "Invalid value for '--most': 59 is not in the range x>=60"),
        (("--preset", "base@1", "--rule", "cut=none"), "--preset and --rule cannot be used together"),
        (("--preset", "duel@1"), "expected one of base@1, no-cut@1, paulista@1"),
    ],
)
def test_options_that_make_no_test(words: tuple[str, ...], message: str) -> None:
    done = botequim("compare", "random", "rookie", "--kind", "truco", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kind", "truco"), "Missing argument 'NEW'."),
        (("random", "--kind", "truco"), "Missing argument 'OLD'."),
        (("random", "rookie"), "Missing option '--kind'."),
        (
            ("--online", "my-bot", "--new", "2", "--kind", "truco"),
            "--online BOT requires --new and --old, and takes --preset",
        ),
        (
            ("random", "rookie", "--online", "my-bot", "--new", "2", "--old", "1", "--kind", "truco"),
            "--online BOT",
        ),
    ],
)
def test_what_is_missing(words: tuple[str, ...], message: str) -> None:
    done = botequim("compare", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
