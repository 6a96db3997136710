"""Clones of tournaments, results per owner, brackets as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

from arena.cli import run
from arena.events.owner_results import HEADINGS, results_csv
from arena.ops.service import Service
from arena.text import csv_text
from tests.api.arenas import announce as announce_now
from tests.api.arenas import now_ms, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient

HOUR = 3_600_000
CUP: dict[str, Any] = {
    "name": "Cup",
    "kind": "toepen",
    "format": "knockout",
    "rules": {"seats": 2, "lives": 2},
    "groups": 2,
    "house": ["rookie", "random", "rookie+2", "random+2"],
    "description": "Weekly.",
    "who": "invited",
    "invited": ["regular"],
}


def test_a_clone_has_the_settings_and_another_seed(
    services: Service, owner: Account, register: Callable[..., Account], anybody: ContractClient
) -> None:
    register("zap-bot")
    event = announce_now(owner.client, CUP)
    play(services, event)
    old = anybody.get(f"/v1/tournaments/{event}").json
    starts = now_ms() + HOUR
    made = owner.client.post(
        f"/v1/tournaments/{event}/clone", json={"locks_ms": starts, "name": "Second cup"}
    )
    assert made.status_code == 201
    new = made.json
    same = {
        "kind",
        "rules",
        "format",
        "groups",
        "description",
        "who",
        "invited",
        "clock",
        "max_entries",
        "rated",
    }
    assert {name: new[name] for name in same} == {name: old[name] for name in same}
    assert [one["bot"] for one in new["entries"]] == [one["bot"] for one in house_of(old)]
    assert (new["name"], new["locks_ms"], new["state"]) == ("Second cup", starts, "entry")
    assert (new["created_by"], new["edits"], new["seed"]) == ("ana", [], None)
    assert new["commitment"] != old["commitment"]
    assert new["id"] != event


def house_of(view: dict[str, Any]) -> list[dict[str, Any]]:
    """The house bots of a tournament by seed, in the order in which a clone enters them."""
    return [one for one in view["entries"] if one["house"]]


def test_who_clones(
    owner: Account, sign_up: Callable[..., Account], admin: ContractClient, anybody: ContractClient
) -> None:
    event = admin.post("/v1/tournaments", json={**CUP, "rules": {"seats": 2}}).json["id"]
    where, body = f"/v1/tournaments/{event}/clone", {"locks_ms": now_ms() + HOUR}
    assert owner.client.post(where, json=body).json["code"] == "forbidden"
    assert anybody.post(where, json=body).status_code == 401
    assert admin.post(where, json=body).json["rated"] is True
    own = announce_now(owner.client, {**CUP, "rules": {"seats": 2}})
    cloned = admin.post(f"/v1/tournaments/{own}/clone", json=body).json
    assert (cloned["rated"], cloned["created_by"]) == (False, "")
    assert owner.client.post(f"/v1/tournaments/{own}/clone", json={}).json["field"] == "locks_ms"
    past = owner.client.post(f"/v1/tournaments/{own}/clone", json={"locks_ms": 5})
    assert past.json["code"] == "invalid_tournament"


def test_a_clone_of_a_timed_one_lasts_as_long(owner: Account) -> None:
    starts = now_ms() + HOUR
    body = {**CUP, "format": "open", "locks_ms": starts, "ends_ms": starts + 2 * HOUR}
    event = announce_now(owner.client, body)
    known = owner.client.get(f"/v1/tournaments/{event}").json
    new = owner.client.post(f"/v1/tournaments/{event}/clone", json={"locks_ms": starts + 9 * HOUR}).json
    assert new["ends_ms"] - new["locks_ms"] == known["ends_ms"] - known["locks_ms"]


def test_results_per_owner(
    services: Service,
    owner: Account,
    register: Callable[..., Account],
    sign_up: Callable[..., Account],
    anybody: ContractClient,
) -> None:
    register("zap-bot")
    pia = sign_up("pia")
    register("pica-bot", of=pia)
    event = announce_now(owner.client, {**CUP, "who": "anyone", "invited": [], "locks_ms": now_ms() + HOUR})
    for bot, account in (("zap-bot", owner), ("pica-bot", pia)):
        entered = account.client.post(f"/v1/tournaments/{event}/entries", json={"bot": bot})
        assert entered.status_code == 200
    assert pia.client.delete(f"/v1/tournaments/{event}/entries/pica-bot").status_code == 200
    assert owner.client.delete(f"/v1/tournaments/{event}/entries/zap-bot").status_code == 200
    play(services, event)
    answer = anybody.get(f"/v1/tournaments/{event}/results.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert tuple(rows[0]) == HEADINGS
    assert [(row["owner"], row["bot"], row["status"]) for row in rows[:2]] == [
        ("ana", "zap-bot", "withdrawn"),
        ("pia", "pica-bot", "withdrawn"),
    ]
    assert [(row["owner"], row["place"]) for row in rows[2:]] == [("", "1"), ("", "2"), ("", "3"), ("", "4")]
    standings = anybody.get(f"/v1/tournaments/{event}/standings").json["rows"]
    for row, known in zip(rows[2:], standings, strict=True):
        assert (row["bot"], float(row["points"]), int(row["faults"])) == (
            known["name"],
            known["points"],
            known["faults"],
        )


def test_cells_are_no_formulas() -> None:
    table = csv_text(("a", "b"), [("=1+1", -5), ("\tx", "\r@y"), ("+1", "@y"), ("-1", "y=1")])
    assert list(csv.reader(io.StringIO(table, newline="")))[1:] == [
        ["'=1+1", "-5"],
        ["'\tx", "'\n@y"],
        ["'+1", "'@y"],
        ["'-1", "y=1"],
    ]
    entry = {"owner": "ana", "bot": "b", "version": "=2+5", "status": "failed", "reason": "@x"}
    entry |= {"co_owners": [], "baseline": False}
    assert "'=2+5" in results_csv([entry], [])
    assert "'@x" in results_csv([entry], [])


def test_the_command(
    services: Service,
    owner: Account,
    anybody: ContractClient,
    online: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    event = announce_now(owner.client, {**CUP, "who": "anyone", "invited": []})
    play(services, event)
    assert run(["tournament", "results", event, *online]) == 0
    assert capsys.readouterr().out == anybody.get(f"/v1/tournaments/{event}/results.csv").text
