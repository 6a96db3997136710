"""Edits of tournaments over HTTP: what may be edited when, and the public history."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from arena.events.editing import MAX_EDITS
from arena.ops.service import Service
from tests.api.arenas import announce as announce_now
from tests.api.arenas import lock, now_ms, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient

CUP: dict[str, Any] = {
    "name": "Cup",
    "kind": "toepen",
    "format": "round_robin",
    "rules": {"seats": 2},
    "house": ["rookie", "random"],
}
HOUR = 3_600_000


@pytest.fixture
def cup(app: Flask, owner: Account) -> str:
    return announce_now(owner.client, {**CUP, "locks_ms": now_ms() + HOUR})


def edit(client: ContractClient, event: str, **changes: Any) -> Any:
    return client.patch(f"/v1/tournaments/{event}", json=changes)


def refused(answer: Any) -> tuple[int, str, str]:
    assert answer.json["expected"]
    return answer.status_code, answer.json["code"], answer.json["field"]


def test_before_the_first_entry_everything_can_be_edited(
    owner: Account, cup: str, anybody: ContractClient
) -> None:
    before = anybody.get(f"/v1/tournaments/{cup}").json
    opens, starts = now_ms() + HOUR, now_ms() + 2 * HOUR
    view = edit(
        owner.client,
        cup,
        kind="truco",
        format="swiss",
        rounds=3,
        partners="mixed",
        opens_ms=opens,
        locks_ms=starts,
        house=["regular"],
        groups=5,
        clock={"per_turn_ms": 9000},
        who="invited",
        invited=["regular"],
    ).json
    assert (view["kind"], view["format"], view["rounds"], view["partners"]) == ("truco", "swiss", 3, "mixed")
    assert (view["state"], view["opens_ms"], view["locks_ms"]) == ("announced", opens, starts)
    assert [entry["bot"] for entry in view["entries"]] == ["regular"]
    assert (view["groups"], view["clock"]["per_turn_ms"], view["invited"]) == (5, 9000, ["regular"])
    assert (view["commitment"], view["name"]) == (before["commitment"], "Cup")
    found = {one["field"]: (one["by"], one["old"], one["new"]) for one in view["edits"]}
    assert found["format"] == ("ana", "round_robin", "swiss")
    assert found["house"] == ("ana", ["rookie", "random"], ["regular"])
    assert found["clock"][1]["per_turn_ms"] == before["clock"]["per_turn_ms"]
    assert set(found) >= {"kind", "rules", "rounds", "opens_ms", "locks_ms", "groups", "who", "invited"}
    assert anybody.get(f"/v1/tournaments/{cup}").json["edits"] == view["edits"]
    assert "edits" not in anybody.get("/v1/tournaments").json["tournaments"][0]


def test_a_preset_replaces_the_rules(owner: Account, cup: str) -> None:
    view = edit(owner.client, cup, preset="table-4@1").json
    assert (view["preset"], view["rules"]["seats"]) == ("table-4@1", 4)


def test_after_the_first_entry_little_can_be_edited(
    owner: Account, cup: str, register: Callable[..., Account]
) -> None:
    register("zap-bot")
    assert owner.client.post(f"/v1/tournaments/{cup}/entries", json={"bot": "zap-bot"}).status_code == 200
    known = owner.client.get(f"/v1/tournaments/{cup}").json
    later = known["locks_ms"] + HOUR
    view = edit(
        owner.client,
        cup,
        name="Grand cup",
        description="Bring\ncards.",
        link="https://example.org/cup",
        locks_ms=later,
        max_entries=100,
    ).json
    assert (view["name"], view["description"]) == ("Grand cup", "Bring\ncards.")
    assert (view["link"], view["locks_ms"], view["max_entries"]) == ("https://example.org/cup", later, 100)
    assert [one["field"] for one in view["edits"]] == [
        "name", "description", "link", "max_entries", "locks_ms",
    ]  # fmt: skip
    for changes, code, field in (
        ({"groups": 2}, "not_editable", "groups"),
        ({"name": "Cup", "who": "house", "rounds": 2}, "not_editable", "rounds"),
        ({"house": []}, "not_editable", "house"),
        ({"locks_ms": later - 1}, "invalid_tournament", "locks_ms"),
        ({"max_entries": 99}, "invalid_tournament", "max_entries"),
        ({"max_entries": 512, "link": "ftp://example.org"}, "invalid_tournament", "link"),
    ):
        answer = edit(owner.client, cup, **changes)
        assert refused(answer) == (409 if code == "not_editable" else 422, code, field)
    assert (
        "rounds, who cannot be edited after the first bot has entered"
        in (edit(owner.client, cup, who="house", rounds=2).json["detail"])
    )
    # A bot that has left had read the settings, too.
    assert owner.client.delete(f"/v1/tournaments/{cup}/entries/zap-bot").status_code == 200
    assert edit(owner.client, cup, groups=2).json["code"] == "not_editable"
    assert edit(owner.client, cup, groups=1).json["edits"] == view["edits"]


def test_after_the_lock_the_texts_can_be_edited(services: Service, owner: Account, cup: str) -> None:
    lock(services, cup)
    assert edit(owner.client, cup, name="Running", link="http://x.example/").json["name"] == "Running"
    assert refused(edit(owner.client, cup, max_entries=99)) == (409, "not_editable", "max_entries")
    play(services, cup)
    view = edit(owner.client, cup, description="Thanks to all.").json
    assert (view["state"], view["description"]) == ("finished", "Thanks to all.")
    answer = edit(owner.client, cup, locks_ms=now_ms() + HOUR)
    assert refused(answer) == (409, "not_editable", "locks_ms")
    assert answer.json["expected"] == "only name, description, link"


def test_a_later_deadline_holds(services: Service, owner: Account, cup: str) -> None:
    known = owner.client.get(f"/v1/tournaments/{cup}").json["locks_ms"]
    edit(owner.client, cup, locks_ms=known + HOUR)
    assert services.tournaments.step(cup).due_ms == known + HOUR


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"name": ""}, "invalid", "name"),
        ({"description": "x" * 2001}, "invalid", "description"),
        ({"description": "a\x1b[2J"}, "invalid_tournament", "description"),
        ({"link": "javascript:alert(1)"}, "invalid_tournament", "link"),
        ({"link": "https://bank.example@evil.example/"}, "invalid_tournament", "link"),
        ({"link": "https://"}, "invalid_tournament", "link"),
        ({"link": 'https://x.example/"onclick'}, "invalid_tournament", "link"),
        ({"link": "https://[x"}, "invalid_tournament", "link"),
        ({"format": "open"}, "invalid_tournament", "ends_ms"),
        ({"locks_ms": 5}, "invalid_tournament", "locks_ms"),
        ({"rated": True}, "invalid_tournament", "rated"),
        ({"house": ["deep-blue"]}, "invalid_tournament", "house"),
        ({"rules": {"lives": 999}}, "invalid_option", "rules.lives"),
        ({"kind": "truco", "preset": "duel@1"}, "preset_not_found", "preset"),
        ({"max_entries": 2, "per_owner": 3}, "invalid_tournament", "per_owner"),
        ({"max_entries": 2, "house": ["random", "rookie", "regular"]}, "tournament_full", "bot"),
        ({"seed": "00"}, "invalid", "seed"),
        ({"who": "invited", "invited": ["nobody"]}, "invalid_tournament", "invited"),
        ({"hidden": True, "who": "invited"}, "invalid_tournament", "hidden"),
    ],
)
def test_what_an_edit_cannot_be(
    owner: Account, cup: str, changes: dict[str, Any], code: str, field: str
) -> None:
    before = owner.client.get(f"/v1/tournaments/{cup}").json
    answer = edit(owner.client, cup, **changes)
    assert refused(answer)[1:] == (code, field)
    assert owner.client.get(f"/v1/tournaments/{cup}").json == before


def test_only_whoever_announced_it_edits(
    cup: str,
    sign_up: Callable[..., Account],
    register: Callable[..., Account],
    admin: ContractClient,
    anybody: ContractClient,
) -> None:
    for client in (sign_up("pia").client, register("zap-bot").client):
        assert edit(client, cup, name="Mine").json["code"] == "forbidden"
    assert edit(anybody, cup, name="Mine").status_code == 401
    assert edit(admin, "nothing", name="Mine").json["code"] == "tournament_not_found"
    (change,) = edit(admin, cup, name="Fair cup").json["edits"]
    assert (change["by"], change["old"], change["new"]) == ("admin", "Cup", "Fair cup")
    logged = admin.get("/v1/admin/audit").json["entries"]
    assert (logged[0]["action"], logged[0]["subject"]) == ("edit tournament", f"tournament {cup}")


def test_what_was_sent_is_logged(admin: ContractClient, cup: str) -> None:
    later = datetime.now(UTC) + timedelta(hours=2)
    sent = {"locks_ms": f"{later:%Y-%m-%dT%H:%M:%S}.25+00:00", "link": "https://cup.example"}
    assert edit(admin, cup, **sent).status_code == 200
    # After the request, what it changes is logged by itself.
    assert json.loads(admin.get("/v1/admin/audit").json["entries"][1]["detail"]) == sent


def test_an_admin_may_make_it_count(admin: ContractClient, cup: str) -> None:
    assert edit(admin, cup, rated=True).json["rated"] is True


def test_the_history_is_bounded(owner: Account, cup: str) -> None:
    for number in range(MAX_EDITS):
        assert edit(owner.client, cup, name=f"Cup {number}").status_code == 200
    answer = edit(owner.client, cup, name="One more")
    assert (answer.status_code, answer.json["code"], answer.json["most"]) == (
        409,
        "quota_exceeded",
        MAX_EDITS,
    )
    assert owner.client.get(f"/v1/tournaments/{cup}").json["name"] == f"Cup {MAX_EDITS - 1}"


def test_description_and_link_at_the_announcement(owner: Account) -> None:
    body = {**CUP, "description": " <b>All</b> welcome.\r\nBe kind. ", "link": "https://example.org/?a=1#b"}
    view = owner.client.post("/v1/tournaments", json=body).json
    assert view["description"] == "<b>All</b> welcome.\nBe kind."
    assert (view["link"], view["edits"]) == ("https://example.org/?a=1#b", [])
    plain = owner.client.post("/v1/tournaments", json=CUP).json
    assert (plain["description"], plain["link"]) == ("", "")
