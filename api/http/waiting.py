"""Requests that wait: each has a place, and waits no longer than its client stays connected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Final, TypeVar

from api.http.auth import client
from api.http.connections import Connection, Watch
from api.http.edge import Environ
from api.http.places import AddressBusy, Busy
from api.services import places, services
from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.store.waits import MayNotWait, Waiter

WATCHED: Final = "botequim.watched"
"""The key of the WSGI environment for the connection to watch, of a request that is not a client's own."""

Message = TypeVar("Message")


class Stay:
    """The stay of a request that may wait in the ``with`` block. When it first waits, it takes a place, which
    it gives back at the end of the block. The wait ends as soon as the client closes the connection.

    If the token of a bot gets no place because all are taken, the clocks of the bot stand still for a while.
    """

    def __init__(self, environ: Environ, who: Principal | None) -> None:
        self._environ = environ
        self._who = who
        self._watch: Watch | None = None
        self._give_back: Callable[[], None] = lambda: None
        self.waiter = Waiter(self.begin)

    def __enter__(self) -> Stay:
        self.waiter.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.waiter.__exit__()
        self.end()

    def begin(self) -> None:
        """Take a place, unless the request has one. Raises :class:`~api.http.places.Busy` or
        :class:`~api.http.places.TooManyConnections`.
        """
        if self._watch is not None:
            return
        who = self._who
        owner = "" if who is None else who.owner or who.name
        bot = who.name if who is not None and who.scope == "bot" else ""
        connection = self._environ.get(WATCHED) or self._environ.get("gunicorn.socket")
        live = services().live
        try:
            self._give_back = places().take(
                owner, client(self._environ), lambda: bool(bot) and live.has_turns(bot)
            )
        except MayNotWait as error:
            if isinstance(connection, Connection):
                connection.close_after_response()
            if bot and isinstance(error, Busy) and not isinstance(error, AddressBusy):
                with suppress(ArenaError):
                    live.stand_still(bot)
            raise
        self._watch = Watch(connection, self.waiter.leave)

    def end(self) -> None:
        """Give the place back. Can be called again."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.end()
            self._give_back()

    def each(self, messages: Iterable[Message]) -> Iterator[Message]:
        """Yield the messages of a stream until the client closes the connection."""
        found = iter(messages)
        while True:
            with self.waiter:
                message = next(found, None)
            if message is None or self.waiter.has_left:
                return
            yield message
