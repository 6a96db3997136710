"""The process that writes released records to the archive. It is the only one that writes there."""

from __future__ import annotations

import threading

from arena.live.archiver import PAUSE_MS
from arena.ops.data_check import check_archive
from arena.ops.signals import stop_on_signals
from workers.jobs import service


def archive(pause_ms: int = PAUSE_MS) -> None:
    """Archive records until SIGTERM or SIGINT. Several processes may run, one of which archives at a time.

    Raises :class:`~arena.ops.settings.InvalidSetting` without an archive,
    :class:`~arena.records.archive.archive.ArchiveMismatch` for that of another service, and other
    :class:`~arena.errors.ArenaError` if there is no database. If the database or the archive goes away later,
    the process waits for it.
    """
    service().settings.check_archive()
    service().store.identity.register()
    check_archive(service().settings)
    stop = threading.Event()
    stop_on_signals(stop.set)
    service().archiver().serve(stop, pause_ms)
