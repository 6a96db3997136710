"""Thinking time in milliseconds: a budget per decision, and a bank per game for time beyond the budget.

All times are the database server's. An outage of the service stops every clock: clocks use the server's time
minus the total length of its outages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

from arena.errors import ArenaError

MAX_TURN_MS: Final = 7 * 86_400_000
MAX_BANK_MS: Final = 30 * 86_400_000

STILL_MS: Final = 22_000
"""For how long a clock stands still after the service had no room for a request of the bot: longer than any
pause that the client makes before it tries again.
"""

MOST_STILL_MS: Final = 600_000
"""For how long, at most, one clock stands still in one game for this reason."""


class ServiceClock(NamedTuple):
    """The server's time and the total length of the service's outages so far."""

    now_ms: int
    outage_ms: int


class InvalidClock(ArenaError):
    """Raised for clock settings with an unknown name, a wrong type or a value out of range."""

    code: ClassVar[str] = "invalid_clock"


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The settings of a clock: ``per_turn_ms`` per decision, and ``bank_ms`` per seat and game.

    For ``format`` and ``unknown``, see :mod:`arena.store.rows`.
    """

    per_turn_ms: int = 30_000
    bank_ms: int = 60_000
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def parse(cls, value: Mapping[str, Any] | None) -> ClockSettings:
        """Return the settings in a request, with defaults for missing ones, or those of the named ``preset``
        of ``CLOCKS``. Raises :class:`InvalidClock`.
        """
        given = dict(value or {})
        if "preset" in given:
            return _preset(given)
        for name, number in given.items():
            if name not in _LIMITS:
                raise InvalidClock(
                    f"{name!r} is not a clock setting",
                    field=f"clock.{name}",
                    expected="one of " + ", ".join((*_LIMITS, "preset")),
                )
            low, high = _LIMITS[name]
            if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
                raise InvalidClock(
                    f"{number!r} is not a valid time for {name}",
                    field=f"clock.{name}",
                    expected=f"a whole number of milliseconds from {low} to {high}",
                )
        return cls(**given)

    def as_json(self) -> dict[str, int]:
        """Return the settings in the format of requests and views."""
        return {"per_turn_ms": self.per_turn_ms, "bank_ms": self.bank_ms}


STANDARD: Final = "standard"
PATIENT: Final = "patient"
CLOCKS: Final = {STANDARD: ClockSettings(), PATIENT: ClockSettings(120_000, 1_200_000)}
"""Clock presets by name: the default, and one for language models and for people who take their time."""


def _preset(given: Mapping[str, object]) -> ClockSettings:
    name = given["preset"]
    if len(given) > 1:
        raise InvalidClock(
            "a clock preset cannot be combined with other settings",
            field="clock.preset",
            expected="either a preset or " + " and ".join(_LIMITS),
        )
    if not isinstance(name, str) or name not in CLOCKS:
        raise InvalidClock(
            f"there is no clock preset {str(name)[:40]!r}",
            field="clock.preset",
            expected="one of " + ", ".join(CLOCKS),
        )
    return CLOCKS[name]


_LIMITS: Final = {"per_turn_ms": (100, MAX_TURN_MS), "bank_ms": (0, MAX_BANK_MS)}


class TimeLeft(NamedTuple):
    """The remaining time of the current decision's budget, and of the bank."""

    deadline_ms: int
    bank_ms: int


class SeatClock:
    """The clock of one seat. It runs while the seat has a turn that it must answer, and stands still until
    ``still_until_ms``. ``stood_ms`` is for how long it has stood still during turns, and ``started_ms`` is
    later by as much as it stands still in the current one. ``more`` holds fields stored by a newer version of
    the program.
    """

    __slots__ = ("bank_ms", "more", "outage_ms", "started_ms", "still_until_ms", "stood_ms", "turn")

    def __init__(
        self,
        bank_ms: int,
        turn: int = 0,
        started_ms: int = 0,
        outage_ms: int = 0,
        still_until_ms: int = 0,
        stood_ms: int = 0,
        *more: object,
    ) -> None:
        self.bank_ms = bank_ms
        self.turn = turn
        self.started_ms = started_ms
        self.outage_ms = outage_ms
        self.still_until_ms = still_until_ms
        self.stood_ms = stood_ms
        self.more = more

    @classmethod
    def restore(cls, values: Sequence[Any]) -> SeatClock:
        """Restore a clock from the output of :meth:`as_json`. Raises TypeError or ValueError for any other
        values.
        """
        bank_ms, turn, started_ms, outage_ms, *more = values
        still: Sequence[Any] = (0, 0)
        if more and isinstance(more[0], list):
            still = more.pop(0)
        for value in (bank_ms, turn, started_ms, outage_ms, *still):
            if type(value) is not int:
                raise TypeError(f"a stored clock must consist of whole numbers, not {value!r}")
        still_until_ms, stood_ms = still
        return cls(bank_ms, turn, started_ms, outage_ms, still_until_ms, stood_ms, *more)

    def run(self, turn: int, settings: ClockSettings, clock: ServiceClock) -> None:
        """Start the clock for the turn with this number, or stop it if the number is 0. The clock of the
        current turn keeps running.
        """
        if turn == self.turn:
            return
        rest_ms = max(0, self.still_until_ms - clock.now_ms)
        if self.turn:
            self.bank_ms = self.left(settings, clock).bank_ms
            self.stood_ms -= rest_ms
        self.turn, self.outage_ms = turn, clock.outage_ms
        self.started_ms = clock.now_ms
        if turn:
            rest_ms = min(rest_ms, MOST_STILL_MS - self.stood_ms)
            self.stood_ms += rest_ms
            self.started_ms += rest_ms
            self.still_until_ms = min(self.still_until_ms, self.started_ms)

    def stand_still(self, clock: ServiceClock) -> None:
        """Stop the clock for :data:`STILL_MS` from now, but during the turns of a game for at most
        :data:`MOST_STILL_MS`.
        """
        begin_ms = max(clock.now_ms, self.still_until_ms)
        more_ms = clock.now_ms + STILL_MS - begin_ms
        if self.turn:
            more_ms = min(more_ms, MOST_STILL_MS - self.stood_ms)
        if more_ms <= 0:
            return
        self.still_until_ms = begin_ms + more_ms
        if self.turn:
            self.stood_ms += more_ms
            self.started_ms += more_ms

    def left(self, settings: ClockSettings, clock: ServiceClock) -> TimeLeft:
        """Return the remaining time of a running clock, which is never negative."""
        now_ms = max(clock.now_ms, self.still_until_ms)
        used = now_ms - self.started_ms - (clock.outage_ms - self.outage_ms)
        beyond = max(0, used - settings.per_turn_ms)
        return TimeLeft(
            min(settings.per_turn_ms, max(0, settings.per_turn_ms - used)), max(0, self.bank_ms - beyond)
        )

    def deadline(self, settings: ClockSettings, clock: ServiceClock) -> int:
        """Return when the budget and the bank will be used up, assuming no further outage. The table then
        acts for the seat.
        """
        return self.started_ms + settings.per_turn_ms + self.bank_ms + clock.outage_ms - self.outage_ms

    def as_json(self) -> list[object]:
        """Return the stored form."""
        own = (self.bank_ms, self.turn, self.started_ms, self.outage_ms)
        # Few clocks ever stand still.
        still = ([self.still_until_ms, self.stood_ms],) if self.still_until_ms else ()
        return [*own, *still, *self.more]
