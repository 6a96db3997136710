"""The actions that a house bot would have chosen at the decisions of a recorded game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from arena.games.kernel import Turn
from arena.records.decisions import RecordedDecision, decisions
from arena.records.record import Record

REVIEWER: Final = "shark"

Reviewer = Callable[[str, int, Turn, int], str | None]
"""A function ``choose(name, seat, turn, seed)`` that returns the action of house bot ``name``, or None to
pass an optional turn.
"""


class Remark(NamedTuple):
    """A decision, and the action that the reviewer would have chosen."""

    decision: RecordedDecision
    action: str | None

    @property
    def same(self) -> bool:
        """Whether the reviewer would have chosen the recorded action."""
        return self.action == self.decision.action


def own_decisions(record: Record, seats: Collection[int]) -> Iterator[RecordedDecision]:
    """Yield the actions in a verified record that the players at ``seats`` chose themselves."""
    for one in decisions(record):
        if one.seat in seats and one.action is not None and one.mark is None:
            yield one


def remark_on(record: Record, one: RecordedDecision, choose: Reviewer) -> Remark:
    """Ask the reviewer for its action at a decision of the record."""
    seed = review_seed(record["canonical"]["seed"], one.id)
    return Remark(one, choose(REVIEWER, one.seat, one.turn, seed))


def review_seed(seed: str, turn: str) -> int:
    """Return the seed of the reviewer's randomness at a turn. ``seed`` is the seed of the game."""
    return int.from_bytes(sha256(f"review {seed} {turn}".encode()).digest())
