"""The house bot ``rookie`` for Brazilian Truco, which follows a few rules of thumb about its own cards."""

from __future__ import annotations

import random
from typing import Final

from arena.games.kernel import Turn
from arena.games.truco.bots.sight import THREE, TrucoSight, play

_KEEP_FROM: Final = 4
_PLAY_AT_ELEVEN_FROM: Final = 4
_BLUFF: Final = 0.04
_STAY_FROM: Final = 3
_CALL_FROM: Final = 9
_RAISE_FROM: Final = 11
"""The minimum value of the hand for a raise if calls are about all its tricks (TV-6.8)."""
_TRICK: Final = 4
"""The value then added for each trick won and subtracted for each trick lost."""
_WORTH: Final[tuple[int, ...]] = (0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 5, 6, 7, 8)
"""The value of a card of each strength. Cards below an ace are worth nothing."""


class TrucoRookie:
    """The player of one seat in one game."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if turn["optional"]:
            return None
        sight = TrucoSight(turn)
        if sight.phase == "play":
            return self._play(sight)
        if sight.phase == "answer":
            return self._answer(sight)
        if sight.phase == "eleven":
            return _eleven(sight)
        if sight.phase == "choose":
            return _choose(sight)
        return sight.legal[int(self._random.random() * len(sight.legal))]

    def _play(self, sight: TrucoSight) -> str:
        if sight.call and (_is_strong(sight) or self._random.random() < _BLUFF):
            return sight.call
        weakest, strongest = sight.hand[0], sight.hand[-1]
        last = sight.place == sight.seats - 1
        if sight.place == 0:
            return play(strongest)
        if sight.holder == 1 and (last or sight.best >= THREE):
            return play(weakest)
        winners = [card for card in sight.hand if sight.strength[card] > sight.best]
        if not winners:
            equals = [card for card in sight.hand if sight.strength[card] == sight.best]
            return play(equals[0] if equals else weakest)
        return play(winners[0] if last else winners[-1])

    def _answer(self, sight: TrucoSight) -> str:
        """Answer a call. The higher the value called, the better the best card in hand and the team's cards
        on the table must be.
        """
        best = max([*sight.strengths, sight.best if sight.holder == 1 else 0])
        run, accept, *further = sight.legal
        if sight.whole_hand:
            points = _points(sight)
            if further and further[0].startswith("raise") and points >= _RAISE_FROM:
                return further[0]
            return accept if points >= (_STAY_FROM if sight.stake == sight.stakes[0] else _CALL_FROM) else run
        if sight.holder == -1 and (sight.seat not in sight.to_play or best <= sight.best):
            return "defer" if "defer" in further and sight.partner in sight.to_play else run
        value = int(accept.split(":")[1])
        if best == STRENGTH_OF_ZAP and further and further[0].startswith("raise"):
            return further[0]
        return accept if best >= (THREE + 1 if value == sight.stakes[1] else THREE + 2) else run


STRENGTH_OF_ZAP: Final = 14


def _is_strong(sight: TrucoSight) -> bool:
    """Return whether this trick is almost certain to be won: with the zap, the escopeta, or a last card that
    wins it.

    If calls are about the whole hand, return whether the hand is strong: with two good cards, or with one
    good card and a trick.
    """
    if sight.whole_hand:
        return _points(sight) >= _CALL_FROM
    best = sight.strength[sight.hand[-1]]
    if sight.place == sight.seats - 1:
        return best > sight.best or (sight.holder == 1)
    return best > sight.best and best >= THREE + 3


def _worth(sight: TrucoSight, cards: list[int]) -> int:
    return sum(_WORTH[sight.strength[card]] for card in cards)


def _points(sight: TrucoSight) -> int:
    """Return the value of the whole hand: the values of the cards and of the tricks so far."""
    value = _worth(sight, sight.hand) + _TRICK * sight.lead
    if sight.place:
        ahead = sight.holder == 1 or (sight.seat in sight.to_play and sight.strengths[-1] > sight.best)
        value += 0 if ahead else -_TRICK
    return value


def _choose(sight: TrucoSight) -> str:
    """Keep a fair hand; otherwise burn it while this is allowed."""
    if _worth(sight, sight.hand) >= _KEEP_FROM or "burn" not in sight.legal:
        return "keep"
    return "burn"


def _eleven(sight: TrucoSight) -> str:
    """Play if the cards of the team, which the seat can see, hold a manilha, or as much as a 3 and an ace."""
    return sight.legal[_worth(sight, sight.hand + sight.partners) >= _PLAY_AT_ELEVEN_FROM]
