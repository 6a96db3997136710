"""Replies that are too large, too slow or endless end with an error, and within the bounds on memory."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from arena.client import ApiError, Client, Unreachable, replies
from arena.client.http import NotTheService
from arena.client.replies import InvalidReply, Unreadable, json_of, text_of
from arena.client.shapes import WrongShape, check_reply
from arena.operations import OPERATIONS
from arena.operations.operation import JSON, operation_id
from tests.cli.hostile import EXAMPLES

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@contextmanager
def answering(*parts: bytes, then: Callable[[], bytes] | None = None) -> Iterator[str]:
    """A server that answers each connection with the parts, and then with ``then()`` until it is closed."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    connection.sendall(b"".join(parts))
                    while then is not None:
                        connection.sendall(then())
                except OSError:
                    pass

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.close()


def page(length: int, cursor: str | None) -> bytes:
    bot = EXAMPLES["listBots"]["responses"]["200"]["bots"][0]
    body = json.dumps({"bots": [bot] * length, "cursor": cursor}).encode()
    return HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def test_a_reply_that_is_announced_as_too_large_is_not_read() -> None:
    too_large = pytest.raises(InvalidReply, match="answered GET /v1/owners/me with more than 256 MiB")
    with answering(HEAD + b"Content-Length: 3000000000\r\n\r\n") as url, too_large:
        Client(url).me()


@pytest.mark.parametrize("coding", ["", "Transfer-Encoding: chunked\r\n"])
def test_an_endless_reply_ends(coding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "MOST_BYTES", 1 << 20)
    piece = b"1000\r\n" + b" " * 0x1000 + b"\r\n" if coding else b" " * 0x1000
    with answering(HEAD + coding.encode() + b"\r\n", then=lambda: piece) as url:
        with pytest.raises(InvalidReply, match="more than 1 MiB"):
            Client(url).me()
        with pytest.raises(InvalidReply, match="more than 1 MiB"):
            Client(url).events(EXAMPLES["getGame"]["responses"]["200"]["game"])


def test_an_endless_event_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "MOST_BYTES", 1 << 16)
    for line in (b"x" * 100, b"name: x\n", b"data: 1\n"):
        numbers = iter(range(10**9))
        unlike = lambda line=line, numbers=numbers: b"%d" % next(numbers) + line  # noqa: E731
        too_large = pytest.raises(InvalidReply, match="an event of more than")
        with answering(HEAD + b"\r\n", then=unlike) as url, too_large:
            list(Client(url).stream_events("g"))


def test_a_reply_that_trickles_ends() -> None:
    stopped = threading.Event()

    def trickle() -> bytes:
        stopped.wait(0.02)
        return b"X"

    for head in (b"", HEAD + b"X-Long: ", HEAD + b"\r\n"):
        with answering(head, then=trickle) as url, pytest.raises(Unreachable, match="timed out"):
            Client(url, timeout=0.2, patience=0).me()


def test_pages_end() -> None:
    with answering(page(0, "next")) as url, pytest.raises(InvalidReply, match="pages that do not end"):
        list(Client(url).bots())
    with answering(page(5, "next")) as url, pytest.raises(InvalidReply, match="pages that do not end"):
        list(Client(url).bots())
    with answering(page(5, "next")) as url, pytest.raises(InvalidReply, match="more than 4 elements"):
        list(Client(url, longest_list=4).bots())


def test_values_and_lines_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "MOST_VALUES", 1000)
    with pytest.raises(Unreadable, match="more than 1000 values"):
        json_of(b"[" + b"[]," * 500 + b"[]]")
    with pytest.raises(Unreadable, match="more than 1000 lines"):
        text_of(b"\n" * 1001)


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b"NaN", b"1" * 5000, b"\xff", b"{", b"[1] 2"], ids=lambda body: repr(body[:5])
)
def test_what_is_no_json_is_one_error(body: bytes) -> None:
    whole = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with answering(whole) as url, pytest.raises(NotTheService):
        Client(url).me()


def test_the_texts_of_an_error_are_bounded() -> None:
    problem = json.dumps({"detail": "x" * 500_000, "code": ["y"] * 9000, "field": "." * 90_000}).encode()
    whole = b"HTTP/1.1 404 No\r\nContent-Length: %d\r\n\r\n" % len(problem) + problem
    with answering(whole) as url, pytest.raises(ApiError) as caught:
        Client(url).me()
    assert len(caught.value.message) == len(caught.value.code) == len(caught.value.field or "") == 4000


@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.media == JSON])
def test_the_examples_have_the_types_of_the_client(name: str) -> None:
    for status, value in EXAMPLES[operation_id(name)]["responses"].items():
        if status.startswith("2") and not isinstance(value, str):
            check_reply(name, value)


@pytest.mark.parametrize(
    ("change", "where", "found", "expected"),
    [
        ({"name": 1}, "name", "another number", "a text"),
        ({"versions": None}, "versions", "null", "a list"),
        ({"versions": [{}]}, "versions[0]", "an object", "an object with label"),
        ({"people": "yes"}, "people", "the text 'yes'", "true or false"),
        ({"created_ms": True}, "created_ms", "true", "a whole number"),
        ({"created_ms": 1.5}, "created_ms", "another number", "a whole number"),
        ({"created_ms": 10**400}, "created_ms", "another number", "a whole number"),
        ({"game_cost": float("inf")}, "game_cost", "another number", "a number or null"),
        ({"webhook": []}, "webhook", "a list", "an object or null"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, object], where: str, found: str, expected: str) -> None:
    bot = EXAMPLES["getBot"]["responses"]["200"]
    check_reply("get_bot", {**bot, "state": "a later state", "later": 1})
    with pytest.raises(WrongShape) as caught:
        check_reply("get_bot", {**bot, **change})
    assert (caught.value.where, caught.value.found, caught.value.expected) == (where, found, expected)
