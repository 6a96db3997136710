"""Lists of games, newest first: a sorted set of recent games, and compressed chunks of archived ones.

A list ``key`` has two more keys. ``:chunks`` is a sorted set of chunks by the lowest score in each; their
score ranges do not overlap. ``:chunked`` is the number of games in chunks. A game can briefly be both in the
recent set and in a chunk, and counts once.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import orjson

from arena.store.connection import Command, Repository, Script
from arena.store.paging import Cursor, newest_first
from arena.store.rows import shown_or_left_out

_CHUNK: Final = Script("list_chunk")
_TRIM: Final = Script("list_trim")
LIST_SCRIPTS: Final = (_CHUNK, _TRIM)
"""The scripts that the connection of game lists must load."""

CHUNK_GAMES: Final = 200
"""The maximum number of games in a chunk, unless more of them have the same score."""

_COUNT_BYTES: Final = 4


class _Chunk(NamedTuple):
    """A stored chunk and the lowest score in it; ``data`` is empty if there is no chunk."""

    data: bytes
    lowest: int

    def members(self) -> list[Cursor]:
        if not self.data:
            return []
        gaps, names = orjson.loads(zlib.decompress(self.data[_COUNT_BYTES:]))
        members = []
        score = self.lowest
        for gap, name in zip(gaps, names, strict=True):
            score += gap
            members.append(Cursor(score, name))
        return members


class GameLists(Repository):
    """Stores the lists in one Redis or Redis Cluster."""

    def page(self, key: str, before: Cursor | None, count: int) -> list[Cursor]:
        """Return up to ``count`` games of a list that follow ``before``, newest first."""
        # Recent games are read first: a game moves from there to a chunk, and is always in at least one
        # place.
        found = set(newest_first(self._connection, key, before, count))
        highest: int | str = "+inf" if before is None else before.score
        archived: list[Cursor] = []
        while len(archived) < count:
            chunks = self._chunks(key, highest, 2 + count // CHUNK_GAMES)
            if not chunks:
                break
            for chunk in chunks:
                members = shown_or_left_out(f"chunk of {key} at {chunk.lowest}", chunk.members)
                archived += [member for member in members or () if before is None or member < before]
            highest = f"({chunks[-1].lowest}"
        return sorted(found.union(archived), reverse=True)[:count]

    def archive(self, key: str, members: Iterable[Cursor]) -> None:
        """Move games of a list into chunks. Can be repeated, and run concurrently."""
        left = sorted(members)
        while left:
            newest = left[-1]
            chunked, chunk = self._target(key, newest)
            # Older games belong to older chunks, if there are any.
            limit = chunk.lowest if self._has_older(key, chunk) else left[0].score
            first = next(at for at, member in enumerate(left) if member.score >= limit)
            own = left[first:]
            there = shown_or_left_out(f"chunk of {key} at {chunk.lowest}", chunk.members)
            if there is None:
                # The chunk is unreadable, so the games stay where they are.
                return
            before = set(there)
            after = sorted(before.union(own))
            args = [chunked, chunk.data, len(after) - len(before)]
            pieces = _pieces(after)
            args += [len(pieces), *(part for piece in pieces for part in (piece[0].score, _packed(piece)))]
            keys = [key, chunks_key(key), chunked_key(key)]
            taken = self._one(*_CHUNK.call(keys, *args, *(member.name for member in own)))
            if taken:
                left = left[:first]

    def trim(self, key: str, oldest: int) -> list[Command]:
        """Return the commands that remove games with scores below ``oldest``, and chunks of only those."""
        keys = [chunks_key(key), chunked_key(key)]
        return [("ZREMRANGEBYSCORE", key, "-inf", oldest), _TRIM.call(keys, oldest)]

    def _chunks(self, key: str, highest: int | str, count: int) -> list[_Chunk]:
        """Return up to ``count`` chunks whose lowest score is at most ``highest``, newest first."""
        command = ("ZREVRANGEBYSCORE", chunks_key(key), highest, "-inf", "WITHSCORES", "LIMIT", 0, count)
        reply = self._one(*command)
        return [_Chunk(reply[at], int(reply[at + 1])) for at in range(0, len(reply), 2)]

    def _target(self, key: str, member: Cursor) -> tuple[int, _Chunk]:
        """Return the number of games in chunks, and the chunk to which a game belongs."""
        stored = chunks_key(key)
        count, *replies = self._connection.run(
            [
                ("GET", chunked_key(key)),
                ("ZREVRANGEBYSCORE", stored, member.score, "-inf", "WITHSCORES", "LIMIT", 0, 1),
                ("ZRANGE", stored, 0, 0, "WITHSCORES"),
            ]
        )
        found: Sequence[bytes] = next((reply for reply in replies if reply), (b"", b"0"))
        return int(count or 0), _Chunk(found[0], int(found[1]))

    def _has_older(self, key: str, chunk: _Chunk) -> bool:
        return bool(chunk.data) and bool(self._chunks(key, f"({chunk.lowest}", 1))


def _pieces(members: Sequence[Cursor]) -> list[Sequence[Cursor]]:
    """Split members into chunks, keeping those with the same score together."""
    pieces = []
    start = 0
    while start < len(members):
        end = min(start + CHUNK_GAMES, len(members))
        while end < len(members) and members[end].score == members[end - 1].score:
            end += 1
        pieces.append(members[start:end])
        start = end
    return pieces


def _packed(members: Sequence[Cursor]) -> bytes:
    scores = [members[0].score, *(member.score for member in members)]
    gaps = [after - before for before, after in pairwise(scores)]
    data = zlib.compress(orjson.dumps([gaps, [member.name for member in members]]), 9)
    return len(members).to_bytes(_COUNT_BYTES, "big") + data


def chunks_key(key: str) -> str:
    """Return the key of a list's chunks."""
    return f"{_tagged(key)}:chunks"


def chunked_key(key: str) -> str:
    """Return the key of the number of games in a list's chunks."""
    return f"{_tagged(key)}:chunked"


def _tagged(key: str) -> str:
    """Return the key with a hash tag that places it in the same slot as ``key``."""
    return key if "{" in key else f"{{{key}}}"


__all__ = ["CHUNK_GAMES", "LIST_SCRIPTS", "GameLists", "chunked_key", "chunks_key"]
