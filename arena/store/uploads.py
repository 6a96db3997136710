"""Uploads that are being checked, and their outcomes.

The row of an upload is in its bot's slot, so an upload becomes a version, or is deleted, atomically. The list
of due uploads is in another slot: an entry is written before the row, and removed after it.
"""

from __future__ import annotations

from typing import Final

import orjson

from arena.store.accounts import UPLOADS_DUE, bot_keys, uploads_key
from arena.store.amounts import Stored
from arena.store.connection import Repository, Script
from arena.store.documents import by_name
from arena.store.games import WAKE_CHANNEL

_REPLACE: Final = Script("replace")
_CLAIM: Final = Script("upload_claim")
_SETTLE: Final = Script("upload_settle")
UPLOAD_SCRIPTS: Final = (_REPLACE, _CLAIM, _SETTLE)
"""The scripts that the connection of an :class:`UploadStore` must load."""


class UploadStore(Repository):
    """Stores the uploads of all bots, by bot and id."""

    def find(self, bot: str, upload: str) -> bytes | None:
        """Return the row of an upload that is being checked or was settled recently."""
        row, settled = self._connection.run(
            [("HGET", uploads_key(bot), upload), ("GET", _outcome(bot, upload))]
        )
        found: bytes | None = row or settled
        return found

    def unsettled(self, bot: str, upload: str) -> bytes | None:
        """Return the row of an upload that is being checked."""
        row: bytes | None = self._one("HGET", uploads_key(bot), upload)
        return row

    def all_unsettled(self, bot: str) -> dict[str, bytes]:
        """Return the rows of all uploads of a bot that are being checked, by id."""
        return by_name(self._one("HGETALL", uploads_key(bot)))

    def replace(self, bot: str, upload: str, before: bytes, after: bytes) -> bool:
        """Replace the row of an upload, and return False if it is no longer ``before``."""
        return bool(self._one(*_REPLACE.call([uploads_key(bot)], upload, before, after)))

    def settle(
        self,
        bot: str,
        upload: str,
        before: bytes,
        after: bytes,
        kept_ms: int,
        digest: str,
        label: str,
        version: str,
        received_ms: int,
    ) -> tuple[str, Stored]:
        """Make an upload a version or, if ``version`` is empty, refuse it. The row ``after`` stays readable
        for ``kept_ms``. Returns ``done`` with the amounts no longer stored, ``repeated`` if it was already
        settled in the same way, ``changed`` if its row is not ``before``, or ``gone``.
        """
        keys = [*bot_keys(bot), _outcome(bot, upload)]
        own = {
            "upload": upload,
            "before": before.decode(),
            "after": after.decode(),
            "kept_ms": kept_ms,
            "digest": digest,
            "label": label,
            "version": version,
            "received_ms": received_ms,
        }
        verdict, *gone = self._one(*_SETTLE.call_named(keys, own))
        return verdict.decode(), Stored(*gone)

    def wake(self, upload: str) -> None:
        """Wake the requests that wait for an upload."""
        # No game has an id like this; see arena.store.notifications.
        self._one("PUBLISH", WAKE_CHANNEL, orjson.dumps([(f"@{upload}", 0, [], [])]))

    # The list of due uploads

    def note_due(self, bot: str, upload: str, at_ms: int) -> None:
        """Allow a worker to check the upload from ``at_ms`` on."""
        self._one("ZADD", UPLOADS_DUE, at_ms, f"{bot}/{upload}")

    def due(self, now_ms: int, limit: int) -> list[tuple[str, str]]:
        """Return the bot and id of some of the uploads that no worker is checking."""
        found = self._one("ZRANGEBYSCORE", UPLOADS_DUE, "-inf", now_ms, "LIMIT", 0, limit)
        members = (member.decode().partition("/") for member in found)
        return [(bot, upload) for bot, _, upload in members]

    def claim(self, bot: str, upload: str, now_ms: int, lease_ms: int) -> bool:
        """Claim an upload until ``lease_ms``. Returns False if it is not due."""
        return bool(self._one(*_CLAIM.call([UPLOADS_DUE], f"{bot}/{upload}", now_ms, lease_ms)))

    def renew(self, bot: str, upload: str, lease_ms: int) -> None:
        """Extend the claim of an upload."""
        self._one("ZADD", UPLOADS_DUE, "XX", lease_ms, f"{bot}/{upload}")

    def forget(self, bot: str, upload: str) -> None:
        """Remove an upload that is settled, or was never stored, from the due-list."""
        self._one("ZREM", UPLOADS_DUE, f"{bot}/{upload}")


def _outcome(bot: str, upload: str) -> str:
    return f"{{b:{bot}}}:upload:{upload}"
