"""Those who ask: bots that play against themselves at random, and a caller of the bare route."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

import orjson

from arena.accounts.accounts import Accounts
from arena.games import GAMES, game_of
from arena.live.service import LiveGames
from benchmarks.http.bare import PATH
from benchmarks.http.load import BenchFailed, head

KINDS: Final = tuple(GAMES)

_BOTS_PER_OWNER: Final = 50
_PAGE: Final = 100
_CLOCK: Final = {"per_turn_ms": 3_600_000, "bank_ms": 0}


class Caller:
    """Asks the bare route for one move again and again; one request is one answer."""

    def __init__(self, key: str) -> None:
        # As long as the body of one answer.
        body = orjson.dumps({"key": key, "fill": "x" * 60})
        self._request = head("POST", PATH, len(body)) + body

    def request(self) -> bytes:
        """See :class:`~benchmarks.http.load.LoadPlayer`."""
        return self._request

    def reply(self, body: bytes) -> int:
        """See :class:`~benchmarks.http.load.LoadPlayer`."""
        return 1


class BenchBot:
    """A bot on all seats of its games: whatever it answers, it has a next turn. It chooses at random. It
    answers its newest turns first, so that as many games are under way as it sends answers at a time; the
    others are begun when one ends.

    ``answers``: how many it sends per request. ``wait``: seconds that it would wait for turns if it had
    none left; with other turns to answer it takes what is there, or the end of a game would keep it waiting.
    """

    def __init__(self, name: str, token: str, answers: int, wait: int, random: Random) -> None:
        self.name = name
        self.games = 0
        """Games that are not over, as far as it knows."""
        self._token = token
        self.answers = answers
        self._wait = wait
        self._random = random
        self._pending: list[tuple[str, str]] = []
        self._cursor: str | None = None
        self._sent = 0

    def take(self, live: LiveGames, games: int) -> None:
        """Create games until it plays that many, and read all new turns."""
        for _ in range(games - self.games):
            kind = KINDS[self.games % len(KINDS)]
            seats = game_of(kind).seats(game_of(kind).options.complete())
            live.create(kind, seats=[{"bot": self.name}] * seats, clock=_CLOCK, created_by=self.name)
            self.games += 1
        while True:
            page = live.turns(self.name, self._cursor, rights=False, limit=_PAGE)
            self._cursor = page.cursor
            self._add(page.turns)
            if len(page.turns) < _PAGE:
                return

    def request(self) -> bytes:
        """See :class:`~benchmarks.http.load.LoadPlayer`."""
        pending = self._pending
        self._sent = min(self.answers, len(pending))
        if not self._sent:
            raise BenchFailed(f"{self.name} has no game left", expected="shorter rounds")
        parts = [b'{"turn":"%b","action":"%b"}' % _encoded(pending.pop()) for _ in range(self._sent)]
        body = b'{"answers":[%b]}' % b",".join(parts)
        wait = 0 if pending else self._wait
        path = f"/v1/turns?wait={wait}&rights=false&after={self._cursor}"
        return head("POST", path, len(body), self._token) + body

    def reply(self, body: bytes) -> int:
        """See :class:`~benchmarks.http.load.LoadPlayer`."""
        reply = orjson.loads(body)
        for result in reply["results"]:
            if result["status"] != "accepted":
                raise BenchFailed(f"an answer was not accepted: {result}")
        self._cursor = reply["cursor"]
        self._add(reply["turns"])
        # Every answer brings the next turn of its game, until that is over.
        self.games -= self._sent - len(reply["turns"])
        return self._sent

    def _add(self, turns: Sequence[Mapping[str, object]]) -> None:
        for turn in turns:
            legal = turn["legal_actions"]
            assert isinstance(legal, list)
            self._pending.append((str(turn["turn"]), self._random.choice(legal)))


def _encoded(answer: tuple[str, str]) -> tuple[bytes, bytes]:
    return answer[0].encode(), answer[1].encode()


def waiting_requests(tokens: Sequence[str]) -> list[bytes]:
    """What bots without games ask who wait: half of them a long poll, half a stream."""
    body = b'{"answers":[]}'
    return [
        head("POST", "/v1/turns?wait=60", len(body), token) + body
        if number % 2
        else head("GET", "/v1/turns/stream", token=token)
        for number, token in enumerate(tokens)
    ]


def sign_up(accounts: Accounts, prefix: str, count: int) -> list[tuple[str, str]]:
    """New bots: their names and tokens."""
    made = []
    owner = ""
    for number in range(count):
        if number % _BOTS_PER_OWNER == 0:
            owner = accounts.sign_up(f"{prefix}-owner-{number}")[0].name
        bot, token = accounts.register_bot(owner, f"{prefix}-{number}")
        made.append((bot.name, token))
    return made
