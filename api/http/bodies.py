"""Reads request bodies. Size, arrival time and number of JSON values are checked before parsing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import orjson

from api.http.connections import Connection, client_of
from api.http.edge import BODY_READ, SMALL_BODY, Environ
from api.http.errors import HttpError, MalformedJson, UnsupportedMediaType
from api.http.hints import json_hint
from arena.errors import ArenaError
from arena.operations.operation import JSON
from arena.ops.settings import HttpSettings

MAX_VALUES: Final = 1000
"""The maximum number of values in most bodies: members of objects and elements of lists."""

BYTES_PER_SECOND: Final = 100_000
"""The minimum rate of arrival: larger bodies are allowed more time, in proportion to their size."""


def media_of(environ: Environ) -> str:
    """Return the declared media type without parameters, or an empty string if there is none."""
    declared: str = environ.get("CONTENT_TYPE") or ""
    return declared.partition(";")[0].strip().lower()


class BodyIntake:
    """The bodies that one process is reading."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._sizes: dict[str, int] = {}
        self._size = 0

    def read(self, environ: Environ, most: int, hint: str = "") -> bytes:
        """Return the body, which can have at most ``most`` bytes. ``hint`` advises the client what to do
        about a larger one.

        Raises :class:`~api.http.errors.HttpError`: ``body_too_large``, ``request_timeout``, ``bad_request``,
        ``too_many_unfinished`` or ``busy``.
        """
        length = environ.get("CONTENT_LENGTH") or ""
        if not length and not environ.get("wsgi.input_terminated"):
            return b""
        declared = int(length) if length.isdecimal() and length.isascii() and len(length) < 16 else None
        if length and (declared is None or declared > most):
            raise _too_large(most, hint)
        with self._reading(client_of(environ.get("REMOTE_ADDR") or ""), declared or most):
            data = self._receive(environ, declared, most)
        if len(data) > most:
            raise _too_large(most, hint)
        environ[BODY_READ] = True
        return data

    def _receive(self, environ: Environ, declared: int | None, most: int) -> bytes:
        connection = environ.get("gunicorn.socket")
        wanted = most + 1 if declared is None else declared
        if isinstance(connection, Connection):
            connection.expect_body(self._settings.body_seconds + wanted / BYTES_PER_SECOND)
        try:
            data: bytes = environ["wsgi.input"].read(wanted)
        except Exception as error:
            if not _expired(connection):
                # Servers raise different errors for malformed chunks.
                raise HttpError(f"the body cannot be read: {error}", code="bad_request") from error
            data = b""
        if _expired(connection):
            raise HttpError(
                "the body took too long to arrive",
                code="request_timeout",
                expected=f"{BYTES_PER_SECOND} bytes a second or more",
            )
        if declared is not None and len(data) < declared:
            raise HttpError(
                f"the body ended after {len(data)} bytes",
                code="bad_request",
                field="Content-Length",
                expected=f"{declared} bytes",
            )
        if isinstance(connection, Connection):
            connection.body_complete()
        return data

    @contextmanager
    def _reading(self, client: str, size: int) -> Iterator[None]:
        settings = self._settings
        if size <= SMALL_BODY:
            # Small bodies do not count, so that games can continue while uploads wait.
            size = 0
        if size and self._sizes.get(client, 0) + size > settings.body_memory // 4:
            raise HttpError(
                "too many large bodies are arriving from this address",
                code="too_many_unfinished",
                expected="to finish one request before beginning the next",
                extra={"retry_after": 1},
            )
        if size and self._size + size > settings.body_memory:
            raise HttpError("too many large bodies are arriving", code="busy", expected="to try again")
        _add(self._sizes, client, size)
        self._size += size
        try:
            yield
        finally:
            _add(self._sizes, client, -size)
            self._size -= size

    def read_json(
        self, environ: Environ, most: int = SMALL_BODY, values: int = MAX_VALUES, hint: str = ""
    ) -> object:
        """Return the parsed body, which can have at most ``most`` bytes and ``values`` values.

        Raises what :meth:`read` raises, and errors for a body that is not declared as JSON, is not JSON, is
        nested too deeply or has too many values.
        """
        if media_of(environ) != JSON:
            raise unsupported(environ, JSON)
        data = self.read(environ, most, hint)
        check_shape(data, self._settings.max_depth, values)
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise MalformedJson(
                f"the body is not JSON: {error}{json_hint(data)}", expected="JSON in UTF-8"
            ) from None


def unsupported(environ: Environ, expected: str) -> ArenaError:
    """Return the error for a request whose declared media type is unsupported."""
    declared = environ.get("CONTENT_TYPE") or ""
    sent = f"{declared[:80]!r} is not supported" if declared else "the Content-Type header is missing"
    return UnsupportedMediaType(sent, field="Content-Type", expected=expected)


def check_shape(data: bytes, depth: int, values: int) -> None:
    """Raise if JSON is nested more than ``depth`` levels deep or has more than ``values`` values. Text that
    is not JSON can pass.

    The whole text is scanned only by bytes operations, which take linear time: a few milliseconds for 1 MB.
    """
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    if data.count(b'"') > 4 * values:
        # A value has at most four quotation marks: two around its name and two around itself.
        raise _too_many_values(values)
    marks = b"".join(data.split(b'"')[::2]).translate(None, _NO_MARKS)
    # Each closing mark, which is not a value, closes exactly one value.
    if len(marks) > 2 * values or len(marks.translate(None, b"]}")) > values:
        raise _too_many_values(values)
    level = 0
    for mark in marks:
        if mark in b"[{":
            level += 1
            if level > depth:
                raise MalformedJson("the body is nested too deeply", expected=f"at most {depth} levels")
        elif mark in b"]}":
            level -= 1


_NO_MARKS: Final = bytes(byte for byte in range(256) if byte not in b"[]{},")


def _too_many_values(values: int) -> MalformedJson:
    return MalformedJson("the body has too many values", expected=f"at most {values} values")


def _too_large(most: int, hint: str) -> HttpError:
    then = f"; {hint}" if hint else ""
    return HttpError(f"the body is too large{then}", code="body_too_large", expected=f"at most {most} bytes")


def _expired(connection: object) -> bool:
    return isinstance(connection, Connection) and connection.expired


def _add(counts: dict[str, int], key: str, change: int) -> None:
    count = counts.get(key, 0) + change
    if count:
        counts[key] = count
    else:
        counts.pop(key, None)
