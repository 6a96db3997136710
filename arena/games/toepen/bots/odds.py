"""The winning chances of a hand in the last trick, computed by counting cards. Cards and masks are those of
``cards``.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, exp
from operator import mul
from typing import Final

from arena.games.toepen.cards import MAX_SEATS

POPCOUNT: Final = tuple(mask.bit_count() for mask in range(256))

_STRENGTHS: Final = tuple(
    tuple(strength for strength in range(7, -1, -1) if byte >> strength & 1) for byte in range(256)
)


def _unbeaten(rivals: int, held: int, unseen: int, higher: int) -> float:
    if unseen - higher < held:
        return 0.0 if higher and rivals else 1.0
    return (comb(unseen - higher, held) / comb(unseen, held)) ** rivals


UNBEATEN: Final = tuple(
    tuple(
        tuple(tuple(_unbeaten(rivals, held, unseen, higher) for higher in range(8)) for unseen in range(33))
        for held in range(5)
    )
    for rivals in range(MAX_SEATS)
)
"""``UNBEATEN[rivals][held][unseen][higher]`` is the probability that none of ``rivals`` players, each with
``held`` of the ``unseen`` cards, has one of the ``higher`` cards.
"""

_WEIGHTS: Final[tuple[tuple[tuple[float, ...], ...], ...]] = (
    (),
    ((5.45, -3.46, -3.46), ()),
    ((3.3, 1.25, -4.88, 0.01), (3.63, 3.54, -6.69, 1.29)),
    ((2.69, 1.32, 1.04, -4.77, 0.26), (2.83, 1.6, 1.86, -5.23, 0.55)),
    ((2.32, 1.12, 1.24, 0.83, -4.31, 0.17), (2.19, 1.43, 1.13, 1.07, -4.21, 0.28)),
)
"""``_WEIGHTS[cards held][whether leading]`` are the weights of a logistic regression on games of all table
sizes. There is one weight per card, from the best card down, for the chance that no rival holds a higher card
of its suit. Then come the constant and the weight of the length of the longest suit.
"""


@lru_cache(maxsize=1 << 15)
def chances(hand: int, unseen: int, rivals: tuple[int, int, int, int]) -> tuple[float, float]:
    """Return the chances that ``hand`` wins the last trick, computed at the start of a trick: first as a
    follower, then as the leader.

    ``unseen`` holds all cards that can be in other hands. ``rivals`` is the number of players still in the
    hand that can hold each suit.
    """
    unbeaten = []
    longest = 0
    held = hand.bit_count()
    count = unseen.bit_count()
    for suit in (0, 1, 2, 3):
        mine = hand >> (suit << 3) & 255
        if mine:
            table = UNBEATEN[rivals[suit]][held][count]
            others = unseen >> (suit << 3) & 255
            strengths = _STRENGTHS[mine]
            if len(strengths) > longest:
                longest = len(strengths)
            for strength in strengths:
                unbeaten.append(table[POPCOUNT[others >> strength]])
    unbeaten.sort(reverse=True)
    following, leading = _WEIGHTS[held]
    follows = sum(map(mul, unbeaten, following)) + following[-2] + following[-1] * longest
    follows = 1.0 / (1.0 + exp(-follows))
    if held == 1:
        return follows, unbeaten[0]
    leads = sum(map(mul, unbeaten, leading)) + leading[-2] + leading[-1] * longest
    return follows, 1.0 / (1.0 + exp(-leads))
