"""Parses and formats times and durations as people and programs write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from typing import Final

from arena.errors import ArenaError
from arena.inputs.numbers import clean_number
from arena.inputs.text import clean

Place = Callable[[datetime], datetime]
"""Attaches the UTC offset of a place to a time without one."""

HERE: Final[Place] = datetime.astimezone
"""The time zone of this machine."""

RFC_3339: Final = "a time: Unix time in milliseconds, or RFC 3339 such as "
"""Begins a description of the times that programs send; an example follows."""

OF_BOTH_FORMS: Final = ", in RFC 3339 or as Unix time in milliseconds"
"""Ends a description of allowed times."""

ANY_DURATION: Final = "a duration such as 90s, 5m, 2h or 1d"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE_MS: Final = 60_000
_DAY: Final = timedelta(days=1)
_LEAP_SECOND: Final = 60
_SECONDS: Final = r":(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?"
_OFFSET: Final = r"Z|UTC|GMT|(?:UTC|GMT)?(?P<sign>[+-])(?P<hours>\d\d?)(?::?(?P<minutes>[0-5]\d))?"
_CLOCK: Final = rf"(?P<hour>\d\d?):(?P<minute>\d\d)(?:{_SECONDS})?(?: ?(?P<offset>{_OFFSET}))?"
_FLAGS: Final = re.ASCII | re.IGNORECASE
_CLOCK_TIME: Final = re.compile(_CLOCK, _FLAGS).fullmatch
_TIME: Final = re.compile(rf"(?P<date>\d{{4}}-\d\d-\d\d)[T ]{_CLOCK}", _FLAGS).fullmatch
_RFC_3339: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", _FLAGS
).fullmatch
_MILLISECONDS: Final = re.compile(r"[0-9]{12,14}").fullmatch
_DURATION: Final = re.compile(r"([0-9]{1,9}(?:[.,][0-9]{1,9})?) ?(s|m|min|h|d)?", _FLAGS).fullmatch
_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def place_at(minutes: int) -> Place:
    """Return the time zone that is ``minutes`` ahead of UTC. Raises ValueError for a day or more."""
    return partial(datetime.replace, tzinfo=timezone(timedelta(minutes=minutes)))


def read_rfc_3339(text: str) -> int:
    """Return an RFC 3339 time in Unix milliseconds. Raises ArenaError."""
    found = _TIME(text)
    try:
        if found and _RFC_3339(text):
            return _at(found, date.fromisoformat(found["date"]), HERE)
    except ValueError:
        pass
    raise ArenaError(f"{text[:40]!r} is not a valid time", expected=rfc_3339_rule())


def rfc_3339_rule() -> str:
    """Return a description of the times that programs can send, with an example in the future."""
    return f"{RFC_3339}{_tomorrow()}T20:00:00Z"


def times_between(low_ms: int, high_ms: int) -> str:
    """Return a description of the allowed times, from ``low_ms``, which can be now, to ``high_ms``.

    To leave people time to act on it, it names the second full minute after ``low_ms`` instead.
    """
    soon_ms = low_ms if low_ms <= 0 else (low_ms // _MINUTE_MS + 2) * _MINUTE_MS
    return f"{in_utc(min(soon_ms, high_ms))} to {in_utc(high_ms)}{OF_BOTH_FORMS}"


def in_utc(ms: int) -> str:
    """Return the time in RFC 3339, to the second."""
    try:
        return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError, OSError):
        return "no date"


def _tomorrow() -> date:
    return (datetime.now(UTC) + _DAY).date()


def read_time(text: str, now_ms: int, place: Place) -> int:
    """Return a time that somebody typed, in Unix milliseconds. It can have a date; without one, it means the
    next such time of day. ``+5m`` means 5 minutes from now. A time without an offset is in the time zone
    ``place``. Raises ArenaError.
    """
    typed = clean_number(text)
    try:
        if typed.startswith("+"):
            return now_ms + round(1000 * read_duration(typed[1:]))
        if _MILLISECONDS(typed):
            return int(typed)
        if found := _TIME(typed):
            return _at(found, date.fromisoformat(found["date"]), place)
        if found := _CLOCK_TIME(typed):
            # In some time zones it is still yesterday, and in others already tomorrow.
            yesterday = (_EPOCH + timedelta(milliseconds=now_ms) - _DAY).date()
            times = (_at(found, yesterday + days * _DAY, place) for days in range(4))
            return next(ms for ms in times if ms > now_ms)
    except (ArenaError, ValueError, OverflowError, OSError):
        pass
    raise ArenaError(
        f"{text[:40]!r} is not a valid time", expected=f"a time such as {_tomorrow()} 20:00, 18:00 or +5m"
    )


def _at(found: re.Match[str], day: date, place: Place) -> int:
    second = int(found["second"] or 0)
    is_leap = second == _LEAP_SECOND
    micro = int((found["fraction"] or "0")[:6].ljust(6, "0"))
    naive = datetime(
        day.year,
        day.month,
        day.day,
        int(found["hour"]),
        int(found["minute"]),
        second - is_leap,
        micro,
    )
    if found["sign"]:
        minutes = 60 * int(found["hours"]) + int(found["minutes"] or 0)
        place = place_at(-minutes if found["sign"] == "-" else minutes)
    elif found["offset"]:
        place = place_at(0)
    moment = place(naive) + timedelta(seconds=is_leap)
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def read_duration(text: str) -> float:
    """Return a duration such as ``90``, ``90s``, ``5m``, ``2h`` or ``1d``, in seconds. Raises ArenaError."""
    found = _DURATION(clean(text))
    if not found:
        raise ArenaError(f"{text[:40]!r} is not a valid duration", expected=ANY_DURATION)
    return float(found[1].replace(",", ".")) * _UNITS[(found[2] or "s").lower()]


def read_period(text: str, field: str) -> tuple[int, int]:
    """Return the beginning and end of a year, month or day (``2026``, ``2026-11``, ``2026-11-22``; UTC) in
    Unix milliseconds. Raises ``invalid_date`` for the given ``field``.
    """
    typed = clean(text)
    for form, step in (("%Y", 366), ("%Y-%m", 31), ("%Y-%m-%d", 1)):
        try:
            begins = datetime.strptime(typed, form).replace(tzinfo=UTC)
            # This is somewhere in the next period; formatting it gives the beginning of that period.
            ends = datetime.strptime((begins + timedelta(days=step)).strftime(form), form).replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            continue
        return int(begins.timestamp() * 1000), int(ends.timestamp() * 1000)
    raise ArenaError(
        f"{text[:40]!r} is not a valid date",
        code="invalid_date",
        field=field,
        expected="a year, month or day, such as 2026-11",
    )
