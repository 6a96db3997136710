"""Sketches: what an image shows, as JSON. A table is built up from a spectator's picture of the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from arena.games import game_of
from arena.games.pictures import UNSEEN
from arena.replays.live_table import LiveTable, spectated


class SideSketch(TypedDict):
    """A side of two that score points."""

    names: list[str]
    score: int


class SeatSketch(TypedDict):
    """A seat at a table. ``card``: the card that it has played in this trick, ``UNSEEN`` for one face
    down, or None. ``side``: the number of its side, and ``lives``: what is left to it, whichever the game
    has. ``said``: the text in its bubble.
    """

    name: str
    card: str | None
    side: NotRequired[int]
    lives: NotRequired[int]
    said: NotRequired[str]
    acts: NotRequired[bool]
    won: NotRequired[bool]
    off: NotRequired[bool]


class RowSketch(TypedDict):
    """A row. ``interval``: its bounds and the value between them, from 0 to 1."""

    rank: str
    name: str
    figure: str
    interval: NotRequired[tuple[float, float, float]]


class Sketch(TypedDict):
    """An image with a heading, or with the score of two ``sides`` in its place, over a table with ``places``
    or over ``rows``. ``stake``: the figure and its unit. ``turned``: the card that makes the strongest ones.
    ``foot``: a line at the foot; ``live``: whether the game is in progress.
    """

    title: str
    lead: str
    foot: str
    over: NotRequired[str]
    live: NotRequired[bool]
    sides: NotRequired[list[SideSketch]]
    places: NotRequired[list[SeatSketch]]
    stake: NotRequired[tuple[str, str]]
    turned: NotRequired[str]
    rows: NotRequired[list[RowSketch]]


def table_sketch(summary: Mapping[str, Any], table: LiveTable, foot: str, *, live: bool) -> Sketch:
    """Return the sketch of a table as everybody may see it. ``summary``: its kind and rules."""
    game, form, shown = game_of(summary["kind"]), table.form, table.shown
    teams = [list(team) for team in game.teams(game.options.complete(summary["rules"]))]
    is_scored = form.target is not None
    lying = {seat: (card, how) for seat, card, how in shown["lying"]}
    places: list[SeatSketch] = []
    for seat, name in enumerate(form.names):
        card, how = lying.get(seat, (None, ""))
        said = shown[f"said{seat}"]
        place: SeatSketch = {
            "name": name,
            "card": UNSEEN if how else card,
            "said": _bubble(said) if live and said and not said[3] else "",
            "acts": live and seat in shown["awaiting"],
            "won": shown["winner"] == seat,
            "off": bool(shown[f"state{seat}"]),
        }
        if is_scored:
            place["side"] = next(at for at, team in enumerate(teams) if seat in team)
        else:
            place["lives"] = shown["score"][seat]
        places.append(place)
    sketch: Sketch = {
        "title": game.kind.capitalize(),
        "lead": f"{len(places)} at the table",
        "foot": foot,
        "live": live,
        "places": places,
        "stake": (str(shown["stake"]), f"{form.unit[shown['stake'] != 1]} at stake"),
        "turned": shown["turned"]["card"] if shown["turned"] else "",
    }
    if is_scored:
        pairs = zip(teams, shown["score"], strict=True)
        sketch["sides"] = [
            {"names": [form.names[seat] for seat in team], "score": score} for team, score in pairs
        ]
    return sketch


def record_sketch(record: Mapping[str, Any]) -> Sketch:
    """Return the sketch of the last trick of a finished game, as spectators saw it. ``record`` has the names
    to show.
    """
    canonical = record["canonical"]
    table = LiveTable({**canonical, "seats": canonical["players"]})
    for now, _ in spectated(canonical):
        table = now
    return table_sketch(canonical, table, result_of(canonical, table.form.names), live=False)


def result_of(canonical: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return who won a finished game, as text."""
    places = canonical["outcome"]["places"]
    first = [name for name, place in zip(names, places, strict=True) if place == 1]
    return f"won by {' and '.join(first)}" if len(first) < len(places) else "a draw"


def _bubble(said: Sequence[Any]) -> str:
    _, text, value, _ = said
    return str(text) if value is None else f"{text} {value}"
