"""An index of the names of bots, owners and tournaments in Redis, by the beginnings of their words.

Entries can be out of date, so callers check what they find.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from typing import Final, Literal

from arena.store.connection import Command, Repository

Of = Literal["bot", "owner", "tournament"]

WORDS_MOST: Final = 6
"""The maximum number of words of a name by which it is found."""

NEAR_MOST: Final = 200
"""The maximum number of entries with the first two letters of a query that are compared with it."""

_ASKED_MOST: Final = 3
_NEAR: Final = 0.8

_LONGEST: Final = 60
_NEWEST: Final = "{search}:newest"
_WORDS: Final = re.compile(r"[^\W_]+")


def plain(text: str) -> str:
    """Return the words of a text in lower case without accents, separated by spaces."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(_WORDS.findall(bare))[:_LONGEST]


def begins(query: str, name: str) -> bool:
    """Return whether each word of the query begins a word of the name, or the query without its spaces begins
    the name without its own.
    """
    wanted, words = plain(query).split(), plain(name).split()
    every = all(any(word.startswith(one) for word in words) for one in wanted)
    return bool(wanted) and (every or "".join(words).startswith("".join(wanted)))


def is_near(query: str, rest: str) -> bool:
    """Return whether as many words of a name as the query has, from one of them on, resemble the query."""
    wanted = plain(query)
    first = " ".join(plain(rest).split(" ")[: wanted.count(" ") + 1])
    matcher = SequenceMatcher(None, first, wanted, autojunk=False)
    return matcher.real_quick_ratio() >= _NEAR and matcher.ratio() >= _NEAR


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

    plain = staticmethod(plain)
    is_near = staticmethod(is_near)

    @staticmethod
    def finds(query: str, name: str) -> bool:
        """Return whether a query finds a name; see :func:`begins`."""
        return begins(query, name)

    def find(self, of: Of, query: str, most: int) -> list[str]:
        """Return up to ``most`` bots or owners, or the plain names of tournaments, that the query finds;
        first those in which its words follow each other.
        """
        wanted = plain(query)
        if not wanted:
            return []
        words = sorted(set(wanted.split(" ")) - {wanted}, key=len, reverse=True)[:_ASKED_MOST]
        found = [
            name
            for start in (wanted, *words)
            for _, name in self._entries_from(of, start, most * WORDS_MOST)
            if begins(query, name)
        ]
        if not found:
            near = self._entries_from(of, wanted[:2], NEAR_MOST)
            found = [name for _, name in near if begins(query, name)]
        return list(dict.fromkeys(found))[:most]

    def near(self, of: Of, query: str, most: int) -> list[str]:
        """Return up to ``most`` names as :meth:`find` does, with words that resemble the query and begin with
        its first two letters.
        """
        wanted = plain(query)
        if len(wanted) < 4:
            return []
        near = self._entries_from(of, wanted[:2], NEAR_MOST)
        return list(dict.fromkeys(name for rest, name in near if is_near(wanted, rest)))[:most]

    def _entries_from(self, of: Of, start: str, most: int) -> list[tuple[str, str]]:
        """Return entries that begin with this: what stands after the words before, and what is found."""
        first = b"[" + start.encode()
        members = self._one("ZRANGEBYLEX", _key(of), first, first + b"\xff", "LIMIT", 0, most)
        parts = (member.decode(errors="replace").partition("\0") for member in members)
        return [(rest, name) for rest, _, name in parts]

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
    "NEAR_MOST",
    "WORDS_MOST",
    "Of",
    "SearchIndex",
    "additions",
    "begins",
    "is_near",
    "plain",
    "removals",
    "tournament_additions",
]
