"""A call goes to the checked address, under the name, and takes no more than it may."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.webhook_messages.content import PASS, action_in, check_health, turn_message
from arena.webhook_messages.errors import (
    AddressNotAllowed,
    BadReply,
    CallFailed,
    InvalidUrl,
    NotConnected,
    ReplyTimeout,
    ReplyTooLarge,
)
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import MAX_IDLE, MAX_REPLY, Endpoint
from tests.webhooks.bad_receiver import WAYS
from tests.webhooks.parts import LOOPBACK, SECRET, bad_receiver, handler, python_receiver, reply

PEM = Path(__file__).with_name("bot.example.pem")


def on_loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def test_connections_are_reused_and_a_closed_one_is_replaced() -> None:
    callers = []

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        callers.append(to.client_address)
        reply(to, {"got": json.loads(body)})
        to.close_connection = len(callers) == 2

    with handler(answer) as url:
        endpoint = Endpoint(url, LOOPBACK)
        for number in range(4):
            assert json.loads(endpoint.post(b"%d" % number, {}, 20)) == {"got": number}
        endpoint.close()
    assert callers[0] == callers[1] != callers[2] == callers[3]


def test_a_receiver_with_http_1_0_works() -> None:
    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        to.protocol_version = "HTTP/1.0"
        to.send_response(200)
        to.end_headers()
        to.wfile.write(b'{"old": true}')
        to.close_connection = True

    with handler(answer) as url:
        endpoint = Endpoint(url, LOOPBACK)
        for _ in range(2):
            assert endpoint.post(b"{}", {}, 20) == b'{"old": true}'


def test_chunks_and_a_reply_of_just_the_limit_are_read() -> None:
    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        size = int(body)
        to.send_response(200)
        to.send_header("Transfer-Encoding", "chunked")
        to.end_headers()
        to.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (size, b"x" * size))

    with handler(answer) as url:
        endpoint = Endpoint(url, LOOPBACK)
        assert endpoint.post(b"%d" % MAX_REPLY, {}, 20) == b"x" * MAX_REPLY
        assert endpoint.post(b"5", {}, 20) == b"xxxxx"
        with pytest.raises(ReplyTooLarge):
            endpoint.post(b"%d" % (MAX_REPLY + 1), {}, 20)
        assert endpoint.post(b"5", {}, 20) == b"xxxxx"


def test_tls_host_and_certificate_are_those_of_the_name() -> None:
    seen: list[tuple[str, str]] = []
    names: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.headers["Host"], self.path))
            reply(self, {})

        def log_message(self, format: str, *args: Any) -> None:
            pass

    def named(connected: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        names.append(name)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(PEM)
    own.sni_callback = named  # type: ignore[assignment]
    server.socket = own.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    port = server.server_port
    policy = Policy(False, LOOPBACK.networks)
    trusting = ssl.create_default_context(cafile=PEM)
    try:
        endpoint = Endpoint(
            f"https://bot.example:{port}/a?b=c", policy, resolve=on_loopback, context=trusting
        )
        for _ in range(2):
            assert endpoint.post(b"{}", {}, 20) == b"{}"
        endpoint.close()
        assert seen == [(f"bot.example:{port}", "/a?b=c")] * 2
        assert names == ["bot.example"]
        for url, context in (
            (f"https://bot.example:{port}/", None),
            (f"https://other.example:{port}/", trusting),
        ):
            with pytest.raises(CallFailed) as caught:
                Endpoint(url, policy, resolve=on_loopback, context=context).post(b"{}", {}, 20)
            assert "the certificate is invalid" in str(caught.value)
    finally:
        server.shutdown()
        server.server_close()
    assert len(seen) == 2


def test_the_checked_address_is_the_one_that_is_called() -> None:
    """A name that stands for something else a moment later (rebinding) changes nothing."""
    calls: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        calls.append(host)
        return ["127.0.0.1"] if len(calls) == 1 else ["169.254.169.254"]

    with handler(lambda to, body: reply(to, {"host": to.headers["Host"]})) as url:
        port = url.rstrip("/").rpartition(":")[2]
        endpoint = Endpoint(f"http://bot.example:{port}/", LOOPBACK, resolve=resolve)
        assert json.loads(endpoint.post(b"{}", {}, 20)) == {"host": f"bot.example:{port}"}
        assert json.loads(endpoint.post(b"{}", {}, 20)) == {"host": f"bot.example:{port}"}
        assert calls == ["bot.example"]
        endpoint.close()
        with pytest.raises(AddressNotAllowed):
            endpoint.post(b"{}", {}, 20)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1"])
def test_no_connection_goes_to_an_address_that_is_not_public(address: str) -> None:
    called = threading.Event()
    with handler(lambda to, body: called.set()) as url:
        port = url.rstrip("/").rpartition(":")[2]
        endpoint = Endpoint(f"https://bot.example:{port}/", Policy(), resolve=lambda *_: [address])
        with pytest.raises(AddressNotAllowed):
            endpoint.post(b"{}", {}, 20)
    assert not called.is_set()


FAILURES: dict[str, tuple[type[CallFailed], str]] = {
    "hang": (ReplyTimeout, "in time"),
    "drip": (ReplyTimeout, "in time"),
    "drip_headers": (ReplyTimeout, "in time"),
    "endless_headers": (ReplyTooLarge, "too large"),
    "gigabyte": (ReplyTooLarge, "too large"),
    "chunked_gigabyte": (ReplyTooLarge, "too large"),
    "no_http": (BadReply, "not HTTP"),
    "redirect": (BadReply, "it replied with a redirect (307)"),
    "hang_up": (BadReply, "the connection broke"),
    "failing": (BadReply, "status 500"),
}


@pytest.mark.parametrize("way", sorted(FAILURES))
def test_the_cost_of_a_bad_receiver_is_bounded(way: str) -> None:
    with bad_receiver(way) as url:
        endpoint = Endpoint(url, LOOPBACK)
        before = time.process_time()
        expected, message = FAILURES[way]
        with pytest.raises(expected) as caught:
            endpoint.post(b"{}", {}, 1.0 if expected is ReplyTimeout else 60)
        assert message in str(caught.value)
        # A gigabyte takes more to read.
        assert time.process_time() - before < 1


def test_every_bad_receiver_is_tested() -> None:
    assert FAILURES.keys() | {"garbage", "deep"} == WAYS.keys()


def test_a_closed_port_is_not_connected() -> None:
    with handler(lambda to, body: None) as url:
        pass
    with pytest.raises(NotConnected) as caught:
        Endpoint(url, LOOPBACK).post(b"{}", {}, 20)
    assert "cannot be reached: Connection refused" in str(caught.value)


def test_a_receiver_that_does_not_finish_tls_is_not_connected() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://bot.example:{silent.getsockname()[1]}/"
        with pytest.raises(NotConnected, match="took too long"):
            Endpoint(url, LOOPBACK, resolve=on_loopback).post(b"{}", {}, 0.3)


def test_the_next_address_is_tried_and_a_working_one_is_kept() -> None:
    resolved: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        resolved.append(host)
        return ["127.0.0.2", "127.0.0.1"]

    with handler(lambda to, body: reply(to, {})) as url:
        port = url.rstrip("/").rpartition(":")[2]
        endpoint = Endpoint(f"http://bot.example:{port}/", LOOPBACK, resolve=resolve)
        for _ in range(2):
            assert endpoint.post(b"{}", {}, 20) == b"{}"
    assert resolved == ["bot.example"]


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with handler(lambda to, body: reply(to, {})) as url:
        assert Endpoint(url, LOOPBACK).post(b"{}", {}, 20) == b"{}"


def test_threads_share_an_endpoint() -> None:
    together = threading.Barrier(MAX_IDLE)
    callers: set[Any] = set()

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        callers.add(to.client_address)
        together.wait(20)
        reply(to, body)

    with handler(answer) as url, ThreadPoolExecutor(MAX_IDLE) as threads:
        endpoint = Endpoint(url, LOOPBACK)
        for _ in range(4):
            bodies = [b"%d" % number for number in range(MAX_IDLE)]
            assert list(threads.map(lambda body: endpoint.post(body, {}, 20), bodies)) == bodies
        # The first calls may each have resolved the name; later ones share what is kept.
        assert len(callers) < 4 * MAX_IDLE


def test_a_url_that_is_no_longer_allowed_is_not_called() -> None:
    with pytest.raises(InvalidUrl):
        Endpoint("http://bot.example/", Policy(), resolve=on_loopback).post(b"{}", {}, 20)


def test_the_health_check_requires_its_challenge() -> None:
    with python_receiver() as url:
        check_health(Endpoint(url, LOOPBACK), [SECRET], 20)
    replies: list[Any] = [{"challenge": "other"}, {}, [], b"", b"pong", b"[" * 60_000]
    left = list(replies)

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        message = json.loads(body)
        assert message["type"] == "ping"
        reply(to, left.pop())

    with handler(answer) as url:
        for _ in replies:
            with pytest.raises(ArenaError) as caught:
                check_health(Endpoint(url, LOOPBACK), [SECRET], 20)
            assert caught.value.code == "webhook_failed"
            assert "challenge" in str(caught.value)
    assert left == []


@pytest.mark.parametrize(
    ("body", "must", "may"),
    [
        (b'{"action": "play:4C"}', "play:4C", "play:4C"),
        (b'{"action": "play:4C", "turn": "g.0.1"}', "play:4C", "play:4C"),
        (b'{"action": null}', None, PASS),
        (b"", None, PASS),
        (b'{"action": 1.5}', 1.5, 1.5),
        (b"{}", None, None),
        (b"null", None, None),
        (b'"play:4C"', None, None),
        (b"\xff", None, None),
        (b"[" * 60_000, None, None),
    ],
)
def test_replies_are_parsed(body: bytes, must: object, may: object) -> None:
    assert action_in(body, optional=False) == must
    assert action_in(body, optional=True) is may or action_in(body, optional=True) == may


def test_a_message_shows_the_time_that_is_left() -> None:
    turn = {"turn": "g.0.1", "deadline_ms": 5000, "bank_ms": 60_000}

    def left(left_ms: int) -> tuple[int, int]:
        data = json.loads(turn_message(turn, left_ms))["data"]
        return data["deadline_ms"], data["bank_ms"]

    assert left(65_000) == (5000, 60_000)
    assert left(62_000) == (2000, 60_000)
    assert left(10_000) == (0, 10_000)
    assert left(-5) == (0, 0)
    message = json.loads(turn_message(turn, 65_000, {"status": "illegal_action"}))
    assert message["type"] == "turn"
    assert message["data"] == turn
    assert message["refused"] == {"status": "illegal_action"}
    assert "refused" not in json.loads(turn_message(turn, 65_000))


def test_a_restarted_receiver_is_called_again() -> None:
    with python_receiver() as url:
        endpoint = Endpoint(url, LOOPBACK)
        check_health(endpoint, [SECRET], 20)
    with python_receiver(port=int(url.rstrip("/").rpartition(":")[2])):
        check_health(endpoint, [SECRET], 20)
