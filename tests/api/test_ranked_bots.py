"""Which bots have ranks, and from when on results count for others: what the API and the pages say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from arena.ops.service import Service
from arena.store.amounts import DAY_MS
from tests.api.conftest import Account
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

BOTS = ("one", "two", "three", "four")


@pytest.fixture(autouse=True)
def bots(register: Callable[..., Account]) -> None:
    """Four bots of the owner."""
    for bot in BOTS:
        register(bot)


def test_a_fourth_bot_has_a_rank_if_another_gives_up_its_own(owner: Account) -> None:
    ranked = {bot: owner.client.get(f"/v1/bots/{bot}").json["ranked"] for bot in BOTS}
    assert ranked == {"one": True, "two": True, "three": True, "four": False}
    refused = owner.client.patch("/v1/bots/four", json={"ranked": True})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_ranked")
    assert owner.client.patch("/v1/bots/one", json={"ranked": False}).json["ranked_since_ms"] is None
    four = owner.client.patch("/v1/bots/four", json={"ranked": True}).json
    assert four["ranked"]
    assert four["ranked_since_ms"] % DAY_MS == 0
    listed = owner.client.get("/v1/bots?owner=ana").json["bots"]
    assert {one["name"]: one["ranked"] for one in listed}["one"] is False


def test_a_new_bot_cannot_choose(owner: Account) -> None:
    refused = owner.client.post("/v1/bots", json={"name": "five", "ranked": True})
    assert (refused.status_code, refused.json["code"]) == (422, "invalid")


def test_the_pages_say_which_bots_have_a_rank(owner: Account, browser: Browser, services: Service) -> None:
    account = check_page(browser.get("/account")).html
    assert account.count("no rank") == 1
    assert "At most three of your bots for each game have a rank" in account
    assert "without a rank, as its owner chose" in browser.get("/bots/four").text
    assert "without a rank" not in browser.get("/bots/one").text
    where = "/bots/four/settings"
    refused = browser.send(where, {"ranked": "yes"})
    assert refused.status_code == 409
    assert "four cannot have a rank at truco, because one, three and two have" in check_page(refused).html
    assert browser.send("/bots/one/settings", {"ranked": "no"}).status_code == 303
    assert browser.send(where, {"ranked": "yes"}).status_code == 303
    assert services.accounts.bot("four").ranked
    assert "Groups count for its rating from" in check_page(browser.get(where)).html


def test_the_account_says_from_when_on_results_count(
    owner: Account, browser: Browser, services: Service
) -> None:
    me = owner.client.get("/v1/owners/me").json
    assert 30 * DAY_MS < me["proven_ms"] - me["created_ms"] <= 31 * DAY_MS
    day = datetime.fromtimestamp(me["proven_ms"] / 1000, UTC).date().isoformat()
    page = browser.get("/account").text
    assert "Your results count for others from" in page
    assert day in page.partition("Your results count for others from")[2][:80]
    services.accounts.set_admin("ana", True)
    assert owner.client.get("/v1/owners/me").json["proven_ms"] == me["created_ms"]
    assert "Your results count for others" not in browser.get("/account").text
    services.accounts.set_admin("ana", False)
    services.store.accounts.change_owner("ana", {"created": str(me["created_ms"] - 31 * DAY_MS)})
    assert "Your results count for others" not in browser.get("/account").text
