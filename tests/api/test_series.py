"""Series over HTTP, by commands and on pages: who may change one, when it is done, and who sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from arena.cli import botequim
from arena.events.tournament import Tournament
from arena.ops.service import Service
from arena.ratings.series import recomputed
from arena.store.tournaments import NewGroup, TournamentRow
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

HOUSE = {"rookie": "ana", "random": "bia", "regular": ""}


@pytest.fixture
def cups(services: Service, owner: Account) -> list[str]:
    """Three finished tournaments of house bots, of which two count as bots of ``ana`` and ``bia``: bots of
    owners are in the system test of a class.
    """
    cups = []
    body = {"kind": "toepen", "preset": "duel@1", "format": "round_robin"}
    for week in range(1, 4):
        cups.append(announce(owner.client, {**body, "name": f"Week {week}", "house": list(HOUSE)}))
        play(services, cups[-1])

        def own(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup]:
            for entry in tournament.entries:
                entry.owner = HOUSE[entry.name]
            return ()

        services.tournaments.lifecycle.change(cups[-1], own)
    return cups


def create(account: Account, **fields: Any) -> Any:
    response = account.client.post("/v1/series", json={"name": "Autumn", **fields})
    assert response.status_code == 201, response.text
    return response.json


def test_a_season(owner: Account, cups: list[str], anybody: ContractClient) -> None:
    made = create(owner, tournaments=cups[:2], points=[10, 6], best=1)
    assert (made["owner"], made["by"], made["done"]) == ("ana", "owner", False)
    table = anybody.get(f"/v1/series/{made['id']}/table").json
    assert {row["name"] for row in table["rows"]} == {"ana", "bia"}
    assert [len(row["results"]) for row in table["rows"]] == [2, 2]
    assert recomputed(table).as_json() == table
    assert [one["id"] for one in table["inputs"]] == cups[:2]
    changed = owner.client.patch(f"/v1/series/{made['id']}", json={"tournaments": cups, "best": None}).json
    assert (changed["tournaments"], changed["best"], changed["points"]) == (cups, None, [10, 6])
    after = anybody.get(f"/v1/series/{made['id']}/table").json
    assert after["inputs_hash"] != table["inputs_hash"]
    assert sum(row["points"] for row in after["rows"]) == 3 * 16
    csv = anybody.get(f"/v1/series/{made['id']}/table?format=csv").text
    assert csv.startswith(f"place,owner,points,{','.join(cups)}\n")


def test_unfinished_tournaments_wait(owner: Account, anybody: ContractClient) -> None:
    cup = announce(owner.client, {"name": "Later", "kind": "toepen", "format": "round_robin"})
    made = create(owner, tournaments=[cup])
    table = anybody.get(f"/v1/series/{made['id']}/table").json
    assert (table["inputs"], table["rows"]) == ([], [])


def test_done_is_done(owner: Account, cups: list[str], anybody: ContractClient, services: Service) -> None:
    series = create(owner, tournaments=cups[:1])["id"]
    before = anybody.get(f"/v1/series/{series}/table").json
    assert owner.client.patch(f"/v1/series/{series}", json={"done": True}).json["done"] is True
    for body in ({"name": "Winter"}, {"done": True}, {"tournaments": cups}):
        response = owner.client.patch(f"/v1/series/{series}", json=body)
        assert (response.status_code, response.json["code"]) == (409, "series_done")
    game = services.tournaments.groups(cups[0]).items[0]["games"][0]
    services.tournaments.annul(game, "admin", "fire alarm")
    assert anybody.get(f"/v1/series/{series}/table").json == before
    assert owner.client.patch(f"/v1/series/{series}", json={"done": False}).status_code == 422


def test_only_its_owner_changes_it(
    owner: Account, sign_up: Callable[..., Account], admin: ContractClient, anybody: ContractClient
) -> None:
    series = create(owner)["id"]
    other = sign_up("bia")
    for response in (
        other.client.patch(f"/v1/series/{series}", json={"name": "Mine"}),
        other.client.delete(f"/v1/series/{series}"),
    ):
        assert (response.status_code, response.json["code"]) == (403, "forbidden")
    assert admin.patch(f"/v1/series/{series}", json={"name": "Fall"}).json["name"] == "Fall"
    assert [one["id"] for one in anybody.get("/v1/series?owner=ana").json["series"]] == [series]
    assert anybody.get("/v1/series?owner=bia").json["series"] == []
    assert owner.client.delete(f"/v1/series/{series}").status_code == 204
    assert anybody.get(f"/v1/series/{series}").json["code"] == "series_not_found"


def test_who_may_see_a_tournament_may_see_the_series(
    owner: Account, cups: list[str], anybody: ContractClient, app: Flask
) -> None:
    body = {"kind": "toepen", "format": "swiss", "name": "Secret", "who": "invited", "hidden": True}
    series = create(owner, tournaments=[*cups, announce(owner.client, body)])["id"]
    assert anybody.get("/v1/series").json["series"] == []
    for where in ("", "/table"):
        assert anybody.get(f"/v1/series/{series}{where}").status_code == 404
        assert owner.client.get(f"/v1/series/{series}{where}").status_code == 200
    assert Browser(app).get(f"/series/{series}").status_code == 404


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"points": [1, 2]}, "invalid_series", "points"),
        ({"tie_breaks": ["wins", "wins"]}, "invalid_series", "tie_breaks"),
        ({"tournaments": ["nothing"]}, "tournament_not_found", "tournament"),
        ({"name": "x\ny"}, "invalid_series", "name"),
        ({"best": 0}, "invalid", "best"),
    ],
)
def test_mistakes(owner: Account, fields: dict[str, Any], code: str, field: str) -> None:
    response = owner.client.post("/v1/series", json={"name": "Autumn", **fields})
    assert response.status_code in (404, 422)
    assert (response.json["code"], response.json["field"]) == (code, field)


def test_the_commands(owner: Account, cups: list[str], online: list[str], tmp_path: Path) -> None:
    run, mine = CliRunner().invoke, ["--token", owner.token, *online]
    create_it = ["series", "create", "Autumn", "--tournament", cups[0], "--points", "10,6", "--best", "2"]
    series = run(botequim, [*create_it, *mine]).output.strip()
    assert run(botequim, ["series", "add", series, *cups[1:], *mine]).output == "Autumn: 3 tournaments\n"
    assert run(botequim, ["series", "remove", series, cups[2], *mine]).output == "Autumn: 2 tournaments\n"
    assert f"{series}  Autumn  ana    no " in run(botequim, ["series", "list", *online]).output
    shown = run(botequim, ["series", "show", series, *online]).output
    assert "1: Week 1" in shown
    file = tmp_path / "table.json"
    file.write_text(run(botequim, ["series", "show", series, "--format", "json", *online]).output)
    assert run(botequim, ["series", "verify", str(file)]).output == shown
    data = json.loads(file.read_text())
    data["rows"][0]["points"] = 1000
    file.write_text(json.dumps(data))
    assert "do not match" in str(run(botequim, ["series", "verify", str(file)]).exception)
    assert run(botequim, ["series", "done", series, *mine]).output == "Autumn: 2 tournaments, done\n"
    assert run(botequim, ["series", "delete", series, *mine]).exit_code == 0


def test_the_pages(owner: Account, cups: list[str], app: Flask) -> None:
    browser, guest = Browser(app), Browser(app)
    browser.sign_in(owner.token)
    assert "/series" in check_page(guest.get("/tournaments")).links
    check_page(browser.get("/series"))
    check_page(browser.get("/series/new"))
    values = {"name": "Autumn", "tournaments": cups[0], "points": "10, 6", "best": "", "by": "owner"}
    values["tie_breaks"] = "wins, last"
    wrong = browser.send("/series/new", {**values, "points": "6, 10"})
    assert wrong.status_code == 422
    assert "a later place has more points" in wrong.text
    made = browser.send("/series/new", values)
    assert made.status_code == 303
    where = made.headers["Location"]
    page = check_page(browser.get(where))
    assert "Change it" in page.html
    saved = browser.send(where, {**values, "tournaments": "\n".join(cups), "best": "2"})
    assert saved.status_code == 303
    public = check_page(guest.get(where))
    assert "Change it" not in public.html
    assert "The best 2 results count" in public.html
    assert public.html.count("Week") >= 3
    assert where in check_page(guest.get("/series")).links
    browser.send(where, {"done": "1"})
    assert "Change it" not in browser.get(where).text
