"""The default limits on what owners store and start. Like the settings module, this one imports no database
client.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.store.amounts import Compute, Stored

MAX_OF_BOT: Final = Stored(1, 200, 64 << 20)
"""The limits of one bot: its versions, and the total bytes of their sources."""

DEFAULT_BUDGET: Final = Compute(groups=10_000, fuel_ms=3_600_000)
"""The daily budget of an owner: groups of the tournaments and qualifications that it starts, and milliseconds
of processor time of its jobs.
"""

DEFAULT_DAILY: Final = Compute(groups=2_000, fuel_ms=600_000)
"""What daily play can use per day on all boards together. Without groups, there is none."""

DEFAULT_EXHIBITION_MS: Final = 1_200_000
"""The milliseconds of processor time per day for exhibition games. Without any, there are none."""

DEFAULT_GUEST_MS: Final = 360_000
"""The milliseconds of processor time per day for a guest."""


class DayBytes(NamedTuple):
    """The bytes of live games and announced tournaments that an owner and a guest can add per day. They count
    in no quota, because finished games move to the archive.
    """

    owner: int = 256 << 20
    guest: int = 16 << 20


GUESTS_PER_ADDRESS: Final = 10
"""All guests of an address together have the budget of this many guests."""


class Quotas(NamedTuple):
    """The amounts that one owner and the whole service can store, not counting deleted bots, the number of
    invitations an owner can create if no admin has allowed more, and how many tournaments that are not over
    an owner can have announced.
    """

    owner: Stored = Stored(bots=50, versions=2_000, bytes=256 << 20)
    service: Stored = Stored(bots=100_000, versions=500_000, bytes=1 << 30)
    invitations: int = 0
    tournaments: int = 50
