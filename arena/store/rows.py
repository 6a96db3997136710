"""Rows as JSON objects that this and newer versions of the program can share.

A row is a dataclass with the fields ``format`` and ``unknown``. Format 1 is not written, and a row without a
format has format 1. An empty field that is :func:`optional` is not written either; all other fields are
required. Fields unknown to this version are kept and written back. If a row with such a field or a newer
format cannot be read, it was written by a newer version.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, fields
from functools import cache, partial
from gzip import BadGzipFile
from types import UnionType
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import orjson

from arena.errors import ArenaError, CorruptState, InvalidOption, NewerFormat, UnknownGame
from arena.store.connection import StoreUnavailable

log = logging.getLogger(__name__)

FORMAT: Final = 9
"""The format in which this version writes all data, including its rows."""

LEFT_OUT: Final[dict[str, str]] = {}
"""The rows that this process left out of lists because they could not be read, with the reasons."""

_MOST_LEFT_OUT: Final = 1000

_UNREADABLE: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    BadGzipFile,
    EOFError,
    zlib.error,
)
"""The exceptions that reading a damaged row, compressed or not, can raise."""

_OPTIONAL: Final = "optional"

OPTIONAL: Final = {_OPTIONAL: True}
"""The metadata of a row field that is not written while it is empty."""

R = TypeVar("R")
T = TypeVar("T")


def optional(default: R) -> R:
    """Return a row field that is not written while it is empty."""
    return field(default=default, metadata=OPTIONAL)


def read_row(row_type: type[R], values: dict[str, object]) -> R:
    """Create a row from a JSON object. Raises :class:`~arena.errors.CorruptState`."""
    names = field_names(row_type)
    try:
        if not values.keys() <= names:
            unknown = {name: value for name, value in values.items() if name not in names}
            values = {name: value for name, value in values.items() if name in names} | {"unknown": unknown}
        if missing := _always_written(cast(Any, row_type)) - values.keys():
            raise KeyError(*sorted(missing))
        check_types(row_type, values)
        return row_type(**values)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise unreadable(row_type.__name__, values, error, names) from error


def check_types(row_type: type, values: Mapping[str, object]) -> None:
    """Check the types of a row's fields. Raises TypeError."""
    types = _types(cast(Any, row_type))
    for name, value in values.items():
        if type(value) not in types[name] and types[name]:
            raise TypeError(f"{name} is {value!r}, which has the wrong type")


def unreadable(name: str, values: object, error: Exception, known: Iterable[str] = ()) -> CorruptState:
    """Return the error for a row that cannot be read. ``known`` are the names of this version's fields."""
    # Games and options that do not exist here come from a newer version: rows are only written with existing
    # ones.
    is_newer = isinstance(error, (NewerFormat, UnknownGame, InvalidOption))
    if isinstance(values, dict):
        row_format = values.get("format", 1)
        is_newer = (
            is_newer
            or (isinstance(row_format, int) and row_format > FORMAT)
            or bool(known and (values.get("unknown") or not values.keys() - {"unknown"} <= set(known)))
        )
    return (NewerFormat if is_newer else CorruptState)(f"{name} cannot be read: {error!r}")


@contextmanager
def reading(name: str, values: object = None) -> Iterator[None]:
    """Convert any exception that a damaged row causes in the block to the error of :func:`unreadable`."""
    try:
        yield
    except _UNREADABLE as error:
        raise unreadable(name, values, error) from error


def write_row(row: object) -> bytes:
    """Serialize a row, and any rows inside it, as a JSON object. This is the inverse of :func:`read_row`."""
    return orjson.dumps(row, default=row_values, option=orjson.OPT_PASSTHROUGH_DATACLASS)


def row_values(row: Any) -> dict[str, Any]:
    """Return the fields of a row or another dataclass, leaving dataclasses inside it unconverted."""
    values: dict[str, Any] = {
        item.name: value
        for item in fields(row)
        if (value := getattr(row, item.name)) or _OPTIONAL not in item.metadata
    }
    unknown: dict[str, Any] = values.pop("unknown", {})
    if values.get("format") == 1:
        del values["format"]
    return values | unknown


def shown_or_left_out(name: str, show: Callable[[], R]) -> R | None:
    """Return the result of ``show`` for the row ``name`` of a list. If the row cannot be read, it is
    reported, and the result is None.
    """
    try:
        shown = show()
    except StoreUnavailable:
        raise
    except (ArenaError, *_UNREADABLE) as error:
        if name not in LEFT_OUT:
            log.exception("%s cannot be read and is left out", name)
            if len(LEFT_OUT) < _MOST_LEFT_OUT:
                LEFT_OUT[name] = repr(error)
        return None
    if LEFT_OUT:
        LEFT_OUT.pop(name, None)
    return shown


def readable(name: str, read: Callable[[T], R], rows: Iterable[T]) -> list[R]:
    """Return the results of ``read`` for rows. Unreadable rows are left out and reported as ``name``."""
    found = (shown_or_left_out(f"{name} {number}", partial(read, row)) for number, row in enumerate(rows))
    return [shown for shown in found if shown is not None]


def field_names(row_type: type) -> frozenset[str]:
    """Return the names of a row's stored fields."""
    return _names(cast(Any, row_type))


@cache
def _types(row_type: Any) -> dict[str, frozenset[type]]:
    """Return the types allowed for each field; an empty set allows any type."""
    hints = get_type_hints(row_type)
    return {item.name: frozenset(_classes(hints[item.name])) for item in fields(row_type)}


def _classes(hint: Any) -> Iterator[type]:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        for part in get_args(hint):
            yield from _classes(part)
    elif origin is Literal:
        yield from map(type, get_args(hint))
    elif hint is float:
        yield from (float, int)
    elif hint is not Any:
        yield dict if origin is Mapping else origin or hint


@cache
def _always_written(row_type: Any) -> frozenset[str]:
    found = {item.name for item in fields(row_type) if _OPTIONAL not in item.metadata}
    return frozenset(found - {"format", "unknown"})


@cache
def _names(row_type: Any) -> frozenset[str]:
    return frozenset(item.name for item in fields(row_type)) - {"unknown"}


__all__ = [
    "FORMAT",
    "LEFT_OUT",
    "OPTIONAL",
    "check_types",
    "field_names",
    "optional",
    "read_row",
    "readable",
    "reading",
    "row_values",
    "shown_or_left_out",
    "unreadable",
    "write_row",
]
