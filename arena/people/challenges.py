"""Challenges: friends play the deals of a finished game from the seat of the person who played it, one after
the other, and both see both results afterwards.

Whoever has the code of a challenge can play, so the code cannot be guessed and says nothing about the game.
It follows from a secret of the service, so that the person who played the game can always see it again. The
games of friends are practice (:mod:`arena.people.practice`).
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import count
from typing import Final

import orjson

from arena.accounts.links import LinkExpired
from arena.errors import ArenaError
from arena.live.header import GameHeader, GameNotFound, Viewer
from arena.live.service import GameNotOpen, LiveGames
from arena.people.practice import opening_of
from arena.people.side_by_side import SideBySide, side_by_side
from arena.people.tables import PeopleTables
from arena.records.record import parse_record
from arena.store.repositories import Store

MOST: Final = 20
"""How many games can be played with one code."""

_KEPT: Final = 64
"""How many comparisons a process keeps."""

_CODE_BYTES: Final = 24
_GAME_BYTES: Final = 9
_STOPPED: Final = ("cancelled", "void")
_NEW_LINK: Final = "a new link from the person who played the game"


@dataclass(frozen=True)
class Challenge:
    """A challenge as one person sees it. ``source`` is the game whose deals are played from ``seat``, and
    ``plays`` are the games with them that were not stopped, in the order in which they began. ``is_own``:
    whether the person played the source. ``own`` is the game of the person with these deals, if there is one.
    """

    code: str
    source: GameHeader
    seat: int
    plays: Sequence[GameHeader]
    is_own: bool
    own: GameHeader | None


class Challenges:
    """All challenges."""

    def __init__(self, live: LiveGames, people: PeopleTables, store: Store) -> None:
        self._live = live
        self._people = people
        self._rows = store.challenges
        self._index = store.game_index
        self._identity = store.identity
        self._clock = store.clock
        # Records do not change, and pages are opened repeatedly.
        self.side_by_side = lru_cache(maxsize=_KEPT)(self._side_by_side)

    def create(self, game_id: str, person: str, owner: str = "") -> str:
        """Return the code with which others can play the deals of one of the person's finished games. Calling
        this again returns the same code. The challenge ends with the account of the ``owner``, if the person
        has one.

        Raises ``game_not_found``, ``record_not_ready``, and ``game_not_open`` for practice.
        """
        seat = self._people.your_seat(game_id, person)
        self._live.check_record(game_id, Viewer(person))
        if self._people.header(game_id).practice:
            raise GameNotOpen(f"game {game_id} is practice", field="game", expected="another game")
        code = self._code(game_id, seat)
        record_s = self._live.finalizer.retention.record_s
        kept_ms = None if record_s is None else int(record_s * 1000)
        self._rows.put(code, game_id, seat, kept_ms, owner)
        return code

    def withdraw(self, game_id: str, person: str) -> None:
        """End the challenge with one of the person's games. Games that have begun continue."""
        self._rows.end(self._code(game_id, self._people.your_seat(game_id, person)))

    def code_of_play(self, header: GameHeader, seat: int) -> str:
        """Return the code of the challenge that a game is played for from ``seat``, or nothing if it is not
        played for one, or if the challenge has ended.
        """
        if not header.practice or header.practice["after"]:
            return ""
        code = self._code(header.practice["game"], seat)
        row = self._rows.find(code)
        return code if row is not None and header.game in row.plays else ""

    def find(self, code: str, person: str | None) -> Challenge:
        """Return the challenge with a code, as a person sees it. Raises ``link_expired``."""
        row = self._rows.find(code)
        if row is None:
            raise LinkExpired(_NEW_LINK)
        try:
            source = self._people.header(row.game)
        except GameNotFound:
            raise LinkExpired(_NEW_LINK) from None
        plays = [one for one in self._headers(row.plays) if one is not None and one.state not in _STOPPED]
        own = next((one for one in plays if one.seats_of(person)), None)
        return Challenge(code, source, row.seat, plays, row.seat in source.seats_of(person), own)

    def play(self, code: str, person: str, address: str, owner: str = "") -> str:
        """Open the table at which a person plays the deals of a challenge, and return the game's id. If there
        is one already, return its id; a game that was stopped can be repeated. The person pays for it, or the
        ``owner`` as whom the person has signed in.

        Raises ``link_expired``, also if the code was used for :data:`MOST` games, ``game_not_open`` for the
        person who made the challenge, and what :meth:`~arena.people.tables.PeopleTables.open` does.
        """
        challenge = self.find(code, person)
        if challenge.own is not None:
            return challenge.own.game
        if challenge.is_own:
            raise GameNotOpen(
                "you have played these deals", field="code", expected="a link from somebody else"
            )
        record = parse_record(self._live.record(challenge.source.game, Viewer(admin=True)))
        play = self._next_play(code, person)
        number = self._rows.add(code, play, self._clock().now_ms)
        if number is None or number > MOST:
            self._rows.remove(code, play)
            raise LinkExpired(_NEW_LINK)
        try:
            self._people.repeat(
                challenge.source, challenge.seat, opening_of(record, 0), person, address, owner, game_id=play
            )
        except ArenaError:
            self._rows.remove(code, play)
            raise
        return play

    def _side_by_side(self, first: str, second: str, seat: int, other: str) -> SideBySide:
        """Compare two games with the same deals; see :func:`~arena.people.side_by_side.side_by_side`. Each
        process keeps the last results. Raises ``record_not_ready``.
        """
        one, two = (parse_record(self._live.record(game, Viewer(admin=True))) for game in (first, second))
        return side_by_side(one, two, seat, other)

    def _next_play(self, code: str, person: str) -> str:
        """Return the id of the person's next game with the code: the first that was not stopped."""
        for number in count():
            play = sha256(orjson.dumps([code, person, number])).hexdigest()[: 2 * _GAME_BYTES]
            (header,) = self._headers([play])
            if header is None or header.state not in _STOPPED:
                return play
        raise AssertionError

    def _headers(self, games: Sequence[str]) -> list[GameHeader | None]:
        return [None if data is None else GameHeader.loads(data) for data in self._index.headers(list(games))]

    def _code(self, game: str, seat: int) -> str:
        key = self._identity.web_key(secrets.token_hex(32)).encode()
        digest = hmac.digest(key, orjson.dumps(["challenge", game, seat]), "sha256")
        return urlsafe_b64encode(digest[:_CODE_BYTES]).decode()
