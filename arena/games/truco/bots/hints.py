"""Evaluates how well a world explains the calls in a hand of Brazilian Truco, including calls that were not
made.

This applies to ``truco_scope=hand``, where every call and answer reveals something about the whole hand
(TV-6.8).
"""

from __future__ import annotations

from math import exp
from typing import Final

from arena.games.truco.bots.manner import REGULAR
from arena.games.truco.bots.playout import TrucoPlayout, lead_of, race_state_of
from arena.games.truco.bots.whole import RUNS_FROM_RAISE, raise_from, runs_of, stay_from
from arena.games.truco.cards import ACCEPT, DEFER, FACE_DOWN, RAISE
from arena.games.truco.cards import TRUCO as CALL
from arena.games.truco.state import TrucoState
from arena.games.truco.table import BOTH, NOBODY

_SPREAD: Final = 0.08
"""The typical difference between the chance at which a seat decides and the correct chance."""
_SURPRISE: Final = 0.04
"""The probability that a seat acts for no apparent reason."""

Hint = tuple[int, int, int, float, bool]
"""A decision: the number of cards played before it, the seat, the seat whose proposal it answers, the
threshold of its chance to win the hand, and whether the decision indicates a chance above it.
"""


def likelihood(world: TrucoState, seat: int, playout: TrucoPlayout) -> float:
    """Return the probability of the other seats' calls and answers in ``world``."""
    weight = 1.0
    past = world.clone()
    rules = world.rules
    hints = _hints(world, seat)
    while hints:
        played, who, proposer, limit, above = hints.pop()
        while len(past.plays) > played:
            trick = len(past.plays) - 1 >> rules.shift
            del past.leaders[trick + 1 :], past.winners[trick:]
            player = past.leaders[trick] + len(past.plays) - 1 & rules.mask
            past.hands[player] += (past.plays.pop() & ~FACE_DOWN,)
        likely = 1 / (1 + exp((limit - playout.hand_chance(past, who, proposer)) / _SPREAD))
        weight *= _SURPRISE + (1 - 2 * _SURPRISE) * (likely if above else 1 - likely)
    return weight


def _hints(world: TrucoState, seat: int) -> list[Hint]:
    """Return the decisions of the other seats, in order."""
    rules = world.rules
    doubt = REGULAR.whole_hand.doubt
    hints: list[Hint] = []
    if world.elevens:
        return hints
    stake, proposed, proposer, right = rules.low, 0, NOBODY, BOTH
    calls = [
        (call >> 15, call >> 13 & 3, call & 511)
        for call in world.calls
        if call & 511 in (CALL, RAISE, ACCEPT, DEFER)
    ]
    for played in range(len(world.plays) + 1):
        trick = played >> rules.shift
        runs_if_called = runs_of(lead_of(world.winners[:trick]))
        called = NOBODY
        while calls and calls[0][0] == played:
            _, who, code = calls.pop(0)
            if code in (ACCEPT, DEFER):
                hint = (
                    played,
                    who,
                    proposer,
                    stay_from(race_state_of(world, who & 1), stake, proposed),
                    code == ACCEPT,
                )
                if code == ACCEPT:
                    stake, proposed = proposed, 0
            else:
                answered = NOBODY
                runs = runs_if_called
                if proposed:
                    stake, runs, answered = proposed, RUNS_FROM_RAISE, proposer
                else:
                    called = who
                proposed = rules.next_stake[stake]
                hint = (
                    played,
                    who,
                    answered,
                    raise_from(race_state_of(world, who & 1), stake, proposed, runs, doubt),
                    True,
                )
                proposer = who
                right = 1 << (who + 1 & 1)
            if who != seat:
                hints.append(hint)
        if played == len(world.plays) or stake not in rules.next_stake or trick + 1 < rules.truco_from:
            continue
        who = world.leaders[trick] + played & rules.mask
        if who not in (seat, called) and right >> (who & 1) & 1:
            race = race_state_of(world, who & 1)
            limit = raise_from(race, stake, rules.next_stake[stake], runs_if_called, doubt)
            hints.append((played, who, NOBODY, limit, False))
    return hints
