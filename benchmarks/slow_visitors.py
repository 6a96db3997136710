"""``python -m benchmarks.slow_visitors``: what bots lose while strangers hold connections to the proxy."""

from __future__ import annotations

import platform
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

import click
from rich.console import Console
from rich.table import Table

from arena.cli import run
from arena.ops.die_with_parent import die_with_parent
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from benchmarks.beside import BesideReport, CrowdSample, figures, round_options, sample_players
from benchmarks.http.load import BenchFailed
from benchmarks.http.measure import raise_file_limit
from benchmarks.http.players import BenchBot, sign_up
from benchmarks.http.servers import START_SECONDS, Cores, Server, free_port
from benchmarks.proxy import caddy, caddyfile

LEAST: Final = 0.9
"""Of the answers per second: beside the visitors, over alone."""

KINDS: Final[Mapping[str, bytes]] = {
    "heads": b"GET /v1/bots HTTP/1.1\r\nHost: bench\r\nX-Slow: ",
    "bodies": (
        b"POST /v1/owners HTTP/1.1\r\nHost: bench\r\n"
        b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
    ),
    "readers": b"GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n" * 20,
}
"""What a visitor sends at once. Slow heads and bodies send one more byte at each tick; readers read none."""

_TICK: Final = 4.0
"""Seconds between two bytes of a slow head or body: few, because the visitors share a core with the bots."""

_SETTLE: Final = 2.0
"""Seconds after the last visitor has come: what is measured is holding, not coming."""

_ANSWERS: Final = 1
_WAIT: Final = 20


class Visitors:
    """Connections that are held by one thread, and opened again when the proxy closes them."""

    def __init__(self, port: int, kind: str, count: int) -> None:
        self.opened = 0
        """How many connections were opened, with those in place of closed ones."""
        self._port, self._kind, self._count = port, kind, count
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._hold)

    def __enter__(self) -> Visitors:
        self._thread.start()
        while self._thread.is_alive() and self.opened < self._count:
            time.sleep(0.05)
        time.sleep(_SETTLE)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _hold(self) -> None:
        held: list[socket.socket] = []
        try:
            while not self._over.is_set():
                for visitor in [visitor for visitor in held if not self._stays(visitor)]:
                    held.remove(visitor)
                    visitor.close()
                while len(held) < self._count:
                    held.append(self._visit())
                self._over.wait(_TICK)
        finally:
            for visitor in held:
                visitor.close()

    def _visit(self) -> socket.socket:
        visitor = socket.socket()
        visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        visitor.connect(("127.0.0.1", self._port))
        visitor.sendall(KINDS[self._kind])
        visitor.setblocking(False)
        self.opened += 1
        return visitor

    def _stays(self, visitor: socket.socket) -> bool:
        """Send one more byte if the visitor is slow to send; return whether its connection is still open."""
        try:
            if self._kind == "readers":
                return bool(visitor.recv(1, socket.MSG_PEEK))
            visitor.send(b"x")
            visitor.recv(1)
        except BlockingIOError:
            return True
        except OSError:
            return False
        # A reply, or the end of the connection.
        return False


@contextmanager
def proxy(folder: Path, api: int) -> Iterator[int]:
    """Run the deployment's proxy in front of the API at a port; give its own port.

    Raises :class:`~benchmarks.http.load.BenchFailed` if Caddy is missing or does not start.
    """
    program = caddy()
    if program is None:
        raise BenchFailed("the proxy is missing", expected="the program `caddy` in the path")
    port = free_port()
    (folder / "Caddyfile").write_text(caddyfile([api]), encoding="utf-8")
    settings = {"SITE": f":{port}", "XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    command = [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with (
        (folder / "proxy.log").open("ab") as log,
        subprocess.Popen(die_with_parent(command), env=settings, stdout=log, stderr=log) as process,
    ):
        try:
            _wait_until_ready(port, process)
            yield port
        finally:
            process.terminate()


def _wait_until_ready(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(URLError, OSError), urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
            return
        time.sleep(0.05)
    raise BenchFailed("the proxy did not start")


class VisitorBench:
    """One run, in a folder for what its processes write. ``say`` gets progress messages."""

    def __init__(self, folder: Path, players: int, seed: int, say: Callable[[str], None]) -> None:
        self._folder, self._players, self._random, self._say = folder, players, Random(seed), say
        self._parts: Service
        self._server: Server

    def run(self, rounds: int, seconds: float, counts: Mapping[str, int]) -> Mapping[str, BesideReport]:
        """Measure ``rounds`` of ``seconds`` alone and beside as many visitors of each kind, by turns."""
        raise_file_limit(max(counts.values()) + self._players + 200)
        serve = "from arena.cli import main; main(['serve', '--bind', '{bind}'])"
        with Cores() as cores, EmbeddedStore(self._folder / "data") as store:
            settings = {"REDIS_URL": store.url, "BOTEQUIM_LIMITS": "off", "BOTEQUIM_SHARE": "100"}
            settings |= {"BOTEQUIM_PROXIES": "1", "BOTEQUIM_ARCHIVE": str(self._folder / "archive")}
            self._parts = open_service(Settings(store.url), InlineJobs())
            self._parts.store.identity.register()
            with (
                Server(["-c", serve], "/readyz", self._folder, settings, cores) as self._server,
                proxy(self._folder, self._server.port) as port,
            ):
                bots = self._bots()
                self._say("warming up")
                self._measure(port, bots, min(1.0, seconds))
                return {
                    kind: self._compare(port, bots, (rounds, seconds), kind, count, cores.split)
                    for kind, count in counts.items()
                }

    def _compare(
        self,
        port: int,
        bots: Sequence[BenchBot],
        size: tuple[int, float],
        kind: str,
        count: int,
        pinned: bool,
    ) -> BesideReport:
        rounds, seconds = size
        alone: list[CrowdSample] = []
        beside: list[CrowdSample] = []
        for number in range(rounds):
            self._say(f"{kind}: round {number + 1} of {rounds}")
            # The machine may drift; so neither is always first.
            for with_visitors in (bool(number % 2), not number % 2):
                if with_visitors:
                    with Visitors(port, kind, count):
                        beside.append(self._measure(port, bots, seconds))
                else:
                    alone.append(self._measure(port, bots, seconds))
        return BesideReport(pinned, alone, beside)

    def _bots(self) -> list[BenchBot]:
        accounts = sign_up(self._parts.accounts, "player", self._players)
        return [
            BenchBot(name, token, _ANSWERS, _WAIT, Random(self._random.random())) for name, token in accounts
        ]

    def _measure(self, port: int, bots: Sequence[BenchBot], seconds: float) -> CrowdSample:
        return sample_players(self._parts.live, self._server.pid, port, bots, seconds)


@click.command()
@round_options
@click.option("--heads", default=500, show_default=True, type=click.IntRange(1), help="Slow to send a head.")
@click.option("--bodies", default=500, show_default=True, type=click.IntRange(1), help="Slow to send a body.")
@click.option("--readers", default=20, show_default=True, type=click.IntRange(1), help="That read no reply.")
def slow_visitors(
    rounds: int, seconds: float, players: int, seed: int, heads: int, bodies: int, readers: int
) -> None:
    """What bots that play through the deployment's proxy lose while visitors hold connections to it.

    Starts an embedded database, one API process as `botequim serve` does, and Caddy with deploy/Caddyfile.
    Rounds with and without visitors alternate. Ratios are medians over the rounds; the command fails if the
    bots keep less than 0.9 of their answers per second.
    """
    # Ends what it has started and removes its folder, as on Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console(highlight=False)
    counts = {"heads": heads, "bodies": bodies, "readers": readers}
    with tempfile.TemporaryDirectory(prefix="botequim-bench-") as folder:
        bench = VisitorBench(Path(folder), players, seed, lambda text: click.echo(text, err=True))
        reports = bench.run(rounds, seconds, counts)
    pinned = all(report.pinned for report in reports.values())
    where = "the server on a core of its own" if pinned else "cores not pinned"
    console.print(f"{platform.python_implementation()} {platform.python_version()}, {where}")
    table = Table()
    table.add_column("scenario")
    for heading in ("answers/s", "p50 ms", "p99 ms", "server µs", "ratio", f"at least {LEAST:g}"):
        table.add_column(heading, justify="right")
    for kind, report in reports.items():
        ratio = report.rate_ratio
        table.add_row(f"{players} play", *figures(report.alone))
        beside = f"and {counts[kind]} slow {kind}"
        table.add_row(
            beside, *figures(report.beside), f"{ratio:.2f}", "shown" if ratio >= LEAST else "NOT shown"
        )
    console.print(table)
    if any(report.rate_ratio < LEAST for report in reports.values()):
        raise BenchFailed("visitors cost the bots more than a tenth of their answers")


if __name__ == "__main__":
    sys.exit(run(command=slow_visitors))
