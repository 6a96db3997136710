"""The type of a turn; ``docs/turns.md`` describes its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict


class Turn(TypedDict):
    """One decision offered to one bot; the same JSON on every transport. The contents of ``observation`` and
    ``events`` differ from game to game: see the module ``seen`` of each.
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
