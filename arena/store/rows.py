"""Rows as JSON objects, which older and newer versions of the program can share.

A row is a dataclass with the fields ``format`` and ``unknown``. A row without a format has format 1, which
is not written, because readers of release 0.1 reject unknown fields. Fields that this version does not know
are kept and written back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, Final, TypeVar, cast

import orjson

from arena.errors import CorruptState

log = logging.getLogger(__name__)

FORMAT: Final = 1
"""The newest format of rows that this version writes."""


R = TypeVar("R")


class NewerRow(CorruptState):
    """The row has a newer format that this version cannot read: it is left to newer processes."""


def read_row(row_type: type[R], values: dict[str, Any]) -> R:
    """The row of a JSON object. Raises :class:`~arena.errors.CorruptState`."""
    names = _names(cast(Any, row_type))
    try:
        if not values.keys() <= names:
            unknown = {name: value for name, value in values.items() if name not in names}
            values = {name: value for name, value in values.items() if name in names} | {"unknown": unknown}
        return row_type(**values)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise unreadable(row_type.__name__, values, error) from error


def unreadable(name: str, values: Any, error: Exception) -> CorruptState:
    """The error for a row that cannot be read."""
    is_newer = isinstance(values, dict) and values.get("format", 1) > FORMAT
    return (NewerRow if is_newer else CorruptState)(f"{name} cannot be read: {error!r}")


def write_row(row: Any) -> bytes:
    """The JSON object of a row, with its rows inside it. The inverse of :func:`read_row`."""
    return orjson.dumps(row, default=row_values, option=orjson.OPT_PASSTHROUGH_DATACLASS)


def row_values(row: Any) -> dict[str, Any]:
    """The fields of a row or another dataclass, those inside it as they are."""
    values: dict[str, Any] = {item.name: getattr(row, item.name) for item in fields(row)}
    unknown: dict[str, Any] = values.pop("unknown", {})
    if values.get("format") == 1:
        del values["format"]
    return values | unknown


def read_or_skip(read: Callable[[bytes], R], data: bytes | None, name: str) -> R | None:
    """The row as parsed by ``read``, for lists: None if it is missing or, which is logged, unreadable."""
    if data is None:
        return None
    try:
        return read(data)
    except CorruptState:
        log.exception("%s is left out", name)
        return None


@cache
def _names(row_type: Any) -> frozenset[str]:
    return frozenset(item.name for item in fields(row_type)) - {"unknown"}


__all__ = ["FORMAT", "NewerRow", "read_or_skip", "read_row", "row_values", "unreadable", "write_row"]
