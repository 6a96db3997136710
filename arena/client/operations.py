"""Builds requests and client methods from the table of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from arena.client.http import HttpClient, RawFile
from arena.client.replies import Json
from arena.operations import OPERATIONS
from arena.operations.operation import EVENT_STREAM, JSON, Operation


class Request(NamedTuple):
    """The parts of a request to an operation."""

    path: str
    query: Mapping[str, object]
    body: object


def request_of(operation: Operation, fields: Mapping[str, object]) -> Request:
    """Return the request with these fields, including those in the path. Body fields that are None are
    omitted, except in updates, where None is a value.
    """
    rest = dict(fields)
    path = operation.path.format_map(
        {name: quote(str(rest.pop(name)), safe="") for name in operation.in_path}
    )
    if not operation.has_body:
        return Request(path, rest, None)
    query = {name: rest.pop(name) for name in operation.in_query if name in rest}
    for name, media in operation.files.items():
        data = rest.get(name)
        if isinstance(data, bytes):
            others = {key: value for key, value in rest.items() if key not in (name, "transport")}
            return Request(path, {**query, **others}, RawFile(media, data))
    body = {key: value for key, value in rest.items() if value is not None or operation.method == "PATCH"}
    return Request(path, query, body)


class OperationCalls(HttpClient):
    """Calls operations in the table."""

    def call(self, name: str, /, **fields: object) -> Json:
        """Call an operation, and return its whole reply. A reply that is not JSON is returned as text."""
        operation = OPERATIONS[name]
        path, query, body = request_of(operation, fields)
        if operation.media != JSON or (operation.texts and fields.get("format", "json") != "json"):
            return self._text(path, query)
        creates = operation.takes_key
        # A request that creates something without a key could create it twice.
        repeatable = creates or operation.status != 201
        return self._with_status(
            operation.method, path, body, query, creates=creates, repeatable=repeatable, operation=name
        )[1]


def method_of(name: str, operation: Operation) -> Callable[..., object]:
    """Return the method of an operation. ``arena/client/calls.pyi`` has its types."""
    by_position = (*operation.in_path, *operation.arguments)
    called = operation.client or name

    def call(self: OperationCalls, *args: object, **fields: object) -> object:
        given = dict(zip(by_position, args, strict=False))
        if len(args) > len(by_position) or given.keys() & fields.keys():
            raise TypeError(
                f"{called}() takes {', '.join(by_position) or 'nothing'} by position, each field only once"
            )
        fields = {**operation.defaults, **given, **fields}
        missing = [one for one in operation.in_path if one not in fields]
        if missing:
            raise TypeError(f"{called}() is missing {', '.join(missing)}")
        if operation.media == EVENT_STREAM:
            last = fields.pop("last_event_id", None)
            path, query, _ = request_of(operation, fields)
            return self._stream(name, path, query, None if last is None else str(last))
        if operation.pages:
            path, query, _ = request_of(operation, fields)
            return self._pages(name, path, operation.pages[0], **query)
        reply = self.call(name, **fields)
        return reply[operation.result] if operation.result and isinstance(reply, dict) else reply

    call.__name__ = called
    call.__qualname__ = f"Client.{called}"
    call.__doc__ = f"{called}({', '.join((*by_position, '**fields'))})\n\n{operation.doc}"
    return call
