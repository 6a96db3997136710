"""The seatings of a group: the same players in every arrangement needed for fairness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Player = TypeVar("Player")


def seatings(teams: Sequence[Sequence[int]], players: Sequence[Player]) -> list[list[Player]]:
    """Return the players of each game of a group, in seat order.

    ``teams`` are the seats of each team (``GameRules.teams``), and ``players`` are the players of the first
    game in seat order. In game ``i``, each team's seats go to the players who first sat ``i`` teams further
    on. Two teams swap (2 games), and lone players rotate (one game per seat).
    """
    games = []
    for shift in range(len(teams)):
        game = list(players)
        for index, seats in enumerate(teams):
            origin = teams[(index + shift) % len(teams)]
            for seat, first_seat in zip(seats, origin, strict=True):
                game[seat] = players[first_seat]
        games.append(game)
    return games
