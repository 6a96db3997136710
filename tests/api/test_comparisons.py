"""Comparisons of two versions of a bot: over HTTP, as workers play them, and their page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from arena.ops.service import Service
from tests.api.arenas import play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

pytestmark = pytest.mark.system

GOOD = "def choose(turn):\n    return turn['legal_actions'][0]\n"
BAD = "def choose(turn):\n    raise ValueError('no')\n"
BODY = {"bot": "ana-bot", "new": "2", "old": "1", "kind": "truco", "preset": "mineiro-2@1"}


@pytest.fixture
def versions(owner: Account, checker: None) -> Callable[..., None]:
    """Uploads the versions of a bot. The app keeps sources beyond a test: use a name once."""

    def add(*sources: str, bot: str = "ana-bot") -> None:
        first, *others = sources
        body = {"name": bot, "transport": "uploaded", "source": first}
        assert owner.client.post("/v1/bots", json=body).status_code == 201
        for number, source in enumerate(others, 2):
            body = {"label": str(number), "transport": "uploaded", "source": source}
            assert owner.client.post(f"/v1/bots/{bot}/versions", json=body).status_code == 201

    return add


def begin(owner: Account, **changes: Any) -> str:
    response = owner.client.post("/v1/comparisons", json={**BODY, **changes})
    assert response.status_code == 201, response.text
    found: str = response.json["id"]
    return found


def used(owner: Account) -> int:
    """The groups of the owner's budget that are used."""
    return int(owner.client.get("/v1/owners/me").json["budgets"]["groups"]["used"])


def test_a_better_version_is_found_and_shown(
    services: Service, owner: Account, versions: Callable[..., None], anybody: ContractClient,
    sign_up: Callable[..., Account],
) -> None:  # fmt: skip
    versions(BAD, GOOD)
    before = used(owner)
    name = begin(owner)
    view = owner.client.get(f"/v1/comparisons/{name}").json
    assert (view["state"], view["llr"], view["margin"], view["played"]) == ("waiting", 0.0, None, 0)
    assert [round(bound, 2) for bound in view["bounds"]] == [-2.94, 2.94]

    # Steps and jobs may run twice.
    services.tournaments.step(name)
    services.tournaments.step(name)
    assert used(owner) == before + 60
    play(services, name)
    assert services.tournaments.step(name).state == "finished"

    view = owner.client.get(f"/v1/comparisons/{name}").json
    assert (view["state"], view["decision"], view["groups"], view["played"]) == ("finished", "elo1", 60, 60)
    assert view["games"] == 120
    # It won all games; without its luck that may be a little less.
    assert 0.5 < view["margin"]["value"] <= 1
    assert 100 < view["elo"]["value"] <= 999
    assert used(owner) == before + 60

    page = owner.client.get(f"/comparisons/{name}")
    assert page.status_code == 200
    assert "Yes, it is better." in page.text
    assert '<rect class="value" x="50.0%" width="' in page.text
    game = f"{name}-r1-p1-g1-1"
    assert f'href="/games/{game}"' in page.text
    assert owner.client.get(f"/games/{game}").status_code == 200
    record = owner.client.get(f"/v1/games/{game}/record")
    assert {player["version"] for player in record.json["canonical"]["players"]} == {"1", "2"}
    assert record.json["info"]["rated"] is False
    log = owner.client.get(f"/v1/bots/ana-bot/games/{game}/log").json
    assert {seat["version"] for seat in log["seats"]} == {"1", "2"}

    # For everybody else it does not exist, and it is in no list, feed, or board.
    stranger = sign_up("bia").client
    for client in (anybody, stranger):
        for path in (f"/comparisons/{name}", f"/games/{game}", f"/v1/tournaments/{name}"):
            assert client.get(path).status_code == 404, path
        assert client.get(f"/v1/games/{game}/record").status_code == 404
    assert stranger.get(f"/v1/comparisons/{name}").json["code"] == "comparison_not_found"
    for path in ("/v1/tournaments", "/feeds/results.atom", "/v1/records?kind=truco", "/tournaments"):
        assert name not in anybody.get(path).text
    assert services.tournaments.qualifications("ana-bot", "1") == []
    assert not services.boards.publish("truco", "sealed", "mineiro-2@1")


@pytest.mark.nightly("boards")
def test_alike_versions_are_not_better(
    services: Service, owner: Account, versions: Callable[..., None]
) -> None:
    versions(GOOD, GOOD + "# The same.\n", bot="ana-twin")
    name = begin(owner, bot="ana-twin")
    play(services, name)
    view = owner.client.get(f"/v1/comparisons/{name}").json
    assert (view["decision"], view["margin"]["value"]) == ("elo0", 0)
    assert "No, it is not better by 20 Elo." in owner.client.get(f"/comparisons/{name}").text
    assert owner.client.get(f"/v1/comparisons/{name}?since={view['version']}&wait=0").status_code == 204


def test_an_owner_lists_them(
    owner: Account, versions: Callable[..., None], sign_up: Callable[..., Account], app: Flask
) -> None:
    assert owner.client.get("/v1/comparisons").json == {"comparisons": [], "cursor": None}
    versions(GOOD, GOOD + "# Second.\n", bot="listed-bot")
    # Times are in milliseconds; of equal ones the ids decide.
    made = {begin(owner, bot="listed-bot", new=new, old=old) for new, old in (("2", "1"), ("1", "2"))}
    first = owner.client.get("/v1/comparisons?limit=1").json
    last = owner.client.get(f"/v1/comparisons?limit=1&cursor={first['cursor']}").json
    listed = [*first["comparisons"], *last["comparisons"]]
    assert {one["id"] for one in listed} == made
    assert last["cursor"] is None
    assert listed == [owner.client.get(f"/v1/comparisons/{one['id']}").json for one in listed]
    assert listed == sorted(listed, key=lambda one: one["created_ms"], reverse=True)
    stranger = sign_up("bia").client
    assert stranger.get("/v1/comparisons").json["comparisons"] == []
    assert owner.client.get("/v1/comparisons?cursor=x").json["code"] == "invalid_cursor"

    browser = Browser(app)
    browser.sign_in(owner.token)
    html = check_page(browser.get("/account")).html
    for one in listed:
        assert f'<a href="/comparisons/{one["id"]}">listed-bot: {one["new"]} against {one["old"]}</a>' in html
    exported = owner.client.get("/v1/owners/me/export").json["comparisons"]
    assert [(one["id"], one["bot"], one["state"]) for one in exported] == [
        (one["id"], "listed-bot", "entry") for one in listed
    ]


def test_the_owner_cancels_it(services: Service, owner: Account, versions: Callable[..., None]) -> None:
    versions(GOOD, GOOD + "# Second.\n")
    name = begin(owner)
    services.tournaments.step(name)
    assert owner.client.post(f"/v1/tournaments/{name}/cancel", json={"reason": "Enough."}).status_code == 200
    view = owner.client.get(f"/v1/comparisons/{name}").json
    assert (view["state"], view["reason"], view["decision"]) == ("cancelled", "Enough.", None)
    assert "Cancelled: Enough." in owner.client.get(f"/comparisons/{name}").text


def test_co_owners_list_and_cancel_it_and_pay_for_their_own(
    owner: Account, versions: Callable[..., None], sign_up: Callable[..., Account], services: Service
) -> None:
    versions(GOOD, GOOD + "# 2\n", bot="co-bot")
    bia = sign_up("bia")
    for account in (owner, bia):
        assert account.client.put("/v1/bots/co-bot/owners/bia").status_code == 200
    before = used(owner)
    name = begin(bia, bot="co-bot")
    for account in (owner, bia):
        (found,) = account.client.get("/v1/comparisons").json["comparisons"]
        assert (found["id"], found["owner"]) == (name, "ana")
    services.tournaments.step(name)
    services.tournaments.step(name)
    assert (used(owner), used(bia)) == (before, 60)
    assert bia.client.post(f"/v1/tournaments/{name}/cancel", json={"reason": "Enough."}).status_code == 200
    assert owner.client.get(f"/v1/comparisons/{name}").json["state"] == "cancelled"


def test_other_tournaments_are_no_comparisons(owner: Account) -> None:
    body = {"name": "Cup", "kind": "truco", "format": "round_robin", "house": ["rookie", "random"]}
    name = owner.client.post("/v1/tournaments", json=body).json["id"]
    assert owner.client.get(f"/v1/comparisons/{name}").status_code == 404
    assert owner.client.get("/v1/comparisons/a!b").status_code == 404


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"old": "2"}, "invalid_comparison", "old"),
        ({"old": "9"}, "version_not_found", "old"),
        ({"bot": "nobody"}, "bot_not_found", "bot"),
        ({"elo0": 20}, "invalid_comparison", "elo1"),
        ({"alpha": 0.5}, "invalid", "alpha"),
        ({"most": 59}, "invalid", "most"),
        ({"preset": "duel@1"}, "preset_not_found", "preset"),
    ],
)
def test_what_cannot_be_compared(
    changes: dict[str, Any], code: str, field: str, owner: Account, versions: Callable[..., None]
) -> None:
    versions(GOOD, GOOD + "# Second.\n")
    response = owner.client.post("/v1/comparisons", json={**BODY, **changes})
    assert (response.json["code"], response.json["field"]) == (code, field)


def test_only_own_uploaded_versions_within_the_budget(
    owner: Account, versions: Callable[..., None], sign_up: Callable[..., Account],
    register: Callable[..., Account], services: Service, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    versions(GOOD, GOOD + "# Second.\n")
    response = sign_up("bia").client.post("/v1/comparisons", json=BODY)
    assert (response.status_code, response.json["code"]) == (403, "forbidden")
    register("ana-remote")
    owner.client.post("/v1/bots/ana-remote/versions", json={"label": "2"})
    response = owner.client.post("/v1/comparisons", json={**BODY, "bot": "ana-remote"})
    assert (response.json["code"], response.json["field"]) == ("invalid_comparison", "new")
    monkeypatch.setattr(services.budgets, "_most", services.budgets._most._replace(groups=used(owner) + 59))
    response = owner.client.post("/v1/comparisons", json=BODY)
    assert response.json["code"] == "budget_exceeded"
