"""Documents by name: small JSON values (schedules, annulments), larger documents in parts, expiring rows
(sessions, codes in links), and flags.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import orjson

from arena.errors import CorruptState
from arena.store.connection import Command, RedisConnection, Repository, Script
from arena.store.rows import shown_or_left_out, unreadable

_REPLACE: Final = Script("replace")
_REPLACE_OWNED: Final = Script("replace_owned")
DOCUMENT_SCRIPTS: Final = (_REPLACE, _REPLACE_OWNED)
"""The scripts that the connection of a :class:`Documents` store must load."""

_OWNED: Final = ("subscriptions", "series", "schedules")
"""The kinds of documents that count in the quotas of their owners, besides invitations."""

_ROW_BYTES: Final = 100
"""The approximate number of bytes that a document takes in the database besides its value."""

_FLAGS: Final = "{arena}:flags"


def _unchanged(value: Any) -> Any:
    return value


class Documents(Repository):
    """JSON values by name, each changed independently. They are stored in the hash ``key``, or in one named
    after ``kind`` if ``key`` is empty.
    """

    def __init__(self, connection: RedisConnection, kind: str, key: str = "") -> None:
        super().__init__(connection)
        self._kind = kind
        self._key = key or f"{{{kind}}}"

    def all(self, read: Callable[[Any], Any] = _unchanged) -> dict[str, Any]:
        """Return the results of ``read`` for all values, ordered by name, leaving out unreadable ones."""
        reply = self._one("HGETALL", self._key)
        found = {name: self._listed(name, data, read) for name, data in sorted(by_name(reply).items())}
        return {name: value for name, value in found.items() if value is not None}

    def find(self, name: str) -> Any:
        """Return the value, or None if there is none. Raises :class:`~arena.errors.CorruptState`."""
        data = self._one("HGET", self._key, name)
        return None if data is None else self._read(name, data)

    def many(self, names: Sequence[str], read: Callable[[Any], Any] = _unchanged) -> list[Any]:
        """Return the results of ``read`` for the named values, with None for missing or unreadable ones."""
        reply = self._one("HMGET", self._key, *names) if names else ()
        return [self._listed(name, data, read) for name, data in zip(names, reply, strict=True)]

    def add(self, name: str, value: object) -> bool:
        """Store a value if there is none, and return False if there is a different one. Can be repeated."""
        data = orjson.dumps(value)
        if self._replace(name, None, data):
            return True
        stored = self._one("HGET", self._key, name)
        return bool(stored == data)

    def change(self, name: str, act: Callable[[Any], Any]) -> Any:
        """Replace a value with the result of ``act`` (None deletes the value) and return it.

        ``act`` is called again if the value changed in the meantime; its exceptions propagate. Raises
        :class:`~arena.errors.CorruptState` if the value cannot be read.
        """
        while True:
            before = self._one("HGET", self._key, name)
            after = act(None if before is None else self._read(name, before))
            data = None if after is None else orjson.dumps(after)
            if data == before or self._replace(name, before, data):
                return after

    def delete(self, name: str) -> None:
        """Delete a value, if there is one."""
        self._one("HDEL", self._key, name)

    def _read(self, name: str, data: bytes) -> object:
        try:
            return orjson.loads(data)
        except ValueError as error:
            raise unreadable(self.named(name), None, error) from error

    def _listed(self, name: str, data: bytes | None, read: Callable[[Any], object]) -> object:
        if data is None:
            return None
        return shown_or_left_out(self.named(name), lambda: read(self._read(name, data)))

    def named(self, name: str) -> str:
        """Return the name used for the value in messages."""
        return f"{self._kind} {name!r}"

    def _replace(self, name: str, before: bytes | None, after: bytes | None) -> bool:
        replaced = self._one(*_REPLACE.call([self._key], name, before or "", after or ""))
        return bool(replaced)


class OwnedDocuments(Documents):
    """Documents that belong to owners, and count in their quotas. ``owner_of`` returns the owner of a value.

    ``check`` raises an error if an owner has no room for more bytes, and ``count`` records by how many bytes
    the documents of an owner grew. Only new documents are refused.
    """

    def __init__(self, connection: RedisConnection, kind: str, owner_of: Callable[[Any], str]) -> None:
        super().__init__(connection, kind)
        self._owner_of = owner_of
        self.check: Callable[[str, int], None] = lambda owner, more: None
        self.count: Callable[[str, int], None] = lambda owner, growth: None

    def add(self, name: str, value: object) -> bool:
        """Store a value as :meth:`Documents.add` does. Raises what ``check`` raises."""
        self.check(self._owner_of(value), self.size(value))
        return super().add(name, value)

    def delete(self, name: str) -> None:
        """Delete a value, if there is one."""
        try:
            self.change(name, lambda value: None)
        except CorruptState:
            super().delete(name)

    @staticmethod
    def size(value: object) -> int:
        """Return the number of bytes that a document takes."""
        return _ROW_BYTES + len(orjson.dumps(value))

    def recount(self) -> None:
        """Count the bytes of all documents by owner, for an upgrade of the data."""
        sums: dict[str, int] = {}
        for value in self.all().values():
            owner = self._owner_of(value)
            sums[owner] = sums.get(owner, 0) + self.size(value)
        key = _bytes_key(self._kind)
        self._connection.run([("DEL", key), *(("HSET", key, *pair) for pair in sums.items())])

    def _replace(self, name: str, before: bytes | None, after: bytes | None) -> bool:
        owner = self._owner_of(orjson.loads(after or before or b"null"))
        growth = _stored_bytes(after) - _stored_bytes(before)
        keys = [self._key, _bytes_key(self._kind)]
        call = _REPLACE_OWNED.call(keys, name, before or "", after or "", owner, growth)
        replaced = bool(self._one(*call))
        if replaced and growth:
            self.count(owner, growth)
        return replaced


def _stored_bytes(data: bytes | None) -> int:
    return _ROW_BYTES + len(data) if data else 0


def owned_bytes(owner: str | None) -> list[Command]:
    """Return the commands that read the bytes of an owner's documents, or those of all owners."""
    if owner is None:
        return [("HVALS", _bytes_key(kind)) for kind in _OWNED]
    keys = [*map(_bytes_key, _OWNED), _bytes_key(invited_by(owner))]
    return [("HMGET", key, owner) for key in keys]


def invited_by(owner: str) -> str:
    """Return the kind of the documents that are the invitations of an owner."""
    return f"invited-by:{owner}"


def _bytes_key(kind: str) -> str:
    return f"{{{kind}}}:bytes"


class DocumentParts(Repository):
    """Documents in parts, such as a text and its version, that are read and written together. ``key`` maps a
    document's name to the key of the hash with its parts.
    """

    def __init__(self, connection: RedisConnection, key: Callable[[str], str]) -> None:
        super().__init__(connection)
        self._key = key

    def load(self, name: str, *parts: str) -> Sequence[bytes | None]:
        """Return parts of a document, with None for those that are missing."""
        (found,) = self.many([name], *parts)
        return found

    def many(self, names: Sequence[str], *parts: str) -> list[Sequence[bytes | None]]:
        """Return the parts of several documents in one round trip."""
        return self._connection.run([("HMGET", self._key(name), *parts) for name in names])

    def save(self, name: str, **parts: str | int | bytes) -> None:
        """Replace these parts of a document."""
        self._one("HSET", self._key(name), *chain(*parts.items()))


class ExpiringRows(Repository):
    """Expiring rows of one ``kind``, each found by a secret of which only the hash is stored. The parameter
    ``of`` is the account that a row belongs to; :meth:`forget` removes the rows of an account.
    """

    def __init__(self, connection: RedisConnection, kind: str) -> None:
        super().__init__(connection)
        self._kind = kind

    def put(self, secret: str, row: bytes, kept_ms: int, of: str = "") -> None:
        """Store a row for ``kept_ms`` milliseconds."""
        key = self._key(secret)
        if of:
            # Stored before the row, so that :meth:`forget` misses no row.
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
        """Remove the row and return it; of several concurrent calls only one gets it."""
        found: bytes | None = self._one("GETDEL", self._key(secret))
        return found

    def _of(self, account: str) -> str:
        return f"{self._kind}s-of:{account}"

    def _key(self, secret: str) -> str:
        return f"{self._kind}:{hashlib.sha256(secret.encode()).hexdigest()}"


class Flags(Repository):
    """Flags, shared by all processes, that record what was done once or recently."""

    def is_set(self, name: str) -> bool:
        """Return whether the flag is set."""
        found = self._one("HEXISTS", _FLAGS, name)
        return bool(found)

    def set(self, name: str) -> None:
        """Set the flag permanently."""
        self._one("HSET", _FLAGS, name, 1)

    def first(self, name: str, for_ms: int) -> bool:
        """Return whether this is the first call for the flag within ``for_ms``."""
        reply = self._one("SET", f"{_FLAGS}:{name}", 1, "NX", "PX", for_ms)
        return reply is not None


def by_name(reply: Mapping[bytes, bytes] | Sequence[bytes]) -> dict[str, bytes]:
    """Return a hash as a mapping from names to values. The client of a cluster returns a mapping; that of a
    single server returns a list.
    """
    items = reply.items() if isinstance(reply, Mapping) else zip(reply[::2], reply[1::2], strict=True)
    return {name.decode(): value for name, value in items}


__all__ = [
    "DOCUMENT_SCRIPTS",
    "DocumentParts",
    "Documents",
    "ExpiringRows",
    "Flags",
    "OwnedDocuments",
    "by_name",
    "invited_by",
    "owned_bytes",
]
