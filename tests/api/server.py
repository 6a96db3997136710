"""The API in a real server process, and a plain client for it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import urlencode

from arena.client import Client
from tests.api.players import Player
from tests.ports import free_port
from tests.waiting import PATIENCE

ROOT = Path(__file__).parent.parent.parent
ADMIN_TOKEN = "the-admin-token-of-the-tests-0123456789"


class Reply(NamedTuple):
    """A response that was read to its end."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Message(NamedTuple):
    """A server-sent event; ``kind`` is ``ping`` for a comment."""

    kind: str
    data: Any
    id: str | None


class Server:
    """Gunicorn with the app, on a free port of 127.0.0.1."""

    def __init__(self, redis_url: str, **settings: str) -> None:
        self.port = free_port()
        self.redis_url = redis_url
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
            "REDIS_URL": redis_url,
            "BOTEQUIM_BIND": f"127.0.0.1:{self.port}",
            "BOTEQUIM_LIMITS": "off",
            # No archiver runs.
            "BOTEQUIM_ARCHIVE": str(Path(tempfile.gettempdir()) / f"no-archive-{self.port}"),
            **settings,
        }
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def add_settings(self, settings: Mapping[str, str]) -> None:
        """Start with these settings, too, which can contain the URL."""
        self._environment |= settings

    def command(self) -> list[str]:
        return [sys.executable, "-m", "gunicorn", "-c", "python:api.http.gunicorn_conf"]

    def __enter__(self) -> Server:
        self.process = subprocess.Popen(
            self.command(), env=self._environment, cwd=ROOT, start_new_session=True
        )
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if self.request("GET", "/readyz").status == 200:
                    return self
            except OSError:
                pass
            assert self.process.poll() is None, "the server ended at once"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise

    def request(
        self, method: str, path: str, body: Any = None, token: str | None = None, timeout: float = PATIENCE
    ) -> Reply:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            data = None
            if body is not None:
                data = json.dumps(body).encode()
                headers["Content-Type"] = "application/json"
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read())
        finally:
            connection.close()

    def ask(self, path: str, token: str | None = None) -> http.client.HTTPConnection:
        """A connection on which a request has been sent, to read the response from."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", path, headers={} if token is None else {"Authorization": f"Bearer {token}"})
        return connection

    def has_read(self, connection: http.client.HTTPConnection) -> bool:
        """Whether the server has accepted the connection, and read all that was sent on it."""
        port = connection.sock.getsockname()[1]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, _, queues, *_, inode = line.split()[:10]
            if (local[-4:], remote[-4:]) == (f"{self.port:04X}", f"{port:04X}"):
                return inode != "0" and queues.endswith(":00000000")
        return False

    def stream(
        self, path: str, token: str | None = None, last_id: str | None = None, timeout: float = PATIENCE
    ) -> Iterator[Message]:
        """The events of a stream until it ends; closing the iterator leaves it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = {"Accept": "text/event-stream"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        try:
            assert response.status == 200, response.read()
            assert response.headers["Content-Type"] == "text/event-stream"
            yield from _messages(response)
        finally:
            connection.close()

    def client(self, token: str | None = None) -> Client:
        """The client of authors."""
        return Client(self.url, token, patience=30)

    def sign_up(self, name: str) -> str:
        """The token of a new owner."""
        reply = self.request("POST", "/v1/owners", {"name": name})
        assert reply.status == 201, reply.body
        return str(reply.json["token"])

    def register(self, owner_token: str, *names: str) -> list[str]:
        """The tokens of new bots."""
        return [
            str(self.request("POST", "/v1/bots", {"name": name}, owner_token).json["token"]) for name in names
        ]

    def player(self, token: str, seed: int = 0) -> Player:
        """A bot that plays here at random."""

        def exchange(query: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> Any:
            return self.request("POST", f"/v1/turns?{urlencode(query)}", {"answers": answers}, token).json

        return Player(exchange, seed)


class Command(Server):
    """``botequim serve`` with an embedded database."""

    def __init__(self, data: Path, **settings: str) -> None:
        super().__init__("", **settings)
        self._data = data

    def command(self) -> list[str]:
        code = "from api.commands import serve; serve()"
        options = ["--bind", f"127.0.0.1:{self.port}", "--data", str(self._data)]
        return [sys.executable, "-c", code, *options]


def _messages(response: http.client.HTTPResponse) -> Iterator[Message]:
    fields: dict[str, str] = {}
    while line := response.readline():
        text = line.decode().rstrip("\n")
        if text.startswith(":"):
            yield Message("ping", None, None)
        elif text:
            name, _, value = text.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield Message(fields["event"], json.loads(fields["data"]), fields.get("id"))
            fields = {}
        else:
            fields = {}
