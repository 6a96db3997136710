"""Rows that expire, such as sessions and codes in links, and the key that signs cookies."""

from __future__ import annotations

import hashlib

from arena.store.connection import RedisConnection

_WEB_KEY = "{arena}:web-key"


class ExpiringRows:
    """Rows of one ``kind``, found by a secret, of which only the hash is stored."""

    def __init__(self, connection: RedisConnection, kind: str) -> None:
        self._connection = connection
        self._kind = kind

    def put(self, secret: str, row: bytes, kept_ms: int) -> None:
        """Store a row for ``kept_ms`` milliseconds."""
        self._connection.run([("SET", self._key(secret), row, "PX", kept_ms)])

    def find(self, secret: str) -> bytes | None:
        """The row, None if there is none or it has expired."""
        found: bytes | None
        (found,) = self._connection.run([("GET", self._key(secret))])
        return found

    def take(self, secret: str) -> bytes | None:
        """Remove the row and return it; of several calls one gets it."""
        found: bytes | None
        (found,) = self._connection.run([("GETDEL", self._key(secret))])
        return found

    def _key(self, secret: str) -> str:
        return f"{self._kind}:{hashlib.sha256(secret.encode()).hexdigest()}"


class WebKey:
    """The key with which all processes sign the cookies of pages."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def get(self, new: str) -> str:
        """The key; ``new`` becomes it if there is none."""
        _, found = self._connection.run([("SET", _WEB_KEY, new, "NX"), ("GET", _WEB_KEY)])
        return str(found.decode())
