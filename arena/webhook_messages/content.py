"""Builds messages to webhooks, and interprets the replies."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from arena.errors import ArenaError
from arena.webhook_messages.errors import AddressNotAllowed, CallFailed, InvalidUrl
from arena.webhook_messages.signing import headers

PING_SECONDS: Final = 5.0
"""The time limit of the health check."""

Turn = Mapping[str, Any]


class Poster(Protocol):
    """Something that posts messages to a webhook."""

    def post(self, body: bytes, headers: Mapping[str, str], seconds: float) -> bytes:
        """Post JSON and return the body of the reply. Raises ``errors.CallFailed``."""


NO_ACTION: Final = "the reply to a turn is not a JSON object with an action"
PASS: Final = object()
"""The parsed action of a reply that passes an optional turn."""


def message(kind: str, data: Mapping[str, object], **more: object) -> bytes:
    """Return a Standard Webhooks message with the type ``kind``, the time and the data."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"type": kind, "timestamp": now, "data": data, **more}, separators=(",", ":")).encode()


def turn_message(turn: Turn, left_ms: int, refused: Mapping[str, object] | None = None) -> bytes:
    """Return the message that offers a turn, with its remaining time. ``refused`` is the result of the
    previous answer, if it was malformed or illegal.
    """
    own = turn["deadline_ms"]
    if own is not None:
        bank = min(turn["bank_ms"], max(0, left_ms))
        turn = {**turn, "deadline_ms": max(0, left_ms - bank), "bank_ms": bank}
    return message("turn", turn, **({} if refused is None else {"refused": refused}))


def action_in(body: bytes, optional: bool) -> object:
    """Return the action in a reply: a string, :data:`PASS`, or any other value, which is malformed.

    A reply is ``{"action": text}``. An empty reply, or null for the action, passes an optional turn.
    """
    try:
        reply = json.loads(body) if body else {"action": None}
    except (ValueError, RecursionError):
        return None
    action = reply.get("action") if isinstance(reply, dict) else None
    passed = isinstance(reply, dict) and "action" in reply and action is None
    return PASS if optional and passed else action


def check_health(endpoint: Poster, keys: Sequence[str], seconds: float = PING_SECONDS) -> None:
    """Post a signed ping, and check that the reply contains its challenge.

    Raises :class:`~arena.errors.ArenaError` with the code ``webhook_failed`` or ``webhook_address``.
    """
    challenge = secrets.token_urlsafe(16)
    body = message("ping", {"challenge": challenge})
    expected = f'{{"challenge": "{challenge[:4]}..."}}, as in the data of the ping'
    try:
        reply = endpoint.post(body, headers(keys, body), seconds)
        answer = json.loads(reply)
    except (ValueError, RecursionError):
        answer = None
    except (AddressNotAllowed, InvalidUrl):
        raise
    except CallFailed as error:
        raise ArenaError(
            f"the webhook did not answer the ping: {error.message}",
            code=error.code,
            field="url",
            expected=error.expected or expected,
        ) from None
    if not isinstance(answer, dict) or answer.get("challenge") != challenge:
        raise ArenaError(
            "the webhook did not return the ping's challenge",
            code="webhook_failed",
            field="url",
            expected=expected,
        )
