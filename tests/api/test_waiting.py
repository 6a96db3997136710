"""The real server: requests that wait end when their clients are gone, and no client takes all places."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from http.client import HTTPException
from threading import Event, Thread
from typing import Any
from urllib.parse import urlencode

import pytest

from arena.live.service import LiveGames
from arena.play.clocks import STILL_MS
from arena.store.embedded import EmbeddedStore
from tests.api.players import Player
from tests.api.server import Server
from tests.api.test_server import Table, metrics
from tests.live.playing import open_games
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

CONNECTIONS = 60

CLOCK = {"per_turn_ms": 120_000, "bank_ms": 0}


@pytest.fixture(scope="module")
def server(store: EmbeddedStore) -> Iterator[Server]:
    """Nothing is sent on a quiet stream, so that only a watch notices the end of its connection."""
    settings = {"BOTEQUIM_CONNECTIONS": str(CONNECTIONS), "BOTEQUIM_PING": "600", "BOTEQUIM_SWEEP": "0"}
    settings["BOTEQUIM_PROXIES"] = "1"
    with Server(store.url, **settings) as running:
        yield running


@pytest.fixture(scope="module")
def games(store: EmbeddedStore) -> LiveGames:
    return open_games(store.url)


def connect(
    server: Server, path: str, token: str | None = None, more: bytes = b"", address: str = "127.0.0.1"
) -> socket.socket:
    """A connection on which a request has been sent, by a proxy for a client at ``address``."""
    made = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    authorization = "" if token is None else f"Authorization: Bearer {token}\r\n"
    authorization += f"X-Forwarded-For: {address}\r\n"
    made.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{authorization}\r\n".encode() + more)
    return made


def answer(connection: socket.socket) -> tuple[int, Any]:
    """Status and problem of a response that has a body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split()[0])
    while len(body) < length:
        body += connection.recv(65536)
    return int(head.split()[1]), json.loads(body)


def waits(server: Server, count: int) -> bool:
    return f"botequim_waiting {count}.0" in metrics(server)


def is_quiet(server: Server) -> bool:
    """Whether nobody waits, and the only open connection is that of this request."""
    return waits(server, 0) and "botequim_connections 1.0" in metrics(server)


def waiting_paths(server: Server, table: Table) -> list[tuple[str, str | None]]:
    """A request of each kind that waits, with its token."""
    version = server.request("GET", f"/v1/games/{table.game}").json["version"]
    events = server.request("GET", f"/v1/games/{table.game}/events?limit=500").json["next"]
    mover, _ = table.to_move()
    token = table.tokens[1 - mover]
    cursor = server.request("GET", "/v1/turns", token=token).json["cursor"]
    body = {"name": "cup", "kind": "toepen", "format": "round_robin", "rules": {"seats": 2}}
    reply = server.request("POST", "/v1/tournaments", {**body, "house": ["rookie", "random"]}, table.owner)
    cup = reply.json
    return [
        (f"/v1/games/{table.game}?since={version}&wait=60", None),
        (f"/v1/games/{table.game}/events?start={events}&wait=60", None),
        (f"/v1/games/{table.game}/events/stream", None),
        (f"/games/{table.game}/table", None),
        (f"/v1/turns?rights=false&after={cursor}&wait=60", token),
        ("/v1/turns/stream?rights=false", token),
        (f"/v1/tournaments/{cup['id']}?since={cup['version']}&wait=60", None),
        (f"/v1/tournaments/{cup['id']}/stream", None),
    ]


@pytest.mark.parametrize("more", [b"", b"GET /healthz HTTP/1.1\r\n"], ids=["nothing", "half a request"])
def test_every_waiting_request_frees_its_place_when_its_client_is_gone(server: Server, more: bytes) -> None:
    table = Table(server)
    for path, token in waiting_paths(server, table):
        with connect(server, path, token, more):
            wait_until(lambda: not is_quiet(server))
            if "stream" not in path and "/table" not in path:
                wait_until(lambda: waits(server, 1))
        wait_until(lambda: is_quiet(server)), path


def test_what_is_sent_in_advance_is_answered_after_the_wait(server: Server) -> None:
    table = Table(server)
    version = server.request("GET", f"/v1/games/{table.game}").json["version"]
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with connect(server, f"/v1/games/{table.game}?since={version}&wait=60", more=last) as connection:
        wait_until(lambda: waits(server, 1))
        table.move()
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
    assert received.count(b"HTTP/1.1 200 OK") == 2


def test_a_visitor_takes_only_the_share_of_an_address(server: Server) -> None:
    table = Table(server)
    with ExitStack() as stack:
        path = f"/v1/games/{table.game}/events/stream"
        share = CONNECTIONS // 10
        for _ in range(share):
            held = stack.enter_context(connect(server, path))
            assert held.recv(20).startswith(b"HTTP/1.1 200")
        status, problem = answer(stack.enter_context(connect(server, path)))
        assert (status, problem["code"], problem["retry_after"]) == (429, "too_many_connections", 1)
        # The page of the same game for somebody with a token, and its own bots.
        assert server.request("GET", f"/v1/games/{table.game}").status == 200
        for token in table.tokens:
            held = stack.enter_context(connect(server, "/v1/turns/stream", token))
            assert held.recv(20).startswith(b"HTTP/1.1 200")
    wait_until(lambda: is_quiet(server))


def runs_out(games: LiveGames, game: str) -> list[int]:
    view = games.view(game)
    assert view is not None
    return [clock["runs_out_at_ms"] for clock in view["clocks"] if clock["runs_out_at_ms"] is not None]


def test_clocks_stand_still_for_who_was_refused_because_of_others(server: Server, games: LiveGames) -> None:
    table, others = Table(server), [Table(server) for _ in range(5)]
    mover, turn = table.to_move()
    cursor = server.request("GET", "/v1/turns", token=table.tokens[mover]).json["cursor"]
    poll = f"/v1/turns?rights=false&after={cursor}&wait=60"
    share = CONNECTIONS // 5
    with ExitStack() as stack:
        for number, other in enumerate(others):
            # Two owners at each address: together they hold what requests without turns pending can hold.
            for _ in range(share if number < 4 else CONNECTIONS // 10):
                token, address = other.tokens[other.to_move()[0]], f"192.0.2.{number // 2}"
                held = stack.enter_context(connect(server, "/v1/turns/stream", token, address=address))
                assert held.recv(20).startswith(b"HTTP/1.1 200")
        before = runs_out(games, table.game)
        refused = server.request("GET", poll, token=table.tokens[mover])
        assert (refused.status, refused.json["code"]) == (503, "busy")
        assert runs_out(games, table.game) == [before[0] + STILL_MS]
        # An answer needs no place, and its result arrives although there is none.
        body = {"answers": [{"turn": turn["turn"], "action": turn["legal_actions"][0]}]}
        reply = server.request("POST", poll, body, table.tokens[mover])
        assert reply.json["results"][0]["status"] == "accepted"
        # A turn that is pending needs none either.
        mover, turn = table.to_move()
        poll = "/v1/turns?rights=false&wait=60"
        (pending,) = server.request("GET", poll, token=table.tokens[mover]).json["turns"]
        assert pending["turn"] == turn["turn"]
        # Who uses up its own share is not spared.
        exceeding = others[0]
        mover, _ = exceeding.to_move()
        token = exceeding.tokens[mover]
        cursor = server.request("GET", "/v1/turns", token=token).json["cursor"]
        before = runs_out(games, exceeding.game)
        refused = server.request("GET", f"/v1/turns?rights=false&after={cursor}&wait=60", token=token)
        assert (refused.status, refused.json["code"]) == (429, "too_many_connections")
        assert runs_out(games, exceeding.game) == before
    wait_until(lambda: is_quiet(server))


def test_owners_at_one_address_stop_no_clocks_for_each_other(server: Server, games: LiveGames) -> None:
    table, others = Table(server), [Table(server), Table(server)]
    mover, _ = table.to_move()
    token = table.tokens[mover]
    cursor = server.request("GET", "/v1/turns", token=token).json["cursor"]
    with ExitStack() as stack:
        for other in others:
            for _ in range(CONNECTIONS // 5):
                held = stack.enter_context(connect(server, "/v1/turns/stream", other.tokens[0]))
                assert held.recv(20).startswith(b"HTTP/1.1 200")
        before = runs_out(games, table.game)
        refused = server.request("GET", f"/v1/turns?rights=false&after={cursor}&wait=60", token=token)
        assert (refused.status, refused.json["code"]) == (503, "busy")
        assert runs_out(games, table.game) == before
    wait_until(lambda: is_quiet(server))


def test_bots_that_answer_every_turn_do_not_forfeit_while_a_visitor_floods(store: EmbeddedStore) -> None:
    """The visitor has no account, and sends more polls than there are connections, again and again."""
    games = open_games(store.url)
    with Server(store.url, BOTEQUIM_CONNECTIONS=str(CONNECTIONS)) as server:
        watched, table = Table(server), Table(server, rules={"lives": 3}, clock=CLOCK)
        version = server.request("GET", f"/v1/games/{watched.game}").json["version"]
        poll = f"/v1/games/{watched.game}?since={version}&wait=60"
        over = Event()

        def flood() -> None:
            while not over.is_set():
                with ExitStack() as stack, suppress(OSError):
                    for _ in range(CONNECTIONS + 10):
                        stack.enter_context(connect(server, poll))
                    # By then the server is through with them, however slow the machine is.
                    server.request("GET", "/healthz")
                    over.wait(3)

        def play(token: str) -> None:
            def exchange(query: Mapping[str, Any], answers: Sequence[Any]) -> Mapping[str, Any]:
                """Ask on a new connection each time, and again after a refusal, as the service asks for."""
                while not over.is_set():
                    path = f"/v1/turns?{urlencode(query)}"
                    with suppress(OSError, HTTPException):
                        reply = server.request("POST", path, {"answers": answers}, token)
                        if reply.status == 200:
                            return dict(reply.json)
                    over.wait(1)
                return {"results": [], "turns": [], "cursor": None}

            player = Player(exchange)
            while not over.is_set():
                player.step(wait=1)

        threads = [Thread(target=flood), *(Thread(target=play, args=(token,)) for token in table.tokens)]
        for thread in threads:
            thread.start()
        try:
            wait_until(lambda: games.summary(table.game)["state"] == "finished")
        finally:
            over.set()
            for thread in threads:
                thread.join()
    view = games.view(table.game)
    assert view is not None
    assert view["faults"] == []


def test_a_response_that_nobody_reads_has_a_deadline(store: EmbeddedStore) -> None:
    with Server(store.url, BOTEQUIM_SEND="1") as server, socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", server.port))
        reader.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
        wait_until(lambda: "botequim_connections 2.0" in metrics(server))
        wait_until(lambda: "botequim_connections 1.0" in metrics(server))
