"""Structured logs: one JSON object per line, with the request's id and without tokens."""

from __future__ import annotations

import logging
import sys

from flask import has_request_context, request

from api.edge import REQUEST_ID
from api.jsonlines import JsonFormatter


def _add_request_id(record: logging.LogRecord) -> bool:
    if has_request_context():
        record.request_id = request.environ.get(REQUEST_ID)
    return True


def set_up_logging(level: str) -> None:
    """Log to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(_add_request_id)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
