"""Attendance: when the only person at a table was last there, and for how long the table was paused.

The table is paused while the person is gone. Its clocks then stop, as in an outage of the service.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.play.clocks import ServiceClock

GONE_MS: Final = 60_000
"""A table is paused when its only person has sent no request for this long. Longer than the longest wait of
the page for news.
"""

ENDS_MS: Final = 900_000
"""A table becomes void when its only person has sent no request for this long."""

NOTE_EVERY_MS: Final = 10_000
"""A process stores the attendance at one table at most this often."""

NOTICE_MS: Final = 60_000
"""For how long the page says that the table was paused."""

NOBODY_THERE: Final = f"nobody was at the table for {ENDS_MS // 60_000} minutes"
"""The reason of a game that is void because its only person did not come back."""


class Attendance(NamedTuple):
    """When the person sent the last request, the length of all earlier pauses, and the end and the length of
    the last one. Times are in milliseconds of the served time, which excludes outages.
    """

    seen_ms: int
    paused_ms: int = 0
    back_ms: int = 0
    last_ms: int = 0

    @classmethod
    def restore(cls, stored: bytes) -> Attendance:
        """Return the attendance stored by ``attend.lua``. Raises ValueError or TypeError."""
        return cls(*map(int, stored.split()))

    def gone_ms(self, clock: ServiceClock) -> int:
        """Return for how long the person has been gone."""
        return served_ms(clock) - self.seen_ms

    def is_paused(self, clock: ServiceClock) -> bool:
        """Return whether the person has been gone for so long that the table is paused."""
        return self.gone_ms(clock) > GONE_MS

    def pauses_at_ms(self, clock: ServiceClock) -> int:
        """Return when the table will be paused if the person sends no request and there is no outage."""
        return self.seen_ms + GONE_MS + clock.outage_ms + 1

    def ends_at_ms(self, clock: ServiceClock) -> int:
        """Return when the game will be void if the person does not come back."""
        return self.seen_ms + ENDS_MS + clock.outage_ms

    def table_clock(self, clock: ServiceClock) -> ServiceClock:
        """Return the clock of the table, for which pauses are outages."""
        pause_ms = self.paused_ms + max(0, self.gone_ms(clock) - GONE_MS)
        return ServiceClock(clock.now_ms, clock.outage_ms + pause_ms)

    def notice(self, clock: ServiceClock) -> str:
        """Return what the page says about a pause that has just ended, or an empty text."""
        if not self.last_ms or served_ms(clock) - self.back_ms > NOTICE_MS:
            return ""
        seconds = self.last_ms // 1000
        length = f"{seconds // 60}:{seconds % 60:02d} minutes"
        return f"The table was paused for {length} because you were away. No time was used up."


def served_ms(clock: ServiceClock) -> int:
    """Return the time less all outages of the service."""
    return clock.now_ms - clock.outage_ms
