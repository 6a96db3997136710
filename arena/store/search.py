"""An index of the names of bots, owners and tournaments in Redis, by the beginnings of their words.

Entries can be out of date, so callers check what they find.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Final, Literal

from arena.store.connection import Command, Repository

Of = Literal["bot", "owner", "tournament"]

WORDS_MOST: Final = 6
"""The maximum number of words of a name by which it is found."""

_LONGEST: Final = 60
_NEWEST: Final = "{search}:newest"
_WORDS: Final = re.compile(r"[^\W_]+")


def plain(text: str) -> str:
    """Return the words of a text in lower case without accents, separated by spaces."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(_WORDS.findall(bare))[:_LONGEST]


def begins(query: str, name: str) -> bool:
    """Return whether a word of the name, with what follows, begins with the query."""
    wanted = plain(query)
    return bool(wanted) and any(rest.startswith(wanted) for rest in _rests(name))


def _entries(of: Of, name: str) -> list[tuple[str, bytes]]:
    """Return the lists in which a name stands, and its members there: what is found, after the words by which
    it is found.
    """
    found = plain(name) if of == "tournament" else name
    return [(_key(of), f"{rest}\0{found}".encode()) for rest in _rests(name)]


def additions(of: Of, name: str) -> list[Command]:
    """Return the commands that add a name to the index."""
    return [("ZADD", key, 0, member) for key, member in _entries(of, name)]


def removals(of: Of, name: str) -> list[Command]:
    """Return the commands that remove a name from the index."""
    return [("ZREM", key, member) for key, member in _entries(of, name)]


def tournament_additions(event: str, name: str, created_ms: int) -> list[Command]:
    """Return the commands that add a tournament to the index. Of those with the same name, only the one that
    was added last is found.
    """
    return [*additions("tournament", name), ("HSET", _NEWEST, plain(name), f"{created_ms} {event}")]


class SearchIndex(Repository):
    """Reads the index."""

    @staticmethod
    def finds(query: str, name: str) -> bool:
        """Return whether a query finds a name; see :func:`begins`."""
        return begins(query, name)

    def find(self, of: Of, query: str, most: int) -> list[str]:
        """Return up to ``most`` bots or owners, or the plain names of tournaments, of which a word begins
        with the query, together with what follows it.
        """
        start = plain(query).encode()
        if not start:
            return []
        count = most * WORDS_MOST
        range_ = (b"[" + start, b"[" + start + b"\xff", "LIMIT", 0, count)
        members = self._one("ZRANGEBYLEX", _key(of), *range_)
        found = dict.fromkeys(member.partition(b"\0")[2].decode(errors="replace") for member in members)
        return list(found)[:most]

    def newest(self, names: Collection[str]) -> Sequence[str]:
        """Return a tournament with each of these plain names, newest first."""
        rows = self._one("HMGET", _NEWEST, *names) if names else []
        moments = (row.decode().partition(" ") for row in rows if row is not None)
        return [event for _, _, event in sorted(moments, key=lambda one: int(one[0]), reverse=True)]


def _rests(name: str) -> list[str]:
    words = plain(name).split(" ")
    return [" ".join(words[start:]) for start in range(min(len(words), WORDS_MOST))] if words[0] else []


def _key(of: Of) -> str:
    return f"{{search}}:{of}"


__all__ = [
    "WORDS_MOST",
    "Of",
    "SearchIndex",
    "additions",
    "begins",
    "plain",
    "removals",
    "tournament_additions",
]
