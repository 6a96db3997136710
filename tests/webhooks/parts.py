"""Receivers in processes of their own, and an arena whose driver runs in this one."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

from arena.errors import ArenaError
from arena.live.service import RecordNotReady
from arena.ops.jobs import Job, JobName, Jobs
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.store.webhooks import Circuit
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Connect, Endpoint
from arena.webhooks.driver import Driver
from tests.live.clock import skip
from tests.service import ROOT, environment
from tests.waiting import PATIENCE
from tests.waiting import wait_until as until

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLcSwMfKQ9r8GKYo="
LOOPBACK = Policy(http=True, networks=(ip_network("127.0.0.0/8"),))
CLOCK = {"per_turn_ms": 20_000, "bank_ms": 60_000}
PYTHON = (sys.executable, str(ROOT / "examples/webhook_receiver.py"))


@contextmanager
def program(command: Sequence[str]) -> Iterator[str]:
    """A receiver in a process of its own; the URL that it prints first."""
    process = subprocess.Popen(
        command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), "the receiver does not come up"
        yield url
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def python_receiver(secret: str = SECRET, port: int = 0) -> Any:
    """``examples/webhook_receiver.py``."""
    return program([*PYTHON, "--secret", secret, "--port", str(port)])


def node_receiver(secret: str = SECRET) -> Any:
    """``examples/webhook-receiver.mjs``."""
    return program(["node", str(ROOT / "examples/webhook-receiver.mjs"), secret, "0"])


def bad_receiver(way: str) -> Any:
    """:mod:`tests.webhooks.bad_receiver`, which behaves badly in that way."""
    return program([sys.executable, "-m", "tests.webhooks.bad_receiver", way])


@contextmanager
def handler(answer: Callable[[BaseHTTPRequestHandler, bytes], None], port: int = 0) -> Iterator[str]:
    """A receiver in a thread of this process, for what a test must see; its URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def reply(to: BaseHTTPRequestHandler, value: Any, status: int = 200) -> None:
    """Answer with JSON."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    to.send_response(status)
    to.send_header("Content-Length", str(len(body)))
    to.end_headers()
    to.wfile.write(body)


def first_legal(to: BaseHTTPRequestHandler, body: bytes) -> None:
    """Play the first legal action that exchanges nothing."""
    turn = json.loads(body)["data"]
    calm = [action for action in turn["legal_actions"] if action in ("keep", "trust")]
    reply(to, {"action": (calm or turn["legal_actions"])[0]})


class BackgroundHouse(Jobs):
    """Lets the house bots of each game move in a thread until it is over."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._games: set[Job] = set()

    def request(self, job: Job) -> None:
        if job.name is JobName.FINISH_GAME:
            self._arena.service.run(job)
            return
        assert job.name is JobName.MOVE_HOUSE_BOTS
        if job not in self._games:
            self._games.add(job)
            threading.Thread(target=self._play, args=job.args, daemon=True).start()

    def _play(self, game: str, payer: str) -> None:
        live = self._arena.live
        # At the end of a test the connections are closed.
        with suppress(ArenaError):
            while live.summary(game)["state"] == "running":
                live.move_house_bots(game)
                time.sleep(0.005)


class Arena:
    """Games and accounts on the database at ``url``, and any number of drivers."""

    def __init__(self, url: str) -> None:
        self.service = open_service(Settings(url), BackgroundHouse(self))
        self.live = self.service.live
        self.accounts = self.service.accounts
        self.store = self.service.store
        self.webhooks = self.store.webhooks
        self.signs = self.store.signs
        self.accounts.sign_up("olga")

    def bot(self, name: str, url: str, secret: str = SECRET, **more: Any) -> str:
        """Register a bot with a webhook."""
        self.accounts.register_bot("olga", name, transport="webhook", url=url, secret=secret, **more)
        return name

    def game(self, *seats: dict[str, Any], kind: str = "toepen", **more: Any) -> str:
        """A short game; its id."""
        rules = {"seats": len(seats), "lives": 2} if kind == "toepen" else None
        options = {"rules": rules, "clock": CLOCK, **more}
        return str(self.live.create(kind, seats=seats, **options)["game"])

    def wait(self, *games: str, seconds: float = PATIENCE) -> list[dict[str, Any]]:
        """The records of games when they are over."""
        until(lambda: all(map(self._has_record, games)), seconds)
        return [json.loads(self.live.record(game)) for game in games]

    def _has_record(self, game: str) -> bool:
        """It is written a moment after the end of the game."""
        try:
            return bool(self.live.record(game))
        except RecordNotReady:
            return False

    def circuit(self, bot: str) -> Circuit:
        (found,) = self.webhooks.circuits([bot], self.live.store.clock().now_ms)
        return found

    def let_turns_pass(self, bot: str, *games: str) -> None:
        """Let the clock end each turn of ``bot`` in ``games``, all of them together, when a post to version 1
        has failed in the meantime for want of a connection.
        """
        passed: set[str] = set()
        while running := {game for game in games if self.live.summary(game)["state"] == "running"}:
            turns = [turn for turn in self.live.turns(bot, rights=False).turns if turn["turn"] not in passed]
            if {turn["game"] for turn in turns} >= running:
                now_ms = self.live.store.clock().now_ms
                until(lambda now_ms=now_ms: self.webhooks.is_unreachable(bot, "1", now_ms))  # type: ignore[misc]
                skip(self.live, CLOCK["per_turn_ms"] + CLOCK["bank_ms"])
                passed.update(turn["turn"] for turn in turns)
            time.sleep(0.01)

    @contextmanager
    def driven(self, policy: Policy = LOOPBACK, connect: Connect = Endpoint) -> Iterator[Driver]:
        """While a driver runs, and a sweeper serves the clocks."""
        driver = Driver(self.live, self.accounts, self.webhooks, policy, self.signs, connect=connect)
        thread = threading.Thread(target=driver.run, daemon=True)
        thread.start()
        with self.swept():
            try:
                yield driver
            finally:
                driver.stop()
                thread.join(PATIENCE)

    @contextmanager
    def swept(self) -> Iterator[None]:
        """While a sweeper serves the clocks, and finishes games whose job nobody runs."""
        stopped = threading.Event()
        sweeper = threading.Thread(target=self.live.sweeper().run, args=(stopped,), daemon=True)
        sweeper.start()
        try:
            yield
        finally:
            stopped.set()
            sweeper.join(PATIENCE)
