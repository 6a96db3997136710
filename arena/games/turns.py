"""The type of a turn. ``docs/turns.md`` describes its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict


class Turn(TypedDict):
    """One decision offered to one bot. The JSON is the same on all transports. ``observation`` and ``events``
    differ between games; see each game's module ``seen``.
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
