"""The bridge for bots of CTruco: built as its page says, it plays groups of Truco paulista with two seats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.cli.new import commands
from arena.records.verify import verify
from tests.service import ROOT, Process, Service
from tests.starters.toolchains import CLOCK, done, needs, prepare

pytestmark = [pytest.mark.nightly("starters"), needs("java")]

NAME = "cautious"
PAGE = (ROOT / "docs/ctruco.md").read_text(encoding="utf-8")
WORDS = {"play", "truco", "accept", "run"}
RULES = {"variant": "paulista", "seats": 2}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first block of the page was executed, in ``my_bot``."""
    folder = tmp_path_factory.mktemp("ctruco")
    (folder / "examples").symlink_to(ROOT / "examples")
    section = PAGE.partition("## Build and test\n")[2]
    block = re.search(r"(?:^    .*\n)+", section, re.MULTILINE)
    assert block is not None
    said = done(f"set -e\n{block[0]}", folder, prepare("java", folder))
    assert "6 tests passed" in said
    return folder / "my_bot"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as service:
        yield service


def eleven_decisions(record: dict[str, Any], seat: int) -> list[str]:
    """What the seat decided in hands of eleven: nothing is between the deal and that decision."""
    actions = record["canonical"]["actions"]
    return [
        action[1]
        for before, action in pairwise(actions)
        if before[1].startswith("deal:") and action[0] == seat and action[1] in ("accept:3", "run:1")
    ]


def test_a_bot_of_the_contest_plays_whole_groups_without_a_fault(workshop: Path, service: Service) -> None:
    owner = service.client(service.client().sign_up("olga"))
    token = owner.register_bot(NAME)
    elevens: list[str] = []
    said: set[str] = set()
    with ExitStack() as stack:
        run = commands(PAGE)["run"]
        reach = {"BOTEQUIM_URL": service.url, "BOTEQUIM_TOKEN": token}
        bot = stack.enter_context(Process(["bash", "-c", f"exec {run}"], workshop, **reach))
        groups = 0
        # Deals are not the same in every run; a hand of eleven comes in about every other game.
        while groups < 4 or (groups < 40 and not (elevens and said >= WORDS)):
            house = {"house": "regular" if groups % 2 else "rookie"}
            # Both ways of sitting; live games have deals of their own.
            for seat, seats in enumerate(([{"bot": NAME}, house], [house, {"bot": NAME}])):
                game = owner.create_game("truco", seats, rules=RULES, clock=CLOCK)["game"]
                record = owner.record(game, wait=True)
                assert verify(record) == []
                assert record["canonical"]["faults"] == [], bot.said
                elevens += eleven_decisions(record, seat)
                said |= {
                    action[1].partition(":")[0]
                    for action in record["canonical"]["actions"]
                    if action[0] == seat
                }
            groups += 1
        assert "the bot failed" not in bot.said
    assert elevens
    assert said >= WORDS
