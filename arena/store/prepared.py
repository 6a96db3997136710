"""Prepared pages: parts of pages that workers have made, in one cache; the oldest make room for new ones.

A page that is not there is prepared again, so backups leave the cache out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

import orjson

from arena.store.connection import RedisConnection, Repository, Script
from arena.store.games import WAKE_CHANNEL

PREPARED: Final = "{prepared}:"
"""The prefix of all keys of the cache."""

KEPT_MS: Final = 7 * 86_400_000
"""How long a page is kept after its latest part was stored, unless its owner says otherwise."""

_PART_BYTES: Final = 100
"""The approximate number of bytes that a part takes in the database besides its value."""

_ORDER: Final = f"{PREPARED}order"
_BYTES: Final = f"{PREPARED}bytes"
_ENDS: Final = f"{PREPARED}ends"
_PUT: Final = Script("prepared_put")
PREPARED_SCRIPTS: Final = (_PUT,)
"""The scripts that the connection of a :class:`PreparedPages` store must load."""


class PreparedPages(Repository):
    """Stores the parts of pages by the page's name and the part's."""

    def __init__(self, connection: RedisConnection) -> None:
        super().__init__(connection)
        self.most_bytes = 256 << 20
        """The maximum size of all pages; the process's settings replace it."""

    def parts(self, page: str, names: Sequence[str]) -> list[bytes | None]:
        """Return parts of a page, with None for those that are missing."""
        found: list[bytes | None] = self._one("HMGET", _key(page), *names)
        return found

    def put(
        self,
        page: str,
        parts: Mapping[str, bytes],
        kept_ms: int = KEPT_MS,
        *,
        where: Mapping[str, bytes] | None = None,
        replace: bool = False,
    ) -> bool:
        """Store parts of a page, and delete those with an empty value, or with ``replace`` all others. The
        page is kept for ``kept_ms``. Return False, and store nothing, unless the page has the parts ``where``
        at that moment; an empty value is that of a missing part.
        """
        conditions = where or {}
        limits = (self.most_bytes, kept_ms, _PART_BYTES, int(replace), len(conditions))
        pairs = chain.from_iterable((*conditions.items(), *parts.items()))
        dropped = self._one(*_PUT.call([_ORDER, _BYTES, _key(page), _ENDS], page, *limits, *pairs))
        if dropped:
            self._connection.run([("DEL", _key(name.decode())) for name in dropped])
        return dropped is not None

    def forget(self, page: str, where: Mapping[str, bytes] | None = None) -> None:
        """Delete a page, if it has the parts ``where`` (see :meth:`put`)."""
        self.put(page, {}, where=where, replace=True)

    def announce(self, page: str) -> None:
        """Wake the requests that wait for the page (:func:`~arena.store.notifications.page_topic`)."""
        self._one("PUBLISH", WAKE_CHANNEL, orjson.dumps([(f"@{page}", 0, [], [])]))

    def bytes(self) -> int:
        """Return the approximate size of all pages."""
        return int(self._one("HGET", _BYTES, "") or 0)


def _key(page: str) -> str:
    return f"{PREPARED}page:{page}"
