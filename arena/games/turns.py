"""The type of a turn; ``docs/turns.md`` says what its fields are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict


class Turn(TypedDict):
    """One decision offered to one bot; the same JSON on every transport. What is in ``observation`` and
    ``events`` differs from game to game: see the module ``seen`` of each.
    """

    turn: str
    game: str
    kind: str
    rules: Mapping[str, Any]
    seat: int
    optional: bool
    legal_actions: list[str]
    default_action: str | None
    deadline_ms: int | None
    bank_ms: int | None
    observation: Any
    events: list[Any]
