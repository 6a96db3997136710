"""Figures of playing style in Truco, counted from the events and cards of a game (``docs/ratings.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.games.descriptor import Figure, StyleFigures
from arena.games.kernel import Event
from arena.games.options import Rules
from arena.games.truco.cards import CARD_NUMBER, FIXED
from arena.games.truco.options import TrucoRules, rules_from

_CALLS, _RUNS, _RAISES, _WINS, _BLUFFS = range(5)
_HIGH: Final = "3"


class _Counting:
    """The counts of one game. ``counts[seat][figure]`` is ``[n, m]``."""

    def __init__(self, rules: TrucoRules) -> None:
        seats = rules.seats
        self.counts = [[[0, 0] for _ in FIGURES] for _ in range(seats)]
        self._rules = rules
        self._seats = seats
        self._dealer = -1
        self._manilhas = FIXED.manilhas
        self._hands: list[set[str]] = [set() for _ in range(seats)]
        self._callers: dict[int, bool] = {}
        self._won = [False, False]
        self._asked = False

    def take(self, event: Event) -> None:
        type, seat = event[0], event[1]
        if type == "hand":
            self._dealer = seat
            self._hands = [set() for _ in range(self._seats)]
            self._callers, self._won, self._asked = {}, [False, False], False
        elif type == "dealt":
            self._hands[seat] = set(event[2])
            if seat == self._dealer and not event[3]:
                # After the last seat has been dealt its cards, the hand is certain to be played.
                for counts in self.counts:
                    counts[_CALLS][1] += 1
        elif type == "passed":
            self._hands[(seat + 2) % self._seats] = set(event[2])
        elif type == "vira":
            self._manilhas = self._rules.order(CARD_NUMBER[event[2]]).manilhas
        elif type in ("play", "hide"):
            self._hands[seat].discard(event[2])
        elif type == "trick":
            if event[3] in (0, 1):
                self._won[event[3]] = True
        elif type in ("truco", "raise"):
            self._call(type, seat)
        elif type in ("run", "accept") and self._asked:
            self._answer(seat, type)
            self._asked = False
        elif type == "hand_over":
            for caller in self._callers:
                self.counts[caller][_WINS][1] += 1
                self.counts[caller][_WINS][0] += event[2] == caller % 2

    def _call(self, type: str, seat: int) -> None:
        own = self.counts[seat]
        if type == "raise":
            self._answer(seat, type)
        else:
            own[_CALLS][0] += 1
        own[_BLUFFS][1] += 1
        own[_BLUFFS][0] += self._is_bluff(seat)
        self._callers[seat] = True
        self._asked = True

    def _answer(self, seat: int, type: str) -> None:
        own = self.counts[seat]
        for figure, counted in ((_RUNS, "run"), (_RAISES, "raise")):
            own[figure][1] += 1
            own[figure][0] += type == counted

    def _is_bluff(self, seat: int) -> bool:
        high = any(card in self._manilhas or card[0] == _HIGH for card in self._hands[seat])
        return not high and not self._won[seat % 2]


def count(events: Iterable[Event], rules: Rules) -> list[list[list[int]]]:
    """See :class:`~arena.games.descriptor.StyleFigures`."""
    counting = _Counting(rules_from(rules))
    for event in events:
        counting.take(event)
    return counting.counts


FIGURES: Final = (
    Figure(
        "calls",
        "Calls truco",
        "of hands",
        "Hands in which the bot called truco, as a share of the hands that it played.",
    ),
    Figure(
        "runs",
        "Runs",
        "when asked",
        "Answers to truco or a raise by which it ran, as a share of its answers.",
    ),
    Figure(
        "raises",
        "Raises",
        "when asked",
        "Answers to truco or a raise by which it raised, as a share of its answers.",
    ),
    Figure(
        "wins_after_call",
        "Wins after a call",
        "of hands with a call",
        "Hands that its side won, as a share of the hands in which it called truco or raised.",
    ),
    Figure(
        "bluffs",
        "Bluffs",
        "of calls and raises",
        "Calls and raises while it held no manilha and no three, and its side had not won a trick of the "
        "hand, as a share of its calls and raises.",
    ),
)

STYLE: Final = StyleFigures(figures=FIGURES, count=count, version=1)
