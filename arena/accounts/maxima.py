"""The default maxima of what owners store and start. Like the settings, it imports no client of
the database.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.store.amounts import Compute, Stored

MAX_OF_BOT: Final = Stored(1, 200, 64 << 20)
"""The maximum of one bot: versions, and bytes of all its sources."""

DEFAULT_BUDGET: Final = Compute(groups=10_000, fuel_ms=3_600_000)
"""Of one owner and day: groups of the tournaments and qualifications that it starts, and the fuel that
uploaded bots use in them, in milliseconds.
"""


class Quotas(NamedTuple):
    """The maximum that one owner may store, and that the service stores, not counting deleted bots; and the
    number of invitations an owner may make if no admin has allowed more.
    """

    owner: Stored = Stored(bots=50, versions=2_000, bytes=256 << 20)
    service: Stored = Stored(bots=100_000, versions=500_000, bytes=1 << 30)
    invitations: int = 0
