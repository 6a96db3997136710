"""Signatures according to Standard Webhooks (https://www.standardwebhooks.com), version ``v1``."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from typing import Final

from arena.errors import ArenaError

SECRET_PREFIX: Final = "whsec_"
SECRET_RULE: Final = "whsec_ and 24 to 64 bytes in base64"
_SECRET_BYTES: Final = 32
_FEWEST_BYTES: Final = 24
_MOST_BYTES: Final = 64


class InvalidSecret(ArenaError):
    """The signing secret is malformed."""

    code = "invalid_webhook_secret"


def new_secret() -> str:
    """Return a new signing secret: the prefix ``whsec_`` followed by 256 random bits in base64."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def new_message_id() -> str:
    """Return a new message id. It contains no full stop, because full stops separate the signed parts."""
    return "msg_" + secrets.token_urlsafe(16)


def key_of(secret: str) -> bytes:
    """Return the key in ``secret``. Raises :class:`InvalidSecret`, without the secret in its message."""
    encoded = secret.removeprefix(SECRET_PREFIX)
    try:
        key = base64.b64decode(encoded, validate=True) if encoded != secret else b""
    except (binascii.Error, ValueError):
        key = b""
    if not _FEWEST_BYTES <= len(key) <= _MOST_BYTES:
        raise InvalidSecret("this is not a valid signing secret", field="secret", expected=SECRET_RULE)
    return key


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return ``v1,`` and the HMAC-SHA256 of ``<id>.<timestamp>.<body>`` in base64. ``timestamp`` is in Unix
    seconds.
    """
    signed = b"%b.%d.%b" % (message_id.encode(), timestamp, body)
    return "v1," + base64.b64encode(hmac.digest(key_of(secret), signed, hashlib.sha256)).decode()


def headers(keys: Sequence[str], body: bytes) -> dict[str, str]:
    """Return the headers of a message sent now, signed with each of the secrets ``keys``."""
    message_id, timestamp = new_message_id(), int(time.time())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, message_id, timestamp, body) for secret in keys),
    }
