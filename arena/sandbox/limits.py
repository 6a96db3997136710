"""Limits of sandboxed bots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FUEL_PER_MS: Final = 2_000_000
"""Units of fuel (about one WebAssembly instruction or one copied byte each) that count as a millisecond.

About what a core of 2024 executes in a millisecond, by definition the same on every machine.
"""

MOST_TEXT: Final = 1 << 16
"""Bytes of an answer, an error or a printed text that are copied out of an instance."""

PROCESSOR_FACTOR: Final = 3
"""The seconds of processor time that a component may use per second of its fuel."""

LEAST_PROCESSOR_SECONDS: Final = 0.5
"""What a call with little fuel may use: reading the turn, for instance, is not the component's work."""

COMPILE_MS: Final = (2_000, 8_000)
"""Milliseconds of fuel for compiling a source: for every one, and more per MiB of it."""

COMPILE_BYTES: Final = 512 << 20
"""The memory of the instance that compiles a source, and does nothing else."""

COMPONENT_MAGIC: Final = b"\0asm\x0d\0\x01\0"
"""The first bytes of every WebAssembly component."""


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of one instance, which plays one seat of one game. Times are milliseconds of fuel."""

    memory_bytes: int = 128 << 20
    """All of the instance's memory, the interpreter's own 20 MB included."""
    load_ms: int = 2_000
    """For running the source, once."""
    decision_ms: int = 2_000
    game_ms: int = 60_000
    """All decisions of a game and the loading."""
    output_chars: int = 20_000
    """Printed text that is kept per game."""
    answer_chars: int = 1_000
    source_bytes: int = 1 << 20
    component_bytes: int = 24 << 20
    backstop_seconds: float = 120
    """Of wall-clock time, per call: a call that took longer is a server fault, not the bot's. It interrupts
    components; for Python, whose calls are all ended by fuel, it is checked afterwards.
    """


def compile_ms(size: int) -> int:
    """Return the milliseconds of fuel for compiling a source of ``size`` bytes."""
    least, more = COMPILE_MS
    return least + more * size // (1 << 20)


def processor_seconds(fuel: int) -> float:
    """Return the processor time that a call of a component with this fuel may use."""
    return max(LEAST_PROCESSOR_SECONDS, PROCESSOR_FACTOR * fuel / FUEL_PER_MS / 1000)


DEFAULT_LIMITS: Final = SandboxLimits()
