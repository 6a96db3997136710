"""Reads replies within bounds on their size, form and time, because any server can answer at an address."""

from __future__ import annotations

import http.client
import io
import json
import socket
import time
from collections.abc import Iterator
from typing import IO, Any, Final, NoReturn, TypeAlias, cast

from arena.errors import ArenaError

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""A JSON value."""

MOST_BYTES: Final = 256 << 20
"""The maximum size of a reply, and of one event of a stream."""

MOST_VALUES: Final = 4_000_000
"""The maximum number of values in a JSON reply, and of lines in a text. Small values take much more memory
than their text.
"""

_PIECE: Final = 1 << 16
_SLOWEST: Final = 1024
"""The number of bytes per second that extends the time of a reply."""

_LONGEST: Final = 600.0
"""The maximum number of seconds by which the size of a reply extends its time."""


class InvalidReply(ArenaError):
    """The reply of the service is too large, or is not what the API describes."""

    code = "invalid_reply"


class Unreadable(ValueError):
    """Why a reply cannot be read."""


class _Timed(io.RawIOBase):
    """A stream of what a socket receives within ``seconds``, extended for every byte that arrives."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._until = time.monotonic() + seconds
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._until + min(self._size / _SLOWEST, _LONGEST) - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        size = self._raw.readinto(buffer) or 0
        self._size += size
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()


class TimedResponse(http.client.HTTPResponse):
    """A response whose head and body arrive within the timeout of the socket and a second for each KiB."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Timed(sock, sock.gettimeout() or _LONGEST))


def read_body(response: http.client.HTTPResponse) -> bytes:
    """Return the body of a response. Raises :class:`Unreadable` if it is too large."""
    body = bytearray()
    while len(body) <= MOST_BYTES and (response.length or 0) <= MOST_BYTES:
        piece = response.read(_PIECE)
        if not piece:
            return bytes(body)
        body += piece
    raise Unreadable(f"more than {MOST_BYTES >> 20} MiB")


def copy_body(response: http.client.HTTPResponse, file: IO[bytes], most: int) -> None:
    """Write the body of a response to a file. Raises :class:`Unreadable` if it is larger than ``most``."""
    size = 0
    while piece := response.read(_PIECE):
        size += len(piece)
        if size > most:
            raise Unreadable(f"more than {most >> 20} MiB")
        file.write(piece)


def json_of(body: bytes) -> Json:
    """Return the JSON value in a body. Raises :class:`Unreadable`."""
    if sum(map(body.count, (b"[", b"{", b","))) > MOST_VALUES:
        raise Unreadable(f"more than {MOST_VALUES} values")
    try:
        return cast(Json, json.loads(body, parse_constant=_no_number))
    except RecursionError:
        raise Unreadable("JSON that is nested too deeply") from None
    except ValueError:
        raise Unreadable("a body that is not JSON") from None


def text_of(body: bytes) -> str:
    """Return the text in a body. Raises :class:`Unreadable`."""
    if body.count(b"\n") > MOST_VALUES:
        raise Unreadable(f"more than {MOST_VALUES} lines")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise Unreadable("a text that is not UTF-8") from None


def event_fields(response: http.client.HTTPResponse) -> Iterator[dict[str, str]]:
    """Yield the fields of each message of a stream, without its keep-alive comments. Raises
    :class:`Unreadable`.
    """
    fields: dict[str, str] = {}
    left = MOST_BYTES
    while line := response.readline(left + 1):
        left -= len(line)
        if left < 0:
            raise Unreadable(f"an event of more than {MOST_BYTES >> 20} MiB")
        name, _, value = text_of(line).rstrip("\r\n").partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
            continue
        if not line.startswith(b":"):
            if "data" in fields:
                yield fields
            fields = {}
        left = MOST_BYTES - sum(map(len, fields.values()))


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
