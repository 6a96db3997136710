"""Logs of the processes of ``botequim up``: files of limited size, with one JSON object per line."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections import deque
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Final

from arena.ops.logs import JsonFormatter

MOST_BYTES: Final = 10_000_000
KEPT: Final = 4
"""The number of earlier logs that are kept: a log that would exceed ``MOST_BYTES`` is renamed ``<name>.1``,
and so on.
"""

_LONGEST_LINE: Final = 1 << 16
_REMEMBERED: Final = 200
_WAIT: Final = 5.0
"""Seconds to wait for the remaining output of a process that has ended."""


class _Rotating(RotatingFileHandler):
    """A rotating handler that does not print tracebacks when the disk is full."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)

    def handleError(self, record: logging.LogRecord) -> None:
        """See :class:`logging.Handler`."""


def json_handler(path: Path, process: str) -> logging.Handler:
    """Return a handler that writes this process's log lines to a file of limited size."""
    handler = _Rotating(path)
    handler.setFormatter(JsonFormatter(process))
    return handler


def rotate_if_large(path: Path) -> None:
    """Rotate a log if it is large. The process that writes it must reopen it for each line."""
    with suppress(OSError):
        if path.stat().st_size > MOST_BYTES:
            _Rotating(path).doRollover()


class ProcessLog:
    """The log of one process across all its restarts. Output lines that are not JSON are converted to
    JSON.
    """

    def __init__(self, path: Path, process: str) -> None:
        self.path = path
        self._handler = _Rotating(path)
        self._json = JsonFormatter(process)
        self._last: deque[str] = deque(maxlen=_REMEMBERED)
        self._thread: threading.Thread | None = None

    def pipe(self) -> int:
        """Return a descriptor for the output of a new process. Close it once the process has started."""
        # Messages refer to the file, so it must exist even if the process writes nothing.
        with suppress(OSError):
            self.path.touch()
        read, write = os.pipe()
        last: deque[str] = deque(maxlen=_REMEMBERED)
        self._last = last
        self._thread = threading.Thread(target=self._copy, args=(os.fdopen(read, "rb"), last), daemon=True)
        self._thread.start()
        return write

    def close(self) -> None:
        """Write the remaining output of the process to the log."""
        if self._thread is not None:
            self._thread.join(_WAIT)
        self._handler.close()

    def reason(self) -> str:
        """Return why the most recently started process ended: its last exception on one line, else its last
        line.
        """
        if self._thread is not None:
            self._thread.join(_WAIT)
        lines = [json.loads(line) for line in self._last]
        for line in reversed(lines):
            if "exception" in line:
                return str(str(line["exception"]).strip().splitlines()[-1])
        return str(lines[-1]["message"]) if lines else "its log is empty"

    def _copy(self, pipe: IO[bytes], last: deque[str]) -> None:
        with pipe:
            while data := pipe.readline(_LONGEST_LINE):
                text = data.decode(errors="replace").rstrip()
                if text:
                    line = self._as_json(text)
                    last.append(line)
                    self._handler.handle(logging.makeLogRecord({"msg": line}))

    def _as_json(self, text: str) -> str:
        if text.startswith("{"):
            with suppress(ValueError, TypeError, KeyError):
                json.loads(text)["message"]
                return text
        fields = {"name": "stderr", "levelno": logging.WARNING, "levelname": "WARNING", "msg": text}
        return self._json.format(logging.makeLogRecord(fields))
