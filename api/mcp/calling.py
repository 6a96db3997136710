"""The basis of the tools for agents: calls to API operations, made like those of any other client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from flask import current_app
from marshmallow import Schema
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Response

from api.http.auth import viewer
from api.http.edge import PRINCIPAL, REQUEST_ID, Environ
from api.http.requests import load
from api.http.waiting import WATCHED
from arena.live.header import Viewer
from arena.operations.operation import JSON


class Refused(Exception):
    """An API operation refused a tool's request."""

    def __init__(self, problem: Mapping[str, object]) -> None:
        super().__init__(refusal(problem.get("code"), problem.get("detail", ""), problem.get("expected")))


def refusal(code: object, detail: object, expected: object) -> str:
    """Return the text of an error for an agent."""
    sentence = str(detail).rstrip(".")
    end = "" if sentence.endswith("?") else "."
    return f"{code}: {sentence}{end}" + (f" Expected: {expected}." if expected else "")


class ToolCaller:
    """Calls API operations on behalf of the client of ``environ``. ``bot`` is the name of the bot that calls,
    or empty.
    """

    def __init__(self, environ: Environ, bot: str) -> None:
        self._environ = environ
        self.bot = bot

    @property
    def viewer(self) -> Viewer:
        """The caller as a viewer of games."""
        return viewer(self._environ.get(PRINCIPAL))

    def __call__(
        self,
        method: str,
        path: str,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> Any:
        """Return the JSON value or text of the reply, or None if it has no content. Raises
        :class:`Refused`.
        """
        given = {key: value for key, value in (query or {}).items() if value is not None}
        builder = EnvironBuilder(method=method, path=f"/v1/{path}", query_string=_words(given), json=body)
        environ = builder.get_environ()
        for name in ("HTTP_AUTHORIZATION", "REMOTE_ADDR", "HTTP_HOST", "wsgi.url_scheme"):
            if name in self._environ:
                environ[name] = self._environ[name]
        environ["HTTP_X_REQUEST_ID"] = self._environ[REQUEST_ID]
        environ[WATCHED] = self._environ.get("gunicorn.socket")
        reply = Response.from_app(current_app.wsgi_app, environ)
        if reply.status_code >= 400:
            raise Refused(orjson.loads(reply.get_data()))
        if reply.status_code in (204, 304):
            return None
        if reply.mimetype not in (JSON, "text/plain"):
            reply.close()
            raise ValueError(f"{path} returns {reply.mimetype}, a stream that might never end")
        return orjson.loads(reply.get_data()) if reply.mimetype == JSON else reply.get_data(as_text=True)


def _words(query: Mapping[str, object]) -> dict[str, str]:
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in query.items()
    }


@dataclass(frozen=True)
class Tool:
    """One tool. ``title`` and ``doc`` are for the agent; ``schema`` describes its arguments. ``for_bots``:
    whether it requires a bot's token. ``reads``: whether it is read-only.
    """

    name: str
    title: str
    doc: str
    schema: type[Schema]
    call: Callable[[ToolCaller, Any], str]
    for_bots: bool = True
    reads: bool = True

    def run(self, caller: ToolCaller, arguments: Mapping[str, object]) -> str:
        """Return the text for the agent. Null stands for an optional argument that is absent, because some
        clients fill in all arguments of a schema. Raises :class:`Refused`, or
        :class:`~arena.errors.ArenaError` for invalid arguments.
        """
        schema = self.schema()
        optional = {name for name, field in schema.fields.items() if not field.required}
        given = {
            name: value for name, value in arguments.items() if value is not None or name not in optional
        }
        return self.call(caller, load(schema, given))
