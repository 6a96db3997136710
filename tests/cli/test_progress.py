"""Remaining times, lines without a terminal, suggestions and tables."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios

import pytest

from arena.cli.messages import did_you_mean, suggestion
from arena.cli.output import details, table, when, with_interval
from arena.cli.progress import LINE_EVERY, Lines, Pace, duration, left_text
from arena.text import plain_table
from tests.service import botequim, environment


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_was_done_at_once_says_nothing_about_the_rest() -> None:
    """30 groups of house bots are over in the first second; 60 live ones take three seconds each."""
    clock = Clock()
    pace = Pace(clock)
    estimates = []
    for second in range(186):
        clock.now = 100.0 + second
        done = 30 * (second > 0) + second // 3
        pace.add(done)
        left = pace.left(92 - done)
        if left is not None and second < 180:
            estimates.append((second, left, 3 * (92 - done)))
    assert estimates[0][0] == 5
    assert all(0.7 < left / truth < 1.3 for second, left, truth in estimates if second >= 10)


def test_the_rate_is_that_of_the_last_minute() -> None:
    clock = Clock()
    pace = Pace(clock)
    for second in range(1200):
        clock.now = 100.0 + second
        pace.add(10 * min(second, 1000) + max(0, second - 1000))
    assert pace.rate() == pytest.approx(1.0, rel=0.05)


def test_nothing_is_estimated_from_too_little() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace.left(5) is None
    pace.add(0)
    clock.now += 60
    assert pace.left(5) is None
    pace.add(3)
    assert pace.left(30) is not None
    assert left_text(None) == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59, "59 s"), (61, "1 min"), (3600, "60 min"), (9000, "2.5 h")]
)
def test_durations_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_line_per_event_and_else_one_in_ten_seconds() -> None:
    clock = Clock()
    said: list[str] = []
    lines = Lines(said.append, clock)
    for second in range(25):
        clock.now = 100.0 + second
        lines.show("running" if second < 22 else "finished", lambda second=second: str(second))  # type: ignore[misc]
    assert said == ["0", str(round(LINE_EVERY)), str(round(2 * LINE_EVERY)), "22"]


def test_suggestions() -> None:
    assert did_you_mean("zzz", ["rookie"]) == ""
    assert (
        suggestion("there is no bot 'rookei'", "a file, or one of random, rookie") == "did you mean 'rookie'?"
    )
    assert suggestion("the token is not valid", "one of random, rookie") == ""


def test_tables_and_details() -> None:
    rows = [{"a": "x", "b": 1}, {"a": "\x1b[2J", "b": None}]
    assert table(rows, {"A": "a", "B": "b"}, right=1) == "A        B\nx        1\n\\x1b[2J\n"
    shown = details({"a": 1, "b": None, "c": True}, {"first": "a", "none": "b", "is it": "c"})
    assert shown == "first: 1\nis it: yes\n"
    assert when(None) == "never"
    assert with_interval(None, None) == "-"
    assert with_interval(0.5, 0.25) == "+0.500 ± 0.250"


# Narrow terminals


def test_a_table_that_does_not_fit_becomes_lines() -> None:
    headings, rows = ("name", "rating"), [("zap", 1500), ("a-long-name-of-a-bot", None)]
    wide = plain_table(headings, rows)
    assert plain_table(headings, rows, most=len(wide.splitlines()[0])) == wide
    assert (
        plain_table(headings, rows, most=20) == "name    zap\nrating  1500\n\nname    a-long-name-of-a-bot\n"
    )


def on_terminal(columns: int, *arguments: str) -> list[str]:
    """The lines that a command writes to a terminal of ``columns``."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        botequim(*arguments), stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL,
        env=environment(COLUMNS=""),
    )  # fmt: skip
    os.close(theirs)
    said = b""
    # The end of a terminal that nobody has open any more is an error.
    with contextlib.suppress(OSError):
        while part := os.read(ours, 4096):
            said += part
    os.close(ours)
    assert process.wait() == 0, said
    return said.decode().splitlines()


def test_results_on_thirty_columns() -> None:
    play = ("play", "truco", "random", "rookie", "--groups", "2", "--seed", "1", "--jobs", "1")
    lines = on_terminal(30, *play)
    assert lines[0] == "truco: 4 games in 2 mirrored groups"
    assert [line.split("  ")[0].strip() for line in lines[2:]] == [
        "bot",
        "score",
        "margin, 95%",
        "wins",
        "games",
        "ms each",
        "most",
        "faults",
        "",
        "bot",
        "score",
        "margin, 95%",
        "wins",
        "games",
        "ms each",
        "most",
        "faults",
    ]
    assert all(len(line) <= 30 for line in lines[2:])
    wide = on_terminal(80, *play)
    assert any("margin, 95%" in line and "ms each" in line for line in wide)
