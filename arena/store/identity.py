"""The identity of a database: its id, by which processes recognize it, its cookie key, and its format."""

from __future__ import annotations

import secrets
from typing import Final

from arena.errors import ArenaError
from arena.store.connection import RedisConnection, Repository, Script
from arena.store.rows import FORMAT

_REGISTER: Final = Script("register")
IDENTITY_SCRIPTS: Final = (_REGISTER,)
"""The scripts that the connection of an :class:`Identity` must load."""

STORE_KEY: Final = "{arena}:store"
"""A hash with ``id``; ``format``, the format of the data, which only :mod:`arena.upgrade` changes;
``accepted``, set if the operator accepted this database in place of another one; and :data:`RESTORING`.
"""
RESTORING: Final = "restoring"
"""Set while a backup is being restored into the database."""

_WEB_KEY: Final = "{arena}:web-key"


class StoreReplaced(ArenaError):
    """The database is not the one that this process started with: it is empty or a different one."""

    code = "store_replaced"


class UnknownFormat(ArenaError):
    """The format of the data is not supported by this program."""

    code = "unknown_format"

    @classmethod
    def of(cls, found: int | None) -> UnknownFormat:
        """Return the error for data in the format ``found``, or without a format number if that is None."""
        if found is None:
            return cls(
                "the database holds data but no format number",
                expected="a service's database or an empty one; "
                "after data loss, run 'botequim ops accept-empty'",
            )
        return cls(
            f"the data have format {found}, but this program requires format {FORMAT}",
            expected="a newer version of this program"
            if found > FORMAT
            else "to run 'botequim ops upgrade' while no process of the service is running",
        )


class Identity(Repository):
    """The id and the format of one database, as known to this process."""

    def __init__(self, connection: RedisConnection) -> None:
        super().__init__(connection)
        self._id = ""

    def register(self) -> None:
        """Check that a process of this version can write to the database; an empty one is assigned its
        format.

        Raises :class:`StoreReplaced` if the database is being restored, and :class:`UnknownFormat`.
        """
        self._register("")

    def _register(self, own_id: str, *accepted: str, may_be_restored: bool = False) -> bytes | None:
        found, _, restoring, number = self._one(*_REGISTER.call([STORE_KEY], own_id, FORMAT, *accepted))
        if found is None or not may_be_restored:
            _refuse(restoring)
        if number is None or int(number) != FORMAT:
            raise UnknownFormat.of(None if number is None else int(number))
        return None if found is None else bytes(found)

    def id(self) -> str:
        """Return the id of the database, creating one if it has none. Raises :class:`UnknownFormat`."""
        found = self._register(secrets.token_hex(8), may_be_restored=True)
        assert found is not None
        return found.decode()

    def format(self) -> int | None:
        """Return the format of the data, or None if it is not recorded."""
        found = self._one("HGET", STORE_KEY, "format")
        return None if found is None else int(found)

    def set_format(self, number: int) -> None:
        """Record that all data now have this format."""
        self._one("HSET", STORE_KEY, "format", number)

    def check(self) -> None:
        """Check that the database is the one seen by the first call, which assigns an id to a new database.

        Raises :class:`StoreReplaced`, or :class:`UnknownFormat`.
        """
        if not self._id:
            found = self._register(secrets.token_hex(8))
            assert found is not None
            self._id = found.decode()
            return
        ((found, accepted, restoring),) = self._connection.run(
            [("HMGET", STORE_KEY, "id", "accepted", RESTORING)]
        )
        _refuse(restoring)
        if found is not None and (found.decode() == self._id or accepted is not None):
            self._id = found.decode()
            return
        raise StoreReplaced(
            "the database is now empty" if found is None else "the database is not the same as before",
            expected="the original data; if they are lost, run 'botequim ops accept-empty'",
        )

    def web_key(self, new: str) -> str:
        """Return the key that signs the cookies of pages; if none is stored, ``new`` becomes the key."""
        _, found = self._connection.run([("SET", _WEB_KEY, new, "NX"), ("GET", _WEB_KEY)])
        return str(found.decode())

    def check_writable(self) -> None:
        """Raise :class:`~arena.store.connection.StoreUnavailable` if the database rejects writes."""
        self._one("HINCRBY", STORE_KEY, "probes", 1)

    def accept(self) -> None:
        """Allow all processes to continue with the database in its current state."""
        self._register(secrets.token_hex(8), "1", may_be_restored=True)


def _refuse(restoring: bytes | None) -> None:
    if restoring is not None:
        raise StoreReplaced(
            "a backup is being restored into the database, or its restore was interrupted",
            expected="to complete 'botequim restore'",
        )


__all__ = [
    "IDENTITY_SCRIPTS",
    "RESTORING",
    "STORE_KEY",
    "Identity",
    "StoreReplaced",
    "UnknownFormat",
]
