"""Slices of the cases that are long by nature: ``@pytest.mark.nightly("cluster")`` puts a case in one.

``-p tests.nightly --slice NAME`` runs one slice. ``python -m tests.nightly`` runs all of them, one after the
other, and prints what each took; with names, those; with ``--changed``, the quick slice that guards the folder
with most changed lines.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

TOP: Final = Path(__file__).parent.parent
_QUICK_S: Final = 120
_SINCE: Final = "HEAD~20"


class Slice(NamedTuple):
    """``guards``: the folders whose changes it checks. ``seconds``: what it takes on two cores."""

    guards: tuple[str, ...]
    seconds: int
    what: str


SLICES: Final[dict[str, Slice]] = {}


def slice_of(item: pytest.Item) -> str | None:
    """Return the name of the slice of a case, or None."""
    marker = item.get_closest_marker("nightly")
    return None if marker is None else str(marker.args[0])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses a slice."""
    parser.addoption("--slice", choices=tuple(SLICES), help="Run only this slice of the nightly tests.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the cases of the chosen slice."""
    chosen = config.getoption("slice")
    if chosen is not None:
        config.hook.pytest_deselected(items=[item for item in items if slice_of(item) != chosen])
        items[:] = [item for item in items if slice_of(item) == chosen]


def changed_lines(since: str = _SINCE) -> Counter[str]:
    """Return how many lines of each file have changed since a commit, or since the first one."""
    known = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", since], cwd=TOP, check=False, capture_output=True
    )
    if known.returncode != 0:
        since = subprocess.check_output(
            ["git", "rev-list", "--max-parents=0", "HEAD"], cwd=TOP, text=True
        ).split()[0]
    numbers = subprocess.check_output(["git", "diff", "--numstat", since, "HEAD"], cwd=TOP, text=True)
    lines: Counter[str] = Counter()
    for row in numbers.splitlines():
        added, removed, path = row.split("\t")
        if added != "-":
            lines[path] += int(added) + int(removed)
    return lines


def quick_slice(lines: Counter[str]) -> str:
    """Return the slice, of those that take at most two minutes, that guards most of the changed lines."""
    quick = {name: one for name, one in SLICES.items() if one.seconds <= _QUICK_S}

    def guarded(name: str) -> int:
        return sum(count for path, count in lines.items() if path.startswith(quick[name].guards))

    return max(quick, key=guarded)


def run(names: Iterable[str], options: Sequence[str]) -> int:
    """Run slices one after the other with further options of pytest; return the highest exit status."""
    statuses = {}
    for name in names:
        begin = time.monotonic()
        print(f"nightly slice {name}: {SLICES[name].what}", flush=True)
        command = [sys.executable, "-m", "pytest", "-p", "tests.durations", "-p", "tests.nightly"]
        command += ["-m", "nightly", "--slice", name, "--durations-file", f"build/durations/{name}.json"]
        statuses[name] = subprocess.call([*command, *options], cwd=TOP)
        print(f"nightly slice {name}: {time.monotonic() - begin:.0f} s", flush=True)
    return max(statuses.values(), default=0)


def main() -> int:
    """Run the slices that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.nightly", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SLICE", help=", ".join(SLICES))
    parser.add_argument("--changed", action="store_true", help="the quick slice of what has changed")
    arguments, options = parser.parse_known_args()
    for name in arguments.names:
        if name not in SLICES:
            parser.error(f"there is no slice {name!r}; expected one of {', '.join(SLICES)}")
    names = [quick_slice(changed_lines())] if arguments.changed else arguments.names or SLICES
    return run(names, options)


if __name__ == "__main__":
    sys.exit(main())
