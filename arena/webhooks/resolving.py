"""Resolves host names in threads, of which each owner has a fair share."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import cache
from typing import Final

from arena.webhook_messages.errors import NameNotFound, ResolversBusy

Resolve = Callable[[str, int], Sequence[str]]
"""A function that returns the addresses of a host name, or raises :class:`OSError` if there are none."""

NAMES: Final = 256
NAMES_PER_OWNER: Final = 4
"""The maximum number of pending names of a process, and of one owner. A name is pending until the system's
resolver returns, which can be long after the call that waits for it has ended.
"""


class Resolvers:
    """Threads for the system's resolver, which has no timeout. Names beyond an owner's share wait for its
    other names, so an owner whose name servers do not answer delays only its own webhooks.
    """

    def __init__(self, names: int = NAMES, per_owner: int = NAMES_PER_OWNER) -> None:
        self._names = names
        self._per_owner = per_owner
        self._pool = ThreadPoolExecutor(names, thread_name_prefix="resolver")
        self._pending: Counter[str] = Counter()
        self._ended = threading.Condition()

    def resolve(self, owner: str, host: str, port: int, deadline: float, resolve: Resolve) -> list[str]:
        """Return the addresses of a host name of ``owner``. ``deadline`` is on the monotonic clock.

        Raises :class:`NameNotFound`, or :class:`ResolversBusy` if names of other owners take all threads.
        """
        self._begin(owner, deadline)
        future: Future[Sequence[str]] = self._pool.submit(resolve, host, port)
        future.add_done_callback(lambda _: self._end(owner))
        try:
            found = future.result(_left(deadline))
        except FutureTimeoutError:
            raise NameNotFound("the host name could not be resolved in time", field="url") from None
        except (OSError, UnicodeError):
            found = ()
        if not found:
            raise NameNotFound("the host name has no address", field="url")
        return list(dict.fromkeys(found))

    def _begin(self, owner: str, deadline: float) -> None:
        with self._ended:
            if not self._ended.wait_for(lambda: self._is_free(owner), _left(deadline)):
                if self._pending[owner] < self._per_owner:
                    raise ResolversBusy("the service is resolving too many host names", field="url")
                raise NameNotFound(
                    f"{self._per_owner} other host names of this owner are still being resolved", field="url"
                )
            self._pending[owner] += 1

    def _is_free(self, owner: str) -> bool:
        return self._pending[owner] < self._per_owner and self._pending.total() < self._names

    def _end(self, owner: str) -> None:
        with self._ended:
            self._pending[owner] -= 1
            # Owners without pending names are not kept.
            self._pending = +self._pending
            self._ended.notify_all()


def system_resolve(host: str, port: int) -> list[str]:
    """Resolve ``host`` with the system's resolver."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@cache
def resolvers() -> Resolvers:
    """Return the resolvers of this process."""
    return Resolvers()


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
