"""Webhooks that follow a tournament. Each announcement is signed and posted, and retried for a while."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NotRequired, Protocol, TypedDict

from arena.accounts.accounts import Principal
from arena.accounts.allowances import fair_most
from arena.errors import ArenaError
from arena.live.header import Viewer
from arena.play.clocks import ServiceClock
from arena.store.documents import Documents
from arena.webhook_messages.content import message
from arena.webhook_messages.errors import CallFailed
from arena.webhook_messages.signing import headers
from arena.webhooks.addresses import Policy
from arena.webhooks.registry import Webhooks, checked_secret

MOST_OF_OWNER: Final = 20
MOST: Final = 2000
"""The maximum number of active subscriptions of one owner, and of all owners."""

MAX_FAILURES: Final = 8
"""The consecutive failures, with growing pauses (about 40 minutes in all), after which posting stops."""

LOOK_MS: Final = 10_000
_FIRST_PAUSE_MS: Final = 10_000
_POST_SECONDS: Final = 5.0
_JOB_SECONDS: Final = 5.0
"""The time after which a job does not begin another post."""

_LEASE_MS: Final = 60_000
_REST: Final = 4
"""After a job, an owner's receivers rest this many times as long, so they take at most a fifth of a worker.
"""

_KEPT_MS: Final = 7 * 24 * 3_600_000
"""How long a subscription is shown after it has ended."""

_ID_BYTES: Final = 8


class Announced(Protocol):
    """An announcement about a tournament."""

    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def at_ms(self) -> int: ...
    @property
    def text(self) -> str: ...


class _Row(TypedDict):
    """A subscription as stored. ``sent`` holds the ids of the announcements that were posted. ``next_ms`` is
    when the subscription is next due, or None if it has failed or ended. ``rests_ms`` is the time until which
    its receiver rests.
    """

    id: str
    tournament: str
    owner: str
    url: str
    secret: str
    created_ms: int
    sent: list[str]
    failures: int
    error: str
    next_ms: int | None
    rests_ms: NotRequired[int]
    ended_ms: NotRequired[int]


Read = Callable[[str, Viewer], tuple[dict[str, Any], Sequence[Announced]]]
"""A function that returns a tournament and its announcements, as visible to the viewer."""


class SubscriptionNotFound(ArenaError):
    """The owner does not have this subscription to the tournament."""

    code = "subscription_not_found"


class Subscriptions:
    """Posts announcements to the URLs of owners. The pending posts are derived from the tournament itself, so
    nothing is lost if a process dies, but a post can be repeated. A subscription stores whose it is, not what
    they may see: ``acting`` returns an owner with its current rights, or None while it has none.
    ``charge_to`` charges the running job to an account.

    Methods raise :class:`~arena.errors.ArenaError`: ``subscription_not_found``, ``quota_exceeded``, and the
    errors of ``read`` and of :meth:`~arena.webhooks.registry.Webhooks.check`.
    """

    def __init__(
        self,
        rows: Documents,
        webhooks: Webhooks,
        policy: Policy,
        read: Read,
        acting: Callable[[str], Principal | None],
        clock: Callable[[], ServiceClock],
        charge_to: Callable[[str], None],
    ) -> None:
        self._rows = rows
        self._webhooks = webhooks
        self._policy = policy
        self._read = read
        self._acting = acting
        self._clock = clock
        self._charge_to = charge_to

    def _check_quota(self, owner: str) -> None:
        active = [row for row in self._rows.all().values() if row["next_ms"] is not None]
        own = sum(row["owner"] == owner for row in active)
        most = fair_most(MOST_OF_OWNER, MOST, len(active) - own)
        if own >= most:
            raise ArenaError(
                f"you can have at most {most} active subscriptions now; an owner can have {MOST_OF_OWNER}, "
                f"and all owners together {MOST}",
                code="quota_exceeded",
                field="url",
                extra={"quota": "subscriptions", "most": most, "used": own, "left": 0},
            )

    def subscribe(self, tournament: str, by: Principal, url: str, secret: str | None) -> dict[str, Any]:
        """Post future announcements to ``url``, which must answer a ping, and return the subscription with
        its signing secret.
        """
        _, known = self._read(tournament, _viewer(by))
        self._check_quota(by.name)
        key = checked_secret(secret)
        self._webhooks.check(url, [key], by.owner)
        # Other subscriptions can have been created during the ping.
        self._check_quota(by.name)
        now_ms = self._clock().now_ms
        name = secrets.token_hex(_ID_BYTES)
        row: _Row = {
            "id": name,
            "tournament": tournament,
            "owner": by.name,
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

    def of(self, tournament: str, by: Principal) -> list[dict[str, object]]:
        """Return the subscriptions of ``by`` to the tournament, without secrets."""
        self._read(tournament, _viewer(by))
        rows = self._rows.all().values()
        return [_shown(row) for row in rows if row["owner"] == by.name and row["tournament"] == tournament]

    def unsubscribe(self, tournament: str, name: str, by: Principal) -> None:
        """Delete a subscription, even if ``by`` can no longer see its tournament."""
        _own(self._rows.find(name), tournament, by)
        self._rows.delete(name)

    def ping(self, tournament: str, name: str, by: Principal) -> dict[str, Any]:
        """Post a ping to the URL of a subscription, which must answer it, and return the subscription. A
        failed subscription then resumes with the announcements that were not posted.
        """
        row = _own(self._rows.find(name), tournament, by)
        if _has_failed(row):
            self._check_quota(by.name)
        self._webhooks.check(row["url"], [row["secret"]], by.owner)
        if _has_failed(row):
            # Other subscriptions can have been created during the ping.
            self._check_quota(by.name)
        now_ms = self._clock().now_ms

        def resume(row: _Row | None) -> _Row:
            own = _own(row, tournament, by)
            if not _has_failed(own):
                return own
            return {**own, "failures": 0, "error": "", "next_ms": now_ms + LOOK_MS}

        return _shown(self._rows.change(name, resume))

    def forget(self, owner: str) -> None:
        """Delete the subscriptions of an owner."""
        for name, row in self._rows.all().items():
            if row["owner"] == owner:
                self._rows.delete(name)

    def exported(self, owner: str) -> list[dict[str, object]]:
        """Return the subscriptions of an owner to all tournaments, without secrets."""
        rows = self._rows.all().values()
        return [{"tournament": row["tournament"], **_shown(row)} for row in rows if row["owner"] == owner]

    def due(self) -> list[str]:
        """Return the subscriptions due now, at most one per owner, and delete those that ended a week ago."""
        now_ms, rows = self._clock().now_ms, self._rows.all()
        for name, row in rows.items():
            if row["next_ms"] is None and row.get("ended_ms", row["created_ms"]) + _KEPT_MS < now_ms:
                self._rows.delete(name)
        return _due(rows, now_ms)

    def deliver(self, name: str) -> None:
        """Post unposted announcements of one subscription for a few seconds; any others become due again. If
        another job is already doing this, do nothing. It is safe to repeat.
        """
        now_ms = self._clock().now_ms
        if name not in _due(self._rows.all(), now_ms):
            return
        mine: list[bool] = []

        def claim(row: _Row | None) -> _Row | None:
            if row is None or not _is_due(row, now_ms):
                mine[:] = [False]
                return row
            mine[:] = [True]
            return {**row, "rests_ms": now_ms + _LEASE_MS}

        row = self._rows.change(name, claim)
        if not mine[0]:
            return
        self._charge_to(row["owner"])
        by = self._acting(row["owner"])
        if by is None:
            # What is announced meanwhile is posted if the owner is allowed to act again.
            self._rows.change(name, self._paused)
            return
        try:
            view, found = self._read(row["tournament"], _viewer(by))
        except ArenaError as error:
            if error.code == "tournament_not_found":
                # The tournament is no longer visible.
                self._rows.delete(name)
                return
            raise
        endpoint = self._webhooks.connect(row["url"], self._policy, row["owner"])
        error_text = ""
        sent: list[str] = []
        news = [one for one in found if one.id not in row["sent"]]
        start = time.monotonic()
        try:
            for one in news:
                endpoint.post(*self._message(row, view, one), _POST_SECONDS)
                sent.append(one.id)
                if time.monotonic() - start >= _JOB_SECONDS:
                    break
        except CallFailed as error:
            error_text = error.message
        finally:
            endpoint.close()
        used_ms = int(1000 * (time.monotonic() - start))
        over = view["state"] in ("finished", "cancelled") and len(sent) == len(news)
        self._rows.change(name, lambda row: self._after(row, sent, error_text, over, used_ms))

    def _message(self, row: _Row, view: Mapping[str, object], one: Announced) -> tuple[bytes, dict[str, str]]:
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

    def _paused(self, row: _Row | None) -> Mapping[str, object] | None:
        now_ms = self._clock().now_ms
        return None if row is None else {**row, "next_ms": now_ms + LOOK_MS, "rests_ms": now_ms}

    def _after(
        self, row: _Row | None, sent: Sequence[str], error: str, over: bool, used_ms: int
    ) -> Mapping[str, object] | None:
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
            "rests_ms": now_ms + _REST * used_ms,
            **({"ended_ms": now_ms} if next_ms is None else {}),
        }


def _own(row: _Row | None, tournament: str, by: Principal) -> _Row:
    if row is None or row["owner"] != by.name or row["tournament"] != tournament:
        raise SubscriptionNotFound(
            "you do not have this subscription to this tournament", field="subscription"
        )
    return row


def _has_failed(row: _Row) -> bool:
    return row["next_ms"] is None and bool(row["error"])


def _is_due(row: _Row, now_ms: int) -> bool:
    return row["next_ms"] is not None and row["next_ms"] <= now_ms and row.get("rests_ms", 0) <= now_ms


def _due(rows: Mapping[str, _Row], now_ms: int) -> list[str]:
    """Return, for each owner whose receivers are not resting, the subscription that has been due longest."""
    found = {row["owner"]: "" for row in rows.values() if row.get("rests_ms", 0) > now_ms}
    for name, row in sorted(rows.items(), key=lambda item: item[1]["next_ms"] or 0):
        if _is_due(row, now_ms):
            found.setdefault(row["owner"], name)
    return [name for name in found.values() if name]


def _viewer(by: Principal) -> Viewer:
    return Viewer(None, by.owner or None, by.admin)


def _shown(row: _Row) -> dict[str, object]:
    return {
        "id": row["id"],
        "url": row["url"],
        "created_ms": row["created_ms"],
        "state": "failed" if _has_failed(row) else "ended" if row["next_ms"] is None else "active",
        "failures": row["failures"],
        "error": row["error"] or None,
    }
