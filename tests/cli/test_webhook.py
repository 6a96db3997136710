"""``botequim webhook test`` against receivers."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from arena.webhook_messages.signing import new_secret
from tests.cli.conftest import Terminal
from tests.ports import free_port
from tests.service import Process

ROOT = Path(__file__).parent.parent.parent


@contextmanager
def receiving(status: int, reply: dict[str, Any] | None) -> Iterator[str]:
    """A receiver that checks nothing: it returns the challenge, or ``reply`` (None: an action)."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = message["data"]
            answer = reply or (
                {"challenge": data["challenge"]}
                if message["type"] == "ping"
                else {"action": data["legal_actions"][0]}
            )
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/turns"
    finally:
        server.shutdown()
        server.server_close()


def results(found: dict[str, Any]) -> dict[str, str]:
    return {check["check"]: check["result"] for check in found["checks"]}


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_the_sample_receiver_passes(kind: str, terminal: Terminal, tmp_path: Path) -> None:
    secret, port = new_secret(), free_port()
    program = [sys.executable, str(ROOT / "examples" / "webhook_receiver.py")]
    with Process([*program, "--secret", secret, "--port", str(port)], tmp_path) as receiver:
        receiver.wait_for("http")
        url = receiver.lines[0].strip()
        found = terminal.json("webhook", "test", url, "--secret", secret, "--kind", kind)
        assert results(found) == {"ping": "ok", "turn": "ok", "wrong signature": "ok"}
        said = terminal("webhook", "test", url, "--secret", new_secret(), status=1)
    assert "ping: failed: the webhook did not answer the ping: it replied with status 401" in said


def test_a_receiver_that_checks_no_signature_is_warned_of(terminal: Terminal) -> None:
    with receiving(200, None) as url:
        found = terminal.json("webhook", "test", url)
    assert results(found) == {"ping": "ok", "turn": "ok", "wrong signature": "warning"}


@pytest.mark.parametrize(
    ("status", "reply", "message"),
    [
        (200, {"action": "play:XX"}, "the reply to a turn contains the illegal action 'play:XX'; expected"),
        (200, {"challenge": "x"}, "the webhook did not return the ping's challenge"),
        (302, {}, "it replied with status 302"),
        (500, {}, "it replied with status 500"),
    ],
)
def test_wrong_replies(status: int, reply: dict[str, Any], message: str, terminal: Terminal) -> None:
    with receiving(status, reply) as url:
        assert message in terminal("webhook", "test", url, status=1)


def test_nobody_listens(terminal: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    said = f"nothing is listening on port {port} of 127.0.0.1; at URL; expected the URL of a running receiver"
    assert terminal.error("webhook", "test", f"http://127.0.0.1:{port}/") == said
