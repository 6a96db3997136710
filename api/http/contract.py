"""The contract of an operation: its entry in the table, with its view and schemas.

The contract is used to validate requests and to generate the OpenAPI document; the tests validate every
response against it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from urllib.parse import parse_qsl

import flask
import orjson
from flask import Response, request
from marshmallow import Schema

from api.http.auditing import audit_operation
from api.http.auth import authenticate, client, holder, permitted, require
from api.http.bodies import MAX_VALUES, media_of, unsupported
from api.http.conventions import link_next, revalidate
from api.http.edge import ALLOWANCE, OPERATION, SMALL_BODY, Environ
from api.http.errors import ERRORS, add_allowance
from api.http.idempotency import KEY_ERRORS, carried_out_once, keyed_request
from api.http.requests import load, read_query
from api.http.waiting import Stay
from api.services import bodies, services
from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.operations import OPERATIONS
from arena.operations.operation import EVENT_STREAM, JSON, Operation, operation_id

View = Callable[..., Any]

_ALWAYS: Final = (
    "request_timeout",
    "uri_too_long",
    "unknown_host",
    "headers_too_large",
    "internal_error",
    "busy",
)
_WITH_ACCOUNTS: Final = (
    "invalid_token",
    "owner_suspended",
    "rate_limited",
    "corrupt_state",
    "store_unavailable",
)
_WITH_TOKEN: Final = ("missing_token", "forbidden")
_WITH_QUERY: Final = ("invalid",)
_WITH_BODY: Final = (
    "bad_request",
    "malformed_json",
    "body_too_large",
    "unsupported_media_type",
    "invalid",
    "too_many_unfinished",
)


@dataclass(frozen=True, kw_only=True)
class RawBody:
    """A file sent as the body, in place of JSON. ``field`` is the field of the body's schema that the file
    becomes. ``most`` is the maximum size of the file in bytes. ``example`` is None if the file is not text.
    ``fields`` are further fields of the body that a file implies.
    """

    media: str
    field: str
    most: int
    description: str
    example: str | None = None
    fields: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ApiOperation(Operation):
    """An operation with its view and the schemas of its requests and responses."""

    name: str
    view: View
    query: type[Schema] | None = None
    body: type[Schema] | None = None
    returns: type[Schema] | Mapping[str, Any] | None = None
    """The schema of the response's body."""
    accepted: type[Schema] | None = None
    """The schema of a response with status 202 and the header ``Location``, which the view builds itself, if
    the result is not there yet.
    """
    max_body: int = SMALL_BODY
    """The maximum size of a JSON body, in bytes."""
    max_values: int = MAX_VALUES
    """The maximum number of values in a JSON body."""
    raw: Sequence[RawBody] = ()
    """Files that can be sent as the body in place of JSON."""
    raw_query: type[Schema] | None = None
    """The schema of the other fields of the body, which a request with a file has in its query."""
    parameters: Sequence[Mapping[str, Any]] = ()
    """Request headers that the view reads."""

    @property
    def id(self) -> str:
        """The id of the operation in the OpenAPI document."""
        return operation_id(self.name)

    @property
    def is_paged(self) -> bool:
        """Whether responses are pages of a list: see :func:`page_response`."""
        return bool(self.pages)

    @property
    def is_polled(self) -> bool:
        """Whether responses have an ``ETag``, which a view can set itself, and can be 304."""
        is_json = self.media == JSON and bool(self.returns) and not self.as_text and self.accepted is None
        return self.method == "GET" and is_json and self.scopes is not None

    @property
    def waits(self) -> bool:
        """Whether requests can wait for news, or for what a worker does."""
        return self.accepted is not None or (self.query is not None and "wait" in self.query._declared_fields)

    def error_codes(self) -> dict[int, list[str]]:
        """Return all error codes of the operation by HTTP status, in the order of ``ERRORS``."""
        codes = {*self.errors, *_ALWAYS}
        if self.body is not None:
            codes.update(_WITH_BODY)
        if self.waits or self.media == EVENT_STREAM:
            codes.add("too_many_connections")
        if self.query is not None:
            codes.update(_WITH_QUERY)
        if self.scopes is not None:
            codes.update(_WITH_ACCOUNTS)
        if self.scopes:
            codes.update(_WITH_TOKEN)
        if self.takes_key:
            codes.update(KEY_ERRORS)
            if self.secret:
                codes.add("secret_already_issued")
        by_status: dict[int, list[str]] = {}
        for code in sorted(codes, key=list(ERRORS).index):
            by_status.setdefault(ERRORS[code].status, []).append(code)
        return dict(sorted(by_status.items()))

    def handler(self, resource: str) -> View:
        """Return the Flask view, which validates the request, calls the view and serializes its result."""
        name, method, view, scopes, limit = self.id, self.method, self.view, self.scopes, self.limit
        query_schema = self.query() if self.query else None
        body_schema = self.body() if self.body else None
        raw_query_schema = self.raw_query() if self.raw_query else None
        result_schema = self.returns() if isinstance(self.returns, type) else None
        takes_key, is_paged, finish, waits = self.takes_key, self.is_paged, self._finish, self.waits
        adds = limit or self.is_polled
        is_long_poll = method == "GET" and query_schema is not None and "wait" in query_schema.fields

        def respond(
            who: Principal | None, arguments: list[Any], path: dict[str, str], sent: object
        ) -> Response:
            audit_operation(name, resource, method, who, path, sent)
            with Stay(request.environ, who) if waits else nullcontext():
                result = view(*arguments, **path)
            if isinstance(result, Response):
                return result
            value: Any = None if result_schema is None else result_schema.dump(result)
            return page_response(value) if is_paged else json_response(value, self.status)

        @functools.wraps(view)
        def handler(**path: str) -> Response:
            environ, parts = request.environ, services()
            environ[OPERATION] = name
            arguments: list[Any] = []
            sent: Any = None
            who: Principal | None = None
            if scopes is not None:
                who = require(scopes, environ, parts) if scopes else authenticate(environ, parts)
                arguments.append(who)
                if limit is not None:
                    environ[ALLOWANCE] = parts.limits.allowance(limit, _counted(limit, who, environ))
            if query_schema is not None:
                arguments.append(read_query(query_schema, environ, parts.settings.http))
            if body_schema is not None:
                raw = self._raw(environ)
                if raw is not None:
                    assert raw_query_schema is not None
                    fields = read_query(raw_query_schema, environ, parts.settings.http)
                    data = bodies().read(environ, raw.most)
                    arguments.append({**raw.fields, **fields, raw.field: data})
                    sent = {raw.field: data}
                    del data
                else:
                    sent = self._read_json(environ, raw_query_schema)
                    arguments.append(load(body_schema, sent))
            if takes_key:
                assert who is not None
                keyed = keyed_request(environ, name, who, sent)
                if keyed is not None:
                    again = functools.partial(self._rotation, environ, sent, path)
                    act = functools.partial(respond, who, arguments, path, sent)
                    return finish(carried_out_once(parts, keyed, act, self.secret, again), environ)
            response = respond(who, arguments, path, sent)
            if is_long_poll and who is not None and arguments[1]["wait"]:
                now = holder(environ, parts)
                if now != who:
                    # Whoever has lost rights meanwhile gets the answer that they would get now.
                    who = permitted(now, scopes) if scopes else now
                    arguments = [who, {**arguments[1], "wait": 0}]
                    response = respond(who, arguments, path, sent)
            return finish(response, environ) if adds else response

        return handler

    def _finish(self, response: Response, environ: Environ) -> Response:
        """Return the response with the headers that the contract adds."""
        allowance = environ.get(ALLOWANCE)
        if allowance is not None:
            add_allowance(response, allowance)
        return revalidate(response) if self.is_polled else response

    def _rotation(self, environ: Environ, sent: Any, path: Mapping[str, str]) -> str:
        """Return the request that reissues the response's secret."""
        if not self.rotate:
            return f"{self.method} {environ['PATH_INFO']} with another key"
        query = dict(parse_qsl(environ.get("QUERY_STRING", "")))
        return f"POST {self.rotate.format_map({**query, **(sent or {}), **path})}"

    def _raw(self, environ: Environ) -> RawBody | None:
        media = media_of(environ) if self.raw else JSON
        if media == JSON:
            return None
        for raw in self.raw:
            if raw.media == media:
                return raw
        raise unsupported(environ, " or ".join((JSON, *(raw.media for raw in self.raw))))

    def _read_json(self, environ: Environ, raw_query: Schema | None) -> object:
        if raw_query is not None and environ.get("QUERY_STRING"):
            raise ArenaError(
                "query parameters are allowed only with a file as the body",
                field="Content-Type",
                expected=" or ".join(raw.media for raw in self.raw),
            )
        hint = "".join(
            f"; send a larger {raw.field} as {raw.media}" for raw in self.raw if raw.most > self.max_body
        )
        return bodies().read_json(environ, self.max_body, self.max_values, hint.removeprefix("; "))


def _counted(limit: str, who: Principal | None, environ: Environ) -> str:
    """Return the client to which a limit applies: an address, or the owner or other holder of the token."""
    if limit.endswith("_per_address"):
        return client(environ)
    assert who is not None
    return who.owner or who.name


class Blueprint(flask.Blueprint):
    """The operations of a resource."""

    def __init__(self, name: str, import_name: str, *, description: str) -> None:
        super().__init__(name, import_name)
        self.description = description
        self.operations: list[ApiOperation] = []

    def operation(self, **schemas: Any) -> Callable[[View], View]:
        """Return a decorator that registers a view for the operation of the same name. ``schemas`` are fields
        of :class:`ApiOperation`.

        The view is called with the principal (unless ``scopes`` is None), the loaded query, the loaded body
        and the path parameters. It returns a value for the schema ``returns``, or a response.
        """

        def decorate(view: View) -> View:
            name = view.__name__
            endpoint = ApiOperation(name=name, view=view, **vars(OPERATIONS[name]), **schemas)
            self.operations.append(endpoint)
            rule = endpoint.path.replace("{", "<").replace("}", ">")
            self.add_url_rule(rule, name, endpoint.handler(self.name), methods=[endpoint.method])
            return view

        return decorate


def json_response(value: object, status: int = 200) -> Response:
    """Return ``value`` as a JSON response, or a response without content for None."""
    if value is None:
        response = Response(status=status)
        del response.headers["Content-Type"]
        return response
    return Response(orjson.dumps(value), status, content_type=JSON)


def streamed(pieces: Iterator[bytes]) -> Response:
    """Return a JSON response that is read and sent piece by piece. The first piece is read at once, so that
    its errors are the response.
    """
    first = next(pieces)
    response = Response(chain((first,), pieces), content_type=JSON)
    response.headers["Cache-Control"] = "private, no-store"
    return response


def page_response(page: Mapping[str, object]) -> Response:
    """Return a page of a list, with a link to the next page if its ``cursor`` is not None."""
    response = json_response(page)
    if page["cursor"] is not None:
        link_next(response, request.environ, cursor=page["cursor"])
    return response


def revalidated(etag: str, respond: Callable[[], Response]) -> Response:
    """Return the response of ``respond`` with a weak ``ETag``, for caches that revalidate on each use. If the
    request names this ``etag``, return a 304 response without calling ``respond``.
    """
    known = request.if_none_match.contains_weak(etag)
    response = json_response(None, 304) if known else respond()
    response.set_etag(etag, weak=True)
    response.headers["Cache-Control"] = "no-cache"
    return response
