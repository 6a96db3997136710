"""Log records as JSON lines. Imports nothing of the app: gunicorn loads this before patching sockets."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime
from typing import Any, Final

import orjson

_TOKEN: Final = re.compile(r'(btq_[a-z]_[a-z0-9-]*)_[A-Za-z0-9_-]+|(Bearer)\s+[^\s"\\]+')
_OWN_FIELDS: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON and cuts anything that looks like a token."""

    def format(self, record: logging.LogRecord) -> str:
        """See :class:`logging.Formatter`."""
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        entry.update((key, value) for key, value in vars(record).items() if key not in _OWN_FIELDS)
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return _TOKEN.sub(r"\1\2 [cut]", orjson.dumps(entry, default=str).decode())
