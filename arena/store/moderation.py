"""Names that the service shows in place of others, and texts that are hidden."""

from __future__ import annotations

from typing import Final

from arena.store.connection import RedisConnection

_KEY: Final = "shown"


class ModerationStore:
    """Rows by the name of the text."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def all(self) -> dict[str, bytes]:
        """All rows."""
        (found,) = self._connection.run([("HGETALL", _KEY)])
        items = found.items() if isinstance(found, dict) else zip(found[::2], found[1::2], strict=True)
        return {name.decode(): row for name, row in items}

    def put(self, name: str, row: bytes, *, replace: bool = True) -> None:
        """Store a row; without ``replace`` one that is there stays."""
        self._connection.run([("HSET" if replace else "HSETNX", _KEY, name, row)])

    def remove(self, name: str) -> bool:
        """Remove a row; returns whether there was one."""
        (removed,) = self._connection.run([("HDEL", _KEY, name)])
        return bool(removed)
