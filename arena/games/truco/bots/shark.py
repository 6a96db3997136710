"""The house bot ``shark`` at Brazilian Truco, which searches over re-deals of what it cannot see.

Every candidate action is tried in the same re-dealt worlds and played on to the end of the hand; what the
points are then worth in the race to 12 decides. Worlds in which a caller holds what callers usually hold
count more. The budget is a number of worlds, never a time, so that a game replays exactly; most of it goes to
the candidates that do best in the first worlds.
"""

from __future__ import annotations

import random
from typing import Final

from arena.games.kernel import Turn
from arena.games.truco.bots import regular
from arena.games.truco.bots.hints import likelihood
from arena.games.truco.bots.playout import TrucoPlayout, best_on_table
from arena.games.truco.bots.race import Race
from arena.games.truco.cards import CARD_NUMBER
from arena.games.truco.redeal import redeal
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, NOBODY
from arena.games.truco.view import order_seen

ROUNDS: Final = ((40, 9), (80, 3), (120, 2))
"""Rounds of the search: the number of worlds, and of best candidates that they are played for."""
_USUAL: Final = 0.025
"""By how much of a chance to win another action must be better than what ``regular`` would do."""
_USUAL_HAND: Final = 0.008
"""The same where a call is about the whole hand (TV-6.8), of which ``regular`` knows less."""
_SURPRISE: Final = 0.04
"""How likely a call or raise is from a seat that had no reason for it."""
_CALLERS: Final = (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.12, 0.15, 0.2, 0.25, 0.4, 0.7, 0.9, 1.0, 1.0)
"""How likely a seat is to call truco, by the strength of its best card then: what a call tells."""


class TrucoShark:
    """One seat of one game."""

    def __init__(self, random: random.Random) -> None:
        self._random = random
        self._playout = TrucoPlayout()
        self._regular = regular.TrucoRegular(random)

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to let a right pass."""
        if turn["optional"]:
            return None
        phase = turn["observation"]["phase"]
        candidates = _candidates(turn)
        if phase == "cut" or len(candidates) == 1:
            return candidates[0]
        usual = self._regular.choose(turn)
        whole_hand = turn["rules"]["truco_scope"] == "hand"
        if phase != "play":
            return usual
        seat = turn["seat"]
        race = _race(turn)
        margin = _USUAL_HAND if whole_hand else _USUAL
        totals = dict.fromkeys(candidates, 0.0)
        for worlds, kept in ROUNDS:
            best = sorted(candidates, key=lambda action: -totals[action])[:kept]
            for _ in range(worlds):
                world = redeal(turn, self._random)
                weight = likelihood(world, seat, self._playout) if whole_hand else self._weight(world, seat)
                for action in best:
                    value = self._value(world, seat, action, race)
                    totals[action] += weight * (value + margin if action == usual else value)
            candidates = best
        return max(candidates, key=lambda action: totals[action])

    def _weight(self, world: TrucoState, seat: int) -> float:
        """Return how much a world counts, judged by the other team's calls."""
        caller, raiser = world.truco_seat, world.proposer
        weight = 1.0
        if caller >= 0 and (caller ^ seat) & 1:
            if world.phase == ANSWER:
                weight *= 1.0 if self._playout.would_call(world, caller) else _SURPRISE
            else:
                best, holder, _ = best_on_table(world)
                shown = best if holder >= 0 and (holder ^ seat) & 1 else 0
                weight *= _CALLERS[
                    max([shown, *(world.order.strength[card] for card in world.hands[caller])])
                ]
        if raiser not in (NOBODY, caller) and (raiser ^ seat) & 1 and world.phase == ANSWER:
            weight *= 1.0 if self._playout.would_raise(world, raiser) else _SURPRISE
        return weight

    def _value(self, world: TrucoState, seat: int, action: str, race: Race) -> float:
        state = world.clone()
        before = world.score[:]
        state.apply(seat, action)
        self._playout.finish(state)
        ours = state.score[seat & 1] - before[seat & 1]
        theirs = state.score[1 - (seat & 1)] - before[1 - (seat & 1)]
        if ours:
            return race.won(ours)
        return race.lost(theirs) if theirs else race.nobody


def _race(turn: Turn) -> Race:
    seen = turn["observation"]
    team = turn["seat"] & 1
    hands_left = turn["rules"]["max_hands"] - seen["hand_number"]
    stakes = tuple(int(value) for value in turn["rules"]["stakes"].split("-"))
    return Race((seen["score"][team], seen["score"][1 - team]), hands_left, stakes)


def _candidates(turn: Turn) -> list[str]:
    """Return the legal actions, without those that are equivalent to another one."""
    actions: list[str] = list(turn["legal_actions"])
    if actions[0] == "no_cut":
        return actions[:1]
    plays = [action for action in actions if action.startswith("play:")]
    if len(plays) > 1:
        # A card is hidden only to lose on purpose, and then the weakest will do.
        strength = order_seen(turn["observation"]).strength
        weakest = min(plays, key=lambda action: strength[CARD_NUMBER[action[5:]]])
        actions = [a for a in actions if not a.startswith("hide:") or a[5:] == weakest[5:]]
    elif plays:
        actions = [a for a in actions if not a.startswith("hide:")]
    return [action for action in actions if not action.startswith("signal:")]
