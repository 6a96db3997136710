"""Schedules over HTTP."""

from __future__ import annotations

import time
from typing import Any

import pytest
from flask import Flask

from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
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
        ({"tournament": {**CUP, "kind": "chess"}}, "kind_not_found", "kind"),
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


def test_two_schedules_of_one_id(admin: ContractClient) -> None:
    assert admin.post("/v1/schedules", json=HOURLY).status_code == 201
    again = admin.post("/v1/schedules", json={**HOURLY, "cron": "30 * * * *"})
    assert (again.status_code, again.json["code"]) == (409, "schedule_exists")


def test_only_admins_make_schedules(owner: Account, anybody: ContractClient, admin: ContractClient) -> None:
    assert anybody.post("/v1/schedules", json=HOURLY).status_code == 401
    assert owner.client.post("/v1/schedules", json=HOURLY).status_code == 403
    admin.post("/v1/schedules", json=HOURLY)
    assert owner.client.delete("/v1/schedules/hourly").status_code == 403
    assert owner.client.patch("/v1/schedules/hourly", json={"enabled": False}).status_code == 403
