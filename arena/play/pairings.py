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
    """One group to play: ``seats[i]`` are the players (as indexes) seat by seat of its game ``i``."""

    id: str
    seats: tuple[tuple[int, ...], ...]


def lineups(game: Game, rules: Rules, players: int) -> list[tuple[int, ...]]:
    """Return every lineup of ``players`` bots (as indexes), seat by seat.

    A bot plays a whole team. With more bots than teams, every combination of one bot per team is a lineup;
    with fewer, the bots fill one lineup repeatedly in their order.
    """
    teams = game.teams(rules)
    if players < 2:
        raise ArenaError(
            f"{players} bot cannot play alone", code="too_few_bots", field="bots", expected="2 or more"
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
    """Return the seatings of a group without duplicates, which occur when a bot has several teams."""
    return tuple(dict.fromkeys(tuple(game) for game in seatings(teams, lineup)))
