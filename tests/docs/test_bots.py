"""Every bot in Python that a newcomer may copy plays by ``botequim bot test`` in all presets of its games
without a fault: the starters, the examples and the blocks of the pages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Final, NamedTuple

import pytest

from arena.bots import bot_spec
from arena.cli.new import starter
from arena.games import GAMES
from arena.tournaments.trial import Trial, chosen_presets, distinct_reports, trial_plan, try_out
from tests.service import ROOT
from tests.waiting import PATIENCE

GAMES_PLAYED: Final = 60
"""Of each preset. In these, with this seed, everything happens that is rare: see the test of the traps."""

SEED: Final = "bots"

SLOW: Final = {"Searcher": 2}
"""Bots that think long, by the names of their classes, with the number of games that they play."""

_FENCED: Final = re.compile(r"^```\w[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED: Final = re.compile(r"(?:^(?: {4}.*)?\n)+", re.MULTILINE)


class Example(NamedTuple):
    """A bot: where it is, its text, its games, and how many games it plays."""

    where: str
    source: str
    kinds: tuple[str, ...]
    number: int


def example(where: str, source: str) -> Example | None:
    """The bot in a text; None if it is none: neither a class with a method ``choose`` nor such a function."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    kinds, count = tuple(GAMES), GAMES_PLAYED
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            count = SLOW.get(node.name, count)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "games":
            kinds = ast.literal_eval(node.value)
    scopes: list[ast.Module | ast.ClassDef] = [tree]
    scopes += [node for node in tree.body if isinstance(node, ast.ClassDef)]
    functions = [node for scope in scopes for node in scope.body if isinstance(node, ast.FunctionDef)]
    found = any(function.name == "choose" for function in functions)
    return Example(where, source, kinds, count) if found else None


def texts() -> Iterator[tuple[str, str]]:
    """All texts that may be bots, with where they are."""
    for kind in GAMES:
        names = {"my_bot": "my_bot", "my-bot": "my-bot", "MyBot": "MyBot"}
        yield f"starter-{kind}", starter(names, kind, "python")["my_bot.py"]
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield f"examples/{path.name}", path.read_text(encoding="utf-8")
    for path in pages():
        text = path.read_text(encoding="utf-8")
        for block in _FENCED.finditer(text):
            line = text.count("\n", 0, block.start(1)) + 1
            yield f"{path.relative_to(ROOT)}:{line}", block[1]
        for block in _INDENTED.finditer(_FENCED.sub("", text)):
            yield str(path.relative_to(ROOT)), dedent(block[0])


def pages() -> list[Path]:
    folders = ("*.md", "docs/**/*.md", "examples/**/*.md", "clients/*/*.md")
    return sorted(path for folder in folders for path in ROOT.glob(folder))


def examples() -> list[Example]:
    """All bots, each text once."""
    found: dict[str, Example] = {}
    for where, source in texts():
        one = example(where, source)
        if one is not None:
            found.setdefault(source, one)
    return list(found.values())


BOTS: Final = examples()
CASES: Final = [
    pytest.param(
        bot,
        kind,
        preset,
        id=f"{bot.where}-{preset}",
        marks=[] if preset == GAMES[kind].presets[0].name else pytest.mark.nightly("guides"),
    )
    for bot in BOTS
    for kind, preset in chosen_presets(bot.kinds, ())
]


def tried(source: str, kind: str, preset: str, folder: Path, count: int = GAMES_PLAYED) -> Trial:
    """What ``botequim bot test`` does in one preset."""
    path = folder / "my_bot.py"
    path.write_text(source, encoding="utf-8")
    plan = trial_plan(bot_spec(str(path)), kind, preset, count, SEED)
    return try_out(plan, preset, jobs=1, think_limit=PATIENCE, on_games=lambda _: None)


def test_bots_are_found_wherever_they_are() -> None:
    places = {bot.where.partition(":")[0] for bot in BOTS}
    assert places >= {
        *(f"starter-{kind}" for kind in GAMES),
        *("examples/truco_careful.py", "examples/toepen_last_trick.py", "examples/webhook_receiver.py"),
        *("README.md", "docs/bots.md", "docs/sandbox.md"),
    }
    assert {bot.where for bot in BOTS if bot.number != GAMES_PLAYED} == {
        bot.where for bot in BOTS if any(f"class {name}(" in bot.source for name in SLOW)
    }


@pytest.mark.system
@pytest.mark.parametrize(("bot", "kind", "preset"), CASES)
def test_a_bot_plays_every_preset_without_a_fault(
    bot: Example, kind: str, preset: str, tmp_path: Path
) -> None:
    trial = tried(bot.source, kind, preset, tmp_path, bot.number)
    assert not trial.failed, [report.described() for report in distinct_reports([trial])] or trial.void
    assert trial.games >= bot.number


TRAPS: Final = {
    "truco": (
        'seen["phase"] == "cut" and seen["score"] == [11, 11]',
        'seen["phase"] == "answer" and not seen["hand"]',
    ),
    "toepen": (
        'seen["phase"] == "knock" and not seen["hand"]',
        'seen["phase"] == "knock" and 1 in seen["lives"]',
    ),
}
"""Moments that are rare, in the words of a bot."""


@pytest.mark.parametrize(("kind", "trap"), [(kind, trap) for kind, traps in TRAPS.items() for trap in traps])
def test_so_many_games_have_the_moments_that_are_rare(kind: str, trap: str, tmp_path: Path) -> None:
    source = (
        "def choose(turn):\n"
        "    seen = turn['observation']\n"
        f"    if {trap}:\n"
        "        raise ValueError('trapped')\n"
        "    return turn['legal_actions'][0]\n"
    )
    preset = GAMES[kind].presets[0].name
    assert set(tried(source, kind, preset, tmp_path).faults) == {"crashed"}
