"""``botequim compare --online``: the same test of two uploaded versions, played by the service."""

from __future__ import annotations

import json
import sys
from time import monotonic
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console

from arena.cli.output import Columns, moment, show_rows
from arena.client import Client
from arena.client.http import path
from arena.text import printable

if TYPE_CHECKING:
    from arena.client.types import Comparison

WAIT: Final = 20.0
LINE_EVERY: Final = 10.0
"""Seconds between two lines without a terminal."""

_OVER: Final = ("finished", "cancelled")


def begin(
    client: Client,
    bot: str,
    new: str,
    old: str,
    kind: str,
    *,
    preset: str | None,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    most: int,
) -> Comparison:
    """Request a comparison, and print its address."""
    found = client.create_comparison(
        bot, new, old, kind, preset=preset, elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, most=most
    )
    click.echo(f"{found['id']}: {client.url}{path('comparisons', found['id']).removeprefix('/v1')}", err=True)
    return found


def follow(client: Client, comparison: str, as_json: bool) -> Comparison:
    """Follow a comparison until it is over, or until Ctrl-C, and print its state. The service plays on in
    either case.
    """
    found = client.comparison(comparison)
    assert found is not None
    status = Console(stderr=True, highlight=False)
    shown = monotonic()
    try:
        with status.status(online_state(found)) as line:
            while found["state"] not in _OVER:
                newer = client.comparison(comparison, since=found["version"], wait=WAIT)
                found = newer or found
                if status.is_terminal:
                    line.update(online_state(found))
                elif monotonic() - shown > LINE_EVERY:
                    shown = monotonic()
                    print(online_state(found), file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        click.echo(f"it goes on; 'botequim compare --follow {comparison}' shows it again", err=True)
    click.echo(json.dumps(found, indent=2) if as_json else online_state(found))
    return found


def online_state(found: Comparison) -> str:
    """Return one line about a comparison, in the terms of computer chess."""
    lower, upper = found["bounds"]
    words = [
        f"LLR: {found['llr']:.2f} ({lower:.2f}, {upper:.2f}) <{found['elo0']:g}, {found['elo1']:g}>",
        f"groups: {found['groups']}",
    ]
    for name, estimate, form in (("margin", found["margin"], "+.3f"), ("Elo", found["elo"], "+.0f")):
        if estimate is not None:
            numbers = (estimate["value"], estimate["low"], estimate["high"])
            value, low, high = (format(one, form) for one in numbers)
            words.append(f"{name}: {value} ({low} to {high})")
    if found["state"] not in _OVER and found["played"] != found["groups"]:
        words.append(f"{found['played']} played")
    return ", ".join(words)


def verdict(found: Comparison) -> tuple[str, int]:
    """Return the result as a sentence, and the exit code."""
    new, old = (f"{found['bot']} {printable(version)}" for version in (found["new"], found["old"]))
    if found["decision"] == "elo1":
        return f"{new} is better than {old}: elo1 is accepted", 0
    if found["decision"] == "elo0":
        return f"{new} is not better than {old} by {found['elo1']:g} Elo: elo0 is accepted", 1
    if found["state"] == "cancelled":
        return f"cancelled: {printable(found['reason'] or '')}", 3
    return f"not decided after {found['groups']} groups", 3


_WORDS: Final = {"elo0": "not better", "elo1": "better", None: "not decided"}


def show_comparisons(client: Client, as_json: bool) -> None:
    """Print the comparisons of the owner."""
    columns: Columns[Comparison] = {
        "id": "id",
        "bot": "bot",
        "new": "new",
        "old": "old",
        "preset": lambda one: f"{one['kind']}/{one['preset']}",
        "state": "state",
        "result": lambda one: _WORDS[one["decision"]] if one["state"] in _OVER else "",
        "groups": "groups",
        "requested": moment("created_ms"),
    }
    show_rows("comparisons", client.comparisons(), columns, as_json)
