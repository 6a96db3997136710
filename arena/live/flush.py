"""Files that another process appends to, flushed to disk every second."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

SECONDS: Final = 1.0
"""From the end of one flush to the begin of the next."""

log = logging.getLogger(__name__)

_sync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)


class Flusher:
    """Flushes what has changed of the files that ``files()`` names, in a thread of its own.

    They may come and go. A flush by one process covers what any process has written.
    """

    def __init__(self, files: Callable[[], Iterable[Path]]) -> None:
        self._files = files
        self._flushed: dict[Path, tuple[int, int, int]] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._failed = ""

    def start(self) -> None:
        """Begin, if it has not."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="flusher", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End after the flush that is under way."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def flush(self) -> list[Path]:
        """Flush the files that have changed since they were last flushed; which these are.

        Raises :class:`OSError` if the disk does not take them; the next call tries them again.
        """
        done = []
        marks: dict[Path, tuple[int, int, int]] = {}
        for path in self._files():
            try:
                file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                # A rewrite has taken it away, and flushed what stands for it.
                continue
            try:
                # Before the flush: what comes meanwhile is for the next.
                told = os.fstat(file)
                mark = (told.st_ino, told.st_size, told.st_mtime_ns)
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
                self._failed = ""
            except OSError as error:
                if str(error) != self._failed:
                    self._failed = str(error)
                    log.error("the data cannot be flushed to disk: %s", error)


__all__ = ["Flusher"]
