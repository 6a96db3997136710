"""Narrates a recorded game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from arena.games import game_of
from arena.play.outcomes import StoredOutcome
from arena.records.record import Canonical, Record
from arena.text import printable


def tell(record: Record, remarks: Mapping[int, str] = MappingProxyType({})) -> Iterator[str]:
    """Yield the narration of a record, line by line: players, rules, events, faults and places. ``remarks``
    maps the indexes of actions in the record to comments on them.

    The record must be verified (:func:`arena.records.verify.verify`).
    """
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    names = seat_names(player["name"] for player in canonical["players"])
    yield from _heading(canonical, names)
    state = game.new_state(rules)
    narrator = game.narrator(names, rules)
    incidents = told_incidents(canonical, names)
    for index, (seat, action, *mark) in enumerate(canonical["actions"]):
        yield from incidents.get(index, ())
        if mark:
            yield told_mark(names[seat], mark[0])
        for event in state.apply(seat, action):
            yield from narrator.line(event)
        if index in remarks:
            yield f"({remarks[index]})"
    yield from _result(canonical["outcome"], names)


def seat_names(players: Iterable[str]) -> list[str]:
    """Return the names of the players by seat. If a name occurs twice, the seat number is appended to it."""
    names = [printable(name) for name in players]
    count = Counter(names)
    return [name if count[name] == 1 else f"{name} {seat}" for seat, name in enumerate(names)]


def _heading(canonical: Canonical, names: Sequence[str]) -> Iterator[str]:
    options = game_of(canonical["kind"]).options
    yield f"{canonical['kind']}, game {canonical['game']}"
    for seat, (name, player) in enumerate(zip(names, canonical["players"], strict=True)):
        yield f"seat {seat}: {name}, version {printable(player['version'])}"
    rules = options.changed(options.complete(canonical["rules"]))
    changed = [f"{name}={value}" for name, value in rules.items()]
    if changed:
        yield "rules: " + ", ".join(changed)
    yield ""


def told_mark(name: str, mark: str) -> str:
    """Return the line for an action that the table chose; for the marks, see ``docs/records.md``."""
    return f"(The table acts for {name}: {mark}.)"


def told_incidents(canonical: Canonical, names: Sequence[str]) -> dict[int, list[str]]:
    """Return the lines for faults and resignations, keyed by the number of actions before them."""
    lines: dict[int, list[str]] = {}
    for fault in canonical["faults"]:
        lines.setdefault(fault["after"], []).append(f"(A fault of {names[fault['seat']]}: {fault['type']}.)")
    for entry in canonical["resigned"]:
        lines.setdefault(entry["after"], []).append(f"({names[entry['seat']]} resigns.)")
    return lines


def _result(outcome: StoredOutcome, names: Sequence[str]) -> Iterator[str]:
    yield ""
    order = sorted(range(len(names)), key=lambda seat: (outcome["places"][seat], seat))
    for seat in order:
        forfeit = ", forfeited" if seat in outcome["forfeits"] else ""
        yield f"{outcome['places'][seat]}. {names[seat]} ({outcome['scores'][seat]}{forfeit})"
