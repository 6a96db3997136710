"""The log of actions by admins and organisers, and the identity of the actor."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from arena.errors import ArenaError
from arena.store.accounts import AccountStore
from arena.store.rows import shown_or_left_out

MAX_PAGE: Final = 100
"""The maximum number of entries per page."""

Scope = Literal["owner", "bot", "admin"]


@dataclass(frozen=True)
class Principal:
    """The holder of a token. ``owner`` is the owner itself or the owner of the bot, and empty for the first
    admin. ``admin`` is whether the holder has admin rights.
    """

    scope: Scope
    name: str
    owner: str = ""
    admin: bool = False


@dataclass(frozen=True)
class AuditEntry:
    """One logged action. ``at_ms`` is in Unix milliseconds, and ids sort chronologically. ``admin`` is
    the admin or organiser who acted.
    """

    id: str
    at_ms: int
    admin: str
    action: str
    subject: str
    detail: str = ""


class AuditLog:
    """The audit log in one store."""

    def __init__(self, store: AccountStore) -> None:
        self._log = store

    def audit(self, who: Principal, action: str, subject: str, detail: str = "") -> None:
        """Log an action. This must be called before the action, so that no action goes unlogged."""
        entry = {
            "at": str(time.time_ns() // 1_000_000),
            "admin": who.name,
            "action": action,
            "subject": subject,
            "detail": detail,
        }
        self._log.audit(entry)

    def audited(self, before: str = "", limit: int = MAX_PAGE) -> tuple[list[AuditEntry], str | None]:
        """Return a page of the log, newest first, and the cursor of the next page or None."""
        if before and not re.fullmatch(r"\d{1,15}-\d{1,9}", before):
            raise ArenaError("invalid cursor for the audit log", code="invalid_cursor", field="cursor")
        found = self._log.audited(before, limit + 1)
        entries = [
            shown_or_left_out(f"entry {number} of the audit log", partial(_audit_entry, number, entry))
            for number, entry in found[:limit]
        ]
        cursor = found[limit - 1][0] if len(found) > limit else None
        return [entry for entry in entries if entry is not None], cursor


def _audit_entry(number: str, entry: Mapping[str, str]) -> AuditEntry:
    names = ("admin", "action", "subject", "detail")
    return AuditEntry(number, int(entry["at"]), *(entry[name] for name in names))
