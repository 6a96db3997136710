"""Database access to records in format 1, for the upgrade to format 2 (:mod:`arena.upgrade.step_2`).

In format 1, ``{t:<id>}:packs`` of a tournament held the gzipped records of its local groups that were not
archived. Chunks of groups had no records. Lists of records contained such groups as
``@<tournament>/<group>``, and each kind of game had a separate list. An archived live game left only its
places in lists. ``{arena}:archive`` counted the changes of the archive.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.store.chunks import from_chunk, to_chunk
from arena.store.connection import Repository
from arena.store.documents import by_name
from arena.store.games import record_key
from arena.store.identity import STORE_KEY
from arena.store.paging import cursors
from arena.store.records import ENDS, PENDING, PENDING_PRIVATE, ROWS_KEY, RecordStore

_ARCHIVE: Final = "{arena}:archive"
_REQUESTED: Final = "{arena}:archive:requested"


class FormerRecords(Repository):
    """Converts rows and lists of records from format 1 to format 2. Every method can be repeated."""

    def service(self) -> str:
        """Return the id of the database, or an empty string."""
        found = self._one("HGET", STORE_KEY, "id")
        return (found or b"").decode()

    def has_archive(self) -> bool:
        """Return whether records were archived."""
        found = self._one("HEXISTS", _ARCHIVE, "changes")
        return bool(found)

    def forget_rows(self) -> None:
        """Delete the rows that an earlier, interrupted attempt wrote to the archive."""
        self._connection.run([("HDEL", ENDS, "rows"), ("DEL", ROWS_KEY)])

    def rename(self) -> None:
        """Rename rows and members of lists as format 2 requires."""
        for pack in self._connection.keys("{t:*}:packs"):
            self._one("RENAME", pack, pack.removesuffix(b":packs") + b":records")
        for key in (PENDING, PENDING_PRIVATE):
            reply = self._one("ZRANGE", key, 0, -1, "WITHSCORES")
            for number, name in cursors(reply):
                if name.startswith("@"):
                    new = name.removeprefix("@").replace("/", "-", 1)
                    self._connection.run([("ZADD", key, number, new), ("ZREM", key, name)])

    def put_game(self, game: str, version: int, header: bytes) -> None:
        """Restore the header of an archived live game."""
        self._one("HSET", record_key(game), "m", header, "v", version)

    def chunk(self) -> None:
        """Move the rows of archived records into the chunks of their groups."""
        for chunks in self._connection.keys("{t:*}:chunks"):
            rows = chunks.removesuffix(b":chunks") + b":records"
            stored = self._one("HGETALL", chunks)
            for number, data in by_name(stored).items():
                groups = from_chunk(data)
                names = [group.id for group in groups]
                found = self._one("HMGET", rows, *names)
                places = {
                    name: row for name, row in zip(names, found, strict=True) if RecordStore.is_archived(row)
                }
                changed = [group._replace(records=places.get(group.id, group.records)) for group in groups]
                self._one("HSET", chunks, number, to_chunk(changed))
                if places:
                    self._one("HDEL", rows, *places)

    def finish(self, kinds: Iterable[str]) -> None:
        """Delete data that are no longer read."""
        keys = [_ARCHIVE, _REQUESTED, *(f"{PENDING}:{kind}" for kind in kinds)]
        self._connection.run([("DEL", key) for key in keys])


__all__ = ["FormerRecords"]
