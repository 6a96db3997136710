"""Files that another process appends to, flushed to disk every second."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

SECONDS: Final = 1.0
"""The pause between two flushes."""

UNFLUSHED: Final = "{arena}:unflushed"
"""Since when the files of an embedded database cannot be flushed to disk, in milliseconds."""

log = logging.getLogger(__name__)

_sync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)


class Flusher:
    """Flushes the files that ``files()`` returns if they have changed, in a separate thread.

    Files may appear and disappear. A flush by one process covers what any process has written.
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
        """Start the thread, once."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="flusher", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop after the current flush."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def flush(self) -> list[Path]:
        """Flush the files that have changed since their last flush, and return them.

        Raises :class:`OSError` if the disk fails; the next call tries again.
        """
        done = []
        marks: dict[Path, tuple[int, int, int]] = {}
        for path in self._files():
            try:
                file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                # A rewrite has removed it, after it flushed its replacement.
                continue
            try:
                # Before the flush: the next flush covers later writes.
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
                    log.warning("the data are flushed to disk again")
                    self._tell(True)
            except OSError as error:
                if str(error) != self._failed:
                    if not self._failed:
                        self._tell(False)
                    self._failed = str(error)
                    log.error("the data cannot be flushed to disk: %s", error)

    def _tell(self, works: bool) -> None:
        if self._note is not None:
            self._note(works)


__all__ = ["Flusher"]
