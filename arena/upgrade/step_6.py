"""Format 6: the documents of owners and the logs of bots are counted by bytes.

In format 5, documents were not counted, and the lists of logs contained only the games.
"""

from __future__ import annotations

from arena.records.archive.objects import ObjectStore
from arena.store.repositories import Store


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Count the bytes of documents, and replace the lists of logs by rows with their bytes."""
    for documents in store.owned:
        documents.recount()
    for owner in store.former_logs.inviting():
        store.invited_by(owner).recount()
    for bot in store.accounts.bot_names(None, "", -1):
        store.former_logs.convert(bot, store.clock().now_ms)
