"""The rounds: 50 bots play alone and beside the spectators, by turns, on the same server."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import orjson

from arena.live.game import PACE_MS
from arena.ops.die_with_parent import die_with_parent
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from benchmarks.beside import BesideReport, CrowdSample, sample_players
from benchmarks.http.load import BenchFailed
from benchmarks.http.measure import raise_file_limit
from benchmarks.http.players import BenchBot, sign_up
from benchmarks.http.servers import Cores, Server
from benchmarks.spectators.crowd import READY_SECONDS, Got
from benchmarks.spectators.pages import Loaded, PageVisitor, first_loads

WATCHED: Final[Mapping[str, Mapping[str, Any]]] = {
    "truco": {},
    "toepen": {"seats": 4, "lives": 30},
}
"""The games that are watched, by turns: long enough for a round if nobody raises."""

TABLES: Final = "tables"
"""What is watched with the exhibition: all tables of /watch."""

_MOVES_A_SECOND: Final = 2
_WAIT: Final = 20
_PAGE_BOTS: Final = (
    "rookie",
    "random",
    *(f"{name}+{number}" for name in ("rookie", "random") for number in (2, 3)),
)
_QUIET: Final = ("play:", "keep", "stay", "trust")


class CrowdSize(NamedTuple):
    """How much is measured: ``rounds`` of ``seconds`` alone and as many beside the spectators, of one game or
    with ``exhibition`` of /watch.
    """

    rounds: int
    seconds: float
    spectators: int
    players: int
    exhibition: bool = False


@dataclass(frozen=True)
class CrowdReport(BesideReport):
    """``got``: what the spectators got in each round, and ``kinds``: which game that was. ``pages``: first
    loads by name. ``exhibition_s``: the processor time per hour of the moves of exhibition games, in seconds.
    """

    kinds: Sequence[str]
    got: Sequence[Got]
    pages: Mapping[str, Loaded]
    exhibition_s: float | None = None

    def bytes_per_move(self, kind: str) -> float | None:
        """What one spectator is sent per move of a game of that kind; None if none was made."""
        own = [got for got, of in zip(self.got, self.kinds, strict=True) if of == kind]
        moves = sum(got.moves for got in own)
        return sum(got.move_bytes for got in own) / moves if moves else None


class SpectatorBench:
    """One run, in a folder for what its processes write. ``say`` gets progress messages."""

    def __init__(self, folder: Path, size: CrowdSize, seed: int, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._size = size
        self._random = Random(seed)
        self._say = say
        self._cores = Cores()
        self._parts: Service
        self._server: Server
        self._exhibited = _Exhibited()

    def run(self) -> CrowdReport:
        """Measure everything. Raises :class:`~benchmarks.http.load.BenchFailed`."""
        size = self._size
        # The server, a child, inherits the limit.
        raise_file_limit(size.spectators + size.players + 200)
        serve = "from arena.cli import main; main(['serve', '--bind', '{bind}'])"
        alone: list[CrowdSample] = []
        beside: list[CrowdSample] = []
        kinds: list[str] = []
        got: list[Got] = []
        with self._cores, EmbeddedStore(self._folder / "data") as store:
            settings = {"REDIS_URL": store.url, "BOTEQUIM_LIMITS": "off", "BOTEQUIM_SHARE": "100"}
            settings["BOTEQUIM_ARCHIVE"] = str(self._folder / "archive")
            self._parts = open_service(Settings(store.url), InlineJobs())
            self._parts.store.identity.register()
            addresses = self._pages()
            with Server(["-c", serve], "/readyz", self._folder, settings, self._cores) as self._server:
                root, visitor = f"http://127.0.0.1:{self._server.port}", PageVisitor()
                tables = {f"table, {kind}": visitor.sit_down(root, kind) for kind in WATCHED}
                pages = first_loads(root, addresses | tables, visitor.body)
                bots = self._bots()
                self._say("warming up")
                first = TABLES if size.exhibition else next(iter(WATCHED))
                self._alone(bots, first, min(1.0, size.seconds))
                for number in range(size.rounds):
                    self._say(f"round {number + 1} of {size.rounds}")
                    kind = TABLES if size.exhibition else list(WATCHED)[number % len(WATCHED)]
                    kinds.append(kind)
                    # The machine may drift; so neither is always first.
                    if number % 2:
                        self._beside(bots, kind, beside, got)
                    alone.append(self._alone(bots, kind, size.seconds))
                    if not number % 2:
                        self._beside(bots, kind, beside, got)
        cost = self._exhibited.per_hour if size.exhibition else None
        return CrowdReport(self._cores.split, alone, beside, kinds, got, pages, cost)

    def _bots(self) -> list[BenchBot]:
        accounts = sign_up(self._parts.accounts, "player", self._size.players)
        return [BenchBot(name, token, 1, _WAIT, Random(self._random.random())) for name, token in accounts]

    def _alone(self, bots: Sequence[BenchBot], kind: str, seconds: float) -> CrowdSample:
        if kind == TABLES:
            return self._measure(bots, seconds)
        with self._watched(kind) as game, self._moving(game):
            return self._measure(bots, seconds)

    def _beside(
        self, bots: Sequence[BenchBot], kind: str, samples: list[CrowdSample], got: list[Got]
    ) -> None:
        watched = self._exhibition() if kind == TABLES else self._watched(kind)
        with watched as game:
            path = "/watch/tables" if kind == TABLES else f"/games/{game}/table"
            command = [
                sys.executable,
                "-m",
                "benchmarks.spectators.crowd",
                str(self._server.port),
                path,
                str(self._size.spectators),
            ]
            root = str(Path(__file__).parent.parent.parent)
            path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
            with subprocess.Popen(
                die_with_parent(command),
                env={**os.environ, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as crowd:
                assert crowd.stdin is not None
                try:
                    _line(crowd, READY_SECONDS)
                    with nullcontext() if kind == TABLES else self._moving(game):
                        samples.append(self._measure(bots, self._size.seconds))
                    crowd.stdin.close()
                    got.append(Got(**orjson.loads(_line(crowd, READY_SECONDS))))
                finally:
                    crowd.kill()

    @contextmanager
    def _watched(self, kind: str) -> Iterator[str]:
        """A game of one bot on all seats, while the block lasts."""
        ((name, _),) = sign_up(self._parts.accounts, f"watched-{self._random.getrandbits(40)}", 1)
        rules = WATCHED[kind]
        seats = [{"bot": name}] * 4
        game: str = self._parts.live.create(kind, seats=seats, rules=rules, created_by=name)["game"]
        self._watched_bot = name
        yield game
        self._parts.live.void(game, "the round is over")

    @contextmanager
    def _exhibition(self) -> Iterator[str]:
        """The exhibition, while the block lasts; nothing else plays on it."""
        self._parts.store.watchers.look()
        self._parts.exhibition.keep()
        over = threading.Event()
        mover = threading.Thread(target=self._exhibited.run, args=(self._parts, over))
        mover.start()
        try:
            yield TABLES
        finally:
            over.set()
            mover.join()

    @contextmanager
    def _moving(self, game: str) -> Iterator[None]:
        """Two moves a second in the watched game, while the block lasts."""
        over = threading.Event()
        failed: list[Exception] = []
        mover = threading.Thread(target=self._move, args=(over, failed))
        mover.start()
        try:
            yield
        finally:
            over.set()
            mover.join()
        if failed:
            raise failed[0]

    def _move(self, over: threading.Event, failed: list[Exception]) -> None:
        name = self._watched_bot
        at = time.monotonic()
        try:
            while not over.is_set():
                turns = self._parts.live.turns(name, rights=False).turns
                if not turns:
                    raise BenchFailed("the watched game is over", expected="shorter rounds")
                legal = turns[0]["legal_actions"]
                quiet = [action for action in legal if action.startswith(_QUIET)]
                action = quiet[0] if quiet else legal[-1]
                self._parts.live.answer(name, [{"turn": turns[0]["turn"], "action": action}])
                at += 1 / _MOVES_A_SECOND
                over.wait(max(0.0, at - time.monotonic()))
        except Exception as error:
            failed.append(error)

    def _measure(self, bots: Sequence[BenchBot], seconds: float) -> CrowdSample:
        return sample_players(self._parts.live, self._server.pid, self._server.port, bots, seconds)

    def _pages(self) -> dict[str, str]:
        """A tournament of house bots and its board, and the pages to load."""
        parts = self._parts
        now_ms = parts.store.clock().now_ms
        fields = {
            "name": "Pages",
            "kind": "truco",
            "rules": {},
            "format": "round_robin",
            "groups": 6,
            "house": list(_PAGE_BOTS),
            "max_entries": len(_PAGE_BOTS),
            "opens_ms": now_ms,
            "locks_ms": now_ms + 1,
        }
        event = "pages"
        parts.tournaments.create(fields, "bench", tournament_id=event)
        time.sleep(0.01)
        while parts.tournaments.step(event).state != "finished":
            parts.tournaments.play_local_groups(event, 60)
        parts.boards.publish("truco", "sealed")
        parts.matchups.compute("truco", "sealed")
        group = parts.tournaments.groups(event).items[0]
        ((name, _),) = sign_up(parts.accounts, "shown", 1)
        game = parts.live.create("toepen", seats=[{"bot": name}] * 8, rules={"seats": 8})["game"]
        return {
            "home": "/",
            "leaderboard": "/leaderboards/truco",
            "matchups": "/leaderboards/truco/sealed/matchups",
            "bot": "/bots/rookie",
            "tournaments": "/tournaments",
            "tournament": f"/tournaments/{event}",
            "replay": f"/games/{group['games'][0]}",
            "live table": f"/games/{game}",
            "play": "/play",
            "in one minute, truco": "/learn/truco",
            "in one minute, toepen": "/learn/toepen",
            "lesson": "/learn/truco/lesson",
            "manual": "/docs",
            "rules": "/docs/rules/toepen",
            "API reference": "/docs/api",
            "API reference, games": "/docs/api/games",
            "search": "/docs/search?q=stake",
        }


class _Exhibited:
    """Moves the bots of the exhibition games as a worker would, and measures the processor time of that."""

    def __init__(self) -> None:
        self._used_s = 0.0
        self._lasted_s = 0.0

    @property
    def per_hour(self) -> float | None:
        """The processor time per hour in seconds, or None if nothing was measured."""
        return 3600 * self._used_s / self._lasted_s if self._lasted_s else None

    def run(self, parts: Service, over: threading.Event) -> None:
        """Play until ``over`` is set."""
        begin, used = time.monotonic(), time.thread_time()
        while not over.wait(PACE_MS / 1000):
            parts.exhibition.keep()
            for game in parts.exhibition.games().values():
                if parts.live.summary(game)["state"] == "running":
                    parts.live.move_house_bots(game)
                else:
                    parts.live.finish(game)
        self._used_s += time.thread_time() - used
        self._lasted_s += time.monotonic() - begin


def _line(crowd: subprocess.Popen[bytes], seconds: float) -> bytes:
    """The next line that the crowd prints. Raises :class:`~benchmarks.http.load.BenchFailed`."""
    assert crowd.stdout is not None
    assert crowd.stderr is not None
    ready, _, _ = select.select([crowd.stdout], [], [], seconds)
    line = crowd.stdout.readline() if ready else b""
    if not line:
        crowd.kill()
        said = crowd.stderr.read().decode(errors="replace").splitlines()
        raise BenchFailed(f"the spectators failed: {said[-1] if said else 'they said nothing'}")
    return line
