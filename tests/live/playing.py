"""Players for the tests: they know nothing but what they are sent."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from arena.live.retention import Retention
from arena.live.service import LiveGames, Viewer
from arena.ops.jobs import InlineJobs, Job, Jobs
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.records.verify import verify
from arena.store.connection import StoreUnavailable
from tests.waiting import PATIENCE

BOTS = ("ann", "bob", "cid", "dee")
SEATS = [{"bot": name} for name in BOTS]
LONG = {"per_turn_ms": 60_000, "bank_ms": 60_000}


class NotedJobs(Jobs):
    """Jobs that nobody runs."""

    def __init__(self) -> None:
        self.requested: list[Job] = []

    def request(self, job: Job) -> None:
        self.requested.append(job)


def open_games(url: str, jobs: Jobs | None = None, retention: Retention | None = None) -> LiveGames:
    """The games of a service of its own, as another process would have them."""
    settings = Settings(url, retention=retention or Retention())
    return open_service(settings, jobs or InlineJobs()).live


def new_game(games: LiveGames, kind: str = "toepen", **options: Any) -> str:
    """A running game of four bots, with time to think."""
    settings: dict[str, Any] = {"seats": SEATS, "clock": LONG, **options}
    return str(games.create(kind, **settings)["game"])


def bot_on(games: LiveGames, game: str, seat: int) -> str:
    return str(games.summary(game, Viewer(admin=True))["seats"][seat]["name"])


def awaited_turn(games: LiveGames, game: str) -> tuple[str, dict[str, Any]]:
    """The bot that has to move, and its turn."""
    view = games.view(game)
    assert view is not None
    seat = view["awaiting"][0]
    bot = bot_on(games, game, seat)
    (turn,) = [t for t in games.turns(bot, rights=False).turns if t["game"] == game and t["seat"] == seat]
    return bot, turn


def answer(games: LiveGames, bot: str, turn: str, action: Any) -> dict[str, Any]:
    (result,) = games.answer(bot, [{"turn": turn, "action": action}])
    return result


def quiet(turn: dict[str, Any]) -> str:
    """A legal action that raises nothing: the first that is no call."""
    return next(
        (a for a in turn["legal_actions"] if not a.startswith(("truco", "raise", "knock"))),
        turn["legal_actions"][0],
    )


Choose = Callable[[dict[str, Any]], str | None]


def random_player(seed: int, rights: float = 0.0) -> Choose:
    """Any legal action; an optional turn is used with probability ``rights``."""
    source = random.Random(seed)

    def choose(turn: dict[str, Any]) -> str | None:
        if turn["optional"] and source.random() >= rights:
            return None
        return str(source.choice(turn["legal_actions"]))

    return choose


def bot_loop(
    games: LiveGames,
    bot: str,
    choose: Choose,
    is_over: Callable[[], bool],
    *,
    wait: float = 0.5,
    rights: bool = True,
    heard: list[Any] | None = None,
    results: list[dict[str, Any]] | None = None,
) -> None:
    """The loop of a bot, as the documentation has it: one request after another, and a failed one again."""
    cursor: str | None = None
    answers: list[dict[str, Any]] = []
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            done = games.exchange(bot, answers, cursor, wait=wait, rights=rights)
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise
            continue
        deadline = time.monotonic() + PATIENCE
        cursor = done.cursor
        if heard is not None:
            heard.extend(done.turns)
        if results is not None:
            results.extend(done.results)
        if not done.turns and is_over():
            return
        actions = [(turn["turn"], choose(turn)) for turn in done.turns]
        answers = [{"turn": turn, "action": action} for turn, action in actions if action is not None]


def play_out(games: LiveGames, ids: Sequence[str], bots: Sequence[str] = BOTS, seed: int = 1) -> None:
    """Play the games to their ends, one bot after the other, and store their records as a worker does."""
    choose = random_player(seed)
    cursors: dict[str, str | None] = dict.fromkeys(bots)
    deadline = time.monotonic() + PATIENCE
    admin = Viewer(admin=True)
    while any(games.summary(game, admin)["state"] == "running" for game in ids):
        assert time.monotonic() < deadline, "the games do not end"
        for bot in bots:
            page = games.turns(bot, cursors[bot], rights=False)
            while page.turns:
                answers = [{"turn": t["turn"], "action": choose(t)} for t in page.turns if t["game"] in ids]
                page = games.exchange(bot, answers, page.cursor, rights=False)
            cursors[bot] = page.cursor
    for game in ids:
        games.finish(game)


def checked_record(games: LiveGames, game: str, viewer: Viewer | None = None) -> dict[str, Any]:
    """The record of a game that has ended, stored as a worker does it, after verification."""
    games.finish(game)
    record: dict[str, Any] = json.loads(games.record(game, viewer or Viewer()))
    assert verify(record) == []
    return record
