"""One decorator per operation: its route, who may use it, what goes in, what comes out, what can go wrong.

The contract is told once. The request is checked by it, the OpenAPI document is made from it, and the
tests hold every response against it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import flask_smorest
import orjson
from apispec_oneofschema import MarshmallowPlugin
from flask import Flask, Response, request
from marshmallow import Schema

from api.auth import authenticate, require
from api.edge import JSON, OPERATION, DirectView
from api.errors import ERRORS, PROBLEM_TYPE
from api.requests import read_body, read_query
from api.schemas.common import ProblemSchema
from api.schemas.fields import one_of_to_openapi
from api.schemas.turns import OverSchema, ReconnectSchema
from api.services import services
from arena import __version__
from arena.games import GAMES
from arena.live.accounts import LABEL_PATTERN, NAME_PATTERN
from arena.ratings.results import DIVISIONS

View = Callable[..., Any]

GAME_PATTERN: Final = "^[0-9A-Za-z_-]{1,64}$"

PATH_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "owner": {"description": "The name of an owner.", "schema": {"type": "string", "pattern": NAME_PATTERN}},
    "bot": {"description": "The name of a bot.", "schema": {"type": "string", "pattern": NAME_PATTERN}},
    "version": {
        "description": "The label of a version.",
        "schema": {"type": "string", "pattern": LABEL_PATTERN},
    },
    "game": {"description": "The id of a game.", "schema": {"type": "string", "pattern": GAME_PATTERN}},
    "tournament": {
        "description": "The id of a tournament.",
        "schema": {"type": "string", "pattern": GAME_PATTERN},
    },
    "entry": {
        "description": "The name of a bot that has entered.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 40},
    },
    "schedule": {
        "description": "The id of a schedule.",
        "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,23}$"},
    },
    "kind": {"description": "A kind of game.", "schema": {"type": "string", "enum": list(GAMES)}},
    "division": {
        "description": "`sealed`: only bots that the arena runs itself. `open`: any bot.",
        "schema": {"type": "string", "enum": list(DIVISIONS)},
    },
}

SECURITY_SCHEMES: Final = {
    "owner": "An owner's token, `btq_o_...`, from signing up.",
    "bot": "A bot's token, `btq_b_...`, from registering the bot.",
    "admin": "The admin token of this service, or the token of an owner that is an admin.",
}

HEADERS: Final[dict[str, dict[str, Any]]] = {
    "X-Request-Id": {"description": "Names this request in the log.", "schema": {"type": "string"}},
    "WWW-Authenticate": {"description": "Always `Bearer`.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "X-Next": {"description": "Where to go on.", "schema": {"type": "string"}},
    "ETag": {"description": "The version, for `If-None-Match`.", "schema": {"type": "string"}},
}
"""The headers of responses; operations name them."""

_ALWAYS: Final = ("uri_too_long", "headers_too_large", "internal_error")
_OF_ACCOUNTS: Final = ("invalid_token", "rate_limited", "store_unavailable")
_OF_BODIES: Final = ("bad_request", "malformed_json", "body_too_large", "unsupported_media_type", "invalid")


class Blueprint(flask_smorest.Blueprint):
    """A resource: the operations at one place. ``direct``: those that the edge calls itself, with their
    names, by method and path.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.direct: dict[tuple[str, str], tuple[str, DirectView]] = {}

    def operation(
        self,
        rule: str,
        method: str = "GET",
        *,
        scopes: Sequence[str] | None = None,
        query: type[Schema] | None = None,
        body: type[Schema] | None = None,
        status: int = 200,
        returns: type[Schema] | Mapping[str, Any] | None = None,
        media: str = JSON,
        texts: Sequence[str] = (),
        headers: Sequence[str] = (),
        also: Mapping[int, str] | None = None,
        errors: Sequence[str] = (),
        limit: str | None = None,
        max_body: int | None = None,
        parameters: Sequence[Mapping[str, Any]] = (),
        direct: bool = False,
    ) -> Callable[[View], View]:
        """Make ``view`` an operation, with the first line of its docstring as the summary.

        The rest of the docstring is the description. ``scopes``: what a token must be for (empty: a
        token may be sent; None: no account matters). The view is called with the principal (not for
        None), the loaded ``query``, the loaded ``body`` and the parts of the path. It returns what
        ``returns`` dumps, or a response. ``texts``: media types in which it can come instead. ``also``:
        further successful statuses. ``limit``: what is counted against the principal's owner. ``max_body``:
        bytes of a body that may be longer than others.
        ``parameters``: headers that are read. ``direct``: the view is called as
        :data:`~api.edge.DirectView`, by the edge, past Flask.
        """

        def decorate(view: View) -> View:
            name = _camel(view.__name__)
            if direct:
                self.direct[method, rule] = name, view
                handler = _direct_handler(name, view)
            else:
                handler = _handler(name, view, scopes, query, body, status, returns, limit, max_body)
            handler._apidoc = self._told(  # type: ignore[attr-defined]
                scopes, query, body, status, returns, media, texts, headers, also, errors
            )
            handler._apidoc["manual_doc"]["operationId"] = name  # type: ignore[attr-defined]
            self.add_url_rule(
                rule,
                endpoint=view.__name__,
                view_func=handler,
                methods=[method],
                parameters=[
                    {"in": "path", "name": name, "required": True, **told}
                    for name, told in PATH_PARAMETERS.items()
                    if f"<{name}>" in rule
                ]
                + [dict(parameter) for parameter in parameters],
            )
            return view

        return decorate

    def _told(
        self,
        scopes: Sequence[str] | None,
        query: type[Schema] | None,
        body: type[Schema] | None,
        status: int,
        returns: type[Schema] | Mapping[str, Any] | None,
        media: str,
        texts: Sequence[str],
        headers: Sequence[str],
        also: Mapping[int, str] | None,
        errors: Sequence[str],
    ) -> dict[str, Any]:
        """The operation as flask-smorest keeps it for the document."""
        security: list[dict[str, list[str]]] = [{scope: []} for scope in scopes or ()]
        if scopes is not None and not scopes:
            security = [{}, *[{scope: []} for scope in SECURITY_SCHEMES]]

        @self.doc(security=security)
        def operation() -> None: ...

        told: View = operation
        if body is not None:
            told = self.arguments(body, location="json")(told)
        if query is not None:
            told = self.arguments(query, location="query")(told)
        if body is not None or query is not None:
            del told._apidoc["arguments"]["responses"]  # type: ignore[attr-defined]
        sent = _headers(headers)
        told = self.response(
            status,
            returns,
            content_type=media if returns else None,
            headers=sent,
            description=_phrase(status),
        )(told)
        for text in texts:
            told = self.alt_response(
                status,
                schema={"type": "string"},
                content_type=text,
                description=_phrase(status),
                headers=sent,
                success=True,
            )(told)
        for other, meaning in (also or {}).items():
            others = _headers(headers if other == 304 else ())
            told = self.alt_response(other, description=meaning, headers=others, success=True)(told)
        for error_status, codes in _by_status(scopes, query, body, errors).items():
            meanings = "\n".join(f"- `{code}`: {ERRORS[code].meaning}" for code in codes)
            told = self.alt_response(
                error_status,
                schema=ProblemSchema,
                content_type=PROBLEM_TYPE,
                description=meanings,
                headers=_headers(_ERROR_HEADERS.get(error_status, ())),
            )(told)
        apidoc: dict[str, Any] = told._apidoc  # type: ignore[attr-defined]
        return apidoc


_ERROR_HEADERS: Final = {401: ["WWW-Authenticate"], 429: ["Retry-After"], 503: ["Retry-After"]}


def _direct_handler(name: str, view: DirectView) -> View:
    """The view for a Flask that has no edge in front of it."""

    @functools.wraps(view)
    def handler() -> Response:
        request.environ[OPERATION] = name
        return Response(view(request.environ, services()), content_type=JSON)

    return handler


def _handler(
    name: str,
    view: View,
    scopes: Sequence[str] | None,
    query: type[Schema] | None,
    body: type[Schema] | None,
    status: int,
    returns: type[Schema] | Mapping[str, Any] | None,
    limit: str | None,
    max_body: int | None,
) -> View:
    query_schema = query() if query else None
    body_schema = body() if body else None
    result_schema = returns() if isinstance(returns, type) else None

    @functools.wraps(view)
    def handler(**path: str) -> Response:
        environ, parts = request.environ, services()
        environ[OPERATION] = name
        given: list[Any] = []
        if scopes is not None:
            who = require(scopes, environ, parts) if scopes else authenticate(environ, parts)
            given.append(who)
            if limit is not None and who is not None:
                parts.limits.spend(limit, who.owner or who.name)
        if query_schema is not None:
            given.append(read_query(query_schema, environ, parts.config))
        if body_schema is not None:
            given.append(read_body(body_schema, environ, parts.config, max_body))
        result = view(*given, **path)
        if isinstance(result, Response):
            return result
        return json_response(None if result_schema is None else result_schema.dump(result), status)

    return handler


def json_response(value: Any, status: int = 200) -> Response:
    """``value`` as JSON; None as no content."""
    if value is None:
        response = Response(status=status)
        del response.headers["Content-Type"]
        return response
    return Response(orjson.dumps(value), status, content_type=JSON)


def _by_status(
    scopes: Sequence[str] | None,
    query: type[Schema] | None,
    body: type[Schema] | None,
    errors: Sequence[str],
) -> dict[int, list[str]]:
    codes = [*errors, *_ALWAYS]
    if body is not None:
        codes += _OF_BODIES
    if query is not None:
        codes.append("invalid")
    if scopes is not None:
        codes += _OF_ACCOUNTS
    if scopes:
        codes += ["missing_token", "forbidden"]
    by_status: dict[int, list[str]] = {}
    for code in sorted(set(codes), key=list(ERRORS).index):
        by_status.setdefault(ERRORS[code].status, []).append(code)
    return dict(sorted(by_status.items()))


def _headers(names: Sequence[str]) -> dict[str, str]:
    """Each as a reference to the document's headers."""
    return {name: name for name in ("X-Request-Id", *names)}


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


class Api(flask_smorest.Api):
    """The OpenAPI document of one app; errors are answered by :mod:`api.errors`."""

    ERROR_SCHEMA = ProblemSchema
    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        return


def make_api(app: Flask) -> Api:
    """An empty OpenAPI 3.1 document for ``app``."""
    app.config.update(API_TITLE="Botequim", API_VERSION=__version__, OPENAPI_VERSION="3.1.0")
    api = Api(
        app,
        spec_kwargs={
            "marshmallow_plugin": MarshmallowPlugin(),
            "info": {
                "description": inspect.cleandoc(_DESCRIPTION),
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": "/", "description": "This service."}],
        },
    )
    api.ma_plugin.converter.add_attribute_function(one_of_to_openapi)
    for name, schema in (("Over", OverSchema), ("Reconnect", ReconnectSchema)):
        api.spec.components.schema(name, schema=schema)
    for name, header in HEADERS.items():
        api.spec.components.header(name, header)
    for name, description in SECURITY_SCHEMES.items():
        scheme = {"type": "http", "scheme": "bearer", "description": description}
        api.spec.components.security_scheme(name, scheme)
    return api


_DESCRIPTION: Final = """
A game service and arena for bots that play Brazilian Truco and Dutch Toepen.

Sign up (`POST /v1/owners`), register a bot (`POST /v1/bots`), create a game or join one
(`POST /v1/games`), and let the bot loop on `POST /v1/turns`.

All times are whole milliseconds, moments are counted from 1970 in UTC. Lists come in pages: pass a
page's `cursor` to get the next one. Every error is a problem document with a stable `code`.
"""
