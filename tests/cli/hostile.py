"""A service that nobody should trust: it answers with the examples of the API, spoiled."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from arena.operations import OPERATIONS
from arena.operations.operation import JSON, Operation, operation_id

EXAMPLES: Final = json.loads(
    (Path(__file__).parents[2] / "api" / "examples.json").read_text(encoding="utf-8")
)

CONTROLS: Final = "\x1b[31mX\x1b]0;title\x07\u202e\x9b2J\r\x08\n"

_MOST_REQUESTS: Final = 8
"""The service refuses all requests after this number, so that a command that waits for something ends."""

Spoil = Callable[[Any], Any]
"""Returns what takes the place of a reply, as a JSON value, or as text or bytes."""


def _everywhere(change: Callable[[Any], Any]) -> Spoil:
    def spoil(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: spoil(one) for name, one in value.items()}
        if isinstance(value, list):
            return [spoil(one) for one in value]
        return change(value)

    return spoil


def _texts(change: Callable[[str], str]) -> Spoil:
    return _everywhere(lambda value: change(value) if isinstance(value, str) else value)


def _numbers(draw: random.Random) -> Spoil:
    odd = [10**300, -1, 0, 1e308, 2**63 - 1, 2**62, -(2**63), 10**18, 0.5, float("inf")]
    is_number = lambda value: isinstance(value, int | float) and not isinstance(value, bool)  # noqa: E731
    return _everywhere(lambda value: draw.choice(odd) if is_number(value) else value)


def _once(draw: random.Random, odd: list[Any]) -> Spoil:
    """Change the value at one place, which can be an object or a list."""

    def spoil(value: Any) -> Any:
        value = json.loads(json.dumps(value))
        places = list(_places(value))
        if not places:
            return draw.choice(odd)
        inside, name = draw.choice(places)
        inside[name] = draw.choice(odd)
        return value

    return spoil


def _without(draw: random.Random) -> Spoil:
    def spoil(value: Any) -> Any:
        value = json.loads(json.dumps(value))
        places = list(_places(value))
        if places:
            inside, name = draw.choice(places)
            del inside[name]
        return value

    return spoil


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    names = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in names:
        yield value, name
        yield from _places(value[name])


_WRONG: Final = [None, [], {}, "x", -1, True, 1e99, 10**40, [[]], {"": None}, "\ud800"]


def spoils(draw: random.Random) -> dict[str, Spoil]:
    """The ways in which replies are spoiled."""
    return {
        "control characters": _texts(lambda text: text + CONTROLS),
        "other texts": _texts(lambda text: draw.choice(["", "x", "NaN", "[/bold]", "%s{0}", "\ud800"])),
        "long texts": _texts(lambda text: text * 3000),
        "odd numbers": _numbers(draw),
        "other types": _everywhere(lambda value: draw.choice(_WRONG)),
        **{f"one other value {n}": _once(draw, _WRONG) for n in range(2)},
        "one value less": _without(draw),
        "empty lists": _lists(lambda value: []),
        "lists twice": _lists(lambda value: [*value, *value]),
        "deep lists": lambda value: "[" * 100_000 + "]" * 100_000,
        "deep objects": lambda value: '{"a":' * 900 + "1" + "}" * 900,
        "no JSON": lambda value: b"\xff\x00\x1b[2J",
        "nothing": lambda value: b"",
    }


def _lists(change: Callable[[list[Any]], list[Any]]) -> Spoil:
    def spoil(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: spoil(one) for name, one in value.items()}
        return change(list(map(spoil, value))) if isinstance(value, list) else value

    return spoil


class HostileService:
    """The service at ``url``. ``spoil`` is how it spoils its replies; ``requests`` counts them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.spoil: Spoil = lambda value: value
        self.requests = 0


@contextmanager
def hostile_service() -> Iterator[HostileService]:
    """Run such a service."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            service.requests += 1
            status, media, body = _reply(self.command, urlsplit(self.path).path, service)
            self.send_response(status)
            self.send_header("Content-Type", media)
            self.send_header("X-Next", str(service.requests))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = HostileService(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def _reply(method: str, path: str, service: HostileService) -> tuple[int, str, bytes]:
    try:
        name, operation = operation_at(method, path)
    except AssertionError:
        # A spoiled name can lead to an address that no operation has.
        problem = {"code": "not_found", "detail": "there is nothing here", "expected": [1]}
        return 404, "application/problem+json", json.dumps(problem).encode()
    if service.requests > _MOST_REQUESTS:
        problem = {"code": "gone", "detail": "enough", "field": CONTROLS, "expected": [1]}
        return 410, "application/problem+json", json.dumps(problem).encode()
    replies = EXAMPLES[operation_id(name)]["responses"]
    value = replies.get(str(operation.status))
    if operation.media != JSON:
        # These are texts, whose lines can be JSON.
        spoiled = value if isinstance(value, str) else "\n".join(map(json.dumps, value or []))
        changed = service.spoil(spoiled)
        return operation.status, operation.media, _encoded(changed, as_text=True)
    return operation.status, JSON, b"" if operation.status == 204 else _encoded(service.spoil(value))


def _encoded(value: Any, as_text: bool = False) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and (as_text or value.startswith(("[[", '{"a"'))):
        return value.encode(errors="surrogatepass")
    return json.dumps(value).encode()


def operation_at(method: str, path: str) -> tuple[str, Operation]:
    """The operation at a path."""
    for name, operation in OPERATIONS.items():
        template = re.sub(r"{\w+}", "[^/]+", operation.path)
        if operation.method == method and re.fullmatch(template, path):
            return name, operation
    raise AssertionError(f"no operation: {method} {path}")
