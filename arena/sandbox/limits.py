"""Limits of sandboxed bots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FUEL_PER_MS: Final = 2_000_000
"""The units of fuel (about one WebAssembly instruction or copied byte each) that count as a millisecond.

This is about what a core of 2024 executes in a millisecond, but by definition the same on every machine.
"""

CALL_FUEL: Final = FUEL_PER_MS // 50
"""The fuel that a call of the host costs, about 20 µs, so that bots pay for the host's work."""

BYTE_FUEL: Final = 10
"""The fuel that a byte costs which the host copies for a bot."""

MOST_TEXT: Final = 1 << 16
"""The maximum size in bytes of an answer, error or printed text copied out of an instance."""

PROCESSOR_FACTOR: Final = 8
"""The seconds of processor time that a call of a module can use per second of its fuel. Honest code uses 0.1
to 1.3, and about 5 with a table that is larger than the processor's caches.
"""

LEAST_PROCESSOR_SECONDS: Final = 0.25
"""The processor time that a call can use however little fuel it uses."""

MOST_PROCESSOR_SECONDS: Final = 6.0
"""The processor time that a call can use at most, so that no call holds a worker for long."""

COMPILE_MS: Final = (2_000, 8_000)
"""The milliseconds of fuel for compiling a source: for every source, and additionally per MiB."""

COMPILE_BYTES: Final = 512 << 20
"""The memory in bytes of the instance that only compiles a source."""

MODULE_MAGIC: Final = b"\0asm\x01\0\0\0"
"""The first bytes of every WebAssembly module."""

COMPONENT_MAGIC: Final = b"\0asm\x0d\0\x01\0"
"""The first bytes of every WebAssembly component, of which the arena runs none."""


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of one instance, which plays one seat of one game. Times are milliseconds of fuel."""

    memory_bytes: int = 128 << 20
    """The whole memory of the instance, including the interpreter's 20 MB."""
    load_ms: int = 2_000
    """The limit for running the source once."""
    decision_ms: int = 2_000
    game_ms: int = 60_000
    """The limit for all decisions of a game and for loading the bot. In this sum, a call of a module counts
    with its processor time if that is longer than its fuel.
    """
    output_chars: int = 20_000
    """The maximum number of printed characters that are kept per game."""
    answer_chars: int = 1_000
    source_bytes: int = 1 << 20
    module_bytes: int = 8 << 20


def compile_ms(size: int) -> int:
    """Return the milliseconds of fuel for compiling a source of ``size`` bytes."""
    least, more = COMPILE_MS
    return least + more * size // (1 << 20)


def processor_seconds(fuel: int) -> float:
    """Return the seconds of processor time that a call of a module can use for this fuel."""
    seconds = PROCESSOR_FACTOR * fuel / FUEL_PER_MS / 1000
    return min(max(LEAST_PROCESSOR_SECONDS, seconds), MOST_PROCESSOR_SECONDS)


DEFAULT_LIMITS: Final = SandboxLimits()
