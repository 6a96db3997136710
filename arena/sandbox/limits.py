"""Limits of sandboxed bots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FUEL_PER_MS: Final = 2_000_000
"""The units of fuel (about one WebAssembly instruction or copied byte each) that count as a millisecond.

This is about what a core of 2024 executes in a millisecond, but by definition the same on every machine.
"""

MOST_TEXT: Final = 1 << 16
"""The maximum size in bytes of an answer, error or printed text copied out of an instance."""

PROCESSOR_FACTOR: Final = 3
"""The seconds of processor time that a component can use per second of its fuel."""

LEAST_PROCESSOR_SECONDS: Final = 0.5
"""The minimum processor time allowed for a call, however little fuel it has: reading the turn, for instance,
is not the component's work.
"""

COMPILE_MS: Final = (2_000, 8_000)
"""The milliseconds of fuel for compiling a source: for every source, and additionally per MiB."""

COMPILE_BYTES: Final = 512 << 20
"""The memory in bytes of the instance that only compiles a source."""

COMPONENT_MAGIC: Final = b"\0asm\x0d\0\x01\0"
"""The first bytes of every WebAssembly component."""


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of one instance, which plays one seat of one game. Times are milliseconds of fuel."""

    memory_bytes: int = 128 << 20
    """The whole memory of the instance, including the interpreter's 20 MB."""
    load_ms: int = 2_000
    """The limit for running the source once."""
    decision_ms: int = 2_000
    game_ms: int = 60_000
    """The limit for all decisions of a game and for loading the bot."""
    output_chars: int = 20_000
    """The maximum number of printed characters that are kept per game."""
    answer_chars: int = 1_000
    source_bytes: int = 1 << 20
    component_bytes: int = 24 << 20
    backstop_seconds: float = 120
    """The wall-clock limit per call: a call that takes longer is a server fault instead of a fault of the
    bot. It interrupts components. For Python, whose calls all end when fuel runs out, it is checked
    afterwards.
    """


def compile_ms(size: int) -> int:
    """Return the milliseconds of fuel for compiling a source of ``size`` bytes."""
    least, more = COMPILE_MS
    return least + more * size // (1 << 20)


def processor_seconds(fuel: int) -> float:
    """Return the seconds of processor time that a component's call with this fuel can use."""
    return max(LEAST_PROCESSOR_SECONDS, PROCESSOR_FACTOR * fuel / FUEL_PER_MS / 1000)


DEFAULT_LIMITS: Final = SandboxLimits()
