"""Secret codes for invitations and links: to sign up, to sign in, and to join a seat or a tournament."""

from __future__ import annotations

import secrets
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from arena.errors import ArenaError

_CODE_BYTES: Final = 24


class LinkExpired(ArenaError):
    """The link was used or withdrawn, or has expired. ``expected`` describes how to get a new one."""

    code = "link_expired"

    def __init__(self, expected: str) -> None:
        super().__init__(
            "this link has been used or withdrawn, or has expired", field="code", expected=expected
        )


def new_code() -> str:
    """Return a new code for a link."""
    return secrets.token_urlsafe(_CODE_BYTES)


def digest_of(code: str) -> str:
    """Return the SHA-256 of a code, the only form in which it is stored."""
    return sha256(code.encode()).hexdigest()


def is_code(code: str, digest: str) -> bool:
    """Return whether ``digest`` is the SHA-256 of the code."""
    return compare_digest(digest_of(code), digest)
