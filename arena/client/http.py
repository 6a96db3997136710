"""Sends requests to the service over one persistent connection, retrying them where that is safe."""

from __future__ import annotations

import http.client
import json
import random
import re
import secrets
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, Final, Generic, NamedTuple, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from arena import __version__
from arena.client.replies import (
    InvalidReply,
    Json,
    TimedResponse,
    Unreadable,
    copy_body,
    event_fields,
    json_of,
    read_body,
    text_of,
)
from arena.client.shapes import WrongShape, check_reply
from arena.errors import ArenaError
from arena.inputs.text import clean
from arena.operations import OPERATIONS
from arena.operations.operation import Operation

DEFAULT_URL: Final = "http://127.0.0.1:8000"
FIRST_PAUSE: Final = 0.25
LONGEST_PAUSE: Final = 15.0
"""The maximum pause in seconds between two attempts. The pause doubles each time, with jitter."""


_UNUSABLE: Final = re.compile(r"[\x00-\x20\x7f]")
_LONGEST_WAIT: Final = 3600.0
_MOST_EMPTY: Final = 1000
"""The maximum number of pages in a row without an element."""

_MOST_CHANGES: Final = 10
"""How often a table that changes while it is read is read again."""

_LARGEST_PROBLEM: Final = 1 << 20
_LONGEST_TEXT: Final = 4000
"""The maximum number of characters of each text in an error of the service."""

_BUSY: Final = ("game_busy", "idempotency_key_in_use")


class ApiError(ArenaError):
    """The service rejected the request. ``code``, ``message``, ``field`` and ``expected`` come from its
    problem document.

    ``status`` is the HTTP status; ``extra`` holds the document's other fields.
    """

    def __init__(self, status: int, problem: Mapping[str, Json]) -> None:
        detail = problem.get("detail") or problem.get("title") or f"the service answered {status}"
        super().__init__(
            _short(detail),
            code=_short(problem.get("code") or "refused"),
            field=_word(problem, "field"),
            expected=_word(problem, "expected"),
            extra=problem,
        )
        self.status = status

    def matches(self, code: str) -> bool:
        """Return whether the error has this code."""
        return self.code == code


Data = TypeVar("Data")


class ServerEvent(NamedTuple, Generic[Data]):
    """One message of a stream. Pass ``id`` as ``last_event_id`` to continue after it."""

    event: str
    data: Data
    id: str | None


class RawFile(NamedTuple):
    """A request body other than JSON. ``media`` is its media type."""

    media: str
    data: bytes


class Unreachable(ArenaError):
    """The service could not be reached after all retries."""

    code = "unreachable"


class NotTheService(ArenaError):
    """A different service answers at the address."""

    code = "not_the_service"


class _NotSent(Exception):
    """No connection could be made, so the request did not arrive."""


class _NotTls(Exception):
    """The server does not use TLS, so there is no point in retrying."""


_PLAIN: Final = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")
"""The reasons in OpenSSL's errors if a server answers in plain HTTP."""


class _Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def problem(self) -> Mapping[str, Json]:
        """The problem document of an error."""
        if self.status < 400 or len(self.body) > _LARGEST_PROBLEM:
            return {}
        try:
            value = json_of(self.body)
        except Unreadable:
            return {}
        return value if isinstance(value, dict) else {}


class HttpClient:
    """A connection to the service at ``url``, as the owner or bot with ``token``, or as a visitor if it is
    None.

    A request that fails because the service is unreachable or busy is retried for up to ``patience`` seconds,
    with growing pauses; ``on_retry(seconds, why)`` is called before each pause. Requests that create
    something (``POST /v1/games``, ``/bots`` and so on) have a random ``Idempotency-Key``, so that the service
    executes them only once. A sign-up is retried only if it cannot have been executed. ``timeout`` is the
    number of seconds to wait for a reply, in addition to the ``wait`` of the request and the time that a
    large reply takes. ``longest_list`` is the maximum number of elements that a method returns from all pages
    of a list. Not thread-safe.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        patience: float = 600.0,
        on_retry: Callable[[float, str], None] | None = None,
        longest_list: int | None = None,
    ) -> None:
        scheme, host, port, self._base = _address(url)
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.patience = patience
        self._on_retry = on_retry or (lambda seconds, why: None)
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        self._make_connection = partial(kind, host, port, timeout=timeout)
        self._connection = self._make_connection()
        self._connection.response_class = TimedResponse
        self._longest_list = longest_list
        self._headers = {"Accept": "application/json", "User-Agent": f"botequim/{__version__}"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {_checked_token(token)}"

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        self._connection.close()

    # Any path

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, object] | None = None,
        *,
        repeatable: bool = True,
        creates: bool = False,
    ) -> Json:
        """Send a request, and return the decoded reply, or None if it is empty. ``body`` is a
        :class:`RawFile` or a JSON value. A ``repeatable`` request can safely be executed twice. If
        ``creates``, an ``Idempotency-Key`` is sent, so that the service executes the request only once.

        Raises :class:`ApiError` if the service rejects the request, :class:`Unreachable` if it does not
        answer, :class:`NotTheService` if a different service answers, and
        :class:`~arena.client.replies.InvalidReply` if the reply is too large.
        """
        return self._with_status(method, path, body, query, repeatable=repeatable, creates=creates)[1]

    def _with_status(
        self,
        method: str,
        path: str,
        body: object,
        query: Mapping[str, object] | None,
        *,
        repeatable: bool = True,
        creates: bool = False,
        operation: str | None = None,
    ) -> tuple[int, Json]:
        """Send a request, and return the status and the result of :meth:`request`, which must be a reply of
        the ``operation``, if given.
        """
        key = secrets.token_hex(16) if creates else None
        reply = self._send(method, path, body, query, repeatable, key)
        if not reply.body and (operation is None or _may_be_empty(OPERATIONS[operation], reply)):
            return reply.status, None
        try:
            value = json_of(reply.body) if reply.body else None
        except Unreadable as error:
            raise NotTheService(f"{self.url} answered {method} {path} with {error}", field="url") from None
        if operation is not None:
            self._check(operation, value)
        return reply.status, value

    def _check(self, operation: str, value: object) -> None:
        """Raise :class:`~arena.client.replies.InvalidReply` unless the value is a reply of the operation."""
        try:
            check_reply(operation, value)
        except WrongShape as error:
            raise self._invalid(
                operation, f"{error.found}{error.where and f' at {error.where}'}", error.expected
            ) from None

    def _invalid(self, operation: str, what: str, expected: str | None = None) -> InvalidReply:
        return InvalidReply(f"{self.url} answered {operation} with {what}", expected=expected)

    def _target(self, path: str, query: Mapping[str, object] | None) -> str:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        return self._base + path + ("?" + urlencode(given) if given else "")

    def _text(self, path: str, query: Mapping[str, object] | None = None) -> str:
        """Request a reply that is not JSON, and return it as text."""
        reply = self._send("GET", path, None, query, True)
        try:
            return text_of(reply.body)
        except Unreadable as error:
            raise NotTheService(f"{self.url} answered GET {path} with {error}", field="url") from None

    def _pages(self, operation: str, path: str, key: str, /, **query: object) -> Iterator[Json]:
        """Yield all elements of a list, page by page."""
        cursor: Json = None
        empty = count = 0
        while True:
            page = self._object(operation, path, {**query, "cursor": cursor})
            found = cast(list[Json], page[key])
            yield from found
            count += len(found)
            empty = 0 if found else empty + 1
            if page["cursor"] is None:
                return
            if page["cursor"] == cursor or empty > _MOST_EMPTY:
                raise self._invalid(operation, "pages that do not end")
            self._bound(operation, count)
            cursor = page["cursor"]

    def _bound(self, operation: str, count: int) -> None:
        if self._longest_list is not None and count > self._longest_list:
            raise self._invalid(operation, f"a list of more than {self._longest_list} elements")

    def _object(self, operation: str, path: str, query: Mapping[str, object]) -> dict[str, Json]:
        """Send the GET request of an operation, and return the JSON object in the reply."""
        value = self._with_status("GET", path, None, query, operation=operation)[1]
        if not isinstance(value, dict):
            raise self._invalid(operation, "nothing", "an object")
        return value

    def _table(
        self, operation: str, path: str, form: str, version: str, lists: Sequence[str], **query: object
    ) -> str:
        """Return a table as text in the format ``form``. ``json`` contains the ``lists`` of all pages, which
        are read again if ``version`` changes meanwhile.
        """
        if form != "json":
            return self._text(path, {"format": form, **query})
        for _ in range(_MOST_CHANGES):
            whole = page = self._object(operation, path, query)
            while (cursor := page["cursor"]) is not None and page[version] == whole[version]:
                page = self._object(operation, path, {**query, "cursor": cursor})
                for name in lists:
                    cast(list[Json], whole[name]).extend(cast(list[Json], page[name]))
                    self._bound(operation, len(cast(list[Json], whole[name])))
                if page["cursor"] == cursor:
                    raise self._invalid(operation, "pages that do not end")
            if page[version] == whole[version]:
                return json.dumps({**whole, "cursor": None}, ensure_ascii=False)
        raise self._invalid(operation, "a table that changes all the time")

    def _send(
        self,
        method: str,
        path: str,
        body: object,
        query: Mapping[str, object] | None,
        repeatable: bool = True,
        key: str | None = None,
    ) -> _Reply:
        target = self._target(path, query)
        data, media = _encoded(body)
        headers = self._headers if data is None else {**self._headers, "Content-Type": media}
        if key is not None:
            headers = {**headers, "Idempotency-Key": key}
        self._connection.timeout = self.timeout + _number((query or {}).get("wait"))
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
            except _NotTls:
                raise Unreachable(
                    f"{self.url}: the service does not use HTTPS there",
                    field="url",
                    expected="http://" + self.url.removeprefix("https://"),
                ) from None
            except _NotSent as error:
                why = f"no connection ({error})"
            except Unreadable as error:
                self._connection.close()
                raise InvalidReply(f"{self.url} answered {method} {path} with {error}") from None
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                why = f"no answer ({_reason(error)})"
                if not repeatable:
                    raise Unreachable(
                        f"{self.url}: {why}; the request may have been executed anyway", field="url"
                    ) from None
            again *= random.uniform(0.75, 1.25)
            if time.monotonic() + again > until:
                raise Unreachable(f"{self.url}: {why}", field="url", expected="a running service")
            self._on_retry(again, why)
            time.sleep(again)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _accepted(self, reply: _Reply) -> _Reply:
        if 300 <= reply.status < 400 and reply.status != 304:
            where = reply.headers.get("Location", "another address")
            raise NotTheService(f"{self.url} redirects to {where[:200]}", field="url")
        if reply.status >= 400:
            raise ApiError(reply.status, reply.problem)
        return reply

    def _once(
        self, method: str, target: str, data: bytes | None, headers: Mapping[str, str], repeatable: bool
    ) -> _Reply:
        connection = self._connection
        if not repeatable:
            # If a reused connection breaks, the request may or may not have arrived.
            connection.close()
        if connection.sock is not None:
            connection.sock.settimeout(connection.timeout)
            try:
                return _exchange(connection, method, target, data, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # The service has closed the connection in the meantime.
                connection.close()
        try:
            connection.connect()
        except ssl.SSLCertVerificationError:
            raise
        except OSError as error:
            if isinstance(error, ssl.SSLError) and error.reason in _PLAIN:
                raise _NotTls from None
            connection.close()
            raise _NotSent(_reason(error)) from None
        return _exchange(connection, method, target, data, headers)

    def _download(self, path: str, file: IO[bytes], most: int) -> bool:
        """Write the reply to a GET request to a file, on a separate connection, and return True, or return
        False if the service is still preparing it (status 202).

        Raises :class:`ApiError` if the service rejects the request, :class:`Unreachable` if the connection
        breaks, and :class:`~arena.client.replies.InvalidReply` if there are more than ``most`` bytes.
        """
        connection = self._make_connection()
        connection.response_class = TimedResponse
        try:
            connection.request("GET", self._target(path, None), headers=self._headers)
            response = connection.getresponse()
            if response.status != 200:
                self._accepted(_Reply(response.status, response.headers, read_body(response)))
                return False
            copy_body(response, file, most)
        except Unreadable as error:
            raise InvalidReply(f"{self.url} answered GET {path} with {error}") from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url}: no answer ({_reason(error)})", field="url") from None
        finally:
            connection.close()
        return True

    def _stream(
        self,
        operation: str,
        path: str,
        query: Mapping[str, object] | None = None,
        last_event_id: str | None = None,
    ) -> Iterator[ServerEvent[Json]]:
        """Yield the events of a server-sent stream, on a separate connection, until the service ends it.

        Raises :class:`ApiError` if the service rejects the request, and :class:`Unreachable` if the
        connection breaks.
        """
        headers = {**self._headers, "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        connection = self._make_connection()
        try:
            connection.request("GET", self._target(path, query), headers=headers)
            response = connection.getresponse()
            if response.status != 200:
                self._accepted(_Reply(response.status, response.headers, read_body(response)))
            yield from self._events(operation, event_fields(response))
        except Unreadable as error:
            raise InvalidReply(f"{self.url} answered GET {path} with {error}") from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url}: the stream broke ({_reason(error)})", field="url") from None
        finally:
            connection.close()

    def _events(self, operation: str, messages: Iterator[dict[str, str]]) -> Iterator[ServerEvent[Json]]:
        for fields in messages:
            data = json_of(fields["data"].encode())
            self._check(operation, data)
            yield ServerEvent(fields.get("event", "message"), data, fields.get("id"))


def _encoded(body: object) -> tuple[bytes | None, str]:
    if isinstance(body, RawFile):
        return body.data, body.media
    return None if body is None else json.dumps(body).encode(), "application/json"


def _address(url: str) -> tuple[str, str, int | None, str]:
    """Return the scheme, host, port and path of a service's URL."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if (
        not host
        or parts.scheme not in ("http", "https")
        or (parts.query or parts.fragment or parts.username)
        or _UNUSABLE.search(host)
        or _UNUSABLE.search(parts.path)
        or not parts.path.isascii()
    ):
        raise ArenaError(
            f"{url!r} is not a valid service URL",
            code="invalid_url",
            field="url",
            expected="http://host:port or https://host",
        )
    return parts.scheme, host, port, parts.path.rstrip("/")


def _checked_token(token: str) -> str:
    """Return the token without anything that was pasted along with it. The error message does not reveal
    it.
    """
    token = clean(token)
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ArenaError(
            "the token is malformed",
            code="invalid_token",
            field="token",
            expected="one word, exactly as the service displayed it",
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
    return _Reply(reply.status, reply.headers, read_body(reply))


def _may_pass(reply: _Reply, repeatable: bool) -> bool:
    """Return whether the same request could succeed later."""
    if reply.status >= 500:
        return repeatable
    if reply.problem.get("code") == "budget_exceeded":
        # The budget renews at midnight.
        return False
    return reply.status == 429 or (reply.status == 409 and reply.problem.get("code") in _BUSY)


def _may_be_empty(operation: Operation, reply: _Reply) -> bool:
    return reply.status == 204 and 204 in (operation.status, *operation.also)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def path(*parts: str) -> str:
    """Return the path of a resource: ``path("games", id)`` is ``/v1/games/{id}``, with the id quoted."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def given(**fields: Data | None) -> dict[str, Data]:
    """Return a request body with the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _word(problem: Mapping[str, Json], name: str) -> str | None:
    value = problem.get(name)
    return None if value is None else _short(value)


def _short(value: Json) -> str:
    return str(value)[:_LONGEST_TEXT]


def _number(value: object) -> float:
    """Return the caller's value if it is a number, else 0. The service refuses values that are not
    numbers.
    """
    try:
        number = float(str(value))
    except ValueError:
        return 0.0
    return number if 0 < number < _LONGEST_WAIT else 0.0


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdecimal() else 0.0


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
