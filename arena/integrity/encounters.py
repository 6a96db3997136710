"""What two bots scored in a group, and the gains among such results that look arranged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.play.players import PlayerId

MIN_GROUPS: Final = 8
"""A version is not tested against an owner whose bots it has met in fewer groups."""


class Encounter(NamedTuple):
    """The points, from 0 to 1, of a player against another in one group of a tournament."""

    group: str
    tournament: str
    player: PlayerId
    other: PlayerId
    score: float


@dataclass(frozen=True)
class Gain:
    """A conspicuous result: ``gainer`` scored ``score`` per group in ``groups`` groups against the
    ``helpers``, where ``expected`` was predicted.

    ``tournament`` is the only one in which this happened, or None if it does not depend on the tournament. In
    an honest field, anybody is named for as much with a probability of at most ``chance``. ``meetings`` are
    the groups.
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
