"""The contract of an operation: its route, scopes, request, responses and errors.

It validates requests and generates the OpenAPI document, and the tests validate every response
against it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import flask
import orjson
from flask import Response, request
from marshmallow import Schema

from api.auth import authenticate, require
from api.edge import JSON, OPERATION
from api.errors import ERRORS
from api.requests import read_body, read_query
from api.services import services

View = Callable[..., Any]

_ALWAYS: Final = ("uri_too_long", "headers_too_large", "internal_error")
_WITH_ACCOUNTS: Final = ("invalid_token", "rate_limited", "store_unavailable")
_WITH_TOKEN: Final = ("missing_token", "forbidden")
_WITH_QUERY: Final = ("invalid",)
_WITH_BODY: Final = ("bad_request", "malformed_json", "body_too_large", "unsupported_media_type", "invalid")


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation. The first line of the view's docstring is the summary, the rest the description."""

    rule: str
    method: str
    view: View
    scopes: Sequence[str] | None = None
    """The token must have one of these scopes; empty: a token is optional; None: no authentication."""
    query: type[Schema] | None = None
    body: type[Schema] | None = None
    status: int = 200
    returns: type[Schema] | Mapping[str, Any] | None = None
    """The schema of the response's body."""
    media: str = JSON
    texts: Sequence[str] = ()
    """Further media types of the same response, as text."""
    headers: Sequence[str] = ()
    also: Mapping[int, str] | None = None
    """Further successful statuses and their descriptions."""
    errors: Sequence[str] = ()
    """Error codes beyond those implied by the other fields."""
    limit: str | None = None
    """The rate limit, per owner, that each request counts against."""
    max_body: int | None = None
    """The maximum body size in bytes, if larger than configured."""
    parameters: Sequence[Mapping[str, Any]] = ()
    """Request headers that the view reads."""

    @property
    def id(self) -> str:
        """The view's name in camel case."""
        first, *rest = self.view.__name__.split("_")
        return first + "".join(word.capitalize() for word in rest)

    def error_codes(self) -> dict[int, list[str]]:
        """Return all error codes of the operation by HTTP status, in the order of ``ERRORS``."""
        codes = {*self.errors, *_ALWAYS}
        if self.body is not None:
            codes.update(_WITH_BODY)
        if self.query is not None:
            codes.update(_WITH_QUERY)
        if self.scopes is not None:
            codes.update(_WITH_ACCOUNTS)
        if self.scopes:
            codes.update(_WITH_TOKEN)
        by_status: dict[int, list[str]] = {}
        for code in sorted(codes, key=list(ERRORS).index):
            by_status.setdefault(ERRORS[code].status, []).append(code)
        return dict(sorted(by_status.items()))

    def handler(self) -> View:
        """Return the Flask view, which validates the request, calls the view and serializes its result."""
        name, view, scopes, limit, max_body = self.id, self.view, self.scopes, self.limit, self.max_body
        query_schema = self.query() if self.query else None
        body_schema = self.body() if self.body else None
        result_schema = self.returns() if isinstance(self.returns, type) else None

        @functools.wraps(view)
        def handler(**path: str) -> Response:
            environ, parts = request.environ, services()
            environ[OPERATION] = name
            arguments: list[Any] = []
            if scopes is not None:
                who = require(scopes, environ, parts) if scopes else authenticate(environ, parts)
                arguments.append(who)
                if limit is not None and who is not None:
                    parts.limits.spend(limit, who.owner or who.name)
            if query_schema is not None:
                arguments.append(read_query(query_schema, environ, parts.settings.http))
            if body_schema is not None:
                arguments.append(read_body(body_schema, environ, parts.settings.http, max_body))
            result = view(*arguments, **path)
            if isinstance(result, Response):
                return result
            return json_response(None if result_schema is None else result_schema.dump(result), self.status)

        return handler


class Blueprint(flask.Blueprint):
    """The operations of one resource."""

    def __init__(self, name: str, import_name: str, *, description: str) -> None:
        super().__init__(name, import_name)
        self.description = description
        self.operations: list[Operation] = []

    def operation(self, rule: str, method: str = "GET", **contract: Any) -> Callable[[View], View]:
        """Return a decorator that registers a view; ``contract``: further fields of :class:`Operation`.

        The view is called with the principal (unless ``scopes`` is None), the loaded query, the loaded
        body and the parts of the path. It returns a value for the schema ``returns``, or a response.
        """

        def decorate(view: View) -> View:
            operation = Operation(rule=rule, method=method, view=view, **contract)
            self.operations.append(operation)
            self.add_url_rule(rule, view.__name__, operation.handler(), methods=[method])
            return view

        return decorate


def json_response(value: Any, status: int = 200) -> Response:
    """Return ``value`` as a JSON response; None as one without content."""
    if value is None:
        response = Response(status=status)
        del response.headers["Content-Type"]
        return response
    return Response(orjson.dumps(value), status, content_type=JSON)
