"""Following a tournament until it is over, with a bar on a terminal, else with lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from arena.cli.online import say
from arena.cli.progress import Lines, Pace, left_text
from arena.client import Client
from arena.text import relative

if TYPE_CHECKING:
    from arena.client.types import Tournament

_POLL: Final = 20.0
"""Seconds for which the service may hold a request while a tournament does not change."""

_BREATH: Final = 0.25
_OVER: Final = ("finished", "cancelled")


def watch_tournament(client: Client, tournament_id: str) -> Tournament:
    """Show the progress of a tournament on stderr until it is over, and return the tournament."""
    console = Console(stderr=True)
    pace = Pace()
    if not console.is_terminal:
        lines = Lines(say)
        return _follow(client, tournament_id, pace, lambda view: _line(lines, view, pace))
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[more]}", markup=False),
    )
    with Progress(*columns, console=console, redirect_stdout=False) as bar:
        task = bar.add_task("", total=None, more="")
        return _follow(
            client,
            tournament_id,
            pace,
            lambda view: bar.update(
                task,
                description=f"{view['name']}: {view['state']}",
                completed=view["progress"]["done"],
                total=view["progress"]["planned"] or None,
                more=more_of(view, pace),
            ),
        )


def _line(lines: Lines, view: Tournament, pace: Pace) -> None:
    progress = view["progress"]
    groups = f", {progress['done']} of {progress['planned']} groups" if progress["planned"] else ""
    event = (view["state"], progress["round"])
    lines.show(event, lambda: f"{view['name']}: {view['state']}{groups} {more_of(view, pace)}".rstrip())


def _follow(
    client: Client, tournament_id: str, pace: Pace, show: Callable[[Tournament], object]
) -> Tournament:
    """Show every observed state of the tournament until it is over, and return the last one."""
    version = None
    while True:
        view = client.tournament(tournament_id, since=version, wait=_POLL)
        if view is None:
            continue
        version = view["version"]
        if view["state"] == "running":
            pace.add(view["progress"]["done"])
        show(view)
        if view["state"] in _OVER:
            return view
        # Groups may end many times per second.
        time.sleep(_BREATH)


def more_of(view: Tournament, pace: Pace) -> str:
    """Return the number of entries before play, and the remaining time while the tournament runs."""
    progress = view["progress"]
    if view["state"] in ("announced", "entry"):
        return (
            f"{len(view['entries'])} entries, locks {relative(view['locks_ms'], round(1000 * time.time()))}"
        )
    if view["state"] != "running":
        return ""
    return left_text(pace.left(progress["planned"] - progress["done"]))
