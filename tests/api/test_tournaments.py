"""Tournaments over HTTP: announced, entered, played to the end, published."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from arena.ops.service import Service
from arena.ratings.results import collect
from arena.records.record import parse_record
from arena.records.verify import verify
from tests.api.arenas import announce as announce_now
from tests.api.arenas import lock, now_ms, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient

CUP: dict[str, Any] = {
    "name": "Friday <cup>",
    "kind": "toepen",
    "format": "round_robin",
    "rules": {"seats": 2},
}


class Event:
    """A tournament of the app, and the worker that plays it."""

    def __init__(self, app: Flask, client: ContractClient, **fields: Any) -> None:
        self.client = client
        self.services: Service = app.extensions["botequim"]
        self.id = announce_now(client, {**CUP, **fields})

    @property
    def path(self) -> str:
        return f"/v1/tournaments/{self.id}"

    @property
    def view(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(self.path).json
        return found

    def lock(self) -> None:
        """End the entry."""
        lock(self.services, self.id)

    def play(self) -> dict[str, Any]:
        """As the workers do, until it is over."""
        play(self.services, self.id)
        return self.view


@pytest.fixture
def announce(app: Flask, owner: Account) -> Callable[..., Event]:
    """Announces tournaments of ``owner``."""

    def make(client: ContractClient = owner.client, **fields: Any) -> Event:
        return Event(app, client, **fields)

    return make


HOUSE = ["rookie", "random", "rookie+2"]


# Announcing


def test_a_tournament_has_its_defaults_and_a_commitment(announce: Callable[..., Event]) -> None:
    event = announce()
    view = event.view
    assert view["state"] == "entry"
    assert view["created_by"] == "ana"
    assert (view["preset"], view["rules"]["seats"]) == ("duel@1", 2)
    assert view["rules"]["max_exchanges"] == 6
    assert (view["groups"], view["rounds"], view["max_entries"]) == (1, 1, 64)
    assert len(view["commitment"]) == 64
    assert view["seed"] is None
    assert view["entries"] == []
    assert view["rated"] is False


def test_tournaments_of_admins_count_for_the_leaderboards(
    announce: Callable[..., Event], admin: ContractClient
) -> None:
    assert announce(admin).view["rated"] is True
    assert announce(admin, rated=False).view["rated"] is False


def test_only_the_rules_of_a_preset_count_for_the_leaderboards(
    announce: Callable[..., Event], admin: ContractClient
) -> None:
    body = {**CUP, "rules": {"seats": 2, "lives": 1}}
    view = admin.post("/v1/tournaments", json=body).json
    assert (view["preset"], view["rated"]) == (None, False)
    refused = admin.post("/v1/tournaments", json={**body, "rated": True})
    assert (refused.status_code, refused.json["code"], refused.json["field"]) == (
        422,
        "invalid_tournament",
        "rated",
    )
    assert "a tournament whose rules match no preset cannot be rated" in refused.json["detail"]
    both = admin.post("/v1/tournaments", json={**body, "preset": "duel@1"})
    assert (both.json["code"], both.json["field"]) == ("invalid_tournament", "preset")
    lasting = {
        "id": "lasting",
        "cron": "0 * * * *",
        "tournament": {**body, "auto_enter": True},
        "until_groups": 9,
    }
    refused = admin.post("/v1/schedules", json=lasting)
    assert (refused.json["code"], refused.json["field"]) == ("invalid_schedule", "tournament.rated")


@pytest.mark.parametrize(
    ("fields", "status", "code", "field"),
    [
        ({"kind": "chess"}, 404, "kind_not_found", "kind"),
        ({"rules": {"lives": 999}}, 422, "invalid_option", "rules.lives"),
        ({"format": "ladder"}, 422, "invalid", "format"),
        ({"format": "open"}, 422, "invalid_tournament", "ends_ms"),
        ({"groups": 0}, 422, "invalid", "groups"),
        ({"format": "swiss", "max_entries": 1}, 422, "invalid", "max_entries"),
        ({"rules": {"seats": 5}, "max_entries": 4}, 422, "too_few_entrants", "entries"),
        ({"locks_ms": 5}, 422, "invalid_tournament", "locks_ms"),
        ({"partners": "mixed"}, 422, "invalid", "partners"),
        ({"invited": ["rookie"]}, 422, "invalid_tournament", "invited"),
        ({"who": "invited", "invited": ["nobody"]}, 422, "invalid_tournament", "invited"),
        ({"who": "invited", "invited_owners": ["nobody"]}, 422, "invalid_tournament", "invited_owners"),
        ({"invited_owners": ["ana"]}, 422, "invalid_tournament", "invited_owners"),
        ({"hidden": True}, 422, "invalid_tournament", "who"),
        ({"hidden": True, "who": "invited", "invited": ["rookie"]}, 422, "invalid_tournament", "invited"),
        ({"tie_breaks": ["coin"]}, 422, "invalid", "tie_breaks.0"),
        ({"house": ["deep-blue"]}, 422, "invalid_tournament", "house"),
        ({"house": ["rookie", "rookie"]}, 409, "already_entered", "bot"),
        ({"clock": {"per_turn_ms": 1}}, 422, "invalid", "clock.per_turn_ms"),
        ({"prize": 100}, 422, "invalid", "prize"),
        ({"rated": True}, 422, "invalid_tournament", "rated"),
    ],
)
def test_what_cannot_be(owner: Account, fields: dict[str, Any], status: int, code: str, field: str) -> None:
    response = owner.client.post("/v1/tournaments", json={**CUP, **fields})
    assert (response.status_code, response.json["code"], response.json["field"]) == (status, code, field)
    assert response.json["expected"]
    assert owner.client.get("/v1/tournaments").json["tournaments"] == []


def test_only_owners_and_admins_announce(
    anybody: ContractClient, admin: ContractClient, register: Callable[..., Account]
) -> None:
    assert anybody.post("/v1/tournaments", json=CUP).status_code == 401
    assert register("zap-bot").client.post("/v1/tournaments", json=CUP).status_code == 403
    assert admin.post("/v1/tournaments", json=CUP).json["created_by"] == ""


def test_lists(announce: Callable[..., Event], anybody: ContractClient) -> None:
    made = [announce(name=f"Cup {number}", locks_ms=now_ms() + 60_000).id for number in range(3)]
    truco = announce(kind="truco", rules={}, opens_ms=now_ms() + 60_000, locks_ms=now_ms() + 90_000).id

    def ids(query: str) -> list[str]:
        return [one["id"] for one in anybody.get(f"/v1/tournaments{query}").json["tournaments"]]

    assert ids("") == [truco, *reversed(made)]
    assert ids("?kind=truco") == ids("?state=announced") == [truco]
    assert ids("?state=entry&kind=toepen") == made[::-1]
    first = anybody.get("/v1/tournaments?limit=3").json
    rest = anybody.get(f"/v1/tournaments?limit=3&cursor={first['cursor']}").json
    assert [one["id"] for one in first["tournaments"] + rest["tournaments"]] == [truco, *reversed(made)]
    assert rest["cursor"] is None
    assert anybody.get("/v1/tournaments?cursor=nonsense").json["code"] == "invalid_cursor"
    assert anybody.get("/v1/tournaments?state=asleep").json["field"] == "state"


@pytest.mark.parametrize("path", ["", "/standings", "/groups", "/records", "/events"])
def test_unknown_tournaments(anybody: ContractClient, path: str) -> None:
    for name in ("nothing", "a/../b".replace("/", "%2F"), "x" * 100):
        response = anybody.get(f"/v1/tournaments/{name}{path}")
        assert response.status_code == 404
    assert anybody.get(f"/v1/tournaments/nothing{path}").json["code"] == "tournament_not_found"


# Entering


def test_entering_and_leaving(announce: Callable[..., Event], register: Callable[..., Account]) -> None:
    event = announce(locks_ms=now_ms() + 60_000)
    zap, pica = register("zap-bot"), register("pica-bot", version="2.0")
    entry = event.client.post(f"{event.path}/entries", json={"bot": "zap-bot", "nonce": "sete"}).json
    assert (entry["bot"], entry["version"], entry["owner"], entry["nonce"]) == ("zap-bot", "1", "ana", "sete")
    assert pica.client.post(f"{event.path}/entries", json={"bot": "pica-bot"}).status_code == 200
    again = zap.client.post(f"{event.path}/entries", json={"bot": "zap-bot", "nonce": "espada"}).json
    assert again["nonce"] == "espada"
    assert {one["bot"] for one in event.view["entries"]} == {"zap-bot", "pica-bot"}
    left = zap.client.delete(f"{event.path}/entries/zap-bot")
    assert (left.status_code, left.json["status"]) == (200, "withdrawn")
    unknown = zap.client.delete(f"{event.path}/entries/rookie")
    assert (unknown.status_code, unknown.json["code"]) == (404, "entry_not_found")


def test_who_may_not_enter(
    announce: Callable[..., Event], register: Callable[..., Account], sign_up: Callable[..., Account]
) -> None:
    event = announce(locks_ms=now_ms() + 60_000, per_owner=1)
    zap, other = register("zap-bot"), sign_up("bia")
    pica = register("pica-bot")

    def refused(client: ContractClient, bot: str, where: Event = event) -> tuple[int, str]:
        response = client.post(f"{where.path}/entries", json={"bot": bot})
        return response.status_code, response.json["code"]

    assert refused(other.client, "zap-bot") == (403, "forbidden")
    assert refused(pica.client, "zap-bot") == (403, "forbidden")
    assert refused(other.client, "rookie") == (403, "forbidden")
    assert refused(zap.client, "nobody") == (404, "bot_not_found")
    assert zap.client.post(f"{event.path}/entries", json={"bot": "zap-bot"}).status_code == 200
    assert refused(pica.client, "pica-bot") == (409, "too_many_of_owner")
    house = announce(locks_ms=now_ms() + 60_000, who="house")
    assert refused(zap.client, "zap-bot", house) == (403, "not_invited")
    full = announce(locks_ms=now_ms() + 60_000, max_entries=2, house=["rookie", "random"])
    assert refused(zap.client, "zap-bot", full) == (409, "tournament_full")
    closed = announce()
    closed.lock()
    assert refused(zap.client, "zap-bot", closed) == (409, "entry_closed")
    withdrawn = event.client.patch("/v1/bots/pica-bot", json={"state": "withdrawn"})
    assert withdrawn.status_code == 200
    assert refused(pica.client, "pica-bot", announce(locks_ms=now_ms() + 60_000)) == (409, "bot_withdrawn")


# Cancelling


def test_cancelling(
    announce: Callable[..., Event], sign_up: Callable[..., Account], admin: ContractClient
) -> None:
    event = announce(locks_ms=now_ms() + 60_000)
    assert sign_up("bia").client.post(f"{event.path}/cancel", json={"reason": "no"}).status_code == 403
    assert event.client.post(f"{event.path}/cancel", json={}).json["field"] == "reason"
    cancelled = event.client.post(f"{event.path}/cancel", json={"reason": "rain"}).json
    assert (cancelled["state"], cancelled["reason"]) == ("cancelled", "rain")
    other = announce(locks_ms=now_ms() + 60_000)
    assert admin.post(f"{other.path}/cancel", json={"reason": "abuse"}).json["state"] == "cancelled"
    entry = admin.get("/v1/admin/audit").json["entries"][0]
    assert (entry["action"], entry["subject"], entry["detail"]) == (
        "cancel tournament",
        f"tournament {other.id}",
        "abuse",
    )


def test_a_finished_tournament_cannot_be_changed(announce: Callable[..., Event]) -> None:
    event = announce(house=["rookie", "random"])
    assert event.play()["state"] == "finished"
    cancel = event.client.post(f"{event.path}/cancel", json={"reason": "late"})
    assert (cancel.status_code, cancel.json["code"]) == (409, "tournament_over")
    leave = event.client.delete(f"{event.path}/entries/rookie")
    assert (leave.status_code, leave.json["code"]) == (409, "tournament_over")


# Played to the end


def test_a_round_robin_of_house_bots(
    announce: Callable[..., Event], admin: ContractClient, anybody: ContractClient
) -> None:
    event = announce(admin, house=HOUSE, groups=2)
    over = event.play()
    assert over["state"] == "finished"
    progress = over["progress"]
    assert (progress["done"], progress["planned"], progress["games"]) == (6, 6, 12)
    assert len(over["seed"]) == 64
    groups = anybody.get(f"{event.path}/groups").json["groups"]
    assert [group["state"] for group in groups] == ["done"] * 6
    standings = anybody.get(f"{event.path}/standings").json
    assert sorted(row["name"] for row in standings["rows"]) == sorted(HOUSE)
    assert standings["records_hash"] == over["records_hash"]
    records = anybody.get(f"{event.path}/records").text.splitlines()
    assert len(records) == 12
    for line in records:
        verify(json.loads(line))
    found = collect(parse_record(line) for line in records)
    assert sum(len(group.games) for group in found) == 12
    one = anybody.get(f"{event.path}/records?group={groups[0]['id']}").text.splitlines()
    assert [json.loads(line)["canonical"]["group"]["id"] for line in one] == [
        f"{event.id}-{groups[0]['id']}"
    ] * 2
    assert anybody.get("/v1/records").text.splitlines() == records


def test_a_knockout_is_placed_by_who_went_out_when(
    announce: Callable[..., Event], anybody: ContractClient
) -> None:
    event = announce(format="knockout", house=[*HOUSE, "random+2", "rookie+3"])
    over = event.play()
    rows = anybody.get(f"{event.path}/standings").json["rows"]
    assert [(row["name"], row["place"]) for row in rows] == [
        (place["name"], place["place"]) for place in over["places"]
    ]
    assert [row["place"] for row in rows] == [1, 2, 3, 4, 5]
    finalists = {
        name for group in _groups(anybody, event) if group["round"] == 3 for name in group["players"]
    }
    assert finalists == {row["name"] for row in rows[:4]}


def _groups(client: ContractClient, event: Event) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"{event.path}/groups?limit=100").json["groups"]
    return found


def test_standings_as_csv_and_text(announce: Callable[..., Event], anybody: ContractClient) -> None:
    event = announce(house=HOUSE)
    event.play()
    table = anybody.get(f"{event.path}/standings?format=csv")
    assert table.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(table.text)))
    told = anybody.get(f"{event.path}/standings").json["rows"]
    assert [(row["name"], float(row["points"])) for row in rows] == [
        (row["name"], row["points"]) for row in told
    ]
    text = anybody.get(f"{event.path}/standings?format=text")
    assert text.mimetype == "text/plain"
    assert all(name in text.text for name in HOUSE)
    assert anybody.get(f"{event.path}/standings?format=xml").json["field"] == "format"


def test_groups_come_in_pages(announce: Callable[..., Event], anybody: ContractClient) -> None:
    event = announce(house=HOUSE, groups=2)
    event.play()
    whole = anybody.get(f"{event.path}/groups").json["groups"]
    seen: list[Any] = []
    cursor = ""
    while cursor is not None:
        page = anybody.get(f"{event.path}/groups?limit=4{cursor and '&cursor=' + cursor}").json
        seen += page["groups"]
        cursor = page["cursor"]
    assert seen == whole
    assert anybody.get(f"{event.path}/groups?cursor=-1").json["code"] == "invalid_cursor"


# Watching


def test_looking_again(announce: Callable[..., Event], anybody: ContractClient) -> None:
    event = announce(locks_ms=now_ms() + 60_000)
    first = anybody.get(event.path)
    etag = first.headers["ETag"]
    assert anybody.get(event.path, headers={"If-None-Match": etag}).status_code == 304
    since = first.json["version"]
    assert anybody.get(f"{event.path}?since={since}").status_code == 204
    event.client.post(f"{event.path}/entries", json={"bot": "rookie"})
    assert anybody.get(event.path, headers={"If-None-Match": etag}).status_code == 200
    changed = anybody.get(f"{event.path}?since={since}").json
    assert changed["version"] > since
    assert [entry["bot"] for entry in changed["entries"]] == ["rookie"]


def test_the_stream_of_a_tournament(announce: Callable[..., Event], anybody: ContractClient) -> None:
    event = announce(house=["rookie", "random"])
    event.play()
    messages = anybody.get(f"{event.path}/events").get_data(as_text=True)
    _, message = messages.split("\n\n")[:2]
    lines = dict(line.split(": ", 1) for line in message.splitlines())
    assert lines["event"] == "tournament"
    told = json.loads(lines["data"])
    assert (told["state"], str(told["version"])) == ("finished", lines["id"])
    rest = anybody.get(f"{event.path}/events", headers={"Last-Event-ID": lines["id"]})
    assert "data:" not in rest.get_data(as_text=True)
    bad = anybody.get(f"{event.path}/events", headers={"Last-Event-ID": "x"})
    assert bad.json["code"] == "invalid_cursor"


# Annulling


def test_an_annulled_group_counts_for_nobody(
    announce: Callable[..., Event], anybody: ContractClient, admin: ContractClient
) -> None:
    event = announce(house=HOUSE, groups=2)
    before = event.play()
    group = anybody.get(f"{event.path}/groups").json["groups"][0]
    path = f"/v1/admin/games/{group['games'][0]}/annul"
    assert event.client.post(path, json={"reason": "no"}).status_code == 403
    told = admin.post(path, json={"reason": "the hall was on fire"}).json
    assert (told["group"], told["reason"], told["by"]) == (group["id"], "the hall was on fire", "admin")
    assert admin.post(path, json={"reason": "again"}).status_code == 200
    now = anybody.get(f"{event.path}/groups").json["groups"][0]
    assert now["state"] == "void"
    standings = anybody.get(f"{event.path}/standings").json
    assert standings["groups"] == 5
    assert event.view["records_hash"] == standings["records_hash"] != before["records_hash"]
    lines = anybody.get(f"{event.path}/records").text.splitlines()
    annulled = [line for line in map(json.loads, lines) if line["info"].get("annulled")]
    assert {record["canonical"]["group"]["id"] for record in annulled} == {f"{event.id}-{group['id']}"}
    assert len(lines) == 12
    assert admin.get("/v1/admin/audit").json["entries"][0]["action"] == "annul game"


def test_all_groups_between_two_owners(owner: Account, admin: ContractClient) -> None:
    path, body = "/v1/admin/annulments", {"owners": ["ana", "bia"], "reason": "arranged"}
    assert owner.client.post(path, json=body).status_code == 403
    assert admin.post(path, json=body).json == {"annulled": 0, "cursor": None}
    (entry,) = admin.get("/v1/admin/audit?limit=1").json["entries"]
    assert [entry[name] for name in ("action", "subject", "detail")] == [
        "annul games",
        "owners ana bia",
        "arranged",
    ]
    for wrong in ({"owners": ["ana"]}, {"owners": "ana"}, {"reason": ""}, {"cursor": "x"}):
        assert admin.post(path, json={**body, **wrong}).status_code == 422


def test_what_cannot_be_annulled(announce: Callable[..., Event], admin: ContractClient) -> None:
    def refused(name: str) -> tuple[int, str]:
        response = admin.post(f"/v1/admin/games/{name}/annul", json={"reason": "x"})
        return response.status_code, response.json["code"]

    event = announce(house=["rookie", "random"])
    event.lock()
    assert event.services.tournaments.step(event.id).state == "running"
    assert refused("nothing") == (404, "game_not_found")
    assert refused(f"{event.id}-r9-p9-g9-1") == (404, "game_not_found")
    assert refused(f"{event.id}-r1-p1-g1-1") == (409, "group_not_over")


def test_suspicions_are_for_admins(
    announce: Callable[..., Event], owner: Account, admin: ContractClient
) -> None:
    announce(house=HOUSE).play()
    where = "/v1/admin/suspicions?kind=toepen&division=sealed"
    assert owner.client.get(where).status_code == 403
    assert admin.get(where).json == {"suspicions": [], "copies": []}
    assert admin.get("/v1/admin/suspicions").json["field"] == "kind"
