"""Webhooks that follow a tournament: each announcement is posted, signed, and retried for a while."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.live.header import Viewer
from arena.play.clocks import ServiceClock
from arena.store.documents import Documents
from arena.webhooks.addresses import Policy
from arena.webhooks.errors import CallFailed
from arena.webhooks.messages import message
from arena.webhooks.registry import Webhooks, checked_secret
from arena.webhooks.signing import headers

MOST_OF_OWNER: Final = 20
MOST: Final = 2000
"""The maximum number of subscriptions of one owner, and of all."""

MAX_FAILURES: Final = 8
"""After this many failures in a row, with growing pauses, nothing more is posted: about 40 minutes."""

LOOK_MS: Final = 10_000
_FIRST_PAUSE_MS: Final = 10_000
_POST_SECONDS: Final = 5.0
_ID_BYTES: Final = 8


class Announced(Protocol):
    """One announcement of a tournament."""

    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def at_ms(self) -> int: ...
    @property
    def text(self) -> str: ...


Read = Callable[[str, Viewer], tuple[dict[str, Any], Sequence[Announced]]]
"""A tournament and its announcements, as the viewer may see them."""


class SubscriptionNotFound(ArenaError):
    """The owner has no such subscription to the tournament."""

    code = "subscription_not_found"


class Subscriptions:
    """Posts announcements to the URLs of owners. What is to be posted follows from the tournament itself, so
    that nothing is lost with a process; a post may be repeated.

    Errors are :class:`~arena.errors.ArenaError`: ``subscription_not_found``, ``quota_exceeded``, those of
    ``read`` and of :meth:`~arena.webhooks.registry.Webhooks.check`.
    """

    def __init__(
        self,
        rows: Documents,
        webhooks: Webhooks,
        policy: Policy,
        read: Read,
        clock: Callable[[], ServiceClock],
    ) -> None:
        self._rows = rows
        self._webhooks = webhooks
        self._policy = policy
        self._read = read
        self._clock = clock

    def subscribe(self, tournament: str, by: Principal, url: str, secret: str | None) -> dict[str, Any]:
        """Post what is announced from now on to ``url``, which must answer a ping, and return the
        subscription with its signing secret.
        """
        _, known = self._read(tournament, _viewer(by.owner, by.admin))
        rows = self._rows.all().values()
        own = sum(row["owner"] == by.name for row in rows)
        if own >= MOST_OF_OWNER or len(rows) >= MOST:
            raise ArenaError(
                f"an owner has at most {MOST_OF_OWNER} subscriptions, and all together {MOST}",
                code="quota_exceeded",
                field="url",
                extra={"quota": "subscriptions", "most": MOST_OF_OWNER, "used": own, "left": 0},
            )
        key = checked_secret(secret)
        self._webhooks.check(url, [key])
        now_ms = self._clock().now_ms
        name = secrets.token_hex(_ID_BYTES)
        row: dict[str, Any] = {
            "id": name,
            "tournament": tournament,
            "owner": by.name,
            "admin": by.admin,
            "url": url,
            "secret": key,
            "created_ms": now_ms,
            "sent": [one.id for one in known],
            "failures": 0,
            "error": "",
            "next_ms": now_ms + LOOK_MS,
        }
        self._rows.add(name, row)
        return {**_shown(row), "secret": key}

    def of(self, tournament: str, by: Principal) -> list[dict[str, Any]]:
        """The subscriptions of ``by`` to the tournament, without secrets."""
        self._read(tournament, _viewer(by.owner, by.admin))
        rows = self._rows.all().values()
        return [_shown(row) for row in rows if row["owner"] == by.name and row["tournament"] == tournament]

    def unsubscribe(self, tournament: str, name: str, by: Principal) -> None:
        """Delete a subscription."""
        self._read(tournament, _viewer(by.owner, by.admin))
        row = self._rows.find(name)
        if row is None or row["owner"] != by.name or row["tournament"] != tournament:
            raise SubscriptionNotFound(
                "you have no such subscription to this tournament", field="subscription"
            )
        self._rows.change(name, lambda _: None)

    def due(self) -> list[str]:
        """The subscriptions that have to be looked at now."""
        now_ms = self._clock().now_ms
        return [
            name
            for name, row in self._rows.all().items()
            if row["next_ms"] is not None and row["next_ms"] <= now_ms
        ]

    def deliver(self, name: str) -> None:
        """Post the announcements of one subscription that were not posted. May be repeated."""
        row = self._rows.find(name)
        if row is None or row["next_ms"] is None:
            return
        try:
            view, found = self._read(row["tournament"], _viewer(row["owner"], row["admin"]))
        except ArenaError as error:
            if error.code == "tournament_not_found":
                # It cannot be seen any more.
                self._rows.change(name, lambda _: None)
                return
            raise
        endpoint = self._webhooks.connect(row["url"], self._policy)
        error_text = ""
        sent: list[str] = []
        try:
            for one in found:
                if one.id not in row["sent"]:
                    endpoint.post(*self._message(row, view, one), _POST_SECONDS)
                    sent.append(one.id)
        except CallFailed as error:
            error_text = error.message
        finally:
            endpoint.close()
        over = view["state"] in ("finished", "cancelled")
        self._rows.change(name, lambda row: self._after(row, sent, error_text, over))

    def _message(
        self, row: dict[str, Any], view: dict[str, Any], one: Announced
    ) -> tuple[bytes, dict[str, str]]:
        data = {
            "id": one.id,
            "tournament": row["tournament"],
            "name": view["name"],
            "state": view["state"],
            "at_ms": one.at_ms,
            "text": one.text,
        }
        body = message(f"tournament.{one.type}", data)
        return body, headers([row["secret"]], body)

    def _after(self, row: Any, sent: Sequence[str], error: str, over: bool) -> Any:
        if row is None:
            return None
        now_ms = self._clock().now_ms
        failures = row["failures"] + 1 if error else 0
        next_ms: int | None = now_ms + LOOK_MS
        if error:
            next_ms = None if failures >= MAX_FAILURES else now_ms + _FIRST_PAUSE_MS * 2**failures
        elif over:
            next_ms = None
        return {
            **row,
            "sent": [*row["sent"], *(name for name in sent if name not in row["sent"])],
            "failures": failures,
            "error": error,
            "next_ms": next_ms,
        }


def _viewer(owner: str, admin: bool) -> Viewer:
    return Viewer(None, owner or None, admin)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    ended = row["next_ms"] is None
    return {
        "id": row["id"],
        "url": row["url"],
        "created_ms": row["created_ms"],
        "state": ("failed" if row["error"] else "ended") if ended else "active",
        "failures": row["failures"],
        "error": row["error"] or None,
    }


__all__ = ["MAX_FAILURES", "SubscriptionNotFound", "Subscriptions"]
