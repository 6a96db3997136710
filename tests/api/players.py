"""Simple players for the tests: they answer turns over whatever client they are given."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Exchange = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], Mapping[str, Any]]
"""``exchange(query, answers)`` posts to ``/v1/turns`` and returns the reply's body."""


class Player:
    """A bot that plays at random, one request at a time."""

    def __init__(self, exchange: Exchange, seed: int = 0) -> None:
        self._exchange = exchange
        self._random = random.Random(seed)
        self._cursor: str | None = None
        self.turns: list[Mapping[str, Any]] = []
        self.accepted = 0
        self.refused: list[Mapping[str, Any]] = []
        self.seen: list[Mapping[str, Any]] = []

    def step(self, wait: float = 0) -> int:
        """Answer what must be answered and get the next turns; how many answers were sent."""
        answers = [
            {"turn": turn["turn"], "action": self._random.choice(turn["legal_actions"])}
            for turn in self.turns
            if not turn["optional"]
        ]
        query: dict[str, Any] = {"wait": wait} if wait else {}
        if self._cursor is not None:
            query["after"] = self._cursor
        reply = self._exchange(query, answers)
        for result in reply["results"]:
            if result["status"] == "accepted":
                self.accepted += 1
            else:
                self.refused.append(result)
        self.turns = reply["turns"]
        self.seen += self.turns
        self._cursor = reply["cursor"]
        return len(answers)


def play_out(players: Sequence[Player], rounds: int = 5000) -> None:
    """Let the players step in turn until nobody has anything to answer."""
    idle = 0
    for _ in range(rounds):
        idle = 0 if sum(player.step() for player in players) else idle + 1
        if idle > 2:
            return
    raise AssertionError("the game does not end")
