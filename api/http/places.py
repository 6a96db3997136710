"""Places: how many requests of one process can wait at the same time, in all and for each client.

A request takes a place before it first waits for news, and a stream for as long as it is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import ClassVar, Final

from arena.store.waits import MayNotWait

_ALL: Final = 80
_ALL_WITH_TURNS: Final = 90
_WITHOUT_TOKEN: Final = 40
_OF_ADDRESS: Final = 2
"""The percentages of the connections on which requests can wait: all requests, all including those of bots
with turns pending, and those without a token; and the number of shares that all owners at one address have
together.
"""

_LEAST: Final = 4
"""Each of these shares is at least this many."""


class Busy(MayNotWait):
    """Others hold all places that this request could take."""

    code: ClassVar[str] = "busy"


class AddressBusy(Busy):
    """The owners at the address of the request hold all places of this address. They can all be the same
    person, so this stops no clocks.
    """


class TooManyConnections(MayNotWait):
    """The owner of the token, or without a token the address, holds all places of its share."""

    code: ClassVar[str] = "too_many_connections"


class Places:
    """The places of one process with at most ``connections`` connections. ``share`` is the percentage of them
    on which requests of one owner can wait; those of one address without a token have half of it.
    """

    def __init__(self, connections: int, share: int) -> None:
        self._share = share
        self.resize(connections)
        self._taken: Counter[str] = Counter()

    def resize(self, connections: int) -> None:
        """Set the maximum number of connections."""
        self._connections = connections

    def take(self, owner: str, address: str, has_turns: Callable[[], bool]) -> Callable[[], None]:
        """Take a place for a request with a token of ``owner`` (empty for none) from ``address``, and return
        the function that gives it back. ``has_turns`` returns whether the request is that of a bot with
        turns pending.

        Raises :class:`Busy`, :class:`AddressBusy` or :class:`TooManyConnections`.
        """
        if owner:
            keys = ("", f"owner {owner}", f"owners at {address}")
            self._check_share(keys[1], self._share, f"of the owner {owner}")
            if self._is_full(keys[2], self._share * _OF_ADDRESS):
                raise AddressBusy("too many requests from this address are waiting", expected="to try again")
        else:
            keys = ("", f"address {address}", "addresses")
            self._check_share(keys[1], self._share // 2, "without a token from this address")
            if self._is_full(keys[2], _WITHOUT_TOKEN):
                raise _busy()
        if self._is_full("", _ALL) and (self._is_full("", _ALL_WITH_TURNS) or not has_turns()):
            raise _busy()
        self._taken.update(keys)

        def give_back() -> None:
            for key in keys:
                self._taken[key] -= 1
                if not self._taken[key]:
                    del self._taken[key]

        return give_back

    def _check_share(self, key: str, percent: int, whose: str) -> None:
        if self._is_full(key, percent):
            raise TooManyConnections(
                f"{self._taken[key]} requests {whose} are already waiting",
                expected="to end some of them, or to play all games of a bot over one connection",
                extra={"retry_after": 1},
            )

    def _is_full(self, key: str, percent: int) -> bool:
        most = self._connections * min(percent, _ALL_WITH_TURNS) // 100
        return self._taken[key] >= max(_LEAST, most)


def _busy() -> Busy:
    return Busy("too many requests of others are waiting", expected="to try again")
