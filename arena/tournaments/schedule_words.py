"""Human-readable descriptions of what a schedule waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from arena.text import relative

WaitsFor = Literal["time", "bots", "tournament"]
WAITS_FOR: Final = ("time", "bots", "tournament")
"""``time``: the schedule announces a tournament at its next time. ``bots``: it rests, and announces a
tournament as soon as a bot arrives that needs groups. ``tournament``: its last tournament is not over.
"""

RESTS: Final = "as soon as a new bot comes"


def next_words(schedule: Mapping[str, Any], now_ms: int) -> str:
    """Return when a schedule announces its next tournament, for example ``in 4 min``."""
    waits_for = schedule["waits_for"]
    if waits_for == "bots":
        return RESTS
    if waits_for == "tournament":
        return "after the current one"
    if waits_for == "time":
        return relative(schedule["next_ms"], now_ms)
    return "never" if schedule["enabled"] else "paused"
