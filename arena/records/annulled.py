"""Annulments of groups in their records, which stay as they were written: readers lay them over records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.records.record import dumps


def annulled_info(annulment: Mapping[str, Any]) -> dict[str, str]:
    """Return what an annulment changes in the part ``info`` of records."""
    return {"annulled": annulment["reason"] or "annulled"}


def annulled(line: bytes, annulment: Mapping[str, Any]) -> bytes:
    """Return a record as it is after an annulment."""
    record = json.loads(line)
    record["info"].update(annulled_info(annulment))
    return dumps(record).encode()
