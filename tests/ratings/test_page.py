"""``docs/ratings.md`` says what is done: its commands run, its numbers are those of the code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.ratings.board import SETTLED_GROUPS
from arena.ratings.bootstrap import _THRESHOLDS, REPLICATES, Z
from arena.ratings.standings import TIE_BREAKS, standings
from benchmarks.coverage import EXPECTED, KNOWN, RATES, SCENARIOS
from tests.blocks import ROOT, follow
from tests.service import environment
from tests.waiting import PATIENCE

PAGE = "docs/ratings.md"
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")


def python(file: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, file],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.nightly("guides")
def test_all_commands_and_programs_run(tmp_path: Path) -> None:
    said = follow(PAGE, tmp_path)
    head = "toepen/table-4@1, sealed: 40 groups, 160 records\n"
    assert head in said
    data = json.loads((tmp_path / "board.json").read_text())
    assert len(data["boards"]) == 1
    assert len((tmp_path / "board.csv").read_text().splitlines()) == 1 + len(data["boards"][0]["rows"])
    published = python("publish.py", tmp_path)
    assert published.startswith(head)
    assert published.rstrip("\n") in said
    assert python("publish.py", tmp_path) == published
    table = python("standings.py", tmp_path).splitlines()
    assert table[0].split()[:3] == ["place", "bot", "version"]
    assert table[-1] == data["boards"][0]["records_hash"]


def test_the_numbers_of_the_page_are_those_of_the_code() -> None:
    flat = " ".join(TEXT.split())
    thresholds = re.search(r"thresholds not above its number: ([0-9, ]+)\.", flat)
    assert thresholds is not None
    assert [int(number) for number in thresholds[1].split(",")] == _THRESHOLDS
    assert f"(divisor {REPLICATES - 1}) over {REPLICATES} replicates" in flat
    assert f"From {SETTLED_GROUPS} groups on" in flat
    assert f"Under {SETTLED_GROUPS} groups" in flat
    assert f"± {Z:.6f}" in flat


def test_every_tie_break_is_in_the_table() -> None:
    table = TEXT.partition("| rule | higher is better |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(TIE_BREAKS)
    default = ", ".join(f"`{rule}`" for rule in standings([]).tie_breaks)
    assert f"By default the rules are {default}." in " ".join(TEXT.split())


def shown(name: str) -> str:
    """What the page shows of a scenario."""
    line = re.search(rf"^    {re.escape(name)} {{2,}}(.+)$", TEXT, re.MULTILINE)
    assert line is not None, name
    return line[1]


def test_the_shown_coverage_is_of_all_scenarios_and_within_what_is_promised() -> None:
    """At least 93%; and not much above 97% where at least five losses and wins are expected (no star)."""
    for rates in KNOWN:
        shares = re.findall(r"([0-9.]+)%(\*?)", shown(rates.name))
        few = [rates.expected(rate) < EXPECTED for rate in RATES]
        assert [star == "*" for _, star in shares[: len(RATES)]] == few
        for share, star in shares:
            assert 93 <= float(share) <= (100 if star else 98), rates.name
    for scenario in SCENARIOS:
        rounds, *shares = re.findall(r"[0-9.]+", shown(scenario.name))[:5]
        assert int(rounds) == scenario.rounds
        assert all(93 <= float(share) <= 98 for share in shares), scenario.name
