"""A pytest plugin that measures what each case costs and fails a case that exceeds its budget by far.

``-p tests.durations`` loads it. The cost of a case is processor time: that of its own process and of the
children for which it has waited, from its setup to its teardown. Fixtures with a scope larger than a function
are measured apart, since the case that needs them first has them made for others too.
``--durations-file FILE`` writes all costs as JSON.
"""

from __future__ import annotations

import json
import operator
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

PLAIN_BUDGET_S: Final = 2.0
SYSTEM_BUDGET_S: Final = 45.0
MARGIN: Final = 6.0
"""A case fails that costs this many budgets: a slow and busy machine takes up to four times as long."""

TRACED_FACTOR: Final = 3.5
"""How many times as long the tracer of coverage makes a case that computes in the traced packages."""

REFERENCE_S: Final = 0.25
"""The processor time of :func:`_reference` on an idle core for which the budgets were chosen."""

_SYSTEM: Final = ("system", "nightly")
_CASES_PRINTED: Final = 30
_FIXTURES_PRINTED: Final = 10


class Cost(NamedTuple):
    """Seconds of processor time, and seconds on the clock."""

    cpu: float = 0.0
    wall: float = 0.0

    def plus(self, other: Cost) -> Cost:
        """Return the sum."""
        return Cost(self.cpu + other.cpu, self.wall + other.wall)

    def minus(self, other: Cost) -> Cost:
        """Return the difference."""
        return Cost(self.cpu - other.cpu, self.wall - other.wall)

    @property
    def waiting(self) -> float:
        """Seconds in which the process neither computed nor had a finished child that did."""
        return max(0.0, self.wall - self.cpu)


def _now() -> Cost:
    used = os.times()
    return Cost(sum(used[:4]), time.perf_counter())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the file."""
    parser.addoption("--durations-file", type=Path, help="Write what each case costs to this file.")


def pytest_configure(config: pytest.Config) -> None:
    """Measure in every process that runs cases; report in the one that the user started."""
    config.pluginmanager.register(METER, "durations-meter")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Report(config.getoption("durations_file")), "durations-report")


def budget(item: pytest.Item) -> float:
    """Return the seconds of processor time that a case may cost; ``costly`` marks the exceptions."""
    exception = item.get_closest_marker("costly")
    if exception is not None:
        return float(exception.args[0])
    return SYSTEM_BUDGET_S if any(map(item.get_closest_marker, _SYSTEM)) else PLAIN_BUDGET_S


def _reference() -> float:
    begin = time.process_time()
    # Without a line of Python in the loop, so that a tracer adds nothing.
    sum(map(operator.mul, range(2_000_000), range(2_000_000)))
    return time.process_time() - begin


def highest(item: pytest.Item) -> float:
    """Return the seconds of processor time above which a case fails, for the speed that this machine has
    at the moment.
    """
    traced = TRACED_FACTOR if sys.gettrace() else 1.0
    return MARGIN * budget(item) * traced * max(1.0, _reference() / REFERENCE_S)


class _Meter:
    """Measures the cases of its process."""

    def __init__(self) -> None:
        self._begin = self._shared = self._shared_before = Cost()
        self._fixtures: dict[str, Cost] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Measure setup and teardown of a shared fixture."""
        if fixturedef.scope == "function":
            return (yield)
        # Finalizers run in reverse order: these two run after and before the fixture's own.
        start, stop = self._stopwatch(f"{fixturedef.baseid}::{fixturedef.argname}")
        fixturedef.addfinalizer(stop)
        start()
        try:
            return (yield)
        finally:
            stop()
            fixturedef.addfinalizer(start)

    def _stopwatch(self, name: str) -> tuple[Callable[[], None], Callable[[], None]]:
        """Return functions that start and stop the measurement of a shared fixture. What other shared
        fixtures cost in between is not counted twice.
        """
        begun: list[tuple[Cost, Cost]] = []

        def start() -> None:
            begun.append((_now(), self._shared))

        def stop() -> None:
            if begun:
                begin, others = begun.pop()
                cost = _now().minus(begin).minus(self._shared.minus(others))
                self._shared = self._shared.plus(cost)
                self._fixtures[name] = self._fixtures.get(name, Cost()).plus(cost)

        return start, stop

    @contextmanager
    def shared(self, name: str) -> Iterator[None]:
        """Count what runs inside as a shared fixture."""
        start, stop = self._stopwatch(name)
        start()
        try:
            yield
        finally:
            stop()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin to measure a case."""
        self._begin, self._shared_before = _now(), self._shared

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the cost to the last report of a case, and fail it if that is over the budget."""
        report = yield
        if call.when == "teardown":
            cost = _now().minus(self._begin).minus(self._shared.minus(self._shared_before))
            # Plain tuples: processes of xdist send nothing else.
            fixtures = {name: tuple(shared) for name, shared in self._fixtures.items()}
            vars(report).update(cost=tuple(cost), shared_fixtures=fixtures)
            self._fixtures = {}
            # The speed of the machine is measured only for a case that is over its budget.
            if report.passed and cost.cpu > MARGIN * budget(item) and cost.cpu > (most := highest(item)):
                report.outcome = "failed"
                report.longrepr = f"cost {cost.cpu:.1f} s of processor time; {most:.1f} s is the most here"
        return report


METER: Final = _Meter()
"""The meter of this process."""


class _Report:
    """Collects the costs of all processes, prints the highest and writes all of them."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._cases: dict[str, Cost] = {}
        self._fixtures: dict[str, Cost] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the cost of a case."""
        if report.when == "teardown" and hasattr(report, "cost"):
            self._cases[report.nodeid] = Cost(*report.cost)
            for name, cost in report.shared_fixtures.items():
                self._fixtures[name] = self._fixtures.get(name, Cost()).plus(Cost(*cost))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the costs by case, shared fixture and folder; write them to the file."""
        if not self._cases:
            return
        folders: dict[str, tuple[int, Cost]] = {}
        for nodeid, cost in self._cases.items():
            folder = nodeid.partition("::")[0].rpartition("/")[0]
            count, total = folders.get(folder, (0, Cost()))
            folders[folder] = count + 1, total.plus(cost)
        lines = [f"{'computing':>10} {'waiting':>9}  the {_CASES_PRINTED} cases that cost most"]
        lines += _lines(self._cases.items(), _CASES_PRINTED)
        lines += ["", "shared fixtures"]
        lines += _lines(self._fixtures.items(), _FIXTURES_PRINTED)
        lines += ["", "folders"]
        named = ((f"{folder} ({count} cases)", total) for folder, (count, total) in folders.items())
        lines += _lines(named, len(folders))
        terminalreporter.section("seconds of processor time and of waiting")
        terminalreporter.write_line("\n".join(lines))
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            content = {"cases": self._cases, "fixtures": self._fixtures}
            self._file.write_text(json.dumps(content, indent=0) + "\n")
            terminalreporter.write_line(f"all of them: {self._file}")


def _lines(costs: Iterable[tuple[str, Cost]], most: int) -> list[str]:
    ranked = sorted(costs, key=lambda named: max(named[1].cpu, named[1].wall), reverse=True)[:most]
    return [f"{cost.cpu:10.2f} {cost.waiting:9.2f}  {name}" for name, cost in ranked]
