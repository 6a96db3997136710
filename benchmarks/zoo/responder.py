"""Sampled best responders, which know the code of the house bot that they meet.

At each decision about cards and stakes, a responder draws hands with which that bot would have acted as it
did, plays every action out to the end of the hand with that bot in all seats, and takes the best one. It
cuts, keeps, exchanges and challenges as the house bot does. At Toepen, it is ``shark`` itself, whose model of
the others is that of ``regular``, with more worlds: it prefers the best action however small the gain.
"""

from __future__ import annotations

import random
from typing import Final

from arena.bots import Bot, Turn
from arena.games import game_of
from arena.games.descriptor import SeatPlayer
from arena.games.kernel import State, turn_in
from arena.games.toepen.bots.shark import ToepenShark
from arena.games.truco.bots.race import Race
from arena.games.truco.bots.regular import TrucoRegular, finish
from arena.games.truco.bots.shark import ROUNDS, TrucoShark, candidates_of
from arena.games.truco.bots.solved import SURPRISE, decisions, likelihood
from arena.games.truco.redeal import TrucoRedealer
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, PLAY

WORLDS: Final = {"truco": 24, "toepen": 90}
"""The number of worlds in which the actions are played out, by game."""
_DRAWN: Final = 12
"""The number of re-deals that are tried per world."""
_ROUNDS: Final = tuple((round(worlds / 10), kept) for worlds, kept in ROUNDS)
"""The rounds in which ``shark`` is expected to search: a tenth of its worlds, since it is asked thousands of
times for each decision.
"""
_FINALISTS: Final = 3
"""The number of actions that are played out in the second half of the worlds."""


class TrucoResponder(Bot):
    """The responder to the house bot ``level`` of Truco."""

    def __init__(self, level: str, seed: int, worlds: int = WORLDS["truco"]) -> None:
        self.random = random.Random(seed)
        if level == "shark":
            self._bot: SeatPlayer = TrucoShark(self.random, _ROUNDS)
        else:
            self._bot = game_of("truco").house_bot(level).player(self.random)
        self._number = worlds
        self._manner = self._bot.manner if isinstance(self._bot, TrucoRegular) else None

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
        """Return re-deals, drawn by how well they explain what the others did."""
        weights: list[float] = []
        deals: list[TrucoState] = []
        redealer = TrucoRedealer(turn)
        while sum(weights) < self._number and len(deals) < self._number * _DRAWN:
            world = redealer.draw(self.random)
            deals.append(world)
            weights.append(self._weight(turn, world))
        return self.random.choices(deals, weights, k=self._number)

    def _weight(self, turn: Turn, world: TrucoState) -> float:
        """Return the weight of ``world``: how likely it is that the house bot decides as others did. If it
        does not play by a table, each past decision is compared with one that it takes now.
        """
        if self._manner is not None:
            return likelihood(world, turn["seat"], self._manner.sharpness)
        weight = 1.0
        for state, action in decisions(world):
            seat = state.actor
            if seat != turn["seat"] and len(state.legal) > 1 and self._decide(state, turn, seat) != action:
                weight *= SURPRISE
        return weight

    def _decide(self, state: State, turn: Turn, seat: int) -> str | None:
        return self._bot.choose(turn_in(state, turn["kind"], turn["rules"], seat))

    def _value(self, world: TrucoState, turn: Turn, action: str) -> float:
        """Return the chance to win the game if all seats go on as the house bot would."""
        state = world.clone()
        state.apply(turn["seat"], action)
        if self._manner is not None:
            finish(state, self._manner, self.random)
        while state.phase in (PLAY, ANSWER):
            choice = self._decide(state, turn, state.actor)
            assert choice is not None
            state.apply(state.actor, choice)
        return Race(world, turn["seat"] & 1).chance_in(state)


class ToepenResponder(Bot):
    """The responder to ``regular`` of Toepen, whatever the level."""

    def __init__(self, level: str, seed: int, worlds: int = WORLDS["toepen"]) -> None:
        self.random = random.Random(seed)
        self._shark = ToepenShark(self.random, worlds, clear=0.0)

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`arena.bots.Bot.choose`."""
        return self._shark.choose(turn)


RESPONDERS: Final = {"truco": TrucoResponder, "toepen": ToepenResponder}
"""The responder to a house bot, by game."""
