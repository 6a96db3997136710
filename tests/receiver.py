"""A server that notes the requests of a client."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


class Receiver:
    """A server that notes what it receives, and answers with an empty page of everything."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, dict[str, str], Any]] = []
        keys = (
            "bots",
            "games",
            "tournaments",
            "groups",
            "entries",
            "qualifications",
            "schedules",
            "subscriptions",
            "comparisons",
            "points",
            "uploads",
            "invitations",
            "series",
        )
        page = {
            key: [] for key in (*keys, "leaderboards", "changes", "texts", "entries", "rows", "crosstable")
        }
        reply = json.dumps({**page, "cursor": None, "token": "t", "url": "u", "shown": "s"}).encode()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                parts = urlsplit(self.path)
                query = dict(parse_qsl(parts.query))
                for header in ("Last-Event-ID", "Idempotency-Key"):
                    if header in self.headers:
                        query[header] = self.headers[header]
                media = self.headers.get("Content-Type")
                is_file = body and media != "application/json"
                value = (media, body) if is_file else json.loads(body) if body else None
                receiver.seen.append((self.command, parts.path, query, value))
                self.send_response(200)
                stops = parts.path in ("/v1/records",) or "text/event-stream" in self.headers["Accept"]
                self.send_header("Content-Length", "0" if stops else str(len(reply)))
                self.end_headers()
                self.wfile.write(b"" if stops else reply)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A server while it runs."""
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()
