"""Schedules over HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from arena.cli import botequim
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.amounts import Compute
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.live.clock import skip

CUP: dict[str, Any] = {
    "name": "Cup",
    "kind": "truco",
    "format": "round_robin",
    "house": ["rookie", "random"],
    "entry_s": 30,
}
HOURLY: dict[str, Any] = {"id": "hourly", "cron": "0 * * * *", "tournament": CUP}


@pytest.fixture
def services(settings: Settings, app: Flask) -> Iterator[Service]:
    """A service on the same database, whose clock and budgets a test may set."""
    found = open_service(settings, InlineJobs())
    yield found
    found.close()


def test_a_schedule_is_made_shown_changed_and_ended(admin: ContractClient, anybody: ContractClient) -> None:
    made = admin.post("/v1/schedules", json=HOURLY)
    assert made.status_code == 201
    now_ms = time.time() * 1000
    assert now_ms < made.json["next_ms"] <= now_ms + 3_600_000
    assert made.json["next_ms"] % 3_600_000 == 0
    assert anybody.get("/v1/schedules/hourly").json == made.json
    assert anybody.get("/v1/schedules").json["schedules"] == [made.json]
    assert admin.patch("/v1/schedules/hourly", json={"enabled": False}).json["enabled"] is False
    assert admin.delete("/v1/schedules/hourly").status_code == 204
    assert anybody.get("/v1/schedules/hourly").json["code"] == "schedule_not_found"
    actions = [entry["action"] for entry in admin.get("/v1/admin/audit").json["entries"]]
    assert actions == ["delete schedule", "change schedule", "create schedule"]


def test_a_schedule_announces_its_tournament_once(
    app: Flask, settings: Settings, admin: ContractClient, anybody: ContractClient
) -> None:
    services: Service = app.extensions["botequim"]
    at_ms = time.time_ns() // 1_000_000 + 60_000
    body = {"id": "tonight", "at_ms": at_ms, "tournament": CUP}
    assert admin.post("/v1/schedules", json=body).json["next_ms"] == at_ms
    assert services.schedules.fire() == []
    later = open_service(settings, InlineJobs())
    skip(later.live, 60_000)
    (event,) = later.schedules.fire()
    assert later.schedules.fire() == []
    later.live.close()
    view = anybody.get(f"/v1/tournaments/{event}").json
    assert event.startswith("tonight-")
    assert [entry["bot"] for entry in view["entries"]] == ["rookie", "random"]
    assert view["locks_ms"] - view["opens_ms"] == 30_000
    schedule = anybody.get("/v1/schedules/tonight").json
    assert (schedule["next_ms"], schedule["last_ms"]) == (None, at_ms)


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"cron": "0 0 31 2 *"}, "invalid_schedule", "cron"),
        ({"cron": "every hour on the hour"}, "invalid_schedule", "cron"),
        ({"cron": "61 * * * *"}, "invalid_schedule", "cron"),
        ({"cron": "* * * * * *"}, "invalid_schedule", "cron"),
        ({"at_ms": 5_000_000_000_000}, "invalid_schedule", "cron"),
        ({"cron": None}, "invalid", "cron"),
        ({"id": "Hourly cup"}, "invalid", "id"),
        ({"tournament": {**CUP, "locks_ms": 5}}, "invalid", "tournament.locks_ms"),
        ({"tournament": {**CUP, "entry_s": 0}}, "invalid", "tournament.entry_s"),
        ({"tournament": {**CUP, "format": "open"}}, "invalid_tournament", "ends_ms"),
        ({"tournament": None}, "invalid", "tournament"),
    ],
)
def test_schedules_that_cannot_be(
    admin: ContractClient, fields: dict[str, Any], code: str, field: str
) -> None:
    response = admin.post("/v1/schedules", json={**HOURLY, **fields})
    assert (response.status_code, response.json["code"], response.json["field"]) == (422, code, field)
    assert admin.get("/v1/schedules").json["schedules"] == []


def test_a_schedule_of_an_unknown_game(admin: ContractClient) -> None:
    response = admin.post("/v1/schedules", json={**HOURLY, "tournament": {**CUP, "kind": "chess"}})
    assert (response.status_code, response.json["code"]) == (404, "kind_not_found")
    assert response.json["field"] == "kind"


def test_two_schedules_of_one_id(admin: ContractClient) -> None:
    assert admin.post("/v1/schedules", json=HOURLY).status_code == 201
    again = admin.post("/v1/schedules", json={**HOURLY, "cron": "30 * * * *"})
    assert (again.status_code, again.json["code"]) == (409, "schedule_exists")


def test_of_whom_a_schedule_is(
    owner: Account, sign_up: Callable[..., Account], anybody: ContractClient, admin: ContractClient
) -> None:
    assert anybody.post("/v1/schedules", json=HOURLY).status_code == 401
    admin.post("/v1/schedules", json=HOURLY)
    mine = {**HOURLY, "id": "mine"}
    made = owner.client.post("/v1/schedules", json=mine).json
    assert (made["own"], made["created_by"], made["skipped"]) == (True, "ana", None)
    assert anybody.get("/v1/schedules/hourly").json["own"] is False
    other = sign_up("bia").client
    for client, schedule in ((owner.client, "hourly"), (other, "mine")):
        assert client.delete(f"/v1/schedules/{schedule}").status_code == 403
        assert client.patch(f"/v1/schedules/{schedule}", json={"enabled": False}).status_code == 403
    assert admin.patch("/v1/schedules/mine", json={"enabled": False}).json["enabled"] is False
    # What owners do with their own is no business of the audit log.
    subjects = [entry["subject"] for entry in admin.get("/v1/admin/audit").json["entries"]]
    assert subjects.count("schedule mine") == 1
    assert owner.client.delete("/v1/schedules/mine").status_code == 204


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"cron": "*/30 * * * *"}, "invalid_schedule", "cron"),
        ({"cron": "0,59 0 * * *"}, "invalid_schedule", "cron"),
        ({"tournament": {**CUP, "rated": True}}, "invalid_tournament", "rated"),
        ({"tournament": {**CUP, "auto_enter": True}}, "invalid_schedule", "tournament.auto_enter"),
        ({"tournament": {**CUP, "auto_enter": True}, "until_groups": 5}, "invalid_schedule", "until_groups"),
    ],
)
def test_what_a_schedule_of_an_owner_may_not(
    owner: Account, fields: dict[str, Any], code: str, field: str
) -> None:
    response = owner.client.post("/v1/schedules", json={**HOURLY, **fields})
    assert (response.status_code, response.json["code"], response.json["field"]) == (422, code, field)


def test_an_owner_has_ten_schedules(owner: Account) -> None:
    for number in range(10):
        assert owner.client.post("/v1/schedules", json={**HOURLY, "id": f"s{number}"}).status_code == 201
    response = owner.client.post("/v1/schedules", json={**HOURLY, "id": "s10"})
    assert (response.status_code, response.json["quota"]) == (409, "owner_schedules")
    owner.client.delete("/v1/schedules/s0")
    assert owner.client.post("/v1/schedules", json={**HOURLY, "id": "s10"}).status_code == 201


def test_when_the_budget_is_used_up_it_skips(
    app: Flask, owner: Account, anybody: ContractClient, services: Service
) -> None:
    """Three groups a start, of seven a day."""
    services.budgets._most = Compute(7, 3_600_000)
    day_ms = 86_400_000
    start_ms = services.store.clock().now_ms // day_ms * day_ms + day_ms
    skip(services.live, start_ms - services.store.clock().now_ms - 1000)
    cup = {**CUP, "kind": "toepen", "preset": "duel@1", "groups": 3}
    # By the service whose clock is set: the first start is at midnight.
    made = {"id": "hourly", "cron": "0 * * * *", "tournament": cup}
    services.schedules.create(made, owner.name, own=True)
    events = []
    for _ in range(3):
        due_ms = services.schedules.view("hourly")["next_ms"]
        skip(services.live, due_ms - services.store.clock().now_ms + 1)
        events += services.schedules.fire()
        for event in events[-1:]:
            if services.tournaments.view(event)["state"] == "entry":
                skip(services.live, 31_000)
                services.tournaments.step(event)
    assert len(events) == 2
    assert all(services.tournaments.view(event)["rated"] is False for event in events)
    assert services.budgets.of_owner("ana")["groups"]["used"] == 6
    schedule = anybody.get("/v1/schedules/hourly").json
    assert schedule["skipped"]["at_ms"] == schedule["last_ms"]
    assert "1 are left" in schedule["skipped"]["reason"]
    skip(services.live, day_ms)
    assert len(services.schedules.fire()) == 1
    assert anybody.get("/v1/schedules/hourly").json["skipped"] is None


def test_a_schedule_is_edited(owner: Account, online: list[str], services: Service) -> None:
    owner.client.post("/v1/schedules", json=HOURLY)
    before = owner.client.get("/v1/schedules/hourly").json
    changed = owner.client.patch("/v1/schedules/hourly", json={"cron": "30 5 * * 1"}).json
    assert (changed["cron"], changed["tournament"]) == ("30 5 * * 1", before["tournament"])
    assert changed["next_ms"] % 3_600_000 == 1_800_000
    tomorrow_ms = services.store.clock().now_ms + 86_400_000
    once = owner.client.patch("/v1/schedules/hourly", json={"at_ms": tomorrow_ms}).json
    assert (once["cron"], once["at_ms"], once["next_ms"]) == (None, tomorrow_ms, tomorrow_ms)
    for body, field in (
        ({"cron": "0 * * * *", "at_ms": tomorrow_ms}, "cron"),
        ({"cron": "* * * * *"}, "cron"),
        ({"tournament": {**CUP, "per_owner": 100}}, "per_owner"),
    ):
        response = owner.client.patch("/v1/schedules/hourly", json=body)
        assert (response.status_code, response.json["field"].rpartition(".")[2]) == (422, field)
    assert owner.client.get("/v1/schedules/hourly").json == once
    run, mine = CliRunner().invoke, ["--token", owner.token, *online]
    edit = ["schedule", "edit", "hourly", "--name", "Late cup", "--cron", "0 20 * * *", "--entry", "2h"]
    assert run(botequim, [*edit, *mine]).output.startswith("hourly: next ")
    found = owner.client.get("/v1/schedules/hourly").json
    assert (found["tournament"]["name"], found["tournament"]["entry_s"]) == ("Late cup", 7200)
    assert found["tournament"]["house"] == ["rookie", "random"]
