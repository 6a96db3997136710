"""A webhook bot for Botequim, with nothing but Python's standard library.

    python webhook_receiver.py --secret "$SECRET" --port 8080

The service calls it by https: put a proxy with a certificate in front. To change its play, change `choose`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOLERANCE = 300
"""Largest accepted difference between a message's timestamp and the local clock, in seconds."""

MAX_BODY = 1_000_000


def choose(turn: Mapping[str, Any]) -> str | None:
    """Return the action for a turn; None declines an optional turn."""
    if turn["optional"]:
        return None
    calm = [action for action in turn["legal_actions"] if action in ("keep", "trust")]
    return str((calm or turn["legal_actions"])[0])


def decide(turn: Mapping[str, Any]) -> str | None:
    """What `choose` returns. If it fails, the turn's default action, which the table plays for a seat that
    is late; None for an optional turn.
    """
    legal = list(turn["legal_actions"])
    try:
        action = choose(turn)
        if action in legal or (turn["optional"] and action is None):
            return action
        why = f"{action!r} is not legal"
    except Exception:
        why = traceback.format_exc()
    default: str | None = turn["default_action"]
    message = f"{turn['turn']}: playing {default}; legal: {', '.join(legal)}; choose failed: {why}"
    print(message, file=sys.stderr)
    return default


class Refused(Exception):
    """The message was not sent by the service, or was received before."""


class Guard:
    """Checks signatures and timestamps, and accepts each message once."""

    def __init__(self, secret: str) -> None:
        self._key = base64.b64decode(secret.removeprefix("whsec_"))
        self._seen: dict[str, float] = {}
        self._lock = threading.Lock()

    def check(self, headers: Message, body: bytes) -> None:
        """Raise :class:`Refused` unless the message is genuine and new."""
        message_id = headers.get("webhook-id") or ""
        timestamp = headers.get("webhook-timestamp") or ""
        given = (headers.get("webhook-signature") or "").split(" ")
        signed = b".".join((message_id.encode("latin-1"), timestamp.encode("latin-1"), body))
        digest = base64.b64encode(hmac.digest(self._key, signed, hashlib.sha256)).decode()
        if not any(hmac.compare_digest(each.encode("latin-1"), b"v1," + digest.encode()) for each in given):
            raise Refused("wrong signature")
        now = time.time()
        if abs(now - int(timestamp)) > TOLERANCE:
            raise Refused("too old or too new")
        with self._lock:
            # An id is kept until its message would be too old anyway.
            for old in [seen for seen, until in self._seen.items() if until < now]:
                del self._seen[old]
            if message_id in self._seen:
                raise Refused("seen before")
            self._seen[message_id] = now + 2 * TOLERANCE


class Receiver(BaseHTTPRequestHandler):
    """Answers pings and turns."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    guard: Guard

    def do_POST(self) -> None:
        """Handle one message."""
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= MAX_BODY:
            self.close_connection = True
            return self._reply(413, {"error": "too large"})
        body = self.rfile.read(length)
        try:
            self.guard.check(self.headers, body)
        except Refused as error:
            return self._reply(401, {"error": str(error)})
        message = json.loads(body)
        if message["type"] == "ping":
            return self._reply(200, {"challenge": message["data"]["challenge"]})
        if message["type"] == "turn":
            return self._reply(200, {"action": decide(message["data"])})
        return self._reply(204, None)

    def _reply(self, status: int, value: Any) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--secret", required=True, help="The signing secret, whsec_...")
    parser.add_argument("--bind", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080, help="0: any free port.")
    given = parser.parse_args()
    Receiver.guard = Guard(given.secret)
    ThreadingHTTPServer.request_queue_size = 64
    server = ThreadingHTTPServer((given.bind, given.port), Receiver)
    print(f"http://{given.bind}:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
