"""Pairings: which bots meet at a table, and the groups of games that they play there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.errors import ArenaError
from arena.games.descriptor import Game
from arena.games.options import Rules
from arena.play.seatings import seatings


@dataclass(frozen=True)
class Group:
    """One group to be played. ``seats[i]`` lists the players of game ``i``, as indexes, in seat order."""

    id: str
    seats: tuple[tuple[int, ...], ...]


def lineups(game: Game, rules: Rules, players: int) -> list[tuple[int, ...]]:
    """Return every lineup of ``players`` bots, as indexes in seat order.

    A bot plays a whole team. If there are more bots than teams, every combination of one bot per team is a
    lineup. If there are fewer, a single lineup is filled by repeating the bots in order.
    """
    teams = game.teams(rules)
    if players < 2:
        raise ArenaError(
            "a game needs at least 2 bots", code="too_few_bots", field="bots", expected="2 or more"
        )
    chosen = combinations(range(players), len(teams)) if players > len(teams) else [range(players)]
    tables = []
    for bots in chosen:
        members = list(bots)
        seats = [0] * game.seats(rules)
        for index, team in enumerate(teams):
            for seat in team:
                seats[seat] = members[index % len(members)]
        tables.append(tuple(seats))
    return tables


def distinct_seatings(teams: Sequence[Sequence[int]], lineup: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a group without duplicates. Duplicates occur if a bot plays several teams."""
    return tuple(dict.fromkeys(tuple(game) for game in seatings(teams, lineup)))
