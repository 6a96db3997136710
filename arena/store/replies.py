"""Replies to requests with an idempotency key, kept for a day.

A row is in the slot of the owner: the hash of the request, and a lease while it runs, after that the reply.
The bytes of all replies are counted by the hour in which they were stored, so those that expired no longer
count.
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
"""About what the database takes for a row besides the reply."""


class KeyedRequest(NamedTuple):
    """A request with an idempotency key. ``owner``: of the credential, empty for none. ``id``: of the
    credential, the operation and the key. ``fingerprint``: the hash of the rest of the request.
    """

    owner: str
    id: str
    fingerprint: str


class BegunRequest(NamedTuple):
    """The outcome of beginning a request: ``begun``, ``other`` (the key belongs to another request),
    ``running`` (for at most ``left_ms`` more milliseconds) or ``done``, with the ``reply``.
    """

    verdict: Literal["begun", "other", "running", "done"]
    left_ms: int = 0
    reply: bytes = b""


class ReplyStore(Repository):
    """The replies by owner and request."""

    def begin(self, request: KeyedRequest, lease: str, lease_ms: int) -> BegunRequest:
        """Begin a request.

        ``lease`` is a random text of this attempt. Without a reply, the key becomes free again after
        ``lease_ms`` milliseconds.
        """
        verdict, left_ms, reply = self._one(
            *_BEGIN.call([_row(request)], request.fingerprint, lease, lease_ms)
        )
        return BegunRequest(verdict.decode(), max(0, left_ms), reply)

    def finish(self, request: KeyedRequest, lease: str, reply: bytes) -> bool:
        """Keep the reply for a day and count its bytes. Returns False if the lease has ended."""
        size = self.size(reply)
        stored = self._one(*_FINISH.call([_row(request), _hours(request.owner)], lease, reply, size))
        if stored:
            self._one(*_ADD.call([_hours(None)], size))
        return bool(stored)

    @staticmethod
    def size(reply: bytes) -> int:
        """Return the bytes that a reply takes."""
        return _ROW_BYTES + len(reply)

    def release(self, request: KeyedRequest, lease: str) -> None:
        """Forget a request that created nothing."""
        self._one(*_RELEASE.call([_row(request)], lease))


def reply_bytes(owner: str | None) -> Command:
    """Return the command that counts the bytes of an owner's replies, or of all of them."""
    return _SUM.call([_hours(owner)])


def _row(request: KeyedRequest) -> str:
    return f"{{o:{request.owner}}}:reply:{request.id}"


def _hours(owner: str | None) -> str:
    return "{arena}:replies" if owner is None else f"{{o:{owner}}}:replies"
