"""The commands of ``botequim tournament`` that show the entries, groups, rounds and records of a
tournament.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypedDict

import click

from arena.cli.commands import Command
from arena.cli.online import online
from arena.cli.output import Columns, details, moment, named, show, show_rows, table, when
from arena.cli.params import limit_option
from arena.client import Client
from arena.text import printable

if TYPE_CHECKING:
    from arena.client.types import Entry, EventGroup, Tournament

_tournament = click.argument("tournament_id", metavar="TOURNAMENT")
_viewer = online("the owner, for a private tournament", required=False)


@click.command(
    "show",
    cls=Command,
    examples=("botequim tournament show TOURNAMENT", "botequim tournament show TOURNAMENT --json"),
)
@_tournament
@_viewer
def show_tournament(tournament_id: str, client: Client, as_json: bool) -> None:
    """Show the settings, times and entries of TOURNAMENT."""
    view = client.tournament(tournament_id)
    assert view is not None
    show(view, as_json, lambda: _shown(view))


def _shown(view: Tournament) -> str:
    progress = view["progress"]
    clock = view["clock"]
    columns: Columns[Tournament] = {
        "id": "id",
        "name": "name",
        "game": lambda one: f"{one['kind']}/{one['preset']}" if one["preset"] else one["kind"],
        **named("format", "division", "state", "reason"),
        "groups": lambda one: f"{progress['done']} of {progress['planned']}" if progress["planned"] else None,
        "groups per pairing": "groups",
        "rounds": "rounds",
        "clock": lambda _: (
            f"{clock['per_turn_ms'] / 1000:.12g} s per decision, bank {clock['bank_ms'] / 1000:g} s"
        ),
        "rated": "rated",
        "for": lambda one: ", ".join(one["invited"]) if one["who"] == "invited" else one["who"],
        "opens": moment("opens_ms"),
        "starts": moment("locks_ms"),
        "ends": lambda one: when(one["ends_ms"]) if one["ends_ms"] else None,
        "started": lambda one: when(one["started_ms"]) if one["started_ms"] else None,
        "finished": lambda one: when(one["finished_ms"]) if one["finished_ms"] else None,
        "announced by": lambda one: one["created_by"] or "the service",
        "commitment": "commitment",
        "seed": "seed",
        "records hash": "records_hash",
    }
    entries: Columns[Entry] = {
        "bot": "bot",
        "version": "version",
        "owner": _owner,
        "status": lambda one: f"{one['status']}, baseline" if one["baseline"] else one["status"],
        "reason": "reason",
    }
    listed = table(view["entries"], entries) if view["entries"] else "no entries\n"
    return f"{details(view, columns)}\n{listed}"


def _owner(entry: Entry) -> str:
    if entry["house"]:
        return "(house, drawn by lot)" if entry["drawn"] else "(house)"
    return ", ".join([str(entry["owner"]), *entry["co_owners"]])


@click.command(
    cls=Command,
    examples=(
        "botequim tournament groups TOURNAMENT --round 2",
        "botequim tournament groups TOURNAMENT --json",
    ),
)
@_tournament
@click.option("--round", "number", type=click.IntRange(1), help="Only this round.")
@click.option("--bot", help="Only groups of this bot.")
@click.option("--against", help="With --bot: only groups that also include this bot.")
@limit_option("groups", 1000)
@_viewer
def groups(
    tournament_id: str,
    number: int | None,
    bot: str | None,
    against: str | None,
    limit: int,
    client: Client,
    as_json: bool,
) -> None:
    """List the groups of TOURNAMENT with their scores and the id of the first game."""
    found = (
        group
        for group in client.groups(tournament_id, bot=bot, against=against, limit=100)
        if number in (None, group["round"])
    )
    columns: Columns[EventGroup] = {
        "group": "id",
        "round": "round",
        "players": lambda one: ", ".join(one["players"]),
        "state": "state",
        "score": _score,
        "forfeits": lambda one: ", ".join(map(str, one["forfeits"])),
        "voids": lambda one: one["voids"] or None,
        "annulled": lambda one: "annulled" if one["annulled"] else None,
        "first game": lambda one: one["games"][0] if one["games"] else None,
    }
    show_rows("groups", islice(found, limit), columns, as_json)


def _score(group: EventGroup) -> str | None:
    score = group["score"]
    return ", ".join(f"{name} {points:.2f}" for name, points in score.items()) if score else None


@click.command(
    cls=Command,
    examples=("botequim tournament bracket TOURNAMENT", "botequim tournament bracket TOURNAMENT --json"),
)
@_tournament
@_viewer
def bracket(tournament_id: str, client: Client, as_json: bool) -> None:
    """Show the rounds of TOURNAMENT (for example, a knockout) with the points in each pairing.

    The winner of a finished pairing is marked with a star.
    """
    view = client.tournament(tournament_id)
    assert view is not None
    rounds = pairings(client.groups(tournament_id, limit=100))
    value = {"tournament": tournament_id, "state": view["state"], "rounds": rounds}
    show(value, as_json, lambda: _rounds_text(view, rounds))


class Pairing(TypedDict):
    """The players of a pairing with their points, the number of finished groups, and whether all groups are
    finished.
    """

    pairing: int
    players: list[str]
    points: dict[str, float]
    groups: int
    over: bool


class Round(TypedDict):
    """A round and its pairings."""

    round: int
    pairings: list[Pairing]


def pairings(groups: Iterable[EventGroup]) -> list[Round]:
    """Return the rounds of the groups, with their pairings."""
    rounds: dict[int, dict[int, Pairing]] = {}
    for group in groups:
        one = rounds.setdefault(group["round"], {}).setdefault(
            group["pairing"],
            {
                "pairing": group["pairing"],
                "players": list(group["players"]),
                "points": dict.fromkeys(group["players"], 0.0),
                "groups": 0,
                "over": True,
            },
        )
        one["over"] = one["over"] and group["state"] == "done"
        if group["score"] and not group["annulled"]:
            one["groups"] += 1
            for name, points in group["score"].items():
                one["points"][name] = round(one["points"].get(name, 0.0) + points, 5)
    return [
        {"round": number, "pairings": [found for _, found in sorted(inner.items())]}
        for number, inner in sorted(rounds.items())
    ]


def _rounds_text(view: Tournament, rounds: Sequence[Round]) -> str:
    if not rounds:
        return f"no round of {view['name']} has begun; it is {view['state']}\n"
    names = {0: "final", 1: "semi-finals", 2: "quarter-finals"}
    last = len(rounds) if view["state"] == "finished" and view["format"] == "knockout" else None
    lines = []
    for index, one in enumerate(rounds):
        name = names.get(last - index - 1) if last is not None else None
        lines.append(f"round {one['round']}" + (f", {name}" if name else ""))
        lines += [f"  {_pairing_text(pairing)}" for pairing in one["pairings"]]
    return "\n".join(lines) + "\n"


def _pairing_text(pairing: Pairing) -> str:
    points = pairing["points"]
    best = max(points.values(), default=0.0)
    first = [name for name, value in points.items() if value == best]
    shown = [
        f"{printable(name, 40)} {value:.2f}"
        + ("*" if pairing["over"] and pairing["groups"] and first == [name] else "")
        for name, value in points.items()
    ]
    return " - ".join(shown) + ("" if pairing["over"] else " (playing)")


@click.command(
    cls=Command,
    examples=(
        "botequim tournament records TOURNAMENT > records.jsonl",
        "botequim tournament records TOURNAMENT --group r1-p1-g1 | botequim verify --partial -",
    ),
)
@_tournament
@click.option("--group", help="Only the records of this group.")
@online("the owner, for a private tournament", required=False, json=False)
def records(tournament_id: str, group: str | None, client: Client) -> None:
    """Print the released records of TOURNAMENT as JSON lines."""
    for line in client.tournament_records(tournament_id, group):
        sys.stdout.write(line + "\n")
