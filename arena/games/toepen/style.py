"""Figures of playing style in Toepen, counted from the events and cards of a game (``docs/ratings.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.games.descriptor import Figure, StyleFigures
from arena.games.kernel import Event
from arena.games.options import Rules
from arena.games.toepen.cards import rules_from

_KNOCKS, _FOLDS, _EXCHANGES, _BLUFFS, _CAUGHT, _CATCHES = range(6)
_CLEAN: Final = frozenset("T987")
"""The ranks that dirty laundry cannot contain (TP-2.5)."""


def count(events: Iterable[Event], rules: Rules) -> list[list[list[int]]]:
    """See :class:`~arena.games.descriptor.StyleFigures`."""
    counts = [[[0, 0] for _ in FIGURES] for _ in range(rules_from(rules).seats)]
    once: set[tuple[int, int]] = set()

    def note(seat: int, figure: int, counted: bool) -> None:
        counts[seat][figure][1] += 1
        counts[seat][figure][0] += counted

    def once_a_hand(seat: int, figure: int) -> None:
        if (seat, figure) not in once:
            once.add((seat, figure))
            counts[seat][figure][0] += 1

    for event in events:
        type, seat = event[0], event[1]
        if type == "hand":
            once.clear()
        elif type == "dealt":
            counts[seat][_KNOCKS][1] += 1
            counts[seat][_EXCHANGES][1] += 1
        elif type == "knock":
            once_a_hand(seat, _KNOCKS)
        elif type in ("stay", "fold"):
            note(seat, _FOLDS, type == "fold")
        elif type == "exchange":
            once_a_hand(seat, _EXCHANGES)
            is_bluff = not _CLEAN.isdisjoint(event[2])
            note(seat, _BLUFFS, is_bluff)
            counts[seat][_CAUGHT][1] += is_bluff
        elif type == "challenge":
            exchanger, loser = event[2], event[4]
            note(seat, _CATCHES, loser == exchanger)
            counts[exchanger][_CAUGHT][0] += loser == exchanger
    return counts


FIGURES: Final = (
    Figure(
        "knocks", "Knocks", "of hands", "Hands in which the bot knocked, as a share of the hands dealt to it."
    ),
    Figure("folds", "Folds", "when asked", "Folds, as a share of its answers to a knock or poverty."),
    Figure(
        "exchanges",
        "Exchanges",
        "of hands",
        "Hands in which the bot exchanged, as a share of the hands dealt to it.",
    ),
    Figure(
        "bluffs",
        "Bluffs",
        "of exchanges",
        "Hands with a ten, nine, eight or seven, as a share of the hands that it laid away.",
    ),
    Figure(
        "bluffs_caught",
        "Is caught",
        "of its bluffs",
        "Bluffs that were challenged, as a share of its bluffs.",
    ),
    Figure(
        "catches",
        "Catches a bluff",
        "of its challenges",
        "Challenges that revealed a bluff, as a share of its challenges.",
    ),
)

STYLE: Final = StyleFigures(figures=FIGURES, count=count, version=1)
