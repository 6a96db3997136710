"""The house bot ``shark`` for Brazilian Truco, which searches over re-deals of the cards that it cannot see.

Each candidate action is tried in the same re-deals, played out to the end of the hand, and judged by what the
points are worth in the race to 12. Re-deals in which a caller holds typical cards for a call have a greater
weight. The budget is a number of re-deals instead of a time, so that a game replays exactly. Most of it is
spent on the candidates that do best in the first re-deals.
"""

from __future__ import annotations

import random
from typing import Final

from arena.games.kernel import Turn
from arena.games.truco.bots import regular, solved
from arena.games.truco.bots.hints import likelihood
from arena.games.truco.bots.playout import TrucoPlayout, best_on_table
from arena.games.truco.bots.race import Race
from arena.games.truco.cards import CARD_NUMBER
from arena.games.truco.redeal import redeal
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, NOBODY
from arena.games.truco.view import order_seen

ROUNDS: Final[tuple[tuple[int, int], ...]] = ((40, 9), (80, 3), (120, 2))
"""The rounds of the search: for each, the number of worlds, and the number of best candidates that are played
in them.
"""
_USUAL: Final = 0.025
"""The margin in the chance to win by which an action must be better than the choice of ``regular``."""
_USUAL_HAND: Final = 0.008
"""The same margin if calls are about the whole hand (TV-6.8), of which ``regular`` has a poorer estimate."""
_LIGHT: Final = 0.1
"""The share of the largest weight of a world below which a world is not worth its time."""
_SURPRISE: Final = 0.04
"""The probability of a call or raise by a seat that has no reason for it."""
_CALLERS: Final[tuple[float, ...]] = 6 * (0.1,) + (0.12, 0.15, 0.2, 0.25, 0.4, 0.7, 0.9, 1.0, 1.0)
"""The probability that a seat calls truco, by the strength of its best card at the time."""


class TrucoShark:
    """The player of one seat in one game."""

    def __init__(self, random: random.Random) -> None:
        self._random = random
        self._playout = TrucoPlayout(random)
        self._regular = regular.TrucoRegular(random)

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if turn["optional"]:
            return None
        phase = turn["observation"]["phase"]
        candidates = candidates_of(turn)
        if phase == "cut" or len(candidates) == 1:
            return candidates[0]
        usual = self._regular.choose(turn)
        whole_hand = turn["rules"]["truco_scope"] == "hand"
        is_solved = whole_hand and turn["rules"]["seats"] == 2
        if phase != "play" and not (is_solved and phase == "answer"):
            return usual
        seat = turn["seat"]
        race = race_of(turn)
        margin = _USUAL_HAND if whole_hand else _USUAL
        totals = dict.fromkeys(candidates, 0.0)
        heaviest = 0.0
        for worlds, kept in ROUNDS:
            best = sorted(candidates, key=lambda action: -totals[action])[:kept]
            for _ in range(worlds):
                world = redeal(turn, self._random)
                if is_solved:
                    weight = solved.likelihood(world, seat)
                    heaviest = max(heaviest, weight)
                    if weight < _LIGHT * heaviest:
                        continue
                elif whole_hand:
                    weight = likelihood(world, seat, self._playout)
                else:
                    weight = self._weight(world, seat)
                for action in best:
                    value = self._value(world, seat, action, race)
                    totals[action] += weight * (value + margin if action == usual else value)
            candidates = best
        return max(candidates, key=lambda action: totals[action])

    def _weight(self, world: TrucoState, seat: int) -> float:
        """Return the weight of a world, based on the other team's calls."""
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


def race_of(turn: Turn) -> Race:
    seen = turn["observation"]
    team = turn["seat"] & 1
    hands_left = turn["rules"]["max_hands"] - seen["hand_number"]
    stakes = tuple(int(value) for value in turn["rules"]["stakes"].split("-"))
    return Race((seen["score"][team], seen["score"][1 - team]), hands_left, stakes)


def candidates_of(turn: Turn) -> list[str]:
    """Return the legal actions, omitting those that are equivalent to another one."""
    actions: list[str] = list(turn["legal_actions"])
    if actions[0] == "no_cut":
        return actions[:1]
    plays = [action for action in actions if action.startswith("play:")]
    if len(plays) > 1:
        # A card is hidden only to lose the trick on purpose, so only the weakest is a candidate.
        strength = order_seen(turn["observation"]).strength
        weakest = min(plays, key=lambda action: strength[CARD_NUMBER[action[5:]]])
        actions = [a for a in actions if not a.startswith("hide:") or a[5:] == weakest[5:]]
    elif plays:
        actions = [a for a in actions if not a.startswith("hide:")]
    return [action for action in actions if not action.startswith("signal:")]
