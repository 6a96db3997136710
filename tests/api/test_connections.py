"""The real server: requests that arrive slowly or not at all, and more connections than there is room for."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import gevent
import pytest

from api.http.connections import Connection, Watch
from arena.store.embedded import EmbeddedStore
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture(scope="module")
def server(store: EmbeddedStore) -> Iterator[Server]:
    """Short deadlines."""
    settings = {"BOTEQUIM_HEAD": "0.5", "BOTEQUIM_BODY": "0.5"}
    with Server(store.url, **settings) as running:
        yield running


@pytest.fixture(scope="module")
def patient(store: EmbeddedStore) -> Iterator[Server]:
    """Long deadlines."""
    settings = {"BOTEQUIM_HEAD": "600", "BOTEQUIM_BODY": "600"}
    with Server(store.url, **settings) as running:
        yield running


def connect(server: Server, data: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    made.sendall(data)
    return made


def rest(connection: socket.socket) -> bytes:
    """What arrives until the server closes the connection."""
    received = b""
    with suppress(ConnectionResetError):
        while chunk := connection.recv(65536):
            received += chunk
    return received


def answer(connection: socket.socket) -> tuple[int, Any]:
    """Status and body of the last response of a connection, which the server closes."""
    head, _, body = rest(connection).partition(b"\r\n\r\n")
    assert b"Connection: close" in head
    return int(head.split()[1]), json.loads(body)


def post(size: int, path: str = "/v1/owners", media: str = "application/json", token: str = "") -> bytes:
    """The head of a request with a body of ``size`` bytes."""
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {media}\r\n{authorization}"
        f"Content-Length: {size}\r\n\r\n"
    ).encode()


# Too large


def test_a_body_too_large_is_refused_by_its_head(patient: Server) -> None:
    with connect(patient, post(10**12)) as connection:
        status, problem = answer(connection)
    assert (status, problem["code"]) == (413, "body_too_large")


def test_the_sender_of_a_body_too_large_can_read_the_answer(patient: Server) -> None:
    reply = patient.request("POST", "/v1/owners", {"name": "a" * 20_000_000})
    assert (reply.status, reply.json["code"]) == (413, "body_too_large")
    assert reply.headers["Connection"] == "close"


def test_a_refused_body_keeps_the_connection_if_it_is_small(server: Server) -> None:
    with connect(server, post(2, token="wrong") + b"{}" + GET + b"Connection: close\r\n\r\n") as connection:
        received = rest(connection)
    assert received.count(b"HTTP/1.1 401") == 1
    assert received.count(b"HTTP/1.1 200") == 1


# Too slow


@pytest.mark.parametrize("begun", [b"G", GET])
def test_a_head_has_a_deadline(server: Server, begun: bytes) -> None:
    with connect(server, begun) as connection:
        status, problem = answer(connection)
    assert (status, problem["code"]) == (408, "request_timeout")


def test_a_connection_on_which_nothing_comes_is_closed(server: Server) -> None:
    with connect(server) as connection:
        assert rest(connection) == b""


def test_the_second_head_has_a_deadline(server: Server) -> None:
    with connect(server, GET + b"\r\n") as connection:
        assert connection.recv(20).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /healthz")
        assert b"HTTP/1.1 408" in rest(connection)


@pytest.mark.parametrize("body", [b"", b'{"name": "an'], ids=["nothing", "half"])
def test_a_body_has_a_deadline(server: Server, body: bytes) -> None:
    with connect(server, post(100) + body) as connection:
        status, problem = answer(connection)
    assert (status, problem["code"]) == (408, "request_timeout")


def test_a_body_in_chunks_has_a_deadline(server: Server) -> None:
    head = post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with connect(server, head + b"5\r\n{") as connection:
        status, problem = answer(connection)
    assert (status, problem["code"]) == (408, "request_timeout")


# Too many at once


def test_requests_sent_in_advance_let_others_pass(patient: Server) -> None:
    assert patient.process is not None
    requests = 3000
    with connect(patient) as many, connect(patient) as other:
        os.killpg(patient.process.pid, signal.SIGSTOP)
        many.sendall((GET + b"\r\n") * (requests - 1) + GET + b"Connection: close\r\n\r\n")
        other.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        os.killpg(patient.process.pid, signal.SIGCONT)
        metrics = rest(other).decode()
        answered = re.findall(r'requests_total\{operation="isAlive",status="200"\} (\d+)', metrics)
        assert sum(map(int, answered)) < requests
        assert rest(many).count(b"HTTP/1.1 200") == requests


# Too many connections


def test_health_checks_have_room_when_all_connections_are_in_use(store: EmbeddedStore) -> None:
    with Server(store.url, BOTEQUIM_CONNECTIONS="3", BOTEQUIM_PING="0.1") as server, ExitStack() as stack:
        owner = server.sign_up("crowd")
        (token,) = server.register(owner, "crowd-bot")
        stream = f"GET /v1/turns/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        for _ in range(3):
            connection = stack.enter_context(connect(server, stream))
            assert connection.recv(20).startswith(b"HTTP/1.1 200")
        refused = server.request("GET", "/v1/bots")
        assert (refused.status, refused.json["code"]) == (503, "busy")
        assert refused.headers["Retry-After"] == "1"
        assert server.request("GET", "/healthz").status == 200
        assert server.request("GET", "/readyz").status == 200
        metrics = server.request("GET", "/metrics").body.decode()
        assert "botequim_connections 4.0" in metrics
        assert "botequim_connections_refused_total 1.0" in metrics
        stack.close()
        wait_until(lambda: server.request("GET", "/v1/bots").status == 200)


def test_an_idle_connection_makes_room(store: EmbeddedStore) -> None:
    with Server(store.url, BOTEQUIM_CONNECTIONS="3") as server, ExitStack() as stack:
        idle = [stack.enter_context(connect(server, GET + b"\r\n")) for _ in range(3)]
        for connection in idle:
            assert connection.recv(20).startswith(b"HTTP/1.1 200")
        assert server.request("GET", "/v1/bots").status == 200
        assert b"HTTP" not in rest(idle[0])


@pytest.mark.parametrize("polled", [False, True])
def test_a_closed_connection_is_noticed_once(polled: bool) -> None:
    """Also if a failed write ends the request before the loop has polled."""
    ours, theirs = socket.socketpair()
    connection = Connection(ours, head_seconds=10)
    calls: list[None] = []
    watch = Watch(connection, lambda: calls.append(None))
    with suppress(BrokenPipeError):
        theirs.close()
        if polled:
            gevent.sleep(0.01)
        connection.sendall(b"retry")
    watch.end()
    gevent.sleep(0.01)
    assert len(calls) == 1
    connection.close()
