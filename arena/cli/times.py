"""Times and durations as commands take them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

import click

from arena.errors import ArenaError
from arena.inputs.times import HERE, read_duration, read_time

_LATE_MS: Final = 60_000
"""How far in the past a time may lie that was meant to be now."""

_Value = TypeVar("_Value")


def seconds(text: str) -> float:
    """Parse a duration such as ``90``, ``90s``, ``5m``, ``2h`` or ``1d``, and return it in seconds."""
    return _read(lambda: read_duration(text))


def moment(text: str) -> int:
    """Parse a time such as ``+5m``, ``18:00`` or ``2026-12-31 20:00``, and return it in Unix milliseconds. It
    is local time if it has no offset.
    """
    return _read(lambda: read_time(text, _now_ms(), HERE))


def future(text: str) -> int:
    """Parse a time like :func:`moment`, and refuse one in the past."""
    ms = moment(text)
    if ms < _now_ms() - _LATE_MS:
        raise click.BadParameter(f"{text} is in the past; expected a later time, such as +5m or 18:00")
    return ms


def _now_ms() -> int:
    return round(1000 * time.time())


def _read(read: Callable[[], _Value]) -> _Value:
    try:
        return read()
    except ArenaError as error:
        raise click.BadParameter(str(error)) from None
