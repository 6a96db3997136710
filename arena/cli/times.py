"""Times and durations as commands take them."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Final

import click

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LATE_MS: Final = 60_000
"""How far in the past a time may lie that was meant to be now."""


def seconds(text: str) -> float:
    """A time such as ``90``, ``90s``, ``5m``, ``2h`` or ``1d``, in seconds."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhd]?)", text)
    if not found:
        raise click.BadParameter(f"{text!r} is not a duration; expected for instance 90s, 5m, 2h or 1d")
    return float(found[1]) * _UNITS[found[2] or "s"]


def moment(text: str) -> int:
    """A time: ``+5m`` (from now) or ``2026-12-31T20:00`` (UTC by default), in Unix milliseconds."""
    if text.startswith("+"):
        return round(1000 * (time.time() + seconds(text[1:])))
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a time; expected for instance +5m or 2026-12-31T20:00"
        ) from None
    return round(1000 * (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


def future(text: str) -> int:
    """As :func:`moment`, but not in the past."""
    ms = moment(text)
    if ms < 1000 * time.time() - _LATE_MS:
        raise click.BadParameter(f"{text} is in the past; expected for instance +5m, or a later time in UTC")
    return ms
