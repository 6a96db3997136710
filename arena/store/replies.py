"""Stored responses to requests with an idempotency key, kept for a day.

A row is in the owner's slot and holds the hash of the request, with a lease while the request runs and the
response afterwards. The bytes of all responses are counted by the hour in which they were stored, so that
expired ones no longer count.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from arena.store.connection import Command, Repository, Script

_BEGIN: Final = Script("reply_begin")
_FINISH: Final = Script("reply_finish", "kept_bytes")
_RELEASE: Final = Script("reply_release")
_ADD: Final = Script("kept_add", "kept_bytes")
_SUM: Final = Script("kept_sum", "kept_bytes")
REPLY_SCRIPTS: Final = (_BEGIN, _FINISH, _RELEASE, _ADD, _SUM)
"""The scripts that the connection of a :class:`ReplyStore` must load."""

_ROW_BYTES: Final = 200
"""The approximate number of bytes that a row takes in the database besides the response."""


class KeyedRequest(NamedTuple):
    """A request with an idempotency key. ``owner`` is the owner of the credential, empty if there is none.
    ``id`` is derived from the credential, the operation and the key. ``fingerprint`` is the hash of the rest
    of the request.
    """

    owner: str
    id: str
    fingerprint: str


class BegunRequest(NamedTuple):
    """The outcome of beginning a request: ``begun``, ``other`` (the key belongs to another request),
    ``running`` (for at most ``left_ms`` more milliseconds) or ``done``, with the response ``reply``.
    """

    verdict: Literal["begun", "other", "running", "done"]
    left_ms: int = 0
    reply: bytes = b""


class ReplyStore(Repository):
    """Stores the responses by owner and request."""

    def begin(self, request: KeyedRequest, lease: str, lease_ms: int) -> BegunRequest:
        """Begin a request with an idempotency key.

        ``lease`` is a random string that identifies this attempt. If no response is stored, the key becomes
        free again after ``lease_ms`` milliseconds.
        """
        verdict, left_ms, reply = self._one(
            *_BEGIN.call([_row(request)], request.fingerprint, lease, lease_ms)
        )
        return BegunRequest(verdict.decode(), max(0, left_ms), reply)

    def finish(self, request: KeyedRequest, lease: str, reply: bytes) -> bool:
        """Store the response for a day and count its bytes. Returns False if the lease has ended."""
        size = self.size(reply)
        stored = self._one(*_FINISH.call([_row(request), _hours(request.owner)], lease, reply, size))
        if stored:
            self._one(*_ADD.call([_hours(None)], size))
        return bool(stored)

    @staticmethod
    def size(reply: bytes) -> int:
        """Return the number of bytes that a response takes."""
        return _ROW_BYTES + len(reply)

    def release(self, request: KeyedRequest, lease: str) -> None:
        """Forget a request that had no effect."""
        self._one(*_RELEASE.call([_row(request)], lease))


def reply_bytes(owner: str | None) -> Command:
    """Return the command that counts the bytes of an owner's responses, or of all responses."""
    return _SUM.call([_hours(owner)])


def _row(request: KeyedRequest) -> str:
    return f"{{o:{request.owner}}}:reply:{request.id}"


def _hours(owner: str | None) -> str:
    return "{arena}:replies" if owner is None else f"{{o:{owner}}}:replies"
