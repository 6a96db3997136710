"""The real server: waiting, streams, being stopped, and what never reaches the app."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from arena.store.presence import Sight
from arena.store.repositories import open_store
from tests.api.players import Player
from tests.api.server import Command, Message, Server
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def server(store: EmbeddedStore) -> Iterator[Server]:
    with Server(store.url, BOTEQUIM_ADMIN_TOKEN="x" * 32) as running:
        yield running


WOKEN_S = 25.0
"""Less than what the requests ask to wait: they were woken."""

_numbers = iter(range(10_000))


class Table:
    """Two bots of a new owner at a game of Toepen."""

    def __init__(self, server: Server, **more: Any) -> None:
        number = next(_numbers)
        self.owner = server.sign_up(f"owner-{number}")
        self.names = [f"bot-{number}-a", f"bot-{number}-b"]
        self.tokens = server.register(self.owner, *self.names)
        self.server = server
        body = {"kind": "toepen", "seats": [{"bot": name} for name in self.names], **more}
        self.game = server.request("POST", "/v1/games", body, self.owner).json["game"]

    def turns(self, bot: int) -> list[dict[str, Any]]:
        turns: list[dict[str, Any]] = self.server.request("GET", "/v1/turns", token=self.tokens[bot]).json[
            "turns"
        ]
        return [turn for turn in turns if not turn["optional"]]

    def to_move(self) -> tuple[int, dict[str, Any]]:
        """The bot that must act, and its turn."""
        for bot in (0, 1):
            for turn in self.turns(bot):
                return bot, turn
        raise AssertionError("nobody must act")

    def move(self) -> int:
        """Do the first legal action; who did."""
        bot, turn = self.to_move()
        body = {"answers": [{"turn": turn["turn"], "action": turn["legal_actions"][0]}]}
        reply = self.server.request("POST", "/v1/turns", body, self.tokens[bot])
        assert reply.json["results"][0]["status"] == "accepted"
        return bot


def later(seconds: float, act: Callable[[], Any]) -> None:
    threading.Timer(seconds, act).start()


# Waiting


@pytest.mark.parametrize("path", ["/v1/turns?wait=20&tournaments=true", "/v1/turns/stream?tournaments=true"])
def test_presence_ends_with_the_connection(server: Server, path: str) -> None:
    table = Table(server)
    (name, other), (token, _) = table.names, table.tokens
    presence = open_store(server.redis_url).presence
    # Its turn is known, so the request waits; the other one ends as usual.
    last = server.request("GET", "/v1/turns", token=token).json["cursor"]
    server.request("GET", "/v1/turns", token=table.tokens[1])
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    more = "" if "stream" in path else f"&rights=false&after={last}"
    connection.request("GET", path + more, headers={"Authorization": f"Bearer {token}"})
    wait_until(lambda: presence.sights([name])[0].willing_ms is not None)
    assert presence.sights([name])[0].seen_ms is not None
    assert connection.sock is not None
    connection.sock.close()
    wait_until(lambda: presence.sights([name]) == [Sight(None, None)])
    assert presence.sights([other])[0].seen_ms is not None


def test_a_long_poll_comes_back_with_the_turn(server: Server) -> None:
    table = Table(server)
    mover, _ = table.to_move()
    waiting = table.tokens[1 - mover]
    cursor = server.request("POST", "/v1/turns", {}, waiting).json["cursor"]
    began = time.monotonic()
    later(0.5, table.move)
    path = f"/v1/turns?wait=30&rights=false&after={cursor}"
    while not (turns := server.request("POST", path, {}, waiting).json["turns"]):
        table.move()
    assert turns[0]["game"] == table.game
    assert 0.4 < time.monotonic() - began < WOKEN_S


def test_a_long_poll_ends_with_nothing(server: Server) -> None:
    table = Table(server)
    mover, _ = table.to_move()
    token = table.tokens[1 - mover]
    cursor = server.request("GET", "/v1/turns", token=token).json["cursor"]
    began = time.monotonic()
    reply = server.request("GET", f"/v1/turns?wait=1&after={cursor}", token=token)
    assert reply.json["turns"] == []
    assert time.monotonic() - began > 0.9


def test_a_view_waits_for_a_change(server: Server) -> None:
    table = Table(server)
    version = server.request("GET", f"/v1/games/{table.game}").json["version"]
    began = time.monotonic()
    later(0.4, table.move)
    reply = server.request("GET", f"/v1/games/{table.game}?since={version}&wait=30")
    assert reply.status == 200
    assert reply.json["version"] > version
    assert 0.3 < time.monotonic() - began < WOKEN_S
    version = reply.json["version"]
    assert server.request("GET", f"/v1/games/{table.game}?since={version}&wait=0.5").status == 204


def test_a_revoked_token_ends_a_long_poll_without_turns(server: Server) -> None:
    table = Table(server)
    mover, turn = table.to_move()
    waiting = 1 - mover
    cursor = server.request("GET", "/v1/turns", token=table.tokens[waiting]).json["cursor"]

    def revoke() -> None:
        server.request("DELETE", f"/v1/bots/{table.names[waiting]}/token", token=table.owner)
        body = {"answers": [{"turn": turn["turn"], "action": turn["legal_actions"][0]}]}
        server.request("POST", "/v1/turns", body, table.tokens[mover])

    later(0.3, revoke)
    path = f"/v1/turns?wait=3&rights=false&after={cursor}"
    reply = server.request("GET", path, token=table.tokens[waiting])
    assert reply.status == 401


def test_many_waiters_do_not_stop_the_others(server: Server) -> None:
    """300 streams wait while two bots play a game to its end."""
    table = Table(server)
    waiting = Table(server)
    mover, _ = waiting.to_move()
    token = waiting.tokens[1 - mover]
    sockets = []
    try:
        for _ in range(300):
            sock = socket.create_connection(("127.0.0.1", server.port))
            request = f"GET /v1/turns/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
            sock.sendall(request.encode())
            sockets.append(sock)
        for sock in sockets:
            assert sock.recv(20).startswith(b"HTTP/1.1 200")
        wait_until(lambda: "botequim_streams 300.0" in metrics(server))
        _play(server, table)
    finally:
        for sock in sockets:
            sock.close()
    assert server.request("GET", f"/v1/games/{table.game}").json["state"] == "finished"


def _play(server: Server, table: Table) -> None:
    def player(token: str, seed: int) -> Player:
        def exchange(query: Mapping[str, Any], answers: Sequence[Any]) -> Mapping[str, Any]:
            text = "&".join(f"{key}={value}" for key, value in query.items())
            reply = server.request("POST", f"/v1/turns?{text}", {"answers": answers}, token)
            assert reply.status == 200, reply.body
            body: Mapping[str, Any] = reply.json
            return body

        return Player(exchange, seed)

    players = [player(token, seed) for seed, token in enumerate(table.tokens)]
    over = threading.Event()

    def run(one: Player) -> None:
        while not over.is_set():
            one.step(wait=0.5)
            if server.request("GET", f"/v1/games/{table.game}").json["state"] == "finished":
                over.set()

    with ThreadPoolExecutor(len(players)) as pool:
        for future in [pool.submit(run, one) for one in players]:
            future.result(timeout=2 * PATIENCE)
    assert not any(one.refused for one in players)
    verify(server.request("GET", f"/v1/games/{table.game}/record").json)


# Streams


def test_a_stream_of_turns_and_its_resumption(server: Server) -> None:
    table = Table(server)
    mover, turn = table.to_move()
    stream = server.stream("/v1/turns/stream?rights=false", table.tokens[mover])
    first = next(stream)
    assert (first.kind, first.data["turn"]) == ("turn", turn["turn"])
    assert first.id is not None
    table.move()
    following = next(message for message in _until_turn(stream, table, mover))
    assert following.data["turn"] != turn["turn"]
    stream.close()
    again = server.stream("/v1/turns/stream?rights=false", table.tokens[mover], last_id=first.id)
    resumed = next(again)
    assert resumed.data["turn"] == following.data["turn"]
    again.close()


def _until_turn(stream: Iterator[Message], table: Table, bot: int) -> Iterator[Message]:
    """Let the others move until ``bot`` has a turn, then what the stream says."""
    while not table.turns(bot):
        table.move()
    yield from stream


def test_a_stream_of_events_resumes_where_it_was(server: Server) -> None:
    table = Table(server)
    later(0.3, table.move)
    seen = []
    stream = server.stream(f"/v1/games/{table.game}/events/stream")
    for message in stream:
        seen.append(message)
        if message.kind == "event" and message.data["type"] not in ("dealer", "hand", "dealt"):
            break
    stream.close()
    numbers = [message.data["n"] for message in seen]
    assert numbers == list(range(len(numbers)))
    assert [message.id for message in seen] == [str(number) for number in numbers]
    resumed = server.stream(f"/v1/games/{table.game}/events/stream", last_id=seen[1].id)
    assert next(resumed) == seen[2]
    resumed.close()


def test_a_stream_says_when_the_game_is_over(server: Server) -> None:
    table = Table(server, rules={"lives": 1})
    server.request("POST", f"/v1/games/{table.game}/resign", {}, table.tokens[0])
    server.request("POST", f"/v1/games/{table.game}/resign", {}, table.tokens[1])
    messages = list(server.stream(f"/v1/games/{table.game}/events/stream"))
    assert messages[-1].kind == "over"
    assert messages[-2].data["type"] == "over"


@pytest.mark.parametrize("last_id", ["x", "-1", "1.5", "99999999999"])
def test_event_ids_from_elsewhere(server: Server, last_id: str) -> None:
    table = Table(server)
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", f"/v1/games/{table.game}/events/stream", headers={"Last-Event-ID": last_id})
    response = connection.getresponse()
    assert response.status == 422
    assert json.loads(response.read())["code"] == "invalid_cursor"
    connection.close()


def test_a_quiet_stream_pings_and_a_revoked_token_ends_it(store: EmbeddedStore) -> None:
    with Server(store.url, BOTEQUIM_PING="0.3") as server:
        table = Table(server)
        mover, _ = table.to_move()
        stream = server.stream("/v1/turns/stream?rights=false", table.tokens[1 - mover])
        assert [next(stream).kind for _ in range(3)] == ["ping"] * 3
        server.request("DELETE", f"/v1/bots/{table.names[1 - mover]}/token", token=table.owner)
        *pings, last = list(stream)
        assert {message.kind for message in pings} <= {"ping"}
        assert (last.kind, last.data["code"]) == ("reconnect", "invalid_token")


@pytest.mark.nightly("contract")
def test_a_reader_that_does_not_read_is_dropped(store: EmbeddedStore) -> None:
    """Fifty streams of a finished game are asked for on one connection, and nothing is read."""
    # Time enough to see the stream that waits.
    with Server(store.url, BOTEQUIM_SEND="10") as server:
        table = Table(server)
        _play(server, table)
        request = b"GET /v1/games/%b/events/stream HTTP/1.1\r\nHost: x\r\n\r\n" % table.game.encode()
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.connect(("127.0.0.1", server.port))
            sock.sendall(request * 50)
            for number in ("1.0", "0.0"):
                wait_until(lambda number=number: f"botequim_streams {number}" in metrics(server))  # type: ignore[misc]
            sock.settimeout(PATIENCE)
            received = 0
            while chunk := sock.recv(65536):
                received += len(chunk)
            assert received < 50 * 8000


def metrics(server: Server) -> str:
    return server.request("GET", "/metrics").body.decode()


# Being stopped


def test_drain(store: EmbeddedStore) -> None:
    """On SIGTERM what waits is answered, streams get their hint, nothing is cut off."""
    with Server(store.url) as server:
        table = Table(server)
        mover, _ = table.to_move()
        token = table.tokens[1 - mover]
        cursor = server.request("GET", "/v1/turns", token=token).json["cursor"]
        version = server.request("GET", f"/v1/games/{table.game}").json["version"]
        with ThreadPoolExecutor(2) as pool:
            poll = server.ask(f"/v1/turns?wait=30&after={cursor}", token)
            view = server.ask(f"/v1/games/{table.game}?since={version}&wait=30")
            turns = pool.submit(list, server.stream("/v1/turns/stream?rights=false", token))
            events = pool.submit(list, server.stream(f"/v1/games/{table.game}/events/stream"))
            wait_until(lambda: "botequim_streams 2.0" in metrics(server))
            wait_until(lambda: all(map(server.has_read, (poll, view))))
            began = time.monotonic()
            assert server.process is not None
            server.process.send_signal(signal.SIGTERM)
            assert json.load(poll.getresponse())["turns"] == []
            assert view.getresponse().status == 204
            assert turns.result(PATIENCE)[-1].kind == "reconnect"
            assert events.result(PATIENCE)[-1].kind == "reconnect"
            assert server.process.wait(PATIENCE) == 0
            assert time.monotonic() - began < WOKEN_S


def test_nothing_accepted_is_lost_by_a_kill(store: EmbeddedStore) -> None:
    """Kill -9 in the middle, a new process goes on: repeated answers tell what had been accepted."""
    with Server(store.url) as server:
        table = Table(server)
        bot, turn = table.to_move()
        body = {"answers": [{"turn": turn["turn"], "action": turn["legal_actions"][0]}]}
        first = server.request("POST", "/v1/turns", body, table.tokens[bot]).json["results"][0]
        assert server.process is not None
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()
        with Server(store.url) as other:
            again = other.request("POST", "/v1/turns", body, table.tokens[bot]).json["results"][0]
            assert again["repeated"] is True
            assert again["after"] == first["after"]


# HTTP


@pytest.mark.parametrize(
    "raw",
    [
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"POST /v1/owners HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/owners HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n",
    ],
)
def test_requests_that_are_no_http(server: Server, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as sock:
        sock.sendall(raw)
        sock.settimeout(PATIENCE)
        received = b""
        # What the server did not read makes it reset the connection after its answer.
        with suppress(ConnectionResetError):
            while chunk := sock.recv(65536):
                received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.split()[1].startswith(b"4")
    assert b"application/problem+json" in head
    assert json.loads(body)["code"] in ("bad_request", "uri_too_long", "headers_too_large")


def test_a_large_body_in_chunks(server: Server) -> None:
    """Without a Content-Length the limit holds as well."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    chunks = (b'{"name": "' if part == 0 else b"a" * 100_000 for part in range(20))
    connection.request(
        "POST", "/v1/owners", body=chunks, headers={"Content-Type": "application/json"}, encode_chunked=True
    )
    response = connection.getresponse()
    assert response.status == 413
    assert json.loads(response.read())["code"] == "body_too_large"
    connection.close()


@pytest.mark.nightly("contract")
def test_metrics_over_all_processes(store: EmbeddedStore) -> None:
    with Server(store.url, BOTEQUIM_WORKERS="2") as server:
        for _ in range(40):
            server.request("GET", "/v1/bots")
        text = server.request("GET", "/metrics").body.decode()
        assert 'botequim_requests_total{operation="listBots",status="200"} 40.0' in text


def test_the_command_serves_and_keeps_its_data(tmp_path: Path) -> None:
    with Command(tmp_path / "data") as server:
        token = server.sign_up("ana")
    with Command(tmp_path / "data") as server:
        assert server.request("GET", "/v1/owners/me", token=token).json["name"] == "ana"
