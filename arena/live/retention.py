"""How long games and their records are kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retention:
    """How long, in seconds, the store keeps a game that is waiting for players, the live data of a finished
    game (its last view and its events), and records (None: forever).
    """

    waiting_s: float = 86_400
    live_s: float = 3_600
    record_s: float | None = None
