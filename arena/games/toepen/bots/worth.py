"""The worth of lives: the share of the other players that a seat can expect to finish ahead of."""

from __future__ import annotations

from functools import cache
from math import exp
from typing import Final

from arena.games.kernel import Turn
from arena.games.toepen.cards import MAX_LIVES, MAX_SEATS

_DUEL: Final[tuple[float, ...]] = (0.0, 0.0, 0.3, 1.0, 1.45, 1.9, 2.2, 2.55, 2.85, 3.15)
"""The log-odds of lives between two players, measured in games of the house bots. From 9 lives on, each
further life adds ``_FURTHER``.
"""
_FURTHER: Final = 0.28
_PER_PLAYER: Final = 0.25
"""The relative increase of the log-odds with every further player, because all players but one lose each
hand.
"""
_SECOND: Final = 0.35
"""The additional worth of the second life if there are more than two players."""


def _log_odds(lives: int, players: int) -> float:
    duel = _DUEL[lives] if lives < len(_DUEL) else _DUEL[-1] + _FURTHER * (lives - len(_DUEL) + 1)
    several = _SECOND if players > 2 and lives > 1 else 0.0
    return duel * (1 + _PER_PLAYER * (players - 2)) + several


_LOG_ODDS: Final = tuple(
    tuple(_log_odds(lives, players) for lives in range(MAX_LIVES + 1)) for players in range(MAX_SEATS + 1)
)

OUTLASTS: Final = tuple(
    tuple(tuple(1.0 / (1.0 + exp(theirs - own)) for theirs in row) for own in row) for row in _LOG_ODDS
)
"""``OUTLASTS[players in the game][own lives][their lives]`` is the chance to outlast one opponent, if both
have at least one life.
"""


class Worth:
    """Evaluates the possible results of the hand that a turn belongs to."""

    def __init__(self, turn: Turn) -> None:
        seen, rules = turn["observation"], turn["rules"]
        self._seats = len(seen["lives"])
        seats = range(self._seats)
        self._others = [[other for other in seats if other != seat] for seat in seats]
        hand = seen["hand_number"]
        self._gone = [out is not None and out < hand for out in seen["out_in_hand"]]
        self._rubber = rules["end"] == "rubber"
        self._rubbers_left = rules["rubbers"] - seen["rubber"]
        self._drinks: list[int] = seen["drinks"]
        self._won: list[int] = seen["hands_won"]

    def of(self, seat: int, lives: list[int]) -> float:
        """Return the worth to ``seat``, from 0 to 1, of a hand that ends with ``lives`` per seat."""
        if self._rubber:
            return self._of_rubber(seat, lives)
        own = lives[seat]
        outlasts = OUTLASTS[self._seats - lives.count(0)][own]
        total = 0.0
        for other in self._others[seat]:
            if self._gone[other]:
                total += 1.0
            elif not own:
                total += 0.0 if lives[other] else 0.5
            else:
                theirs = lives[other]
                total += outlasts[theirs] if theirs else 1.0
        return total / (self._seats - 1)

    def _of_rubber(self, seat: int, lives: list[int]) -> float:
        """Return the worth of the result of a rubber: fewest drinks first, then most hands won (TP-7.2)."""
        if 0 in lives:
            buys = [0.0 if left else 1.0 for left in lives]
        else:
            risks = [exp(-_LOG_ODDS[self._seats][left]) for left in lives]
            whole = sum(risks)
            buys = [risk / whole for risk in risks]
        total = 0.0
        for other in self._others[seat]:
            ahead = self._drinks[other] - self._drinks[seat]
            tie = 1.0 / (1.0 + exp(0.3 * (self._won[other] - self._won[seat])))
            both = buys[seat] * buys[other] if 0 in lives else 0.0
            for change, likely in (
                (1, buys[other] - both),
                (-1, buys[seat] - both),
                (0, 1.0 - buys[seat] - buys[other] + 2 * both),
            ):
                lead = _lead(ahead + change, self._rubbers_left, self._seats)
                total += likely * (lead[0] + tie * lead[1])
        return total / (self._seats - 1)


class Stakes:
    """The worth of the possible results of a hand, given ``lives`` and the mask ``in_hand``."""

    def __init__(self, worth: Worth, lives: list[int], in_hand: int) -> None:
        self.worth = worth
        self._lives = lives
        self._players = [seat for seat in range(len(lives)) if in_hand >> seat & 1]
        self._worth_known: dict[tuple[int, int, int, int], float] = {}
        self._lost_known: dict[tuple[int, int, int], float] = {}

    def without(self, seat: int) -> list[int]:
        """Return the lives if ``seat`` loses one now."""
        lives = list(self._lives)
        lives[seat] -= 1
        return lives

    def won(self, seat: int, value: int) -> float:
        """Return the worth to ``seat`` if it wins a hand of ``value``."""
        return self._worth_if(seat, seat, value, 0)

    def lost(self, seat: int, value: int, due: int | None = None) -> float:
        """Return the worth to ``seat`` if another seat wins; all other seats are equally likely to win.
        ``seat`` loses ``due`` lives, by default ``value``.
        """
        due = value if due is None else due
        known = self._lost_known.get((seat, value, due))
        if known is None:
            others = [player for player in self._players if player != seat]
            known = sum(self._worth_if(seat, winner, value, due) for winner in others) / len(others)
            self._lost_known[seat, value, due] = known
        return known

    def to_stay(self, seat: int, value: int) -> float:
        """Return the winning chance above which ``seat`` should stay for ``value`` instead of losing one life
        less.
        """
        win, lose, fold = self.won(seat, value), self.lost(seat, value), self.lost(seat, value, value - 1)
        return (fold - lose) / (win - lose) if win > lose else 0.0

    def _worth_if(self, seat: int, winner: int, value: int, due: int) -> float:
        key = (seat, winner, value, due)
        known = self._worth_known.get(key)
        if known is None:
            lives = list(self._lives)
            for player in self._players:
                if player != winner:
                    lives[player] = max(0, lives[player] - (due if player == seat else value))
            known = self._worth_known[key] = self.worth.of(seat, lives)
        return known


@cache
def _lead(ahead: int, rubbers: int, seats: int) -> tuple[float, float]:
    """Return the chances to end with fewer drinks than another seat, and with equally many. The seat is
    ``ahead`` drinks fewer now, and ``rubbers`` rubbers are left in which each seat is equally likely to buy
    the drinks.
    """
    if rubbers == 0:
        return float(ahead > 0), float(ahead == 0)
    buys = 1.0 / seats
    paths = (
        (_lead(ahead + 1, rubbers - 1, seats), buys),
        (_lead(ahead - 1, rubbers - 1, seats), buys),
        (_lead(ahead, rubbers - 1, seats), 1.0 - 2 * buys),
    )
    return sum(lead[0] * likely for lead, likely in paths), sum(lead[1] * likely for lead, likely in paths)
