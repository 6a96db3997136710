"""The rounds: every scenario in turn, several times, so that a drifting machine treats all alike."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final, NamedTuple

from arena.games import game_of
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from benchmarks.http.bare import PATH, READ_BYTES, WRITE_BYTES
from benchmarks.http.load import BenchFailed, Load, LoadPlayer, Waiting, drive
from benchmarks.http.players import KINDS, BenchBot, Caller, sign_up, waiting_requests
from benchmarks.http.servers import Cores, Server, cpu_seconds, resident_bytes

BARE: Final = "bare route"
ONE: Final = "turns, 1 answer"
MANY: Final = "turns, {answers} answers"
ALONE: Final = "{players} play, none wait"
BESIDE: Final = "{players} play, {waiters:,} wait"

_MOVES_PER_GAME: Final = 60
"""Fewer than a random game of either kind usually takes."""

_MOST_RATE: Final = 15_000
"""More answers per second than one process gives on any machine there is."""

_WAIT: Final = 20
_STEADY_SECONDS: Final = 0.5
_STEADY_CPU: Final = 0.05
_SETTLE_SECONDS: Final = 40.0


class Size(NamedTuple):
    """How much is measured. ``rounds`` and ``waiting_rounds`` of ``seconds`` per scenario."""

    rounds: int
    waiting_rounds: int
    seconds: float
    connections: int
    answers: int
    waiters: int
    players: int


class Bytes(NamedTuple):
    """What a move costs the database: bytes of a stored game, and of what one move sends."""

    read: int
    write: int


@dataclass(frozen=True)
class Sample:
    """One scenario in one round. ``server_cpu`` and ``database_cpu`` are seconds, None if unknown."""

    load: Load
    server_cpu: float | None
    database_cpu: float | None


@dataclass(frozen=True)
class Report:
    """What was measured. ``samples``: by scenario, one per round; ``waiting_bytes``: of the server's
    memory for each bot that waits, one per round.
    """

    pinned: bool
    bytes: Bytes
    samples: Mapping[str, Sequence[Sample]]
    waiting_bytes: Sequence[float]

    def rate_ratio(self, of: str, over: str) -> float:
        """The median, over the rounds, of the ratio of answers per second."""
        pairs = zip(self.samples[of], self.samples[over], strict=True)
        return median(a.load.rate / b.load.rate for a, b in pairs)

    def cpu_ratio(self, of: str, over: str) -> float | None:
        """The median of the ratio of answers per second of the server's processor, None if unknown."""
        ratios = []
        for a, b in zip(self.samples[of], self.samples[over], strict=True):
            if not a.server_cpu or not b.server_cpu:
                return None
            ratios.append((a.load.answers / a.server_cpu) / (b.load.answers / b.server_cpu))
        return median(ratios)


class HttpBench:
    """One run, in a folder for what its processes write. ``say`` gets progress messages."""

    def __init__(self, folder: Path, size: Size, seed: int, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._size = size
        self._random = Random(seed)
        self._say = say
        self._samples: dict[str, list[Sample]] = {}
        self._waiting_bytes: list[float] = []
        self._cores = Cores()
        self._parts: Service
        self._store: EmbeddedStore

    def run(self) -> Report:
        """Measure everything. Raises :class:`~benchmarks.http.load.BenchFailed`."""
        raise_file_limit(self._size.waiters + self._size.connections + 200)
        with self._cores, EmbeddedStore(self._folder / "data") as self._store:
            self._parts = open_service(Settings(self._store.url), InlineJobs())
            self._parts.store.identity.register()
            sizes = _bytes_of_a_move(self._parts, self._random)
            self._say(f"a move: a stored game of {sizes.read} bytes, {sizes.write} bytes to the database")
            bare = {READ_BYTES: str(sizes.read), WRITE_BYTES: str(sizes.write)}
            gunicorn = ["-m", "gunicorn", "-c", "python:benchmarks.http.bare_conf"]
            with self._server(gunicorn, PATH, bare) as other, self._service() as service:
                self._compare(service, other)
            self._wait_beside()
        return Report(self._cores.split, sizes, self._samples, self._waiting_bytes)

    def _server(self, arguments: Sequence[str], ready: str, settings: dict[str, str]) -> Server:
        archive = str(self._folder / "archive")
        environment = {
            "REDIS_URL": self._store.url,
            "BOTEQUIM_LIMITS": "off",
            "BOTEQUIM_SHARE": "100",
            "BOTEQUIM_ARCHIVE": archive,
        }
        environment.update(settings)
        return Server(arguments, ready, self._folder, environment, self._cores)

    def _service(self) -> Server:
        serve = "from arena.cli import main; main(['serve', '--bind', '{bind}'])"
        return self._server(["-c", serve], "/readyz", {})

    def _compare(self, service: Server, other: Server) -> None:
        size = self._size
        callers = [Caller(f"k{number}") for number in range(size.connections)]
        one = self._bots("one", size.connections, 1)
        # On as many connections: with fewer bots the server would wait for them.
        many = self._bots("many", size.connections, size.answers)
        for number in range(size.rounds + 1):
            self._say(f"round {number} of {size.rounds}" if number else "warming up")
            seconds = size.seconds if number else min(1.0, size.seconds)
            for name, server, players in (
                (BARE, other, callers),
                (ONE, service, one),
                (MANY.format(answers=size.answers), service, many),
            ):
                sample = self._measure(server, players, seconds)
                if number:
                    self._samples.setdefault(name, []).append(sample)

    def _wait_beside(self) -> None:
        size = self._size
        tokens = [token for _, token in sign_up(self._parts.accounts, "waiter", size.waiters)]
        bots = self._bots("player", size.players, 1)
        requests = waiting_requests(tokens)
        alone, beside = (
            ALONE.format(players=size.players),
            BESIDE.format(players=size.players, waiters=size.waiters),
        )
        for number in range(1, size.waiting_rounds + 1):
            self._say(f"waiting, round {number} of {size.waiting_rounds}")
            # A new process each time, because what waited once leaves memory behind.
            with self._service() as service:
                self._measure(service, bots, min(1.0, size.seconds))
                self._samples.setdefault(alone, []).append(self._measure(service, bots, size.seconds))
                before = resident_bytes(service.pid)
                waiting = Waiting()
                try:
                    waiting.open(service.port, requests)
                    _settle(service.pid)
                    self._check(waiting.heard())
                    after = resident_bytes(service.pid)
                    if before is not None and after is not None:
                        self._waiting_bytes.append((after - before) / size.waiters)
                    self._samples.setdefault(beside, []).append(self._measure(service, bots, size.seconds))
                    waiting.heard()
                finally:
                    waiting.close()

    def _check(self, heard: Sequence[bytes]) -> None:
        """Streams have begun, and the long polls say nothing."""
        for number, data in enumerate(heard):
            if number % 2 and data:
                raise BenchFailed(f"a waiting request was answered: {data[:300]!r}")
            if not number % 2 and not (data.startswith(b"HTTP/1.1 200 ") and b"retry:" in data):
                raise BenchFailed(f"a stream did not begin: {data[:300]!r}")

    def _bots(self, prefix: str, count: int, answers: int) -> list[BenchBot]:
        accounts = sign_up(self._parts.accounts, prefix, count)
        return [
            BenchBot(name, token, answers, _WAIT, Random(self._random.random())) for name, token in accounts
        ]

    def _measure(self, server: Server, players: Sequence[LoadPlayer], seconds: float) -> Sample:
        self._deal(players, seconds)
        database = self._store.pid or 0
        server_cpu, database_cpu = cpu_seconds(server.pid), cpu_seconds(database)
        load = drive(server.port, players, seconds)
        return Sample(
            load,
            _less(cpu_seconds(server.pid), server_cpu),
            _less(cpu_seconds(database), database_cpu),
        )

    def _deal(self, players: Sequence[LoadPlayer], seconds: float) -> None:
        """Create enough games for the whole run, so that none are created while the clock runs."""
        bots = [player for player in players if isinstance(player, BenchBot)]
        for bot in bots:
            spare = _MOST_RATE * seconds / len(bots) / _MOVES_PER_GAME
            bot.take(self._parts.live, bot.answers + 2 + int(spare))


def _less(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else after - before


def _bytes_of_a_move(parts: Service, random: Random) -> Bytes:
    """Play a game of each kind to its end, and count."""
    live = parts.live
    reads: list[int] = []
    sent = moves = 0
    ((name, _),) = sign_up(parts.accounts, "counter", 1)
    for kind in KINDS:
        seats = game_of(kind).seats(game_of(kind).options.complete())
        game: str = live.create(kind, seats=[{"bot": name}] * seats)["game"]
        while turns := live.turns(name, rights=False).turns:
            (row,) = live.store.load([game])
            assert row is not None
            reads.append(sum(len(part) for part in (row.header, row.table, row.state) if part is not None))
            answer = {"turn": turns[0]["turn"], "action": random.choice(turns[0]["legal_actions"])}
            before = _received(live.store)
            live.answer(name, [answer])
            after = _received(live.store)
            sent += after - before - (_received(live.store) - after)
            moves += 1
    return Bytes(round(sum(reads) / len(reads)), round(sent / moves))


def _received(store: Any) -> int:
    """Bytes that the database has received so far."""
    (info,) = store._connection.run([("INFO", "stats")])
    (line,) = [part for part in bytes(info).split() if part.startswith(b"total_net_input_bytes:")]
    return int(line.partition(b":")[2])


def _settle(pid: int) -> None:
    """Until the process has nothing to do."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while time.monotonic() < deadline:
        before = cpu_seconds(pid)
        time.sleep(_STEADY_SECONDS)
        after = cpu_seconds(pid)
        if before is None or after is None:
            time.sleep(5)
            return
        if after - before < _STEADY_CPU:
            return
    raise BenchFailed("the service does not come to rest with those who wait")


def raise_file_limit(wanted: int) -> None:
    """Let this process open ``wanted`` files. Raises :class:`~benchmarks.http.load.BenchFailed`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise BenchFailed(
            f"a process may open {hard} files here", field="waiters", expected=f"at most {hard - 300}"
        )
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
