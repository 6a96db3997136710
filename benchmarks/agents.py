"""``python -m benchmarks.agents``: what the bots that play over HTTP lose while agents wait for decisions."""

from __future__ import annotations

import platform
import selectors
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import click
import orjson

from arena.cli import run
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from benchmarks.beside import BesideReport, CrowdSample, figures, round_options, sample_players
from benchmarks.http.load import REPLY_SECONDS, BenchFailed, body_of, head
from benchmarks.http.measure import raise_file_limit
from benchmarks.http.players import BenchBot, sign_up
from benchmarks.http.servers import Cores, Server

LEAST: Final = 0.9
"""Of the answers per second alone, those beside the agents."""

_PATIENT: Final = {"per_turn_ms": 86_400_000}
_WAIT: Final = 20


@dataclass(frozen=True)
class AgentsReport(BesideReport):
    """``calls``: how many waits of agents began."""

    calls: int


class WaitingAgents:
    """Agents that call ``observe``, each on a connection of its own, and again when the wait is over."""

    def __init__(self, port: int, games: Sequence[tuple[str, str]], wait: float) -> None:
        """``games``: one per agent, with the token of its bot, which is not awaited there."""
        self._port = port
        self._requests = [_observe(game, token, wait) for game, token in games]
        # They did not all begin at the same moment.
        self._first = [
            _observe(game, token, wait * number / len(games)) for number, (game, token) in enumerate(games, 1)
        ]
        self.calls = 0
        self._over = threading.Event()
        self._failed: list[BenchFailed] = []

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """They wait, while the block lasts."""
        self._over.clear()
        with selectors.DefaultSelector() as selector:
            opened = [_connection(self._port) for _ in self._requests]
            for connection, first, request in zip(opened, self._first, self._requests, strict=True):
                selector.register(connection, selectors.EVENT_READ, (request, bytearray()))
                self._ask(connection, first)
            again = threading.Thread(target=self._serve, args=(selector,))
            again.start()
            try:
                yield
            finally:
                self._over.set()
                again.join()
                for connection in opened:
                    connection.close()
        if self._failed:
            raise self._failed[0]

    def _serve(self, selector: selectors.BaseSelector) -> None:
        try:
            while not self._over.is_set():
                for key, _ in selector.select(0.1):
                    request, data = key.data
                    connection = key.fileobj
                    assert isinstance(connection, socket.socket)
                    received = connection.recv(65_536)
                    if not received:
                        raise BenchFailed("the server closed the connection of an agent")
                    data += received
                    body = body_of(data)
                    if body is not None:
                        _check_waited(body)
                        data.clear()
                        self._ask(connection, request)
        except BenchFailed as error:
            self._failed.append(error)

    def _ask(self, connection: socket.socket, request: bytes) -> None:
        self.calls += 1
        connection.sendall(request)


def _connection(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), REPLY_SECONDS)


def _observe(game: str, token: str, wait: float) -> bytes:
    call = {"name": "observe", "arguments": {"game": game, "wait": wait}}
    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    return head("POST", "/mcp", len(body), token) + body


def _check_waited(body: bytes) -> None:
    reply: dict[str, Any] = orjson.loads(body)
    text = str(reply.get("result", {}).get("content"))
    if "No decision for you yet" not in text:
        raise BenchFailed(f"an agent did not wait: {body[:300]!r}")


def measure(
    folder: Path,
    rounds: int,
    seconds: float,
    agents: int,
    players: int,
    seed: int,
    say: Callable[[str], None],
) -> AgentsReport:
    """Measure in ``folder``: ``rounds`` of ``seconds`` alone, and as many beside the agents. Raises
    :class:`~benchmarks.http.load.BenchFailed`.
    """
    # The server, a child, inherits the limit.
    raise_file_limit(agents + players + 200)
    serve = "from arena.cli import main; main(['serve', '--bind', '{bind}'])"
    random = Random(seed)
    alone: list[CrowdSample] = []
    beside: list[CrowdSample] = []
    with Cores() as cores, EmbeddedStore(folder / "data") as store:
        parts = open_service(Settings(store.url), InlineJobs())
        parts.store.identity.register()
        settings = {"REDIS_URL": store.url, "BOTEQUIM_LIMITS": "off", "BOTEQUIM_SHARE": "100"}
        settings["BOTEQUIM_ARCHIVE"] = str(folder / "archive")
        with Server(["-c", serve], "/readyz", folder, settings, cores) as server:
            accounts = sign_up(parts.accounts, "player", players)
            bots = [BenchBot(name, token, 1, _WAIT, Random(random.random())) for name, token in accounts]
            crowd = WaitingAgents(server.port, _games(parts, agents), _WAIT)

            def sample(for_seconds: float) -> CrowdSample:
                return sample_players(parts.live, server.pid, server.port, bots, for_seconds)

            def sample_beside() -> CrowdSample:
                with crowd.waiting():
                    return sample(seconds)

            say("warming up")
            sample(min(1.0, seconds))
            for number in range(rounds):
                say(f"round {number + 1} of {rounds}")
                # The machine may drift; so neither is always first.
                if number % 2:
                    beside.append(sample_beside())
                alone.append(sample(seconds))
                if not number % 2:
                    beside.append(sample_beside())
        parts.close()
        return AgentsReport(cores.split, alone, beside, crowd.calls)


def _games(parts: Service, count: int) -> list[tuple[str, str]]:
    """Games that wait for one of two bots, each with the token of the other one."""
    found = []
    accounts = sign_up(parts.accounts, "agent", 2 * count)
    for pair in zip(accounts[::2], accounts[1::2], strict=True):
        seats = [{"bot": name} for name, _ in pair]
        game = parts.live.create("toepen", seats=seats, rules={"seats": 2}, clock=_PATIENT)["game"]
        view = parts.live.view(game)
        assert view is not None
        (awaited,) = view["awaiting"]
        found.append((game, pair[1 - awaited][1]))
    return found


@click.command()
@round_options
@click.option("--agents", default=200, show_default=True, type=click.IntRange(1), help="Agents that wait.")
def agents(rounds: int, seconds: float, agents: int, players: int, seed: int) -> None:
    """What the bots that play over HTTP lose while agents wait for their decisions by tool calls.

    Starts an embedded database and one API process as `botequim serve` does. Rounds with and without agents
    alternate. Ratios are medians over the rounds.
    """
    # Ends what it has started and removes its folder, as on Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="botequim-bench-") as folder:
        say = lambda text: click.echo(text, err=True)  # noqa: E731
        report = measure(Path(folder), rounds, seconds, agents, players, seed, say)
    where = "the server on a core of its own" if report.pinned else "cores not pinned"
    click.echo(f"{platform.python_implementation()} {platform.python_version()}, {where}")
    for name, samples in (
        (f"{players} play", report.alone),
        (f"{players} play, {agents} agents wait", report.beside),
    ):
        rate, p50, p99, cost = figures(samples)
        click.echo(f"{name}: {rate} answers/s, p50 {p50} ms, p99 {p99} ms, server {cost} µs per answer")
    click.echo(report.ratios())
    click.echo(f"the agents began {report.calls:,} waits of {_WAIT} s")
    click.echo(f"at least {LEAST:g} of the answers: {'shown' if report.rate_ratio >= LEAST else 'NOT shown'}")


if __name__ == "__main__":
    sys.exit(run(command=agents))
