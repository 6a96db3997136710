"""The content of ``botequim ops status``: the figures of a service, and the alarms that they raise."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

Figures = Mapping[str, Mapping[str, float]]
"""Metrics by name, with their values by the text of their labels, which is empty if they have none."""


class Line(NamedTuple):
    """One line of the status. ``alarm`` is the alarm in docs/alarms.md that it raises, or empty for none."""

    name: str
    value: str
    alarm: str = ""


def parse(text: str) -> Figures:
    """Return the metrics in a text in the Prometheus exposition format."""
    found: dict[str, dict[str, float]] = {}
    for name, labels, value in re.findall(r"^(botequim_\w+)(?:\{(.*)\})? (\S+)$", text, re.MULTILINE):
        found.setdefault(name, {})[labels or ""] = float(value)
    return found


def status(figures: Figures) -> list[Line]:
    """Return the lines of the status."""

    def one(name: str) -> float | None:
        return figures.get(f"botequim_{name}", {}).get("")

    def line(name: str, metric: str, is_wrong: Callable[[float], bool], alarm: str, unit: str = "") -> Line:
        value = one(metric)
        if value is None:
            return Line(name, "unknown", alarm)
        return Line(name, f"{value:,.0f}{unit}", alarm if is_wrong(value) else "")

    lines = [line("workers alive", "workers", lambda value: value < 1, "no-workers")]
    for labels, jobs in sorted(figures.get("botequim_queue_jobs", {}).items()):
        oldest = figures["botequim_queue_oldest_seconds"][labels]
        failed = figures["botequim_queue_failed"][labels]
        name = labels.partition('"')[2].rstrip('"')
        text = f"{jobs:,.0f} jobs, the oldest {oldest:,.0f} s, {failed:,.0f} failed in an hour"
        lines.append(Line(f"queue {name}", text, "slow-queue" if oldest > MOST_QUEUED_S else ""))
    lines += [
        line("last tick", "tick_age_seconds", lambda value: value > MOST_TICK_S, "no-ticks", " s ago"),
        line("clocks served", "sweep_age_seconds", lambda value: value > MOST_SWEEP_S, "no-clocks", " s ago"),
        line("most overdue game", "sweep_lag_seconds", lambda value: value > MOST_SWEEP_S, "no-clocks", " s"),
    ]
    boards = figures.get("botequim_board_lag_seconds", {})
    lag = max(boards.values(), default=0.0)
    lines.append(Line("oldest unpublished", f"{lag:,.0f} s", "old-board" if lag > MOST_BOARD_S else ""))
    memory, limit = one("database_bytes"), one("database_limit_bytes")
    if memory is not None:
        text = f"{memory / 1e6:,.1f} MB" + (f" of {limit / 1e6:,.1f} MB" if limit else ", no limit")
        lines.append(
            Line("database memory", text, "full-memory" if limit and memory > MOST_SHARE * limit else "")
        )
        lines.append(line("database writing", "database_writing", lambda value: value < 1, "no-flush"))
        if one("database_unflushed_seconds") is not None:
            lines.append(
                line(
                    "not flushed for", "database_unflushed_seconds", lambda value: value > 0, "no-flush", " s"
                )
            )
    lines += _accounts(figures)
    lines += _archive(one)
    used, most = one("connections"), one("connections_limit")
    if used is not None and most is not None:
        text = f"{used:,.0f} of {most:,.0f}, {one('waiting') or 0:,.0f} of them waiting for updates"
        lines.append(Line("connections", text, "full-connections" if used > MOST_SHARE * most else ""))
    lines.append(line("suspended bots", "suspended_bots", lambda value: value > 0, "suspended-bots"))
    lines.append(line("rows left out", "rows_left_out", lambda value: value > 0, "unreadable-rows"))
    return lines


def _accounts(figures: Figures) -> list[Line]:
    """Return who uses the machine: the processor time of jobs today (UTC)."""
    whole = figures.get("botequim_accounts_seconds", {}).get("") or 1e-9
    guests = figures.get("botequim_guests", {}).get("", 0.0)
    lines = [Line("processor time today", f"{whole:,.1f} s")]
    for labels, seconds in sorted(
        figures.get("botequim_account_seconds", {}).items(), key=lambda item: -item[1]
    ):
        account = labels.partition('"')[2].rstrip('"')
        name = f"{account} ({guests:,.0f})" if account == "all guests" else account
        lines.append(Line(f"  {name}", f"{seconds:,.1f} s, {100 * seconds / whole:.0f} %"))
    return lines


def _archive(one: Callable[[str], float | None]) -> list[Line]:
    failed = one("archive_failed")
    if failed is None:
        return []
    age = one("archive_age_seconds")
    text = f"{one('archive_segments') or 0:,.0f} segments of {(one('archive_bytes') or 0) / 1e6:,.1f} MB"
    failure = one("archive_failure_age_seconds")
    failures = "none" if failure is None else f"last one {failure:,.0f} s ago"
    is_late = age is None or age > MOST_ARCHIVER_S
    return [
        Line("archive", text),
        Line("last archiving", "never" if age is None else f"{age:,.0f} s ago", "no-archiver" * is_late),
        Line("archive failures", failures, "archive-fails" if failed else ""),
    ]


MOST_QUEUED_S: Final = 60
MOST_TICK_S: Final = 30
MOST_SWEEP_S: Final = 10
MOST_BOARD_S: Final = 3600
MOST_ARCHIVER_S: Final = 600
MOST_SHARE: Final = 0.9
"""Thresholds of the alarms, in seconds or as a share of a limit."""
