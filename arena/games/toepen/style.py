"""Style figures of Toepen: how the seats play, from a game's events and cards (``docs/ratings.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.games.descriptor import Figure, StyleFigures
from arena.games.kernel import Event
from arena.games.options import Rules
from arena.games.toepen.cards import rules_from

_KNOCKS, _FOLDS, _EXCHANGES, _BLUFFS, _CAUGHT, _CATCHES = range(6)
_CLEAN: Final = frozenset("T987")
"""The ranks that no honestly laid-away hand holds (TP-2.5)."""


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
    Figure("knocks", "Knocks", "of hands", "Hands in which it knocked, of those that it was dealt."),
    Figure("folds", "Folds", "when asked", "Answers to a knock or poverty by which it folded, of all."),
    Figure("exchanges", "Exchanges", "of hands", "Hands in which it laid cards away, of those it was dealt."),
    Figure(
        "bluffs",
        "Bluffs",
        "of exchanges",
        "Hands laid away that held a ten, nine, eight or seven, of all that it laid away.",
    ),
    Figure("bluffs_caught", "Is caught", "of its bluffs", "Its bluffs that were challenged, of all of them."),
    Figure("catches", "Catches a bluff", "of its challenges", "Its challenges that found a bluff, of all."),
)

STYLE: Final = StyleFigures(figures=FIGURES, count=count, version=1)
