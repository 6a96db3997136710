"""Challenges: codes with which others play the deals of a finished game, and the games that they play. Only
the hashes of codes are stored.
"""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from arena.store.connection import Command, Repository
from arena.store.documents import by_name

_GAME: Final = "game"
_SEAT: Final = "seat"


class ChallengeRow(NamedTuple):
    """The finished ``game``, the ``seat`` from which it is played again, and the games with its deals, in the
    order in which they began.
    """

    game: str
    seat: int
    plays: list[str]


class ChallengeStore(Repository):
    """Stores challenges by their codes. ``of`` is the account that a challenge belongs to; :meth:`forget`
    removes the challenges of an account.
    """

    def put(self, code: str, game: str, seat: int, kept_ms: int | None, of: str) -> None:
        """Store a challenge for ``kept_ms`` milliseconds, or forever. Can be repeated."""
        key = _key(code)
        commands: list[Command] = [("HSET", key, _GAME, game, _SEAT, seat)]
        if kept_ms is not None:
            commands.append(("PEXPIRE", key, kept_ms))
        if of:
            # Stored before the challenge, so that :meth:`forget` misses none.
            self._one("SADD", _of(of), key)
        self._connection.run(commands)

    def find(self, code: str) -> ChallengeRow | None:
        """Return the challenge, or None if there is none."""
        found = by_name(self._one("HGETALL", _key(code)))
        game, seat = found.pop(_GAME, None), found.pop(_SEAT, None)
        if game is None or seat is None:
            return None
        return ChallengeRow(game.decode(), int(seat), sorted(found, key=lambda play: int(found[play])))

    def add(self, code: str, play: str, now_ms: int) -> int | None:
        """Add a game with the deals of a challenge, and return how many there are. Return None if there is no
        such challenge. Can be repeated.
        """
        key = _key(code)
        _, count, game = self._connection.run(
            [("HSETNX", key, play, now_ms), ("HLEN", key), ("HGET", key, _GAME)]
        )
        if game is None:
            self.remove(code, play)
            return None
        return int(count) - 2

    def remove(self, code: str, play: str) -> None:
        """Remove a game that did not begin."""
        self._one("HDEL", _key(code), play)

    def end(self, code: str) -> None:
        """Remove a challenge."""
        self._one("DEL", _key(code))

    def forget(self, of: str) -> None:
        """Remove all challenges of an account."""
        keys = self._one("SMEMBERS", _of(of))
        self._connection.run([*(("DEL", key) for key in keys), ("DEL", _of(of))])


def _of(account: str) -> str:
    return f"challenges-of:{account}"


def _key(code: str) -> str:
    return f"challenge:{hashlib.sha256(code.encode()).hexdigest()}"
