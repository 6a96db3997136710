"""Baseline bots of organisers: they play, and take no place in standings, results or series."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

from click.testing import CliRunner

from arena.cli import botequim
from arena.events.tournament import Tournament
from arena.ops.service import Service
from arena.store.tournaments import NewGroup, TournamentRow
from tests.api.arenas import announce, now_ms, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

CUP: dict[str, Any] = {"name": "Cup", "kind": "toepen", "preset": "duel@1", "format": "round_robin"}
HOUSE = ["rookie", "random", "regular"]


def refused(client: ContractClient, path: str, body: dict[str, Any], method: str = "post") -> tuple[str, str]:
    answer = getattr(client, method)(path, json=body)
    assert answer.status_code == 422, answer.text
    return answer.json["code"], answer.json["field"]


def test_baseline_bots_play_and_take_no_place(
    services: Service, owner: Account, anybody: ContractClient, browser: Browser
) -> None:
    event = announce(owner.client, {**CUP, "house": HOUSE, "baseline": ["regular"], "groups": 3})
    owners = {"rookie": "ana", "random": "bia", "regular": "caio"}

    def own(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup]:
        for entry in tournament.entries:
            entry.owner = owners[entry.name]
        return ()

    play(services, event)
    services.tournaments.lifecycle.change(event, own)
    view = anybody.get(f"/v1/tournaments/{event}").json
    assert view["baseline"] == ["regular"]
    assert {one["bot"] for one in view["entries"] if one["baseline"]} == {"regular"}
    standings = anybody.get(f"/v1/tournaments/{event}/standings").json
    # It meets everybody, and what is gained against it counts, but it is last and has no place.
    assert [(row["place"], row["baseline"], row["groups"]) for row in standings["rows"]] == [
        (1, False, 6),
        (2, False, 6),
        (None, True, 6),
    ]
    assert standings["rows"][2]["name"] == "regular"
    assert all(one["groups"] == 3 for one in standings["crosstable"][2][:2])
    text = anybody.get(f"/v1/tournaments/{event}/standings?format=text").text
    assert "\nbaseline  regular" in text
    table = anybody.get(f"/v1/tournaments/{event}/standings?format=csv").text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(row["place"], row["baseline"]) for row in rows] == [("1", ""), ("2", ""), ("", "baseline")]
    rows = list(csv.DictReader(io.StringIO(anybody.get(f"/v1/tournaments/{event}/results.csv").text)))
    assert {row["bot"]: (row["place"], row["baseline"]) for row in rows} == {
        standings["rows"][0]["name"]: ("1", ""),
        standings["rows"][1]["name"]: ("2", ""),
        "regular": ("", "baseline"),
    }
    page = check_page(browser.get(f"/tournaments/{event}")).html
    assert '<td><span class="note">baseline</span></td>' in page
    assert "Baseline bots take no place" in page
    made = owner.client.post("/v1/series", json={"name": "Autumn", "tournaments": [event]}).json
    season = anybody.get(f"/v1/series/{made['id']}/table").json
    assert {row["name"] for row in season["rows"]} == {"ana", "bia"}
    assert {row["name"] for row in season["inputs"][0]["rows"]} == {"rookie", "random"}
    feed = anybody.get("/feeds/results.atom").text
    assert "regular" not in feed
    assert "2. " in feed


def test_organisers_enter_their_own_beyond_the_limits(
    owner: Account, register: Callable[..., Account], sign_up: Callable[..., Account]
) -> None:
    pia = sign_up("pia")
    for name in ("first", "second", "third"):
        register(name)
    register("other", of=pia)
    event = announce(
        owner.client,
        {**CUP, "who": "invited", "invited_owners": ["ana"], "per_owner": 1, "baseline": ["second", "third"]},
    )
    entries = f"/v1/tournaments/{event}/entries"
    for bot, baseline in (("second", True), ("first", False), ("third", True)):
        entered = owner.client.post(entries, json={"bot": bot})
        assert (entered.status_code, entered.json["baseline"]) == (200, baseline), entered.text
    assert pia.client.post(entries, json={"bot": "other"}).json["code"] == "not_invited"


def test_whose_bots_may_be_baseline(
    owner: Account, register: Callable[..., Account], sign_up: Callable[..., Account]
) -> None:
    pia = sign_up("pia")
    register("own")
    register("other", of=pia)
    starts = now_ms() + 3_600_000
    body = {**CUP, "locks_ms": starts}
    wrong = ("invalid_tournament", "baseline")
    for names in (["other"], ["nobody"], ["own", "own"]):
        assert refused(owner.client, "/v1/tournaments", {**body, "baseline": names}) == wrong
        assert refused(owner.client, "/v1/tournament-dry-runs", {**body, "baseline": names}) == wrong
    knockout = {**body, "format": "knockout", "baseline": ["own"]}
    assert refused(owner.client, "/v1/tournaments", knockout) == wrong
    schedule = {"id": "weekly", "cron": "0 * * * *", "tournament": {**CUP, "baseline": ["other"]}}
    assert refused(owner.client, "/v1/schedules", schedule) == wrong
    event = announce(owner.client, {**body, "baseline": ["own"]})
    path = f"/v1/tournaments/{event}"
    assert refused(owner.client, path, {"format": "knockout"}, "patch") == wrong
    assert refused(owner.client, path, {"baseline": ["other"]}, "patch") == wrong
    # A co-organiser's may be, and those of nobody who does not organise the clone.
    for client in (owner.client, pia.client):
        assert client.put(f"{path}/organisers/pia").status_code == 200
    edited = owner.client.patch(path, json={"baseline": ["other", "own"]})
    assert edited.json["baseline"] == ["other", "own"], edited.text
    assert pia.client.post(f"{path}/entries", json={"bot": "other"}).json["baseline"]
    cloned = pia.client.post(f"{path}/clone", json={"locks_ms": starts}).json
    assert (cloned["created_by"], cloned["baseline"]) == ("pia", ["other"])
    late = owner.client.patch(path, json={"baseline": []})
    assert (late.status_code, late.json["code"]) == (409, "not_editable")


def test_the_forms(
    browser: Browser, owner: Account, register: Callable[..., Account], services: Service
) -> None:
    register("own")
    new = "/tournaments/new"
    assert 'name="baseline"' in browser.get(f"{new}?kind=toepen").text
    values = {"kind": "toepen", "name": "Cup", "format": "round_robin", "preset": "duel@1"}
    wrong = browser.send(new, {**values, "baseline": "nobody"}, page=f"{new}?kind=toepen")
    assert (wrong.status_code, "cannot be a baseline bot" in wrong.text) == (422, True)
    sent = browser.send(
        new, {**values, "baseline": "own, rookie", "house": ["rookie"]}, page=f"{new}?kind=toepen"
    )
    event = sent.location.rpartition("/")[2]
    view = services.tournaments.view(event)
    assert view["baseline"] == ["own", "rookie"]
    assert [(one["bot"], one["baseline"]) for one in view["entries"]] == [("rookie", True)]
    edit = f"/tournaments/{event}/edit"
    assert "own, rookie</textarea>" in browser.get(edit).text
    assert (
        browser.send(edit, {"baseline": "own", "house": ["rookie"]}, page=edit).location
        == f"/tournaments/{event}"
    )
    view = services.tournaments.view(event)
    assert view["baseline"] == ["own"]
    assert [one["baseline"] for one in view["entries"]] == [False]
    assert "<option>own</option>" in browser.get(f"/tournaments/{event}").text


def test_the_commands(owner: Account, register: Callable[..., Account], online: list[str]) -> None:
    register("own")
    path = ["tournament", "create", "Cup", "toepen", "--preset", "duel@1", "--starts", "+1h"]
    mine = ["--token", owner.token, *online]

    def run(*args: str) -> str:
        done = CliRunner().invoke(botequim, [*args, *mine])
        assert done.exit_code == 0, done.exception
        return done.output

    event = run(*path, "--baseline", "own", "--house", "rookie", "--baseline", "rookie").strip()
    assert run("tournament", "enter", event, "own") == "own 1: qualifying, baseline\n"
    shown = run("tournament", "show", event)
    assert "baseline" in shown
    other = run(*path).strip()
    assert run("tournament", "edit", other, "--baseline", "own") == "baseline: [] -> ['own']\n"
    assert run("tournament", "edit", other, "--baseline", "") == "baseline: ['own'] -> []\n"
    refused = CliRunner().invoke(botequim, [*path, "--format", "knockout", "--baseline", "own", *mine])
    assert refused.exit_code != 0
    assert "--baseline" in str(refused.exception) + refused.output
