"""Schedules: what fires when, once, and what can never fire."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.events.schedules import Schedules
from arena.play.clocks import ServiceClock
from tests.live.arenas import Arena

OLGA = Principal("owner", "olga", "olga")
CUP = {"name": "Cup", "kind": "truco", "format": "round_robin", "house": ["random", "rookie"], "entry_s": 30}
SEALED = {**CUP, "division": "sealed", "auto_enter": True}
HOUR_MS = 3_600_000


class Clock:
    """A clock that is set by hand, near the real one: tournaments have that."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms

    def __call__(self) -> ServiceClock:
        return ServiceClock(self.now_ms, 0)


@pytest.fixture
def clock(arena: Arena) -> Clock:
    """It stands at half past an hour."""
    return Clock(arena.now_ms() // HOUR_MS * HOUR_MS + HOUR_MS // 2)


@pytest.fixture
def schedules(arena: Arena, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Schedules:
    monkeypatch.setattr(arena.tournaments, "_clock", clock)
    schedules = Schedules(arena.store, arena.tournaments)
    monkeypatch.setattr(schedules, "_clock", clock)
    return schedules


def made(arena: Arena) -> list[str]:
    return sorted(item["id"] for item in arena.tournaments.list().items)


def refused(code: str, act: Callable[..., object], *args: Any, **options: Any) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        act(*args, **options)
    assert caught.value.code == code, caught.value
    return caught.value


def test_a_cron_line_fires_on_time_and_once_for_missed_times(
    arena: Arena, schedules: Schedules, clock: Clock
) -> None:
    start = clock.now_ms
    schedule = schedules.create({"id": "hourly", "cron": "15 * * * *", "tournament": CUP}, "olga")
    due = start + 45 * 60_000
    assert schedule["next_ms"] == due
    assert datetime.fromtimestamp(due / 1000, UTC).minute == 15
    assert list(schedules.fire()) == []
    clock.now_ms = due
    assert list(schedules.fire()) == [f"hourly-{due // 1000}"]
    assert list(schedules.fire()) == []
    event = arena.tournaments.view(f"hourly-{due // 1000}")
    assert (event["state"], event["opens_ms"], event["locks_ms"]) == ("entry", due, due + 30_000)
    # Five hours of downtime.
    clock.now_ms = due + 5 * HOUR_MS + 60_000
    assert len(list(schedules.fire())) == 1
    assert list(schedules.fire()) == []
    assert len(made(arena)) == 2
    kept = schedules.view("hourly")
    assert kept["last_ms"] == due + HOUR_MS
    assert kept["next_ms"] == due + 6 * HOUR_MS


def test_several_schedulers_announce_each_tournament_once(
    arena: Arena, schedules: Schedules, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules.create({"id": "hourly", "cron": "0 * * * *", "tournament": CUP}, "olga")
    other = Schedules(arena.store, arena.tournaments)
    monkeypatch.setattr(other, "_clock", clock)
    clock.now_ms += HOUR_MS
    before = arena.store.schedules.all()
    schedules.fire()
    # One that has looked before the first was done.
    (name, stored), *_ = before.items()
    arena.store.schedules.change(name, lambda _: stored)
    other.fire()
    assert len(made(arena)) == 1


def test_a_schedule_at_a_time_fires_once(arena: Arena, schedules: Schedules, clock: Clock) -> None:
    at_ms = clock.now_ms + 5000
    schedules.create({"id": "once", "at_ms": at_ms, "tournament": CUP}, "olga")
    clock.now_ms += 3 * HOUR_MS
    assert len(list(schedules.fire())) == 1
    assert schedules.view("once")["next_ms"] is None
    clock.now_ms += 3 * HOUR_MS
    assert list(schedules.fire()) == []


def test_inactive_and_deleted_schedules_do_not_fire(arena: Arena, schedules: Schedules, clock: Clock) -> None:
    for name in ("a", "b"):
        schedules.create({"id": name, "cron": "0 * * * *", "tournament": CUP}, "olga")
    bob = Principal("owner", "bob", "bob")
    refused("forbidden", schedules.change, "a", enabled=False, by=bob)
    refused("forbidden", schedules.delete, "b", by=bob)
    schedules.change("a", enabled=False, by=OLGA)
    schedules.delete("b", by=OLGA)
    clock.now_ms += 2 * HOUR_MS
    assert list(schedules.fire()) == []
    assert schedules.change("a", enabled=True, by=OLGA)["next_ms"] > clock.now_ms
    assert list(schedules.fire()) == []
    assert [schedule["id"] for schedule in schedules.list()] == ["a"]
    refused("schedule_not_found", schedules.view, "b")
    refused("schedule_not_found", schedules.delete, "b")


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"cron": "0 0 31 2 *"}, "invalid_schedule", "cron"),
        ({"cron": "every hour"}, "invalid_schedule", "cron"),
        ({"cron": "* * * * * *"}, "invalid_schedule", "cron"),
        ({"cron": "61 * * * *"}, "invalid_schedule", "cron"),
        ({"cron": None}, "invalid_schedule", "cron"),
        ({"at_ms": 2**42}, "invalid_schedule", "cron"),
        ({"cron": None, "at_ms": 1}, "invalid_schedule", "at_ms"),
        ({"id": "No Name"}, "invalid_schedule", "id"),
        ({"id": "x" * 25}, "invalid_schedule", "id"),
        ({"colour": "red"}, "invalid_schedule", "colour"),
        ({"tournament": None}, "invalid_schedule", "tournament"),
        ({"until_groups": 5}, "invalid_schedule", "tournament.auto_enter"),
        (
            {"until_groups": 5, "tournament": {**CUP, "division": "sealed"}},
            "invalid_schedule",
            "tournament.auto_enter",
        ),
        (
            {"until_groups": 5, "tournament": {**SEALED, "rated": False}},
            "invalid_schedule",
            "tournament.rated",
        ),
        ({"until_groups": 0, "tournament": SEALED}, "invalid_schedule", "until_groups"),
        ({"tournament": {**CUP, "locks_ms": 5}}, "invalid_schedule", "tournament.locks_ms"),
        ({"tournament": {**CUP, "entry_s": 0}}, "invalid_schedule", "tournament.entry_s"),
        ({"tournament": {**CUP, "format": "chess"}}, "invalid_tournament", "format"),
        ({"tournament": {**CUP, "house": ["nobody"]}}, "invalid_tournament", "house"),
    ],
)
def test_invalid_schedules_are_rejected(
    change: dict[str, Any], code: str, field: str, single_url: str
) -> None:
    arena = Arena(single_url)
    try:
        fields = {"id": "hourly", "cron": "0 * * * *", "tournament": CUP, **change}
        error = refused(code, arena.schedules.create, fields, "olga")
        assert error.field == field
        assert arena.schedules.list() == []
    finally:
        arena.live.close()


def test_ids_are_unique(arena: Arena, schedules: Schedules) -> None:
    schedules.create({"id": "hourly", "cron": "0 * * * *", "tournament": CUP}, "olga")
    refused(
        "schedule_exists", schedules.create, {"id": "hourly", "cron": "1 * * * *", "tournament": CUP}, "bob"
    )
    assert schedules.view("hourly")["created_by"] == "olga"
