"""The house bot ``shark`` for Brazilian Truco, which searches over re-deals of the cards that it cannot see.

Each candidate action is tried in the same re-deals, played out to the end of the hand, and judged by what the
points are worth in the race to 12. Re-deals weigh more if the other seats would have acted in them as they
did. The budget is a number of re-deals instead of a time, so that a game replays exactly. Most of it is
spent on the candidates that do best in the first re-deals.
"""

from __future__ import annotations

import random
from typing import Final

from arena.games.kernel import Turn
from arena.games.truco.bots import regular
from arena.games.truco.bots.manner import REGULAR
from arena.games.truco.bots.race import Race
from arena.games.truco.bots.solved import likelihood
from arena.games.truco.cards import CARD_NUMBER
from arena.games.truco.redeal import TrucoRedealer
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, PLAY
from arena.games.truco.view import order_seen

ROUNDS: Final[tuple[tuple[int, int], ...]] = ((16, 9), (32, 3), (48, 2))
"""The rounds of the search: for each, the number of worlds, and the number of best candidates that are played
in them.
"""
_USUAL: Final = 0.008
"""The margin in the chance to win by which an action must be better than the choice of ``regular``."""
_SHARPNESS: Final = 1.0
"""How sharply the others are expected to play. They are less predictable than ``regular``."""
_LIGHT: Final = 0.1
"""The share of the largest weight of a world below which a world is not worth its time."""


class TrucoShark:
    """The player of one seat in one game, which searches in ``rounds``."""

    def __init__(self, random: random.Random, rounds: tuple[tuple[int, int], ...] = ROUNDS) -> None:
        self._random = random
        self._rounds = rounds

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if turn["optional"]:
            return None
        candidates = candidates_of(turn)
        if len(candidates) == 1:
            return candidates[0]
        redealer = TrucoRedealer(turn)
        state = redealer.state
        usual = regular.action_of(state, turn["legal_actions"], REGULAR, self._random)
        if state.phase not in (PLAY, ANSWER):
            return usual
        seat = turn["seat"]
        race = Race(state, seat & 1)
        totals = dict.fromkeys(candidates, 0.0)
        heaviest = 0.0
        for worlds, kept in self._rounds:
            best = sorted(candidates, key=lambda action: -totals[action])[:kept]
            for _ in range(worlds):
                world = redealer.draw(self._random)
                weight = likelihood(world, seat, _SHARPNESS, _LIGHT * heaviest)
                if weight < _LIGHT * heaviest:
                    continue
                heaviest = max(heaviest, weight)
                for action in best:
                    value = self._value(world, seat, action, race)
                    totals[action] += weight * (value + _USUAL if action == usual else value)
            candidates = best
        return max(candidates, key=lambda action: totals[action])

    def _value(self, world: TrucoState, seat: int, action: str, race: Race) -> float:
        state = world.clone()
        state.apply(seat, action)
        regular.finish(state, REGULAR, self._random)
        return race.chance_in(state)


def candidates_of(turn: Turn) -> list[str]:
    """Return the legal actions that are worth trying: no cut, no signal, and only the weakest card hidden."""
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
