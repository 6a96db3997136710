"""Scores of two bots in a group, and gains among such results that look arranged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.play.players import PlayerId

MIN_GROUPS: Final = 8
"""The minimum number of groups that a version must have played against an owner's bots to be tested against
them.
"""


class Encounter(NamedTuple):
    """The points, from 0 to 1, that a player scored against another in one group of a tournament."""

    group: str
    tournament: str
    player: PlayerId
    other: PlayerId
    score: float


@dataclass(frozen=True)
class Gain:
    """A conspicuous result of ``gainer`` against ``helpers``: it scored ``score`` per group in ``groups``
    groups, although ``expected`` was predicted.

    ``tournament`` is the only tournament in which this happened, or None if the gain does not depend on the
    tournament. ``chance`` is an upper bound on the probability that such a gain is reported for any bot in an
    honest field. ``meetings`` are the encounters in these groups.
    """

    gainer: PlayerId
    helpers: tuple[PlayerId, ...]
    tournament: str | None
    score: float
    expected: float
    chance: float
    meetings: tuple[Encounter, ...]

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.meetings)
