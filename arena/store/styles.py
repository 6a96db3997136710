"""The sums of how bots play, one document per kind of game."""

from __future__ import annotations

from arena.store.connection import RedisConnection


class StyleStore:
    """The documents with their versions, which are read and written together. Holds no rules."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def version(self, kind: str) -> str:
        """Return the version of the document, which changes with it, or an empty value if there is no
        document.
        """
        (found,) = self._connection.run([("HGET", _key(kind), "version")])
        return (found or b"").decode()

    def load(self, kind: str) -> tuple[str, bytes | None]:
        """Return the version and the document, or None if there is none."""
        ((version, document),) = self._connection.run([("HMGET", _key(kind), "version", "document")])
        return (version or b"").decode(), document

    def save(self, kind: str, version: str, document: bytes) -> None:
        """Replace the document and its version."""
        self._connection.run([("HSET", _key(kind), "version", version, "document", document)])


def _key(kind: str) -> str:
    return f"{{styles:{kind}}}"


__all__ = ["StyleStore"]
