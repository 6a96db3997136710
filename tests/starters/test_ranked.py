"""The newcomer's path in each language: from nothing to a bot with a rank, with the time of each step."""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from arena.cli.new import LANGUAGES, commands
from arena.play.board_names import rank_text
from arena.text import plain_table
from tests.service import Service
from tests.starters.conftest import ADMIN_TOKEN
from tests.starters.toolchains import CLOCK, count_passed, done, needs, prepare, runs
from tests.waiting import wait_until

pytestmark = pytest.mark.nightly("starters")

KIND: Final = "toepen"
PRESET: Final = "duel@1"
GROUPS: Final = 30
"""With fewer a rating is provisional, and has no rank."""

STEPS: Final = ("new", "build", "test", "sign up", "bot", "qualified", "entered", "played", "ranked")
_WIDTH: Final = 10


@pytest.fixture(scope="session")
def ladder(arena: Service) -> str:
    """A schedule of rated tournaments, which fires while a bot that takes part needs groups."""
    settings = prepare("python", arena.data.parent) | {
        "BOTEQUIM_URL": arena.url,
        "BOTEQUIM_TOKEN": ADMIN_TOKEN,
    }
    house = " ".join(f"--house {name}" for name in ("random", "rookie", "regular"))
    seconds = f"--turn-seconds {CLOCK['per_turn_ms'] // 1000} --bank-seconds {CLOCK['bank_ms'] // 1000}"
    rated = f"--format rating --rounds {GROUPS} --games-per-bot 20 --auto-enter --until-groups {GROUPS}"
    done(
        f"botequim schedule create ladder Ladder {KIND} --preset {PRESET} {house} {rated} {seconds} "
        "--cron '* * * * *' --entry 1s",
        arena.data.parent,
        settings,
    )
    return "ladder"


@pytest.fixture(scope="module")
def say(request: pytest.FixtureRequest) -> Callable[[str, dict[str, float]], None]:
    """Prints a line of the table, the first time with its head."""
    head = [True]

    def line(language: str, times: dict[str, float]) -> None:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            cells = [f"{times[step]:.1f}".rjust(_WIDTH) for step in STEPS]
            rows = [[language.ljust(_WIDTH), *cells, f"{sum(times.values()):.1f}".rjust(_WIDTH)]]
            text = plain_table(("seconds".ljust(_WIDTH), *STEPS, "all"), rows)
            print("\n" + text if head.pop() else text.splitlines()[1])
            head.append(False)

    return line


@pytest.mark.parametrize("language", [pytest.param(name, marks=needs(name)) for name in LANGUAGES])
def test_from_nothing_to_a_rank(
    language: str, arena: Service, ladder: str, workshop: Path, say: Callable[[str, dict[str, float]], None]
) -> None:
    settings = prepare(language, workshop) | {"BOTEQUIM_URL": arena.url}
    folder = workshop / f"ranked_{language}"
    name = folder.name.replace("_", "-")
    times: dict[str, float] = {}

    @contextmanager
    def timed(step: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        times[step] = time.monotonic() - start

    with timed("new"):
        done(f"botequim new {folder.name} --game {KIND} --language {language}", workshop, settings)
    readme = (folder / "README.md").read_text()
    todo = commands(readme)

    def told(words: str) -> str:
        """The command of the README that contains ``words``, without what keeps its output."""
        line = next(line for line in re.findall(r"^    (.+)$", readme, re.MULTILINE) if words in line)
        kept = re.search(r"=\$\((.+)\)( +#.*)?$", line)
        return kept[1] if kept else str(line)

    with timed("build"):
        done(todo["build"], folder, settings)
    with timed("test"):
        said = done(todo["test"] + " -v" * (language == "go"), folder, settings)
        assert count_passed(language, said) >= 2, said
    with timed("sign up"):
        sign_up = told("botequim signup").replace(" ana", f" {language}-author")
        # The recovery code goes to standard error.
        settings["OWNER"] = done(f"{sign_up} 2> recovery-code", folder, settings).strip()
    with timed("bot"):
        settings["BOTEQUIM_TOKEN"] = done(told("botequim bot register"), folder, settings).strip()
        done(told("botequim bot change"), folder, settings)
    client = arena.client()

    def tournament() -> dict[str, Any]:
        """The one of the schedule in which the bot plays; empty before there is one."""
        for one in client.tournaments(kind=KIND, limit=3):
            found: dict[str, Any] = client.tournament(one["id"]) or {}
            if any(entry["bot"] == name for entry in found.get("entries", ())):
                return found
        return {}

    def row() -> dict[str, Any] | None:
        """Of the bot, on the leaderboard."""
        board = json.loads(client.leaderboard(KIND, "open", preset=PRESET))
        return next((row for row in board["rows"] if row["name"] == name), None)

    with runs(todo["run"], folder, settings, arena.url, settings["BOTEQUIM_TOKEN"]) as bot:
        try:
            with timed("qualified"):
                done(told("botequim bot qualify"), folder, settings)
            with timed("entered"):
                wait_until(lambda: tournament().get("state") in ("running", "finished"), 600, 0.2)
            with timed("played"):
                wait_until(lambda: tournament().get("state") == "finished", 1200, 0.2)
            with timed("ranked"):
                wait_until(lambda: (row() or {}).get("rank"), 600, 0.2)
        except AssertionError as error:
            raise AssertionError(f"{error}\nthe bot says: {bot.said[-2000:]}") from error
        shown = done(told("--division open"), folder, settings)
    played, ranked = tournament(), row()
    assert ranked is not None
    assert (played["id"].startswith(f"{ladder}-"), played["rated"]) == (True, True)
    assert (ranked["provisional"], ranked["faults"]) == (False, 0), bot.said
    assert ranked["groups"] >= GROUPS
    lines = [shlex.split(line) for line in shown.splitlines()]
    assert [rank_text(ranked["rank"], ranked["worst_rank"]), name] in [words[:2] for words in lines], shown
    say(language, times)
