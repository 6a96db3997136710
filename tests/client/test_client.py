"""The client: what it asks, what it asks again, and what it says when it cannot."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.client import ApiError, Client, Unreachable
from arena.client.http import NotTheService
from arena.errors import ArenaError
from tests.api.server import Server
from tests.cli.hostile import EXAMPLES
from tests.client.conftest import Table
from tests.ports import free_port
from tests.waiting import wait_until


class Script:
    """A server that gives prepared answers, one connection after the other, and notes what it was asked.

    ``b""`` closes the connection without an answer.
    """

    def __init__(self, *answers: bytes) -> None:
        self.asked: list[bytes] = []
        self.keys: list[bytes] = []
        self._answers = answers
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        for answer in self._answers:
            connection, _ = self._socket.accept()
            with connection:
                head, _, body = _until(connection, b"\r\n\r\n").partition(b"\r\n\r\n")
                length = int(
                    next((line.split(b":")[1] for line in head.split(b"\r\n") if b"Length" in line), 0)
                )
                while len(body) < length:
                    body += connection.recv(65536)
                self.asked.append(head.split(b"\r\n")[0])
                self.keys.append(head.partition(b"Idempotency-Key: ")[2].partition(b"\r\n")[0])
                connection.sendall(answer)

    def close(self) -> None:
        self._socket.close()
        self._thread.join(5)


def _until(connection: socket.socket, end: bytes) -> bytes:
    data = b""
    while end not in data and (more := connection.recv(65536)):
        data += more
    return data


def reply(status: int, body: str = "{}", **headers: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *lines]
    return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


@contextmanager
def scripted(*answers: bytes) -> Iterator[Script]:
    script = Script(*answers)
    try:
        yield script
    finally:
        script.close()


class Told:
    """What a client says before it tries again."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.why: list[str] = []

    def __call__(self, seconds: float, why: str) -> None:
        self.pauses.append(seconds)
        self.why.append(why)


# Against the service


def test_accounts_games_and_records(table: Table) -> None:
    game = table.new_game(rules={"lives": 1})
    clients = [table.client(0), table.client(1)]
    cursors: list[str | None] = [None, None]
    pending: list[list[dict[str, str]]] = [[], []]
    while table.owner.request("GET", f"/v1/games/{game}")["state"] == "running":
        for bot, client in enumerate(clients):
            done = client.exchange(pending[bot], cursors[bot])
            assert [result["status"] for result in done["results"]] == ["accepted"] * len(pending[bot])
            cursors[bot] = done["cursor"]
            pending[bot] = [{"turn": t["turn"], "action": t["legal_actions"][0]} for t in done["turns"]]
    record = table.owner.record(game, wait=True)
    assert record["canonical"]["game"] == game
    wait_until(lambda: game in "".join(table.owner.records("toepen")))
    assert list(table.owner.records("truco")) == []


def test_many_records_come_in_pages(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        table.new_game(clock={"per_turn_ms": 100, "bank_ms": 0})
    table.await_records()
    whole = list(table.owner.records())
    monkeypatch.setattr("arena.client.games._RECORDS_AT_ONCE", 2)
    assert list(table.owner.records()) == whole
    assert len(whole) >= 5


def test_joining_and_viewing(table: Table) -> None:
    game = table.owner.create_game("toepen", [{"open": True}, {"bot": table.names[1]}])["game"]
    bot = table.client(0)
    assert bot.join(game)["seat"] == 0
    assert bot.join(game)["seat"] == 0
    view = bot.game(game)
    assert view is not None
    assert view["seat"] == 0
    assert bot.game(game, since=view["version"]) is None


def test_errors_carry_the_problem_document(table: Table, service: Server) -> None:
    with pytest.raises(ApiError) as refused:
        table.owner.register_bot(table.names[0])
    assert (refused.value.status, refused.value.code, refused.value.field) == (409, "name_taken", "name")
    with pytest.raises(ApiError) as refused:
        service.client("btq_b_nobody_0000").exchange()
    assert (refused.value.status, refused.value.code) == (401, "invalid_token")
    with pytest.raises(ApiError) as refused:
        service.client().record("../owners/me")
    assert refused.value.status == 404


def test_a_record_that_never_appears_is_not_awaited(table: Table) -> None:
    game = table.owner.create_game("toepen", [{"open": True}, {"open": True}])["game"]
    table.owner.request("POST", f"/v1/games/{game}/cancel")
    with pytest.raises(ApiError) as refused:
        table.owner.record(game, wait=True)
    assert refused.value.code == "record_not_ready"


# Against prepared answers


def test_a_busy_service_is_retried_after_growing_pauses() -> None:
    busy = reply(409, '{"code": "game_busy"}')
    with scripted(reply(503), reply(500), busy, b"", reply(200, '{"ok": 1}')) as server:
        told = Told()
        assert Client(server.url, on_retry=told).request("POST", "/x", {}) == {"ok": 1}
        assert len(server.asked) == 5
    for pause, base in zip(told.pauses, (0.25, 0.5, 1.0, 2.0), strict=True):
        assert 0.75 * base <= pause <= 1.25 * base
    assert told.why[0] == "the service answered 503"
    assert told.why[2] == "the service answered 409 game_busy"
    assert told.why[3].startswith("no answer (")


def test_a_rate_limit_is_retried_after_the_stated_time() -> None:
    with scripted(reply(429, Retry_After="2"), reply(200)) as server:
        told = Told()
        assert Client(server.url, on_retry=told).request("POST", "/v1/bots", {}, repeatable=False) == {}
    assert 1.5 <= told.pauses[0] <= 2.5


@pytest.mark.parametrize("answer", [reply(500), reply(502), reply(503)])
def test_a_request_that_may_have_been_executed_is_not_retried(answer: bytes) -> None:
    with scripted(answer) as server, pytest.raises(ApiError):
        Client(server.url).sign_up("olga")
    assert len(server.asked) == 1
    assert server.keys == [b""]


def test_what_creates_something_is_retried_under_one_key() -> None:
    running = reply(409, '{"code": "idempotency_key_in_use"}', Retry_After="1")
    game, tournament = (EXAMPLES[name]["responses"]["201"] for name in ("createGame", "createTournament"))
    with scripted(b"", reply(503), running, reply(201, json.dumps(game))) as server:
        client = Client(server.url, on_retry=Told())
        assert client.create_game("truco", []) == game
    assert len(server.asked) == 4
    assert len(set(server.keys)) == 1
    assert len(server.keys[0]) == 32
    made = reply(201, json.dumps(tournament))
    with scripted(made, made) as server:
        for _ in range(2):
            Client(server.url).create_tournament()
    assert len(set(server.keys)) == 2


def test_a_secret_that_was_lost_is_not_requested_again() -> None:
    problem = '{"code": "secret_already_issued", "expected": "POST /v1/bots/zap-bot/token for a new one"}'
    with scripted(b"", reply(409, problem)) as server, pytest.raises(ApiError) as refused:
        Client(server.url, on_retry=Told()).register_bot("zap-bot")
    assert refused.value.code == "secret_already_issued"
    assert len(server.asked) == 2


def test_no_answer_to_a_request_that_may_have_been_executed(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(b"") as server, pytest.raises(Unreachable, match="the request may have been executed"):
        Client(server.url).sign_up("olga")


def test_a_request_that_cannot_have_arrived_is_retried() -> None:
    port = free_port()
    told = Told()
    signed_up = EXAMPLES["signUp"]["responses"]["201"]
    answered: list[str] = []
    client = Client(f"http://127.0.0.1:{port}", on_retry=told)
    asking = threading.Thread(target=lambda: answered.append(client.sign_up("olga")))
    asking.start()
    wait_until(lambda: told.pauses)
    with socket.create_server(("127.0.0.1", port)) as listening:
        connection, _ = listening.accept()
        with connection:
            _until(connection, b'"olga"}')
            connection.sendall(reply(201, json.dumps(signed_up)))
    asking.join(120)
    assert answered == [signed_up["token"]]
    assert "Connection refused" in told.why[0]


def test_a_connection_that_the_service_closed_is_opened_again_at_once() -> None:
    keep = reply(200).replace(b"Connection: close\r\n", b"")
    with scripted(keep, reply(200)) as server:
        told = Told()
        client = Client(server.url, on_retry=told)
        client.request("GET", "/a")
        client.request("GET", "/b")
    assert told.pauses == []
    assert server.asked == [b"GET /a HTTP/1.1", b"GET /b HTTP/1.1"]


def test_retries_end_after_the_patience() -> None:
    told = Told()
    with pytest.raises(Unreachable, match="Connection refused"):
        Client(f"http://127.0.0.1:{free_port()}", patience=0.6, on_retry=told).request("GET", "/")
    assert sum(told.pauses) <= 0.6


def test_the_timeout_is_added_to_the_wait_of_the_request() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for wait, least in ((None, 0.2), (0.5, 0.7)):
            began = time.monotonic()
            with pytest.raises(Unreachable, match="timed out"):
                Client(url, timeout=0.2, patience=0).request("GET", "/", query={"wait": wait})
            assert least <= time.monotonic() - began


def test_another_service_at_the_address() -> None:
    with scripted(reply(200, "<html>")) as server, pytest.raises(NotTheService, match="not JSON"):
        Client(server.url).game("x")
    moved = reply(301, Location="https://elsewhere.example/v1/games/x")
    with scripted(moved) as server, pytest.raises(NotTheService, match="redirects to https://elsewhere"):
        Client(server.url).game("x")
    with scripted(reply(404, "<html>")) as server, pytest.raises(ApiError) as refused:
        Client(server.url).game("x")
    assert (refused.value.code, refused.value.status) == ("refused", 404)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000",
        "ftp://x",
        "http://",
        "http://x:port",
        "http://x:99999",
        "http://x/?a=b",
        "http://u:p@x",
    ],
)
def test_bad_addresses(url: str) -> None:
    with pytest.raises(ArenaError, match="is not a valid service URL"):
        Client(url)


@pytest.mark.parametrize("token", ["", "  ", "a b", "a\nb", "tökén"])
def test_bad_tokens_are_not_repeated(token: str) -> None:
    with pytest.raises(ArenaError) as refused:
        Client(token=token)
    assert refused.value.code == "invalid_token"
    assert not token.strip() or token not in str(refused.value)


def test_an_address_with_a_path() -> None:
    with scripted(reply(200)) as server:
        Client(server.url + "/botequim/").request("GET", "/v1/games")
    assert server.asked == [b"GET /botequim/v1/games HTTP/1.1"]
