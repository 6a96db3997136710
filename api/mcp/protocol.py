"""The Model Context Protocol at ``/mcp``: JSON-RPC over POST, without sessions.

In revision 2026-07-28, every request is independent. Clients of earlier revisions begin with ``initialize``;
the reply names a revision, and no state is kept. Replies are not streamed, and the service sends nothing to
clients unasked. Revision 2025-03-26 alone has batches: a list of messages in one body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Blueprint, Response, request

from api.http.auth import authenticate, permitted
from api.http.contract import json_response
from api.http.edge import OPERATION
from api.http.errors import MalformedJson
from api.http.hints import with_hint
from api.mcp.calling import Refused, ToolCaller, refusal
from api.mcp.tools import TOOLS, tool_list
from api.services import bodies, services
from arena.accounts.audit import Principal
from arena.errors import ArenaError

blueprint = Blueprint("mcp", __name__)

STATELESS: Final = "2026-07-28"
WITH_HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions in which clients begin with ``initialize``, newest first."""

WITH_BATCHES: Final = "2025-03-26"
MOST_IN_BATCH: Final = 20
"""The maximum number of messages in a batch."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

_META: Final = "io.modelcontextprotocol/"
_INFO: Final = {"name": "botequim", "title": "Botequim", "version": "1"}
_CAPABILITIES: Final[dict[str, Any]] = {"tools": {}}
_INSTRUCTIONS: Final = (
    "Play Brazilian Truco and Toepen against other bots. Call join once, then observe, then act in a loop: "
    "each call answers a turn, waits for your next one and returns it as text. Send the token of a bot as a "
    "bearer token."
)
_CACHE_MS: Final = 3_600_000


class RpcError(Exception):
    """A JSON-RPC error. ``data`` holds additional information."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@blueprint.post("/mcp")
@blueprint.post("/mcp/")
def handle() -> Response:
    """Answer a JSON-RPC message or a batch. If none of the messages is a request, the response is empty and
    has the status 202.
    """
    request.environ[OPERATION] = "mcp"
    who = authenticate(request.environ, services())
    if not _may_come_from(request.headers.get("Origin")):
        return _failed(
            None,
            RpcError(INVALID_REQUEST, "pages from this origin are not allowed to call this service"),
            status=403,
        )
    try:
        message = bodies().read_json(request.environ)
    except MalformedJson as error:
        return _failed(None, RpcError(PARSE_ERROR, error.message))
    if not isinstance(message, list):
        return _replied(who, message)
    if refused := _refused_batch(message):
        return _failed(None, RpcError(INVALID_REQUEST, refused))
    replies = [reply.get_json() for part in message if (reply := _replied(who, part)).status_code != 202]
    return json_response(replies) if replies else Response(status=202)


def _refused_batch(messages: Sequence[object]) -> str:
    """Return what is wrong with a batch as a whole, or an empty text."""
    # Clients of later revisions send their revision in this header.
    if request.headers.get("MCP-Protocol-Version", WITH_BATCHES) != WITH_BATCHES:
        return f"only revision {WITH_BATCHES} has batches; send a single message"
    if not 0 < len(messages) <= MOST_IN_BATCH:
        return f"a batch must have 1 to {MOST_IN_BATCH} messages, not {len(messages)}"
    if any(isinstance(message, dict) and message.get("method") == "initialize" for message in messages):
        return "initialize must not be part of a batch"
    return ""


def _replied(who: Principal | None, message: object) -> Response:
    """Return the response to one message. A notification, and a response to a request, which the service
    never sends, get an empty response with the status 202.
    """
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        if isinstance(message, dict) and "id" in message and ("result" in message or "error" in message):
            return Response(status=202)
        return _failed(None, RpcError(INVALID_REQUEST, "a message must be an object with a method"))
    if "id" not in message:
        return Response(status=202)
    number, stateless = message["id"], True
    if isinstance(number, bool) or not isinstance(number, str | int):
        return _failed(None, RpcError(INVALID_REQUEST, "the id of a request must be a string or an integer"))
    try:
        stateless = _is_stateless(message)
        result = _answer(who, message["method"], _object(message, "params"), stateless)
    except RpcError as error:
        return _failed(number, error, stateless)
    if stateless:
        result = {"resultType": "complete", **result, "_meta": {f"{_META}serverInfo": _INFO}}
    return json_response({"jsonrpc": "2.0", "id": number, "result": result})


def _may_come_from(origin: str | None) -> bool:
    """Return whether a page of this origin, or a client that is not a page (None), is allowed to call. Only
    pages of this service and of the local machine are, so that no other site can reach a service behind a
    firewall through a host name that the site controls.
    """
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    own = services().settings.http.public_url
    return parts.hostname in ("localhost", "127.0.0.1", "::1") or (
        bool(own) and urlsplit(own)[:2] == parts[:2]
    )


def _is_stateless(message: Mapping[str, object]) -> bool:
    """Return whether the request uses the revision without a handshake. Raises if headers and body
    disagree.
    """
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    meta = meta if isinstance(meta, dict) else {}
    version = meta.get(f"{_META}protocolVersion")
    header = request.headers.get("MCP-Protocol-Version")
    if version is None and header in (None, *WITH_HANDSHAKE):
        return False
    if version is None or f"{_META}clientCapabilities" not in meta:
        raise RpcError(
            INVALID_PARAMS, f"_meta must have {_META}protocolVersion and {_META}clientCapabilities"
        )
    name = params.get("name") if message["method"] == "tools/call" and isinstance(params, dict) else None
    for field, shown in (
        ("MCP-Protocol-Version", version),
        ("Mcp-Method", message["method"]),
        ("Mcp-Name", name),
    ):
        if shown is not None and request.headers.get(field) != shown:
            raise RpcError(
                HEADER_MISMATCH, f"the header {field} does not match the body, {str(shown)[:80]!r}"
            )
    if version != STATELESS:
        supported = {"supported": [STATELESS], "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, f"the version {str(version)[:40]!r} is not supported", supported)
    return True


def _answer(
    who: Principal | None, method: str, params: Mapping[str, object], stateless: bool
) -> Mapping[str, object]:
    if method == "tools/list":
        cached = {"ttlMs": _CACHE_MS, "cacheScope": "public"} if stateless else {}
        return {"tools": tool_list(), **cached}
    if method == "tools/call":
        return _call(who, params)
    if method == "server/discover" and stateless:
        about = {"capabilities": _CAPABILITIES, "instructions": _INSTRUCTIONS}
        return {"supportedVersions": [STATELESS], **about, "ttlMs": _CACHE_MS, "cacheScope": "public"}
    if method == "initialize" and not stateless:
        asked = params.get("protocolVersion")
        version = asked if asked in WITH_HANDSHAKE else WITH_HANDSHAKE[0]
        about = {"capabilities": _CAPABILITIES, "serverInfo": _INFO, "instructions": _INSTRUCTIONS}
        return {"protocolVersion": version, **about}
    if method == "ping" and not stateless:
        return {}
    raise RpcError(METHOD_NOT_FOUND, f"there is no method {method[:80]!r}")


def _call(who: Principal | None, params: Mapping[str, object]) -> Mapping[str, object]:
    name = params.get("name")
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"there is no tool {str(name)[:80]!r}", sorted(TOOLS))
    arguments = _object(params, "arguments")
    bot = permitted(who, ("bot",)).name if tool.for_bots else ""
    try:
        text, is_error = tool.run(ToolCaller(request.environ, bot), arguments), False
    except Refused as error:
        text, is_error = str(error), True
    except ArenaError as problem:
        hinted = with_hint(problem, tuple)
        text, is_error = refusal(hinted.code, hinted.message, hinted.expected), True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _object(message: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = message.get(name)
    if value is not None and not isinstance(value, dict):
        raise RpcError(INVALID_PARAMS, f"{name} must be an object")
    return value or {}


def _failed(number: object, error: RpcError, stateless: bool = True, status: int = 0) -> Response:
    """Return an error response. In earlier revisions, the status is 200 if the request had a valid id."""
    body = {
        "code": error.code,
        "message": error.message,
        **({} if error.data is None else {"data": error.data}),
    }
    status = status or (404 if error.code == METHOD_NOT_FOUND else 400)
    always = error.code in (PARSE_ERROR, INVALID_REQUEST, HEADER_MISMATCH, UNSUPPORTED_VERSION)
    return json_response(
        {"jsonrpc": "2.0", "id": number, "error": body}, status if stateless or always else 200
    )
