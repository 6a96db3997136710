"""The check before the service starts that the archive is that of the database."""

from __future__ import annotations

from contextlib import suppress

from arena.live.finished import FinishedGames
from arena.ops.settings import Settings
from arena.records.archive.archive import Archive
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.places import open_objects
from arena.store.connection import StoreUnavailable
from arena.store.repositories import open_store


def check_archive(settings: Settings) -> None:
    """Check that the archive of the settings, if any, is that of the database. If one of the two is not
    available now, the first use of the archive checks it.

    Raises :class:`~arena.records.archive.archive.ArchiveMismatch`.
    """
    if not settings.archive:
        return
    objects = open_objects(settings.archive)
    with suppress(StoreUnavailable, ArchiveUnavailable):
        store = open_store(settings.redis_url, max_connections=1)
        try:
            FinishedGames(store, Archive(objects)).check()
        finally:
            store.close()
