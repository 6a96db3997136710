"""Rows that expire, such as sessions and codes in links, and the key that signs cookies."""

from __future__ import annotations

import hashlib

from arena.store.connection import RedisConnection, Repository

_WEB_KEY = "{arena}:web-key"


class ExpiringRows(Repository):
    """Rows of one ``kind``, found by a secret, of which only the hash is stored. ``of``: the account that a
    row belongs to, whose rows :meth:`forget` removes.
    """

    def __init__(self, connection: RedisConnection, kind: str) -> None:
        super().__init__(connection)
        self._kind = kind

    def put(self, secret: str, row: bytes, kept_ms: int, of: str = "") -> None:
        """Store a row for ``kept_ms`` milliseconds."""
        key = self._key(secret)
        if of:
            # Before the row, so that no row is missed.
            self._connection.run([("SADD", self._of(of), key), ("PEXPIRE", self._of(of), 2 * kept_ms)])
        self._one("SET", key, row, "PX", kept_ms)

    def forget(self, of: str) -> None:
        """Remove all rows of an account."""
        keys = self._one("SMEMBERS", self._of(of))
        self._connection.run([*(("DEL", key) for key in keys), ("DEL", self._of(of))])

    def find(self, secret: str) -> bytes | None:
        """Return the row, or None if there is none or it has expired."""
        found: bytes | None = self._one("GET", self._key(secret))
        return found

    def take(self, secret: str) -> bytes | None:
        """Remove the row and return it; of several calls one gets it."""
        found: bytes | None = self._one("GETDEL", self._key(secret))
        return found

    def _of(self, account: str) -> str:
        return f"{self._kind}s-of:{account}"

    def _key(self, secret: str) -> str:
        return f"{self._kind}:{hashlib.sha256(secret.encode()).hexdigest()}"


class WebKey(Repository):
    """The key with which all processes sign the cookies of pages."""

    def get(self, new: str) -> str:
        """Return the key; ``new`` becomes it if there is none."""
        _, found = self._connection.run([("SET", _WEB_KEY, new, "NX"), ("GET", _WEB_KEY)])
        return str(found.decode())
