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
from typing import Any

from arena.bots import HOUSE_BOTS
from arena.errors import ArenaError
from arena.live.accounts import Accounts
from arena.live.games import LIVE_SCRIPTS, LiveGames, RecordNotReady
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_webhooks import WEBHOOK_SCRIPTS, Circuit, WebhookStore
from arena.live.store_wire import connect
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Endpoint
from arena.webhooks.driver import Driver
from tests.service import ROOT, environment
from workers.jobs import choose

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLcSwMfKQ9r8GKYo="
LOOPBACK = Policy.from_environment({"BOTEQUIM_WEBHOOK_HTTP": "1", "BOTEQUIM_WEBHOOK_NETWORKS": "127.0.0.0/8"})
CLOCK = {"per_turn_ms": 20_000, "bank_ms": 60_000}
PYTHON = (sys.executable, str(ROOT / "examples/webhook_receiver.py"))


def until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it does not come about"
        time.sleep(0.02)


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


class Arena:
    """Games and accounts on the database at ``url``, and any number of drivers."""

    def __init__(self, url: str) -> None:
        self.wire = connect(url, (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *WEBHOOK_SCRIPTS))
        self.live = LiveGames(self.wire, on_house=self._play_house)
        self.accounts = Accounts(AccountStore(self.wire), reserved=HOUSE_BOTS)
        self.webhooks = WebhookStore(self.wire)
        self.accounts.sign_up("olga")
        self._house: set[str] = set()

    def _play_house(self, game: str) -> None:
        if game not in self._house:
            self._house.add(game)
            threading.Thread(target=self._house_plays, args=(game,), daemon=True).start()

    def _house_plays(self, game: str) -> None:
        # At the end of a test the connections are closed.
        with suppress(ArenaError):
            while self.live.summary(game)["state"] == "running":
                self.live.play_house(game, choose)
                time.sleep(0.005)

    def bot(self, name: str, url: str, secret: str = SECRET, **more: Any) -> str:
        """Register a bot with a webhook."""
        self.accounts.register_bot("olga", name, transport="webhook", url=url, secret=secret, **more)
        return name

    def game(self, *seats: dict[str, Any], kind: str = "toepen", **more: Any) -> str:
        """A short game; its id."""
        rules = {"seats": len(seats), "lives": 2} if kind == "toepen" else None
        options = {"rules": rules, "clock": CLOCK, **more}
        return str(self.live.create(kind, seats=seats, **options)["game"])

    def wait(self, *games: str, seconds: float = 60) -> list[dict[str, Any]]:
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

    @contextmanager
    def driven(
        self, policy: Policy = LOOPBACK, connect: Callable[[str, Policy], Endpoint] = Endpoint
    ) -> Iterator[Driver]:
        """While a driver runs, and a sweeper serves the clocks."""
        driver = Driver(self.live, self.accounts, self.webhooks, policy, connect=connect)
        stopped = threading.Event()
        sweeper = threading.Thread(target=self.live.sweeper().run, args=(stopped,), daemon=True)
        thread = threading.Thread(target=driver.run, daemon=True)
        thread.start()
        sweeper.start()
        try:
            yield driver
        finally:
            driver.stop()
            stopped.set()
            thread.join(10)
            sweeper.join(10)
