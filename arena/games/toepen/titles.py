"""Titles of Toepen, which reflect the players' style in the events of a game (TP-7.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from arena.games.kernel import Event

KING_RUN: Final = 3
"""The number of consecutive hands won that makes a player *toepkoning*."""


class Style(NamedTuple):
    """The statistics of one seat in a game: hands won, the longest run of consecutive hands won, and how
    often it folded and could have folded after a knock or in poverty.
    """

    hands_won: int = 0
    longest_run: int = 0
    folds: int = 0
    fold_opportunities: int = 0

    @property
    def is_toepkoning(self) -> bool:
        """Whether the seat won three hands in a row."""
        return self.longest_run >= KING_RUN

    @property
    def fold_rate(self) -> float | None:
        """The share of opportunities to fold that were taken, or None if there were none. It is high for a
        *lijntoeper*.
        """
        return self.folds / self.fold_opportunities if self.fold_opportunities else None


def styles(events: Iterable[Event], seats: int) -> tuple[Style, ...]:
    """Return the style of every seat in the events of one game. A hand without a winner ends all runs."""
    counts = [Style()] * seats
    run = 0
    last_winner = None
    for event in events:
        type, seat = event[0], event[1]
        if type == "result":
            run = run + 1 if seat == last_winner else 1
            last_winner = seat
            if seat >= 0:
                style = counts[seat]
                counts[seat] = style._replace(
                    hands_won=style.hands_won + 1, longest_run=max(style.longest_run, run)
                )
        elif type in ("stay", "fold"):
            style = counts[seat]
            counts[seat] = style._replace(
                folds=style.folds + (type == "fold"), fold_opportunities=style.fold_opportunities + 1
            )
    return tuple(counts)
