"""The house bot ``rookie`` for Toepen, which follows a few rules of thumb about its own cards."""

from __future__ import annotations

import random
from typing import Final

from arena.games.kernel import Turn
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.toepen.cards import PACK

_POINTS: Final[tuple[int, ...]] = (0, 0, 0, 0, 0, 1, 2, 3)
"""The value of a card by strength. Cards below an eight are worth nothing."""
_SUSPICION: Final = 0.3
_BLUFF: Final = 0.3


class ToepenRookie:
    """The player of one seat in one game."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if turn["optional"]:
            return None
        sight = ToepenSight(turn)
        if sight.phase == "exchange":
            return self._exchange(sight)
        if sight.phase == "challenge":
            return "challenge" if self._random.random() < _SUSPICION else "trust"
        if sight.phase == "play":
            return _play(sight)
        stay, fold = sight.legal
        return stay if _points(sight) >= _needed(sight) - 2 or _is_winning(sight) else fold

    def _exchange(self, sight: ToepenSight) -> str:
        """Lay away dirty laundry, and sometimes a hand with nothing above a seven."""
        if "exchange" in sight.legal:
            hopeless = _points(sight) == 0 and sight.lives[sight.seat] > 1
            if sight.dirty or (hopeless and self._random.random() < _BLUFF):
                return "exchange"
        return next(action for action in sight.legal if action != "exchange")


def _points(sight: ToepenSight) -> float:
    """Return the average value of the cards held, times four."""
    cards = [card for card in range(32) if sight.spot.hand >> card & 1]
    return 4 * sum(_POINTS[card & 7] for card in cards) / max(1, len(cards))


def _needed(sight: ToepenSight) -> int:
    """Return the points needed to knock, which increase with the number of players."""
    others: int = sight.others.bit_count()
    return min(5 + others, 9)


def _is_winning(sight: ToepenSight) -> bool:
    return sight.tricks == 3 and sight.spot.best_seat == sight.seat


def _play(sight: ToepenSight) -> str:
    """Discard low cards, win the third trick, and save the best card for the last one."""
    knocks = [action for action in sight.legal if action.startswith("knock")]
    if knocks and (_points(sight) >= _needed(sight) or _wins_now(sight)):
        return knocks[0]
    cards = sorted(sight.spot.playable(), key=lambda card: (card & 7, card))
    if sight.tricks == 2:
        winners = [card for card in cards if sight.spot.beats(card)]
        if winners:
            return "play:" + PACK[winners[0]]
    return "play:" + PACK[cards[0]]


def _wins_now(sight: ToepenSight) -> bool:
    """Return whether the last card held by this seat currently wins the hand."""
    return sight.tricks == 3 and not sight.spot.after and sight.spot.beats(sight.spot.hand.bit_length() - 1)
