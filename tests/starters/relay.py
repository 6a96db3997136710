"""A relay before a service, which changes one answer on its way."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import urlsplit

from tests.waiting import PATIENCE

NOT_AN_ACTION: Final = "play:0"


@contextmanager
def relay(url: str) -> Iterator[tuple[str, list[str]]]:
    """The address of a relay to the service at ``url``, and the turn whose answer it has changed into
    :data:`NOT_AN_ACTION`: the first that is answered.
    """
    changed: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if urlsplit(self.path).path == "/v1/turns" and not changed:
                sent = json.loads(body)
                for answer in sent["answers"][:1]:
                    changed.append(answer["turn"])
                    answer["action"] = NOT_AN_ACTION
                body = json.dumps(sent).encode()
            service = HTTPConnection(urlsplit(url).netloc, timeout=2 * PATIENCE)
            headers = {
                name: self.headers[name] for name in ("Authorization", "Content-Type") if name in self.headers
            }
            service.request(self.command, self.path, body, headers)
            reply = service.getresponse()
            content = reply.read()
            service.close()
            self.send_response(reply.status)
            for name in ("Content-Type", "Retry-After"):
                if reply.headers[name]:
                    self.send_header(name, reply.headers[name])
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_DELETE = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", changed
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE)
