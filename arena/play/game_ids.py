"""The ids of tournament games, which combine group, attempt and game number."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class GamePlace(NamedTuple):
    """The place of a game: its tournament, the id of its group in that tournament, and its number in the
    group, from 0.
    """

    tournament: str
    group: str
    number: int


def place_of(game: str) -> GamePlace | None:
    """Return the place from which :func:`game_id` created the id, or None for a game outside tournaments."""
    match = _GAME_ID(game)
    return None if match is None else GamePlace(match[1], match[2], int(match[3]) - 1)


def tournament_of(group_id: str) -> str | None:
    """Return the tournament of the group with this id in records, or None for a group outside tournaments."""
    match = _GROUP_ID(group_id)
    return None if match is None else match[1]


def group_of(key: str) -> str | None:
    """Return the group id, as used in records, for a game or group with this id. Return None for a game
    outside tournaments.
    """
    if tournament_of(key) is not None:
        return key
    place = place_of(key)
    return None if place is None else f"{place.tournament}-{place.group}"


_GROUP_ID: Final = re.compile(r"(.+?)-r[0-9]+-p[0-9]+-g[0-9]+(?:-x[0-9]+)?\Z").match

_GAME_ID: Final = re.compile(
    r"(.+?)-(r[0-9]+-p[0-9]+-g[0-9]+(?:-x[0-9]+)?)-([1-9][0-9]{0,3})(?:-a[0-9]+)?\Z"
).match


def game_id(group_id: str, number: int, attempt: int = 0) -> str:
    """Return the id of game ``number`` (from 0) in the given attempt at a group."""
    return f"{group_id}-{number + 1}" + (f"-a{attempt}" if attempt else "")
