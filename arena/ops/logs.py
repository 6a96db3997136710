"""Logging of every process: one JSON object per line on standard error, or text if that is a terminal.

A line has ``time``, ``level``, ``process``, ``logger``, ``message``, the fields of the enclosing
:func:`log_fields`, and its own fields. This module imports no other part of the service, because gunicorn
loads it before gevent patches the sockets.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType, TracebackType
from typing import Any, Final

_TOKEN: Final = re.compile(r'(btq_[a-z]_[a-z0-9-]*)_[A-Za-z0-9_-]+|(Bearer)\s+[^\s"\\]+')
_OWN_FIELDS: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
_FIELDS: Final[ContextVar[Mapping[str, Any]]] = ContextVar("log_fields", default=MappingProxyType({}))

REQUEST_ID: Final = "request_id"
"""The field with the id of the HTTP request that caused a line, directly or through a job."""

log = logging.getLogger("botequim.process")


@contextmanager
def log_fields(**fields: object) -> Iterator[None]:
    """Add fields to all log lines from this thread inside the block."""
    token = _FIELDS.set({**_FIELDS.get(), **fields})
    try:
        yield
    finally:
        _FIELDS.reset(token)


def begin_request(request_id: str) -> None:
    """Tag every log line from this thread with this request id, clearing any other fields, until the next
    request.
    """
    _FIELDS.set({REQUEST_ID: request_id})


def current_request() -> str | None:
    """Return the id of the HTTP request that caused this thread's current work, if any."""
    return _FIELDS.get().get(REQUEST_ID)


class JsonFormatter(logging.Formatter):
    """Formats a log record as one line of JSON, and redacts anything that looks like a token."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """See :class:`logging.Formatter`."""
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": self._process,
            "pid": record.process,
            "logger": record.name,
            "message": record.getMessage(),
            **_FIELDS.get(),
        }
        entry.update((key, value) for key, value in vars(record).items() if key not in _OWN_FIELDS)
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return _without_tokens(json.dumps(entry, default=str))


class TextFormatter(logging.Formatter):
    """Formats a log record as text for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """See :class:`logging.Formatter`."""
        return _without_tokens(super().format(record))


def set_up_logging(process: str, level: str) -> None:
    """Log to standard error, including warnings and uncaught exceptions. ``process`` is ``api``, ``worker``
    and so on.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TextFormatter() if sys.stderr.isatty() else JsonFormatter(process))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # RQ's line for each job is of no use to an operator.
    logging.getLogger("rq").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda thrown: _log_uncaught(
        thrown.exc_type, thrown.exc_value or thrown.exc_type(), thrown.exc_traceback
    )


def set_up_foreground_logging() -> None:
    """Log warnings to standard error as text, for a command run by a person. The command can add handlers."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TextFormatter())
    handler.setLevel(logging.WARNING)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    log.critical("%s: %s", kind.__name__, error, exc_info=(kind, error, trace))


def _without_tokens(line: str) -> str:
    return _TOKEN.sub(r"\1\2 [cut]", line)
