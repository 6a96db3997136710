"""Reads files that anybody can have made, within bounds on their size and on the values of JSON in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from arena.errors import ArenaError
from arena.inputs.text import Refuse
from arena.text import printable

MOST_BYTES: Final = 64 << 20
"""The maximum size of a file that is read as a whole."""

MOST_VALUES: Final = 1_000_000
"""The maximum number of values in JSON. Small values take much more memory than their text."""

_PIECE: Final = 1 << 20


class UnreadableFile(ArenaError):
    """The file cannot be read, is too large, or does not contain what it should."""

    code = "unreadable_file"


def read_file(
    path: str | Path, field: str, error: Refuse = UnreadableFile, *, most: int = MOST_BYTES
) -> bytes:
    """Return the bytes of a file, of which there can be at most ``most``. Raises ``error``."""
    try:
        with open(path, "rb") as file:
            return read_all(file, str(path), field, error, most=most)
    except (OSError, ValueError) as found:
        why = getattr(found, "strerror", None) or str(found)
        message = f"{printable(str(path))} cannot be read: {why}"
        raise error(message, field=field, expected="a readable file") from None


def read_all(
    file: IO[bytes], name: str, field: str, error: Refuse = UnreadableFile, *, most: int = MOST_BYTES
) -> bytes:
    """Return all bytes of an open file, of which there can be at most ``most``. ``name`` is its name in
    messages. Raises ``error`` and OSError.
    """
    data = bytearray()
    while piece := file.read(min(_PIECE, most + 1 - len(data))):
        data += piece
        if len(data) > most:
            expected = f"at most {most >> 20} MiB"
            raise error(f"{printable(name)} is too large", field=field, expected=expected)
    return bytes(data)


def json_value(data: bytes | str, name: str, field: str, error: Refuse = UnreadableFile) -> Any:
    """Return the value of a JSON text. ``name`` is the name of its file in messages. Raises ``error``."""
    shown = printable(name)
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        if has_too_many_values(text):
            message = f"{shown} has too many values"
            raise error(message, field=field, expected=f"at most {MOST_VALUES} values")
        return json.loads(text, parse_constant=_no_constant)
    except UnicodeDecodeError as found:
        raise error(f"{shown} is not UTF-8 at byte {found.start}", field=field, expected="JSON") from None
    except json.JSONDecodeError as found:
        why = f"{found.msg} at character {found.pos}"
        raise error(f"{shown} is not JSON: {why}", field=field, expected="JSON") from None
    except RecursionError:
        raise error(f"{shown} is nested too deeply", field=field, expected="fewer nested levels") from None
    except ValueError as found:
        raise error(
            f"{shown} is not JSON: {printable(str(found), 80)}", field=field, expected="JSON"
        ) from None


def has_too_many_values(text: str) -> bool:
    """Return whether JSON can have more than :data:`MOST_VALUES` values."""
    return sum(map(text.count, "[{,")) > MOST_VALUES


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")
