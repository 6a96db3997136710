"""Cursors and pages for lists that are ordered by a score, newest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from arena.errors import ArenaError
from arena.store.connection import RedisConnection

T = TypeVar("T")

_READS_PER_PAGE: Final = 10
"""A page ends after this many reads even if it is not full, because a filter can match very few entries."""


class InvalidCursor(ArenaError):
    """The cursor was not issued by this service."""

    code = "invalid_cursor"

    def __init__(self, cursor: object, field: str = "cursor") -> None:
        super().__init__(
            f"{str(cursor)[:80]!r} is not a valid cursor",
            field=field,
            expected="a cursor from an earlier response",
        )


class Cursor(NamedTuple):
    """A position in a list: a score (milliseconds or a sequence number), and the name of the member there."""

    score: int
    name: str

    def __str__(self) -> str:
        return f"{self.score}-{self.name}"

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Parse the text form of a cursor. Raises :class:`InvalidCursor`."""
        score, separator, name = text.partition("-")
        if not separator or not _is_number(score, 17):
            raise InvalidCursor(text)
        return cls(int(score), name)


class Page(NamedTuple, Generic[T]):
    """One page of a list. ``cursor`` is where the next page begins, or None at the end of the list."""

    items: list[T]
    cursor: str | None


def parse_number(cursor: str | None, digits: int) -> int:
    """Parse a cursor of up to ``digits`` digits; None counts as 0. Raises :class:`InvalidCursor`."""
    if cursor is None:
        return 0
    if not _is_number(cursor, digits):
        raise InvalidCursor(cursor)
    return int(cursor)


def newest_first(
    connection: RedisConnection, key: str, before: Cursor | None, count: int
) -> Sequence[Cursor]:
    """Return up to ``count`` members of a sorted set after ``before``, by descending score and name."""
    highest = "+inf" if before is None else before.score
    found: list[Cursor] = []
    offset = 0
    while True:
        (reply,) = connection.run(
            [("ZREVRANGEBYSCORE", key, highest, "-inf", "WITHSCORES", "LIMIT", offset, count)]
        )
        members = cursors(reply)
        # Members with the same score as ``before`` can be on either side of it.
        found += (member for member in members if before is None or member < before)
        if len(members) < count or len(found) >= count:
            return found[:count]
        offset += count


def newest_of(
    connection: RedisConnection, keys: Sequence[str], before: Cursor | None, count: int
) -> Sequence[Cursor]:
    """Return up to ``count`` members of all ``keys`` together after ``before``; see :func:`newest_first`."""
    highest = "+inf" if before is None else before.score
    query = (highest, "-inf", "WITHSCORES", "LIMIT", 0, count)
    replies = connection.run([("ZREVRANGEBYSCORE", key, *query) for key in keys]) if keys else []
    found: set[Cursor] = set()
    for key, members in zip(keys, map(cursors, replies), strict=True):
        own = [member for member in members if before is None or member < before]
        if len(own) < len(members) == count:
            # Members with the same score as ``before`` have taken the places of others.
            own = list(newest_first(connection, key, before, count))
        found.update(own)
    return sorted(found, reverse=True)[:count]


def cursors(reply: Sequence[bytes]) -> list[Cursor]:
    """Return the members and scores in a ``WITHSCORES`` reply."""
    return [
        Cursor(int(float(reply[i + 1])), reply[i].decode(errors="replace")) for i in range(0, len(reply), 2)
    ]


def filled_page(
    read: Callable[[Cursor | None, int], Sequence[Cursor]],
    show: Callable[[Sequence[str]], Iterable[T | None]],
    cursor: str | None,
    limit: int,
    reads: int = _READS_PER_PAGE,
) -> Page[T]:
    """Return up to ``limit`` items after ``cursor``. ``read`` returns the next members of the list, and
    ``show`` their items, with None for those to skip. A page can be short although more items follow, because
    at most ``reads`` times ``limit`` members are read; its cursor shows whether they do.
    """
    last = None if cursor is None else Cursor.parse(cursor)
    items: list[T] = []
    for _ in range(reads):
        members = read(last, limit)
        for member, item in zip(members, show([name for _, name in members]), strict=True):
            last = member
            if item is not None:
                items.append(item)
                if len(items) == limit:
                    return Page(items, str(last))
        if len(members) < limit:
            return Page(items, None)
    return Page(items, None if last is None else str(last))


def _is_number(text: str, digits: int) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= digits


__all__ = [
    "Cursor",
    "InvalidCursor",
    "Page",
    "cursors",
    "filled_page",
    "newest_first",
    "newest_of",
    "parse_number",
]
