"""Published views of parts of tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

import orjson

from arena.events.group_results import read_result
from arena.events.tournament import Edit, PlannedGroup, Tournament
from arena.play.game_ids import game_id
from arena.store.chunks import StoredGroup


class PlaceView(TypedDict):
    """A place in a finished knockout."""

    name: str
    version: str
    place: int


class Void(TypedDict):
    """A void attempt at a group, with the reason."""

    group: str
    attempt: int
    reason: str
    at_ms: int


class GroupView(TypedDict):
    """A group with its state and result. ``voids``: the number of void attempts. ``score``: the score of each
    player by name.
    """

    id: str
    round: int
    pairing: int
    players: list[str]
    state: Literal["planned", "void", "done"]
    mirrored: bool
    commitment: str
    voids: int
    score: dict[str, float] | None
    forfeits: list[str]
    games: list[str]


class ListedGroup(GroupView):
    """A group in a list, with its annulment if it was annulled."""

    annulled: dict[str, object] | None


def is_rating(view: Mapping[str, Any]) -> bool:
    """Return whether a tournament, given its view, is one in which the arena rates bots, and not a cup."""
    return bool(view["rated"]) and view["format"] == "rating"


def places_view(tournament: Tournament) -> list[PlaceView] | None:
    """Return the places of a finished knockout, or None for formats that rank by points."""
    if tournament.places is None:
        return None
    ordered = sorted(tournament.places, key=lambda placed: placed[2])
    return [{"name": name, "version": version, "place": place} for name, version, place in ordered]


def winners_view(tournament: Tournament) -> list[str]:
    """Return the bots in first place of a finished tournament. Raises TypeError unless all are strings."""
    if not all(isinstance(name, str) for name in tournament.winners):
        raise TypeError(f"a winner has the wrong type: {tournament.winners!r}")
    return tournament.winners


def read_edit(edit: Edit) -> Edit:
    """Check an edit of a setting, and return it as published."""
    if not isinstance(edit["at_ms"], int):
        raise TypeError(f"at_ms has the wrong type: {edit['at_ms']!r}")
    return {
        "at_ms": edit["at_ms"],
        "by": edit["by"],
        "field": edit["field"],
        "old": edit["old"],
        "new": edit["new"],
    }


def read_void(data: bytes) -> Void:
    """Parse a stored void."""
    values = orjson.loads(data)
    for name, kind in (("group", str), ("attempt", int), ("reason", str), ("at_ms", int)):
        if not isinstance(values[name], kind):
            raise TypeError(f"{name} has the wrong type: {values[name]!r}")
    void: Void = values
    return void


def group_view(tournament: Tournament, stored: StoredGroup) -> GroupView:
    """Return a group with its state and result."""
    group = PlannedGroup.loads(stored.id, stored.row)
    data, voided = stored.result, stored.voided
    result = None if data is None else read_result(data)
    players = [tournament.playing[number] for number in group.players]
    # In a comparison, the players are versions of one bot.
    versions = len({entry.name for entry in players}) < len(players)
    names = [f"{entry.name} {entry.version}" if versions else entry.name for entry in players]
    attempt = 0 if group.mirrored else voided
    return {
        "id": group.id,
        "round": group.round,
        "pairing": group.pairing,
        "players": names,
        "state": "planned" if data is None else "void" if result is None or result.annulled else "done",
        "mirrored": group.mirrored,
        "commitment": group.commitment,
        "voids": voided,
        "score": None
        if result is None
        else {name: round(result.score(entry.player), 9) for name, entry in zip(names, players, strict=True)},
        "forfeits": [] if result is None else sorted(player.name for player in result.forfeiters),
        "games": [
            game_id(tournament.group_id(group.id), number, attempt) for number in range(len(group.seats))
        ],
    }
