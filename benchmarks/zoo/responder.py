"""Sampled best responders, which know the code of the house bot that they meet.

At each decision about cards and stakes, a responder draws hands with which that bot would have acted as it
did, plays every action out to the end of the hand with that bot in all seats, and takes the best one. It
cuts, keeps, exchanges and challenges as the house bot does. At Toepen, that is what ``shark`` does against
``regular``, whose model it has; there, the responder is a ``shark`` with more worlds and no caution.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

from arena.bots import Bot, Turn
from arena.games import game_of
from arena.games.kernel import State
from arena.games.toepen.bots.shark import ToepenShark
from arena.games.truco.bots.shark import candidates_of, race_of
from arena.games.truco.bots.solved import likelihood
from arena.games.truco.cards import ACTION_CODE, FACE_DOWN, PACK
from arena.games.truco.redeal import redeal
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, CHOOSE, CUT, ELEVEN, NOBODY, PLAY
from benchmarks.zoo.exploiter import turn_in

WORLDS: Final = {"truco": 24, "toepen": 90}
"""The number of worlds in which the actions are played out, by game."""
_DRAWN: Final = 12
"""The number of re-deals that are tried per world."""
_SURPRISE: Final = 0.02
"""The weight of a world for each decision that the house bot would have made otherwise in it."""
_FINALISTS: Final = 3
"""The number of actions that are played out in the second half of the worlds."""
_SAID: Final = ("truco", "raise", "accept", "defer")
_ABOUT_STAKES: Final = frozenset(code for action, code in ACTION_CODE.items() if action.startswith(_SAID))


class TrucoResponder(Bot):
    """The responder to the house bot ``level`` of Truco."""

    def __init__(self, level: str, seed: int, worlds: int = WORLDS["truco"]) -> None:
        self.random = random.Random(seed)
        self._bot = game_of("truco").house_bot(level).player(self.random)
        self._number = worlds
        self._level = level

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`arena.bots.Bot.choose`."""
        candidates = turn["legal_actions"] if turn["optional"] else candidates_of(turn)
        if turn["optional"] or len(candidates) == 1 or turn["observation"]["phase"] not in ("play", "answer"):
            return self._bot.choose(turn)
        worlds = self._worlds(turn)
        totals = dict.fromkeys(candidates, 0.0)
        for half in (worlds[::2], worlds[1::2]):
            for world in half:
                for action in candidates:
                    totals[action] += self._value(world, turn, action)
            candidates = sorted(candidates, key=lambda action: -totals[action])[:_FINALISTS]
        return candidates[0]

    def _worlds(self, turn: Turn) -> list[TrucoState]:
        """Return re-deals, drawn by how well they explain what the others did. If the house bot plays by a
        table, the table says how well.
        """
        weights: list[float] = []
        deals: list[TrucoState] = []
        rules = turn["rules"]
        is_solved = self._level == "regular" and rules["seats"] == 2 and rules["truco_scope"] == "hand"
        while sum(weights) < self._number and len(deals) < self._number * _DRAWN:
            world = redeal(turn, self.random)
            deals.append(world)
            weights.append(likelihood(world, turn["seat"]) if is_solved else self._weight(turn, world))
        return self.random.choices(deals, weights, k=self._number)

    def _weight(self, turn: Turn, world: TrucoState) -> float:
        """Return the weight of ``world``: how many of the others' decisions the house bot would have made."""
        state = world.clone()
        state.hands = [world.as_dealt(seat) for seat in range(world.rules.seats)]
        state.plays, state.leaders, state.winners = [], [world.forehand], []
        state.truco_seat = state.proposer = NOBODY
        if not world.elevens:
            state.stake = world.rules.low
            state.calls = [call for call in world.calls if call & 511 not in _ABOUT_STAKES]
        state.phase, state.actor = PLAY, world.forehand
        state.refresh()
        weight = 1.0
        for played, action in _actions(turn, world):
            if played is not None and len(state.plays) > played:
                continue  # The rules played it (BT-7.4).
            seat = state.actor
            legal = state.legal
            done = next(option for option in legal if option.startswith(action))
            if seat != turn["seat"] and len(legal) > 1 and self._decide(state, turn, seat) != done:
                weight *= _SURPRISE
            state.apply(seat, done)
        return weight

    def _decide(self, state: State, turn: Turn, seat: int) -> str | None:
        return self._bot.choose(turn_in(state, seat, turn))

    def _value(self, world: TrucoState, turn: Turn, action: str) -> float:
        """Return the chance to win the game if all seats go on as the house bot would."""
        state = world.clone()
        state.apply(turn["seat"], action)
        while state.phase in (PLAY, ANSWER, CHOOSE, CUT, ELEVEN):
            choice = self._decide(state, turn, state.actor)
            assert choice is not None
            state.apply(state.actor, choice)
        race, team = race_of(turn), turn["seat"] & 1
        ours, theirs = state.score[team] - world.score[team], state.score[1 - team] - world.score[1 - team]
        return race.won(ours) if ours else race.lost(theirs) if theirs else race.nobody


def _actions(turn: Turn, world: TrucoState) -> Sequence[tuple[int | None, str]]:
    """Return what was done since the first lead, in order: the number of cards played before a card, or None
    for a call, and the beginning of the action.
    """
    seen: Any = turn["observation"]
    seats = world.rules.seats
    calls = [
        (said["trick"] * seats + said["on_table"], said["said"])
        for said in seen["calls"]
        if said["said"] in _SAID and not seen["elevens"]
    ]
    done: list[tuple[int | None, str]] = []
    for played in range(len(world.plays) + 1):
        while calls and calls[0][0] == played:
            done.append((None, calls.pop(0)[1]))
        if played < len(world.plays):
            code = world.plays[played]
            word = "hide:" if code >= FACE_DOWN else "play:"
            done.append((played, word + PACK[code & ~FACE_DOWN]))
    return done


class ToepenResponder(Bot):
    """The responder to ``regular`` of Toepen."""

    def __init__(self, level: str, seed: int, worlds: int = WORLDS["toepen"]) -> None:
        self.random = random.Random(seed)
        self._shark = ToepenShark(self.random, worlds, clear=0.0)

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`arena.bots.Bot.choose`."""
        return self._shark.choose(turn)


RESPONDERS: Final = {"truco": TrucoResponder, "toepen": ToepenResponder}
"""The responder to a house bot, by game."""
