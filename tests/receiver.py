"""A server that notes the requests of a client."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from arena.operations.operation import JSON, operation_id
from tests.cli.hostile import EXAMPLES, operation_at


class Receiver:
    """A server that notes what it receives, and answers with the API's examples and empty pages."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, dict[str, str], Any]] = []
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
                name, operation = operation_at(self.command, parts.path)
                example = EXAMPLES[operation_id(name)]["responses"].get(str(operation.status))
                stops = operation.media != JSON or operation.status == 204
                if operation.pages:
                    example = {**example, **dict.fromkeys(operation.pages, ()), "cursor": None}
                reply = b"" if stops else json.dumps(example).encode()
                self.send_response(operation.status)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

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
