"""The archiver process, which writes released records to the archive. No other process writes there."""

from __future__ import annotations

import threading

from arena.live.archiver import PAUSE_MS
from arena.ops.data_check import check_archive
from arena.ops.signals import stop_on_signals
from workers.jobs import service


def archive(pause_ms: int = PAUSE_MS) -> None:
    """Archive records until SIGTERM or SIGINT. Several such processes can run, but only one archives at a
    time.

    Raises :class:`~arena.ops.settings.InvalidSetting` if no archive is configured,
    :class:`~arena.records.archive.archive.ArchiveMismatch` if the archive belongs to another service, and
    other :class:`~arena.errors.ArenaError` if the database is unavailable. If the database or the archive
    becomes unavailable later, the process waits for it.
    """
    service().settings.check_archive()
    service().store.identity.register()
    check_archive(service().settings)
    stop = threading.Event()
    stop_on_signals(stop.set)
    service().archiver().serve(stop, pause_ms)
