"""Format 6: what owners store counts in their quotas: the lists of bots' logs contain their bytes.

In format 5, these lists contained only the games.
"""

from __future__ import annotations

from arena.records.archive.objects import ObjectStore
from arena.store.repositories import Store


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Replace the lists of logs by rows with their bytes."""
    for bot in store.accounts.bot_names(None, "", -1):
        store.former_logs.convert(bot, store.clock().now_ms)
