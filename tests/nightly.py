"""Slices of the cases that are long by nature: ``@pytest.mark.nightly("cluster")`` puts a case into one.

``python -m tests.nightly`` runs all slices, one after the other, and prints what each took; with names,
those; with ``--changed``, the quick one that guards most of the lines that changed. Further options are
pytest's, each in one word (``--numprocesses=4``).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

TOP: Final = Path(__file__).parent.parent
QUICK_S: Final = 120
"""The most that a slice of ``--changed`` takes."""

_SINCE: Final = "HEAD~20"
_GATE: Final = ("benchmarks/exploiters.py", "benchmarks/zoo")
_NOT_PLAIN: Final = re.compile(r"^pytestmark = .*mark\.(system|nightly)", re.MULTILINE)


class Slice(NamedTuple):
    """``guards``: the files and folders whose changes it checks. ``seconds``: what it takes on two cores."""

    what: str
    guards: tuple[str, ...]
    seconds: int


SLICES: Final[dict[str, Slice]] = {
    "agents": Slice("MCP clients, their conformance tests, the example of an agent", ("api/mcp",), 130),
    "benchmarks": Slice("the commands of the benchmarks, on a small scale", ("benchmarks",), 200),
    "boards": Slice(
        "leaderboards, matchups and lists of whole services, a week of daily play",
        ("arena/ratings", "arena/events", "arena/accounts", "arena/tournaments"),
        280,
    ),
    "cluster": Slice(
        "the tests of live games and tournaments, on a cluster",
        ("arena/store", "arena/live", "arena/upgrade", "queues"),
        280,
    ),
    "contract": Slice(
        "Schemathesis, clients that generators make, a class of sixty",
        ("api", "arena/inputs", "arena/operations", "openapi.yaml", "clients"),
        500,
    ),
    "exploiters": Slice("exploiters of `regular` and `barfly`", (*_GATE, "arena/games"), 7200),
    "exploiters-responder": Slice("the responder to `regular` and `barfly`", (*_GATE, "arena/games"), 14400),
    "exploiters-shark-base": Slice(
        "exploiters of `shark` at base and no-cut", (*_GATE, "arena/games/truco"), 4000
    ),
    "exploiters-shark-mineiro": Slice(
        "exploiters of `shark` at mineiro", (*_GATE, "arena/games/truco"), 1800
    ),
    "exploiters-shark-others": Slice(
        "exploiters of `shark` at Truco for two and at Toepen", (*_GATE, "arena/games"), 10800
    ),
    "exploiters-shark-paulista": Slice(
        "exploiters of `shark` at paulista", (*_GATE, "arena/games/truco"), 3600
    ),
    "faults": Slice("seeded faults in the rules and beyond", ("arena/games", "docs/rules", "tests"), 800),
    "guides": Slice("every command of the pages", ("docs", "README.md", "examples"), 450),
    "kills": Slice(
        "processes that are killed at every step", ("arena/live", "arena/records", "arena/store"), 100
    ),
    "packages": Slice(
        "wheels in empty environments, services as deployed",
        ("pyproject.toml", "setup.py", "requirements", "deploy", "Dockerfile", "Makefile"),
        500,
    ),
    "pages": Slice(
        "the pages in a browser, at all sizes",
        ("api/pages", "api/static", "api/templates", "arena/people", "arena/previews", "arena/replays"),
        2600,
    ),
    "processes": Slice(
        "services and workers that are watched, replaced and killed", ("arena/ops", "workers"), 280
    ),
    "research": Slice("OpenSpiel's and PettingZoo's tests of all presets", ("arena/research",), 210),
    "sandbox": Slice("ten thousand instances, compilers that are limited", ("arena/sandbox",), 120),
    "simulations": Slice(
        "long runs of games and ratings",
        ("arena/bots", "arena/luck", "arena/integrity", "arena/play", "arena/games"),
        900,
    ),
    "soak": Slice(
        "services under load while parts are killed",
        ("arena/webhook_messages", "arena/ops", "arena/webhooks", "workers"),
        540,
    ),
    "starters": Slice(
        "the starters in all languages, files that nobody should trust",
        ("botequim", "arena/cli", "arena/client"),
        440,
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses a slice."""
    parser.addoption("--slice", choices=tuple(SLICES), help="Run only this slice of the nightly tests.")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a case that the expression of a run selects, and folders of such files:
    importing all takes as long as many a slice.
    """
    marker = config.getoption("markexpr").partition(" ")[0]
    if marker not in ("system", "nightly", "not"):
        return None
    files = list(collection_path.rglob("test_*.py")) if collection_path.is_dir() else [collection_path]
    return all(is_left_out(file, marker) for file in files) or None


def is_left_out(file: Path, marker: str) -> bool:
    """Whether a run of ``marker``, or with "not" one of the plain cases, has nothing to do in a file."""
    if not file.match("test_*.py"):
        return False
    text = file.read_text("utf-8")
    if marker == "not":
        return _NOT_PLAIN.search(text) is not None
    conftest = file.parent / "conftest.py"
    text += conftest.read_text("utf-8") if conftest.is_file() else ""
    return f"mark.{marker}" not in text and "import *" not in text


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the cases of the chosen slice. A name that is no slice is an error in any run."""
    slices = [_slice_of(item) for item in items]
    unknown = {name for name in slices if name is not None and name not in SLICES}
    if unknown:
        raise pytest.UsageError(f"no slices of the nightly tests: {', '.join(sorted(unknown))}")
    chosen = config.getoption("slice")
    if chosen is not None:
        pairs = list(zip(items, slices, strict=True))
        config.hook.pytest_deselected(items=[item for item, name in pairs if name != chosen])
        items[:] = [item for item, name in pairs if name == chosen]


def _slice_of(item: pytest.Item) -> str | None:
    marker = item.get_closest_marker("nightly")
    return None if marker is None else str(marker.args[0])


def changed_lines(tree: Path = TOP) -> Counter[str]:
    """How many lines of each file were added and removed in the last twenty commits, or in all."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=tree, check=False, capture_output=True, text=True)
        return done.stdout

    since = git("rev-parse", "--verify", "--quiet", _SINCE) or git("rev-list", "--max-parents=0", "HEAD")
    lines: Counter[str] = Counter()
    for row in git("diff", "--numstat", "--no-renames", since.strip(), "HEAD").splitlines():
        added, removed, path = row.split("\t")
        if added != "-":
            lines[path] += int(added) + int(removed)
    return lines


def quick_slice(lines: Counter[str]) -> str:
    """The slice, of those that take at most :data:`QUICK_S`, that guards most of the changed lines."""

    def guarded(name: str) -> int:
        return sum(count for path, count in lines.items() if path.startswith(SLICES[name].guards))

    return max((name for name, one in SLICES.items() if one.seconds <= QUICK_S), key=guarded)


def run(name: str, options: Sequence[str]) -> int:
    """Run a slice with further options of pytest; returns its exit status."""
    begin = time.monotonic()
    print(f"nightly slice {name}: {SLICES[name].what}", flush=True)
    command = [sys.executable, "-m", "pytest", "-p", "tests.durations", "-p", "tests.nightly"]
    command += ["-m", "nightly", "--slice", name]
    command += ["--durations-file", f"build/durations/nightly-{name}.json", *options]
    status = subprocess.call(command, cwd=TOP)
    print(f"nightly slice {name}: {time.monotonic() - begin:.0f} s", flush=True)
    return status


def main() -> int:
    """Run the slices that the command line names, all of them even if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.nightly", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SLICE", help=", ".join(SLICES))
    parser.add_argument("--changed", action="store_true", help="the quick slice of what has changed")
    arguments, options = parser.parse_known_args()
    for name in arguments.names:
        if name not in SLICES:
            parser.error(f"there is no slice {name!r}; expected one of {', '.join(SLICES)}")
    names = [quick_slice(changed_lines())] if arguments.changed else arguments.names or list(SLICES)
    return max(run(name, options) for name in names)


if __name__ == "__main__":
    sys.exit(main())
