"""Checks of the data before the service starts."""

from __future__ import annotations

from contextlib import suppress

from arena.live.finished import FinishedGames
from arena.ops.settings import Settings
from arena.records.archive.archive import Archive
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.places import open_objects
from arena.store.connection import StoreUnavailable
from arena.store.repositories import open_store
from arena.upgrade import upgrade


def check_data(settings: Settings, *, is_alone: bool = False) -> None:
    """Check that the data are in this program's format, and call :func:`check_archive`. If ``is_alone``, no
    other process uses the database, and data in an older format are upgraded. If the database is unavailable
    now, each process checks the format itself.

    Raises :class:`~arena.store.identity.UnknownFormat`, :class:`~arena.store.identity.StoreReplaced` if the
    database is being restored, and the errors of :func:`check_archive`.
    """
    settings.check_archive()
    with suppress(StoreUnavailable):
        store = open_store(settings.redis_url, max_connections=1)
        try:
            if is_alone:
                upgrade(store, open_objects(settings.archive))
            store.identity.register()
        finally:
            store.close()
    check_archive(settings)


def check_archive(settings: Settings) -> None:
    """Check that an archive is configured and belongs to the database. If either is unavailable now, the
    check is repeated when the archive is first used.

    Raises :class:`~arena.ops.settings.InvalidSetting` and
    :class:`~arena.records.archive.archive.ArchiveMismatch`.
    """
    settings.check_archive()
    objects = open_objects(settings.archive)
    with suppress(StoreUnavailable, ArchiveUnavailable):
        store = open_store(settings.redis_url, max_connections=1)
        try:
            FinishedGames(store, Archive(objects)).opened()
        finally:
            store.close()
