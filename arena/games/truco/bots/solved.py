"""Truco as a solved game: how often a seat takes each action in each spot.

The tables are made by ``benchmarks.solve``, which plays hands against itself.
"""

from __future__ import annotations

import random
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from arena.games.truco.bots.spots import spot_of
from arena.games.truco.cards import (
    ACCEPT,
    ACTION_CODE,
    DEFER,
    FACE_DOWN,
    PACK,
    RAISE,
    TRUCO,
    Call,
    call_of,
)
from arena.games.truco.options import TrucoRules
from arena.games.truco.state import TrucoState
from arena.games.truco.table import NOBODY, PLAY

TABLES: Final = Path(__file__).with_name("tables")
"""The folder of the tables."""
SHARES: Final = 4
"""The maximum number of actions in a spot. A table has a byte for each: the share of the action."""
SURPRISE: Final = 0.02
"""The least probability that is assumed for an action, even if the table never takes it."""


class Solution:
    """A table: the numbers of the spots, ascending, and the shares of the actions in each.

    On disk, it is compressed: the number of spots and their numbers with 8 bytes each, the lowest byte
    first, then the shares.
    """

    def __init__(self, numbers: Sequence[int], shares: bytes) -> None:
        self._numbers = array("Q", numbers)
        self._shares = shares

    @classmethod
    def read(cls, path: Path) -> Solution:
        """Read a table from a file."""
        data = zlib.decompress(path.read_bytes())
        size = int.from_bytes(data[:8], "little")
        numbers = struct.unpack_from(f"<{size}Q", data, 8)
        return cls(numbers, data[8 * (size + 1) :])

    def write(self, path: Path) -> None:
        """Write the table to a file."""
        size = len(self)
        path.write_bytes(zlib.compress(struct.pack(f"<Q{size}Q", size, *self._numbers) + self._shares, 9))

    def __len__(self) -> int:
        return len(self._numbers)

    def shares(self, number: int) -> bytes:
        """Return the shares of the actions in a spot, or nothing if the table does not know it."""
        place = bisect_left(self._numbers, number)
        if place == len(self._numbers) or self._numbers[place] != number:
            return b""
        return self._shares[place * SHARES : (place + 1) * SHARES]


@cache
def _solution(name: str) -> Solution:
    return Solution.read(TABLES / f"{name}.bin")


def solution_of(rules: TrucoRules) -> Solution:
    """Return the table for ``rules``: ``base`` if a call is about a trick, and otherwise that of the preset
    with as many seats and the same lowest stake.
    """
    if not rules.whole_hand:
        return _solution("base")
    name = "paulista" if rules.low == 1 else "mineiro"
    return _solution(name if rules.seats > 2 else f"{name}-2")


def policy(state: TrucoState, sharpness: float) -> tuple[list[str], list[float]]:
    """Return the actions of the awaited seat, and how often each is taken, up to a factor; nothing for the
    latter if the table does not know the spot. Both depend only on what that seat can see. With a
    ``sharpness`` above 1, actions that are rare in the table become rarer.
    """
    number, actions = spot_of(state)
    if len(actions) == 1:
        return actions, [1.0]
    shares = solution_of(state.rules).shares(number)
    return actions, [share**sharpness for share in shares[: len(actions)]]


def choice(state: TrucoState, legal: Sequence[str], sharpness: float, random: random.Random) -> str | None:
    """Return one of the ``legal`` actions of the awaited seat, drawn from its policy, or None if this says
    nothing about them.
    """
    actions, weights = policy(state, sharpness)
    weights = [weight if action in legal else 0.0 for action, weight in zip(actions, weights, strict=False)]
    left = random.random() * sum(weights)
    for action, weight in zip(actions, weights, strict=False):
        left -= weight
        if left < 0.0:
            return action
    return None


def likelihood(world: TrucoState, seat: int, sharpness: float, least: float = 0.0) -> float:
    """Return how likely it is that the seats of ``world`` other than ``seat`` act as they did in the hand, if
    they play by their policy. As soon as it is below ``least``, the rest of the hand does not count.
    """
    weight = 1.0
    for state, action in decisions(world):
        if state.actor != seat and not action.startswith("hide:"):
            actions, weights = policy(state, sharpness)
            if weights:
                weight *= max(SURPRISE, weights[actions.index(action)] / sum(weights))
                if weight < least:
                    break
    return weight


def decisions(world: TrucoState) -> Iterator[tuple[TrucoState, str]]:
    """Yield the state before each card, call and answer of the hand, and what was done. The state changes
    afterwards.
    """
    state = world.clone()
    state.hands = [world.as_dealt(seat) for seat in range(world.rules.seats)]
    state.plays, state.leaders, state.winners = [], [world.forehand], []
    state.truco_seat = state.proposer = NOBODY
    calls: list[Call] = []
    if not world.elevens:
        state.stake = world.rules.low
        state.calls = []
        for number in world.calls:
            call = call_of(number)
            if call.code in (TRUCO, RAISE, ACCEPT, DEFER):
                calls.append(call)
            else:
                state.calls.append(number)
    state.phase, state.actor = PLAY, world.forehand
    state.refresh()
    for played in range(len(world.plays) + 1):
        while calls and calls[0].played == played:
            code = calls.pop(0).code
            action = next(option for option in state.legal if ACTION_CODE[option] == code)
            yield state, action
            state.apply(state.actor, action)
        if played == len(world.plays):
            return
        if len(state.plays) > played:
            continue  # The rules played it (BT-7.4).
        code = world.plays[played]
        action = ("hide:" if code >= FACE_DOWN else "play:") + PACK[code & ~FACE_DOWN]
        yield state, action
        state.apply(state.actor, action)
