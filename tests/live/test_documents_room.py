"""Documents of owners (series, schedules, subscriptions, invitations) count in their quotas."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.accounts.accounts import Principal
from arena.accounts.allowances import QuotaExceeded
from arena.accounts.default_limits import Quotas
from arena.accounts.invitations import FORGOTTEN_MS, MAX_KEPT_MS
from arena.store.amounts import Stored
from tests.live.arenas import Arena
from tests.live.clock import skip

ANA = Principal("owner", "ana", "ana")
TEMPLATE = {
    "name": "Weekly",
    "kind": "truco",
    "format": "round_robin",
    "entry_s": 600,
}


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url, quotas=Quotas(owner=Stored(9, 9, 10_000), invitations=50))
    opened.accounts.sign_up("ana")
    yield opened
    opened.live.close()


def used(arena: Arena) -> int:
    """What the quota counts, which is also what a recount finds."""
    counted = arena.store.accounts.used("ana").bytes
    assert counted == arena.store.accounts.stored("ana").bytes
    assert arena.store.accounts.used(None).bytes == counted
    return counted


def subscription(name: str) -> dict[str, object]:
    return {"id": name, "owner": "ana", "url": "https://example.org/" + "x" * 500, "next_ms": None}


def schedule(arena: Arena, name: str) -> None:
    arena.schedules.create({"id": name, "cron": "0 9 * * *", "tournament": TEMPLATE}, "ana", own=True)


def test_series_count_until_they_are_deleted(arena: Arena) -> None:
    assert used(arena) == 0
    made = arena.service.series.create({"name": "Season"}, ANA)
    before = used(arena)
    assert before > 200
    arena.service.series.change(str(made["id"]), {"name": "Season" * 10}, ANA)
    assert used(arena) == before + 54
    arena.service.series.delete(str(made["id"]), ANA)
    assert used(arena) == 0


def test_schedules_and_subscriptions_count(arena: Arena) -> None:
    schedule(arena, "weekly")
    before = used(arena)
    assert before > 300
    arena.store.subscriptions.add("one", subscription("one"))
    assert used(arena) > before + 600
    arena.store.subscriptions.delete("one")
    assert used(arena) == before
    arena.schedules.delete("weekly")
    assert used(arena) == 0


def test_without_room_new_documents_are_refused(arena: Arena) -> None:
    for number in range(14):
        arena.store.subscriptions.add(str(number), subscription(str(number)))
    before = used(arena)
    with pytest.raises(QuotaExceeded) as caught:
        [arena.store.subscriptions.add(str(number), subscription(str(number))) for number in range(14, 20)]
    assert caught.value.extra["quota"] == "owner_bytes"
    assert caught.value.extra["used"] == used(arena) >= before
    arena.accounts.quotas._quotas = Quotas(owner=Stored(9, 9, used(arena) + 100))
    with pytest.raises(QuotaExceeded):
        schedule(arena, "weekly")
    with pytest.raises(QuotaExceeded):
        arena.service.series.create({"name": "Season"}, ANA)
    with pytest.raises(QuotaExceeded):
        arena.service.invitations.create("ana", 1)
    assert arena.service.invitations.allowance("ana")["used"] == 0
    # What the service itself adds to a document is not refused.
    arena.store.subscriptions.change("1", lambda row: {**row, "sent": ["x" * 300]})
    assert used(arena) > arena.accounts.quotas._quotas.owner.bytes


def test_invitations_count_and_go(arena: Arena) -> None:
    made = arena.service.invitations.create("ana", 5)
    before = used(arena)
    assert before > 5 * 300
    arena.service.invitations.revoke("ana", made[0].invitation.id)
    skip(arena.live, MAX_KEPT_MS + FORGOTTEN_MS)
    arena.service.invitations.create("ana", 1)
    assert len(arena.service.invitations.list("ana")) == 1
    assert used(arena) < before
    arena.service.invitations.forget("ana")
    assert used(arena) == 0
    assert arena.store._connection.keys("{invited-by:*") == []
