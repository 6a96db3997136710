"""Annulments of groups, which readers apply to records; the records themselves stay unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.records.record import dumps


def annulled_info(annulment: Mapping[str, Any]) -> dict[str, str]:
    """Return the changes that an annulment makes to ``info`` in a record."""
    return {"annulled": annulment["reason"] or "annulled"}


def annulled(line: bytes, annulment: Mapping[str, Any]) -> bytes:
    """Return a record with an annulment applied."""
    record = json.loads(line)
    record["info"].update(annulled_info(annulment))
    return dumps(record).encode()
