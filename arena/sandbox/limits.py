"""What a sandboxed bot may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FUEL_PER_MS: Final = 2_000_000
"""Units of fuel (about one WebAssembly instruction or one copied byte each) that count as a millisecond.

It is what a core of 2024 does in about a millisecond, and a definition: the same on every machine.
"""

COMPONENT_MAGIC: Final = b"\0asm\x0d\0\x01\0"
"""What every WebAssembly component begins with."""


@dataclass(frozen=True)
class Limits:
    """The limits of one instance, which plays one seat of one game. Times are milliseconds of fuel."""

    memory_bytes: int = 128 << 20
    """All of the instance's memory, the interpreter's own 20 MB included."""
    load_ms: int = 2_000
    """To run the source, once."""
    decision_ms: int = 2_000
    game_ms: int = 60_000
    """All decisions of a game and the loading."""
    output_chars: int = 20_000
    """Printed text that is kept per game."""
    answer_chars: int = 1_000
    source_bytes: int = 256 << 10
    component_bytes: int = 24 << 20
    backstop_seconds: float = 120
    """Of the wall's clock, per call: a call that took longer is the service's fault, not the bot's. Fuel ends
    every call; this is looked at afterwards.
    """


DEFAULT_LIMITS: Final = Limits()
