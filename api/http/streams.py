"""Streams of server-sent events, and their shutdown.

A stream has no queue: it sleeps until the store has news, then reads and sends a page of limited size. A slow
reader therefore delays only its own stream, and is eventually dropped.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

import orjson
from flask import Response, request
from prometheus_client import Gauge

from api.http.auth import still_valid
from api.http.edge import PRINCIPAL
from api.http.waiting import Stay
from api.services import services
from api.watching import Watching
from arena.errors import ArenaError
from arena.events.service import Tournaments
from arena.events.tournament import OVER
from arena.live.header import Viewer
from arena.live.service import LiveGames
from arena.operations.operation import EVENT_STREAM


def event_stream(**data: str) -> Mapping[str, object]:
    """Return the schema of a stream: that of one event. ``data`` holds a schema for each type of event."""
    shapes = {**data, "reconnect": "Reconnect"}
    return {
        "description": "Server-sent events. The schema describes one event, whose `data` is JSON.",
        "oneOf": [
            {
                "type": "object",
                "required": ["event", "data"],
                "properties": {
                    "event": {"const": kind},
                    "id": {"type": "string"},
                    "data": {
                        "type": "string",
                        "contentMediaType": "application/json",
                        "contentSchema": {"$ref": f"#/components/schemas/{shape}"},
                    },
                },
            }
            for kind, shape in shapes.items()
        ],
    }


LAST_EVENT_ID: Final = {
    "in": "header",
    "name": "Last-Event-ID",
    "description": "The id of the last event received.",
    "schema": {"type": "string"},
}

_RETRY_MS: Final = 1000

_MIN_INTERVAL: Final = 0.5
"""The minimum number of seconds between two messages about a tournament."""

_BUFFER_BYTES: Final = 32_768
"""The size of the socket's send buffer, which limits how much is held for a slow reader."""

_open = Gauge("botequim_streams", "Open streams.", multiprocess_mode="livesum")
_stopping = threading.Event()


def drain() -> None:
    """End every stream with a message that tells the client to reconnect."""
    _stopping.set()


def draining() -> bool:
    """Return whether this process is shutting down."""
    return _stopping.is_set()


def turn_stream(live: LiveGames, bot: str, rights: bool, tournaments: bool) -> Response:
    """Stream the turns of ``bot`` since the request's ``Last-Event-ID``."""
    pause = stream_pause()
    selected = {"rights": rights, "tournaments": tournaments}
    page = live.turns(bot, request.headers.get("Last-Event-ID") or None, **selected)

    def pages() -> Iterator[bytes]:
        nonlocal page
        while True:
            for number, turn in enumerate(page.turns, 1):
                yield _message("turn", turn, page.cursor if number == len(page.turns) else None)
            page = live.turns(bot, page.cursor, wait=pause, **selected)
            if not page.turns:
                yield _PING

    return _response(pages(), lambda: live.presence.end(bot))


def game_stream(live: LiveGames, game: str, viewer: Viewer, seat: int | None) -> Response:
    """Stream the events of ``game`` since the request's ``Last-Event-ID``, as ``viewer`` sees them."""
    pause = stream_pause()
    start = _next_event(request.headers.get("Last-Event-ID", ""))
    page = live.events(game, viewer, seat=seat, start=start)

    def pages() -> Iterator[bytes]:
        nonlocal page
        while True:
            for event in page["events"]:
                yield _message("event", event, str(event["n"]))
            if page["over"]:
                yield _message("over", {"next": page["next"]})
                return
            page = live.events(game, viewer, seat=seat, start=page["next"], wait=pause)
            if not page["events"]:
                yield _PING

    return _response(pages())


def table_stream(watching: Watching, game: str) -> Response:
    """Stream the table of ``game`` as spectators see it: first its current state, or what has changed since
    the request's ``Last-Event-ID``, then its moves.
    """
    last = request.headers.get("Last-Event-ID", "")
    messages = watching.messages(game, stream_pause(), _next_event(last) if last else None)
    first = next(messages)

    def pages() -> Iterator[bytes]:
        for message in chain((first,), messages):
            if message is None:
                yield _PING
            else:
                yield _message(message.kind, message.data, str(message.next - 1))

    return _response(pages())


def felt_stream(messages: Iterator[tuple[str, bytes] | None]) -> Response:
    """Stream prepared messages, each with its id. None is a pause without a message."""
    first = next(messages)

    def pages() -> Iterator[bytes]:
        for message in chain((first,), messages):
            if message is None:
                yield _PING
            else:
                number, data = message
                yield b"event: felts\nid: %b\ndata: %b\n\n" % (number.encode(), data)

    return _response(pages())


def tournament_stream(tournaments: Tournaments, tournament: str, viewer: Viewer) -> Response:
    """Stream the changes of a tournament since the request's ``Last-Event-ID``."""
    pause = stream_pause()
    last = request.headers.get("Last-Event-ID", "")
    since = _next_event(last) - 1 if last else None
    view: dict[str, Any] | None = tournaments.view(tournament, viewer)

    def pages() -> Iterator[bytes]:
        nonlocal view, since
        while True:
            if view is None:
                yield _PING
            elif view["version"] != since:
                since = view["version"]
                yield _message("tournament", view, str(since))
                # Many groups can end within a second.
                time.sleep(min(_MIN_INTERVAL, pause))
            if view is not None and view["state"] in OVER:
                return
            view = tournaments.wait(tournament, since, pause, viewer)

    return _response(pages())


def stream_pause() -> float:
    """Return the maximum number of seconds between two messages of a stream."""
    config = services().settings.http
    return min(config.ping_seconds, config.stream_seconds)


def _next_event(last: str) -> int:
    if not last:
        return 0
    if not (last.isascii() and last.isdecimal() and len(last) < 10):
        raise ArenaError(
            "invalid Last-Event-ID",
            code="invalid_cursor",
            field="Last-Event-ID",
            expected="the id of an event of this stream",
        )
    return int(last) + 1


_PING: Final = b": ping\n\n"


def _message(kind: str, data: object, number: str | None = None) -> bytes:
    head = f"event: {kind}\n" if number is None else f"event: {kind}\nid: {number}\n"
    return b"%bdata: %b\n\n" % (head.encode(), orjson.dumps(data))


def _response(messages: Iterator[bytes], when_closed: Callable[[], object] = lambda: None) -> Response:
    """Return the response. ``when_closed`` is called if the client closes the connection early."""
    connection = request.environ.get("gunicorn.socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
    check = still_valid(request.environ, services())
    until = time.monotonic() + services().settings.http.stream_seconds
    stay = Stay(request.environ, request.environ.get(PRINCIPAL))
    stay.waiter.when_left = when_closed

    def sent() -> Iterator[bytes]:
        _open.inc()
        try:
            yield b"retry: %d\n\n" % _RETRY_MS
            for message in stay.each(messages):
                check()
                yield message
                if _stopping.is_set() or time.monotonic() > until:
                    break
            else:
                return
        except ArenaError as error:
            # The token was revoked or the store is unavailable; the next request will report the error.
            yield _message("reconnect", {"code": error.code, "after_ms": _RETRY_MS})
            return
        finally:
            _open.dec()
        yield _message("reconnect", {"code": "come_back", "after_ms": _RETRY_MS})

    response = Response(sent(), content_type=EVENT_STREAM, headers={"X-Accel-Buffering": "no"})
    response.call_on_close(stay.end)
    stay.begin()
    return response
