"""Flushes files that another process appends to, every second."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

SECONDS: Final = 1.0
"""The pause in seconds between two flushes."""

UNFLUSHED: Final = "{arena}:unflushed"
"""When the files of an embedded database first could not be flushed to disk, in milliseconds."""

log = logging.getLogger(__name__)

_sync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)


class Flusher:
    """Flushes the files returned by ``files()`` if they have changed, in a separate thread.

    Files can appear and disappear. A flush by one process covers what any process has written.
    """

    def __init__(
        self, files: Callable[[], Iterable[Path]], note: Callable[[bool], object] | None = None
    ) -> None:
        """``note`` is called with False when flushes begin to fail, and with True when they work again."""
        self._files = files
        self._note = note
        self._flushed: dict[Path, tuple[int, int, int]] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._failed = ""

    def start(self) -> None:
        """Start the thread, unless it is running."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="flusher", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the current flush."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def flush(self) -> list[Path]:
        """Flush the files that have changed since their last flush, and return them.

        Raises :class:`OSError` if the disk fails; the next call retries.
        """
        done = []
        marks: dict[Path, tuple[int, int, int]] = {}
        for path in self._files():
            try:
                file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                # The server has rewritten the log, removing this file after it flushed the replacement.
                continue
            try:
                # Read before the flush, so that the next flush covers later writes.
                status = os.fstat(file)
                mark = (status.st_ino, status.st_size, status.st_mtime_ns)
                if self._flushed.get(path) != mark:
                    _sync(file)
                    done.append(path)
                marks[path] = mark
            finally:
                os.close(file)
        self._flushed = marks
        return done

    def _run(self) -> None:
        while not self._stop.wait(SECONDS):
            try:
                self.flush()
                if self._failed:
                    self._failed = ""
                    log.warning("flushing data to disk works again")
                    self._tell(True)
            except OSError as error:
                if str(error) != self._failed:
                    if not self._failed:
                        self._tell(False)
                    self._failed = str(error)
                    log.error("cannot flush data to disk: %s", error)

    def _tell(self, works: bool) -> None:
        if self._note is not None:
            self._note(works)


__all__ = ["Flusher"]
