"""Requests to the service over one kept connection, tried again where that is safe."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from arena import __version__
from arena.errors import ArenaError

DEFAULT_URL: Final = "http://127.0.0.1:8000"
FIRST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 15.0
"""Seconds between two tries: doubled each time up to the longest, and spread by chance."""

LIVE_STATES: Final = ("waiting", "running")
"""States of games that are not over."""

_LONG_POLL: Final = 20
_LATE_RECORD: Final = 15.0
"""Seconds until the record of a game that has ended must be there."""

_RECORDS_AT_ONCE: Final = 500


class ApiError(ArenaError):
    """The service refused: ``code``, ``message``, ``field`` and ``expected`` as in its problem document.

    ``status`` is that of HTTP; ``extra`` holds the document's other fields.
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(
            str(problem.get("detail") or problem.get("title") or f"the service answered {status}"),
            code=str(problem.get("code") or "refused"),
            field=problem.get("field"),
            expected=problem.get("expected"),
            extra=problem,
        )
        self.status = status


class Unreachable(ArenaError):
    """The service could not be reached, again and again."""

    code = "unreachable"


class NotTheService(ArenaError):
    """Something answers at the address, but not this service."""

    code = "not_the_service"


class _NotSent(Exception):
    """There was no connection, so nothing can have arrived."""


class _Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def value(self) -> Any:
        """The body as JSON; None if it is none."""
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            return None

    @property
    def problem(self) -> Mapping[str, Any]:
        """The body of a refusal."""
        value = self.value
        return value if isinstance(value, dict) else {}


class Client:
    """The service at ``url``, for the owner or bot of ``token`` (None: for a visitor).

    A request that fails for want of a connection, or because the service is busy, is sent again after a
    growing pause for up to ``patience`` seconds; ``on_retry(seconds, why)`` is told before each pause. All
    requests of the service may be repeated safely except those that make something (``POST /v1/games``,
    ``/owners``, ``/bots`` and so on), which are sent again only if they cannot have been carried out.
    ``timeout``: seconds to wait for a reply, beyond what the request itself asks to wait. Not for several
    threads at once.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        patience: float = 600.0,
        on_retry: Callable[[float, str], None] | None = None,
    ) -> None:
        scheme, host, port, self._base = _address(url)
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.patience = patience
        self._on_retry = on_retry or (lambda seconds, why: None)
        make = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        self._connection = make(host, port, timeout=timeout)
        self._headers = {"Accept": "application/json", "User-Agent": f"botequim/{__version__}"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {_checked_token(token)}"

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        self._connection.close()

    # Any address

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, Any] | None = None,
        *,
        repeatable: bool = True,
    ) -> Any:
        """The decoded reply of one address, None for an empty one.

        Raises :class:`ApiError` if the service refuses, :class:`Unreachable` if it is not there and
        :class:`NotTheService` if something else is.
        """
        reply = self._send(method, path, body, query, repeatable)
        value = reply.value
        if value is None and reply.body:
            raise NotTheService(
                f"{self.url} answered {method} {path} with something that is not JSON", field="url"
            )
        return value

    def _send(
        self, method: str, path: str, body: object, query: Mapping[str, Any] | None, repeatable: bool
    ) -> _Reply:
        query = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        target = self._base + path + ("?" + urlencode(query) if query else "")
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        self._connection.timeout = self.timeout + float(query.get("wait", 0))
        until = time.monotonic() + self.patience
        pause = FIRST_PAUSE
        while True:
            again = pause
            try:
                reply = self._once(method, target, data, headers, repeatable)
                if not _may_pass(reply, repeatable):
                    return self._accepted(reply)
                again = max(pause, _seconds(reply.headers.get("Retry-After", "")))
                why = f"the service answered {reply.status} {reply.problem.get('code', '')}".rstrip()
            except ssl.SSLCertVerificationError as error:
                raise Unreachable(f"{self.url}: {error.verify_message}", field="url") from None
            except _NotSent as error:
                why = f"no connection ({error})"
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                why = f"no answer ({_told(error)})"
                if not repeatable:
                    raise Unreachable(f"{self.url}: {why}; it may have been done", field="url") from None
            again *= random.uniform(0.75, 1.25)
            if time.monotonic() + again > until:
                raise Unreachable(f"{self.url}: {why}", field="url", expected="a running service")
            self._on_retry(again, why)
            time.sleep(again)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _accepted(self, reply: _Reply) -> _Reply:
        if 300 <= reply.status < 400 and reply.status != 304:
            where = reply.headers.get("Location", "another address")
            raise NotTheService(f"{self.url} says to use {where[:200]}", field="url")
        if reply.status >= 400:
            raise ApiError(reply.status, reply.problem)
        return reply

    def _once(
        self, method: str, target: str, data: bytes | None, headers: Mapping[str, str], repeatable: bool
    ) -> _Reply:
        connection = self._connection
        if not repeatable:
            # On a kept connection that breaks it is not known whether the request arrived.
            connection.close()
        if connection.sock is not None:
            connection.sock.settimeout(connection.timeout)
            try:
                return _exchange(connection, method, target, data, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # The service has closed it meanwhile.
                connection.close()
        try:
            connection.connect()
        except ssl.SSLCertVerificationError:
            raise
        except OSError as error:
            connection.close()
            raise _NotSent(_told(error)) from None
        return _exchange(connection, method, target, data, headers)

    # Accounts

    def sign_up(self, name: str) -> str:
        """Make an owner and return its token."""
        return str(self.request("POST", "/v1/owners", {"name": name}, repeatable=False)["token"])

    def register_bot(self, name: str) -> str:
        """Register a bot of this owner and return the bot's token."""
        return str(self.request("POST", "/v1/bots", {"name": name}, repeatable=False)["token"])

    # Games

    def create_game(self, kind: str, seats: Sequence[Mapping[str, Any]], **options: Any) -> dict[str, Any]:
        """Make a game; ``seats``: ``{"bot": name}``, ``{"house": name}`` or ``{"open": True}`` each.

        ``options``: ``rules``, ``clock``, ``visibility``. Returns its summary.
        """
        body = {"kind": kind, "seats": list(seats), **options}
        game: dict[str, Any] = self.request("POST", "/v1/games", body, repeatable=False)
        return game

    def join(self, game: str, seat: int | None = None) -> dict[str, Any]:
        """Sit this bot down on an open seat and return the summary, with ``seat``."""
        body = {} if seat is None else {"seat": seat}
        joined: dict[str, Any] = self.request("POST", f"{_path(game)}/join", body)
        return joined

    def game(self, game: str, *, since: int | None = None, wait: float = 0) -> dict[str, Any] | None:
        """A game as this bot sees it; None if it has not changed from version ``since``."""
        query = {"since": since, "wait": wait or None}
        found: dict[str, Any] | None = self.request("GET", _path(game), query=query)
        return found

    def record(self, game: str, *, wait: bool = False) -> dict[str, Any]:
        """The record of a finished game; with ``wait`` of one that is still to finish."""
        state = self._state_when_over(game) if wait else ""
        until = time.monotonic() + _LATE_RECORD
        while True:
            try:
                record: dict[str, Any] = self.request("GET", f"{_path(game)}/record")
                return record
            except ApiError as error:
                if error.code != "record_not_ready" or state != "finished" or time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _state_when_over(self, game: str) -> str:
        version = None
        while True:
            view = self.game(game, since=version, wait=_LONG_POLL)
            if view is not None and view["state"] not in LIVE_STATES:
                return str(view["state"])
            version = version if view is None else view["version"]

    def records(self, kind: str | None = None) -> Iterator[str]:
        """All released public records, the oldest first, one line of JSON each."""
        after = None
        while True:
            query = {"kind": kind, "after": after, "limit": _RECORDS_AT_ONCE}
            reply = self._send("GET", "/v1/records", None, query, True)
            if not reply.body:
                return
            yield from reply.body.decode().rstrip("\n").split("\n")
            after = reply.headers["X-Next"]

    # Tournaments

    def create_tournament(self, **fields: Any) -> dict[str, Any]:
        """Announce a tournament and return it; ``fields`` as ``POST /v1/tournaments`` takes them."""
        made: dict[str, Any] = self.request("POST", "/v1/tournaments", fields, repeatable=False)
        return made

    def tournaments(
        self, *, state: str | None = None, kind: str | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The newest ``limit`` tournaments (at most 100)."""
        query = {"state": state, "kind": kind, "limit": limit}
        found: list[dict[str, Any]] = self.request("GET", "/v1/tournaments", query=query)["tournaments"]
        return found

    def tournament(
        self, tournament: str, *, since: int | None = None, wait: float = 0
    ) -> dict[str, Any] | None:
        """A tournament; None if it has not changed from version ``since``."""
        query = {"since": since, "wait": wait or None}
        found: dict[str, Any] | None = self.request("GET", _tournament(tournament), query=query)
        return found

    def enter_tournament(self, tournament: str, bot: str, nonce: str = "") -> dict[str, Any]:
        """Enter a bot in its current version and return the entry; again to change version or nonce."""
        body = {"bot": bot, **({"nonce": nonce} if nonce else {})}
        entry: dict[str, Any] = self.request("POST", f"{_tournament(tournament)}/entries", body)
        return entry

    def leave_tournament(self, tournament: str, bot: str) -> dict[str, Any]:
        """Withdraw a bot and return its entry; once play has begun it plays out its round."""
        path = f"{_tournament(tournament)}/entries/{quote(bot, safe='')}"
        entry: dict[str, Any] = self.request("DELETE", path)
        return entry

    def cancel_tournament(self, tournament: str, reason: str) -> dict[str, Any]:
        """Call a tournament off, and return it."""
        cancelled: dict[str, Any] = self.request(
            "POST", f"{_tournament(tournament)}/cancel", {"reason": reason}
        )
        return cancelled

    def standings(self, tournament: str, form: str = "json") -> str:
        """The standings and the crosstable as text: ``json``, ``csv`` or ``text``."""
        return self._table(f"{_tournament(tournament)}/standings", form)

    def leaderboard(self, kind: str, division: str, form: str = "json") -> str:
        """A published leaderboard as text: ``json``, ``csv`` or ``text``."""
        return self._table(f"/v1/leaderboards/{quote(kind, safe='')}/{quote(division, safe='')}", form)

    def _table(self, path: str, form: str) -> str:
        return self._send("GET", path, None, {"format": form}, True).body.decode()

    def create_schedule(self, **fields: Any) -> dict[str, Any]:
        """Make a schedule and return it; ``fields`` as ``POST /v1/schedules`` takes them."""
        made: dict[str, Any] = self.request("POST", "/v1/schedules", fields, repeatable=False)
        return made

    def schedules(self) -> list[dict[str, Any]]:
        """All schedules, by id."""
        found: list[dict[str, Any]] = self.request("GET", "/v1/schedules")["schedules"]
        return found

    def delete_schedule(self, schedule: str) -> None:
        """End a schedule; tournaments that it has made stay."""
        self.request("DELETE", f"/v1/schedules/{quote(schedule, safe='')}")

    # Turns

    def exchange(
        self,
        answers: Sequence[Mapping[str, str]] = (),
        after: str | None = None,
        *,
        wait: float = 0,
        rights: bool = False,
        limit: int = 100,
    ) -> dict[str, Any]:
        """Answer turns and get the next ones: ``{"results", "turns", "cursor"}``."""
        query = {"after": after, "wait": wait or None, "rights": rights, "limit": limit}
        reply: dict[str, Any] = self.request("POST", "/v1/turns", {"answers": list(answers)}, query)
        return reply


def _address(url: str) -> tuple[str, str, int | None, str]:
    """Scheme, host, port and path of a service's address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment or parts.username:
        raise ArenaError(
            f"{url!r} is not the address of a service",
            code="invalid_url",
            field="url",
            expected="http://host:port or https://host",
        )
    return parts.scheme, host, port, parts.path.rstrip("/")


def _checked_token(token: str) -> str:
    """A token without the white space around it. The error does not repeat it."""
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ArenaError(
            "the token is none that the service gave out",
            code="invalid_token",
            field="token",
            expected="one word, as it was shown",
        )
    return token


def _exchange(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    data: bytes | None,
    headers: Mapping[str, str],
) -> _Reply:
    connection.request(method, target, data, dict(headers))
    reply = connection.getresponse()
    return _Reply(reply.status, reply.headers, reply.read())


def _may_pass(reply: _Reply, repeatable: bool) -> bool:
    """Whether the same request may do better later."""
    if reply.status >= 500:
        return repeatable
    return reply.status == 429 or (reply.status == 409 and reply.problem.get("code") == "game_busy")


def _told(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _path(game: str) -> str:
    return f"/v1/games/{quote(game, safe='')}"


def _tournament(tournament: str) -> str:
    return f"/v1/tournaments/{quote(tournament, safe='')}"


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdecimal() else 0.0


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
