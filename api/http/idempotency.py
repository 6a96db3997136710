"""Requests with an ``Idempotency-Key``, which are carried out once; a repeated request gets the same reply.

Keys belong to a credential and an operation. Replies of successful requests are kept for a day; a failed
request created nothing, so its key can be used again.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import parse_qsl

import orjson
from flask import Response

from api.http.edge import Environ
from api.http.errors import HttpError
from arena.accounts.accounts import Principal
from arena.accounts.allowances import QuotaExceeded
from arena.errors import ArenaError
from arena.ops.service import Service
from arena.store.amounts import Stored
from arena.store.replies import KeyedRequest

MOST_CHARACTERS: Final = 255
REPLAYED: Final = "Idempotent-Replayed"

IDEMPOTENCY_KEY: Final = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "A random string for this request. A repeat with the same key within 24 hours is not "
    "carried out again and gets the same reply; see *Conventions*.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS},
}
KEY_ERRORS: Final = (
    "invalid",
    "idempotency_key_reused",
    "idempotency_key_in_use",
    "reply_not_kept",
)
"""The error codes of all operations that take a key."""

_LEASE_MS: Final = 20_000
"""How long a key stays taken if the process dies, plus the time that a request can wait for an upload."""

_KEPT_HEADERS: Final = ("Content-Type", "Location")
_SECRET: Final = b"secret"
_TOO_LARGE: Final = b"too large"


def keyed_request(environ: Environ, operation: str, who: Principal, sent: object) -> KeyedRequest | None:
    """Return the request if it has a key, with a hash of its URL and of ``sent``. These are the body's values
    before they were loaded, so that a default added in a later version does not change the hash. The order of
    fields and white space do not matter.

    Raises :class:`~api.http.errors.HttpError` for an invalid key.
    """
    key: str | None = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if not (0 < len(key) <= MOST_CHARACTERS and key.isascii() and key.isprintable()):
        raise HttpError(
            "the idempotency key is empty or too long, or contains characters that are not allowed",
            code="invalid",
            field="Idempotency-Key",
            expected=f"1 to {MOST_CHARACTERS} printable ASCII characters",
        )
    # orjson refuses integers of more than 64 bits.
    query = sorted(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    data = json.dumps([environ["PATH_INFO"], query, sent], default=_digest, sort_keys=True)
    scope = f"{who.scope}:{who.name}\n{operation}\n{key}"
    return KeyedRequest(who.owner, _hash(scope.encode()), _hash(data.encode()))


def carried_out_once(
    services: Service,
    keyed: KeyedRequest,
    act: Callable[[], Response],
    secret: Sequence[str] = (),
    rotation: Callable[[], str] = str,
) -> Response:
    """Return the response of ``act``, or the response to an earlier request with the key.

    ``secret`` lists the fields of the response that are shown only once. ``rotation`` returns the request
    that reissues them. Raises :class:`~api.http.errors.HttpError` with one of ``KEY_ERRORS`` or
    ``secret_already_issued``.
    """
    replies, lease, http = services.store.replies, secrets.token_hex(8), services.settings.http
    wait = min(http.upload_wait, http.max_wait)
    begun = replies.begin(keyed, lease, _LEASE_MS + int(1000 * wait))
    if begun.verdict == "begun":
        try:
            response = act()
        except BaseException:
            # If the database is gone, the lease expires.
            with suppress(ArenaError):
                replies.release(keyed, lease)
            raise
        _keep(services, keyed, lease, response, secret)
        return response
    if begun.verdict == "other":
        raise HttpError(
            "this key was already used for another request to this operation",
            code="idempotency_key_reused",
            field="Idempotency-Key",
            expected="a new key for a new request, or the same URL and body as before",
        )
    if begun.verdict == "running":
        raise HttpError(
            "the first request with this key has not been answered yet",
            code="idempotency_key_in_use",
            field="Idempotency-Key",
            expected="to try again",
            extra={"retry_after": 1},
        )
    if begun.reply == _SECRET:
        raise HttpError(
            "the first request with this key was carried out; its secret was shown once and is not stored",
            code="secret_already_issued",
            field="Idempotency-Key",
            expected=f"{rotation()} for a new one",
        )
    if begun.reply == _TOO_LARGE:
        raise HttpError(
            "the first request with this key was carried out; the owner's quota left no room for its reply",
            code="reply_not_kept",
            field="Idempotency-Key",
            expected="to read what it created",
        )
    return _replayed(begun.reply)


def _keep(
    services: Service, keyed: KeyedRequest, lease: str, response: Response, secret: Sequence[str]
) -> None:
    """Store the response, or only a note in its place if it has a secret or there is no room for it."""
    replies = services.store.replies
    data = response.get_data()
    if secret and any(orjson.loads(data).get(name) is not None for name in secret):
        replies.finish(keyed, lease, _SECRET)
        return
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    reply = orjson.dumps([response.status_code, headers]) + b"\n" + data
    if not keyed.owner:
        replies.finish(keyed, lease, reply)
        return
    size = Stored(bytes=replies.size(reply))
    try:
        with services.accounts.quotas.reserve([keyed.owner], size) as room:
            if replies.finish(keyed, lease, reply):
                room.keep(size)
    except QuotaExceeded:
        replies.finish(keyed, lease, _TOO_LARGE)


def _replayed(reply: bytes) -> Response:
    head, _, data = reply.partition(b"\n")
    status, headers = orjson.loads(head)
    return Response(data, status, {**headers, REPLAYED: "true"})


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest(value: object) -> str:
    """Return a digest that stands for a file in a request."""
    if not isinstance(value, bytes):
        raise TypeError
    return _hash(value)
