"""What a database is: its id, which tells that it is the same one as before, and its newest format."""

from __future__ import annotations

import secrets
from typing import Final

from arena.errors import ArenaError
from arena.store.connection import RedisConnection, Script
from arena.store.rows import FORMAT

_REGISTER: Final = Script("register")
IDENTITY_SCRIPTS: Final = (_REGISTER,)
"""The scripts that the connection of an :class:`Identity` must load."""

STORE_KEY: Final = "{arena}:store"
"""A hash: ``id``; ``format``, the newest of all processes that wrote; ``accepted``, set if the operator
accepted this database in the place of another one; :data:`RESTORING`.
"""
RESTORING: Final = "restoring"
"""Set while a backup is being restored into the database."""


class StoreReplaced(ArenaError):
    """The database is not the one with which this process began: it is empty, or another one."""

    code = "store_replaced"


class Identity:
    """The id and the format of one database, as this process knows them."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection
        self._id = ""

    def register(self) -> None:
        """Record that a process of this version writes to the database.

        Raises :class:`StoreReplaced` if it is being restored.
        """
        ((_, _, restoring),) = self._connection.run([_REGISTER.call([STORE_KEY], "", FORMAT)])
        _refuse(restoring)

    def id(self) -> str:
        """The id of the database, which gets one if it has none."""
        ((found, _, restoring),) = self._connection.run(
            [_REGISTER.call([STORE_KEY], secrets.token_hex(8), FORMAT)]
        )
        if found is None:
            _refuse(restoring)
        return str(found.decode())

    def newest_format(self) -> int:
        """The newest format of all processes that wrote."""
        ((found,),) = self._connection.run([("HMGET", STORE_KEY, "format")])
        return int(found or 1)

    def check(self) -> None:
        """Check that it is still the database that the first call found, which gives an id to a new one.

        Raises :class:`StoreReplaced`.
        """
        if not self._id:
            ((found, _, restoring),) = self._connection.run(
                [_REGISTER.call([STORE_KEY], secrets.token_hex(8), FORMAT)]
            )
            _refuse(restoring)
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
            "the database came back empty" if found is None else "this is another database than before",
            expected="its data, or 'botequim ops accept-empty' if they are lost",
        )

    def check_writable(self) -> None:
        """Write something. Raises :class:`~arena.store.connection.StoreUnavailable` if that is refused."""
        self._connection.run([("HINCRBY", STORE_KEY, "probes", 1)])

    def accept(self) -> None:
        """Let all processes go on with the database as it is."""
        self._connection.run([_REGISTER.call([STORE_KEY], secrets.token_hex(8), FORMAT, "1")])


def _refuse(restoring: bytes | None) -> None:
    if restoring is not None:
        raise StoreReplaced(
            "a backup is being restored into the database, or that was interrupted",
            expected="'botequim restore' to its end",
        )


__all__ = ["IDENTITY_SCRIPTS", "RESTORING", "STORE_KEY", "Identity", "StoreReplaced"]
