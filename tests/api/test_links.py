"""Every name of a bot, an owner, a tournament or a series on a page is a link that leads somewhere."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Final

import pytest
from flask import Flask

from arena.ops.service import Service
from tests.api.arenas import announce, play, play_models
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import VOID, read

OWNER, BOT, LEAGUE, CUP = "dona-ana", "botafogo", "Liga do bar", "Copa do bar"

NAMES: Final = (OWNER, BOT, LEAGUE, CUP, "rookie", "random")

FREE: Final = frozenset(
    {"a", "h1", "title", "caption", "option", "button", "label", "code", "pre", "script", "svg", "told"}
)
"""What the page itself is about, controls, programs and drawings need no links."""

TOLD: Final = frozenset({"moves", "luck"})
"""The classes of what a replay tells in words."""


class _Unlinked(HTMLParser):
    """The texts of a page that contain a name and are no link."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            is_told = not TOLD.isdisjoint((dict(attrs).get("class") or "").split())
            self._open.append("told" if is_told else tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        words = data.replace(",", " ").replace(":", " ").split()
        named = any(name in words or (" " in name and name in data) for name in NAMES)
        if named and not FREE.intersection(self._open):
            self.found.append(" ".join(data.split()))


@pytest.fixture
def bar(
    services: Service,
    admin: ContractClient,
    sign_up: Callable[..., Account],
    register: Callable[..., Account],
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, str]:
    """A bot of an owner that has played in a tournament; a board, a Swiss tournament, a series. Their ids."""
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 1)
    ana = sign_up(OWNER)
    agent = register(BOT, ana, model="Some Model 3")
    assert agent.client.get("/v1/turns").status_code == 200
    play_models(services, admin, ana.client, agent.client, BOT)
    assert services.matchups.compute("toepen", "models")
    swiss = announce(
        admin,
        {
            "name": CUP,
            "kind": "toepen",
            "format": "swiss",
            "preset": "duel@1",
            "rounds": 1,
            "house": ["rookie", "random"],
        },
    )
    play(services, swiss)
    own = announce(ana.client, {"name": CUP, "kind": "toepen", "format": "swiss"})
    assert ana.client.post(f"/v1/tournaments/{own}/entries", json={"bot": BOT}).status_code == 200
    (models,) = [one["id"] for one in services.tournaments.list(state="finished").items if one["id"] != swiss]
    league = {"name": LEAGUE, "tournaments": [models, swiss], "by": "bot"}
    series = ana.client.post("/v1/series", json=league).json["id"]
    games = services.tournaments.groups(swiss).items[0]["games"]
    return {
        "models": models,
        "swiss": swiss,
        "own": own,
        "series": series,
        "game": games[0],
        "token": ana.token,
    }


def test_every_name_is_a_link(app: Flask, bar: dict[str, str]) -> None:
    visitor, ana = Browser(app), Browser(app)
    ana.sign_in(bar["token"])
    models, swiss, own = bar["models"], bar["swiss"], bar["own"]
    pages = f"""/ /tournaments /tournaments/{models} /tournaments/{models}?bot={BOT} /tournaments/{swiss}
        /tournaments/{own} /series /series/{bar["series"]} /bots/{BOT} /bots/rookie /owners/{OWNER}
        /leaderboards/toepen /leaderboards/toepen/models /leaderboards/toepen/models/matchups
        /games/{bar["game"]}""".split()
    unlinked = {}
    for who, browser in (("anybody", visitor), ("the owner", ana)):
        for path in (*pages, "/account", f"/bots/{BOT}/settings") if browser is ana else pages:
            response = browser.get(path)
            assert response.status_code == 200, (path, response.text)
            found = [text for text in _Unlinked(response.text).found if "account" not in text]
            if found:
                unlinked[who, path] = found
    assert not unlinked, "\n".join(f"{where}: {texts}" for where, texts in unlinked.items())


def test_the_page_of_an_owner(app: Flask, bar: dict[str, str], anybody: ContractClient) -> None:
    page = read(anybody, f"/owners/{OWNER}")
    (bot,) = page.rows(f"Bots of {OWNER}")
    assert (bot["bot"], bot["board"]) == (BOT, "Toepen for two, language models")
    (row,) = [one for one in anybody.get("/v1/leaderboards/toepen/models").json["rows"] if one["name"] == BOT]
    assert bot["rating"].split()[0] == f"{row['rating']:.0f}"
    standings = anybody.get(f"/v1/tournaments/{bar['models']}/standings").json["rows"]
    (place,) = [one["place"] for one in standings if one["name"] == BOT]
    assert f"<strong>{place}" in page.html
    assert f"of {len(standings)}" in page.html
    assert {f"/tournaments/{bar['models']}", f"/tournaments/{bar['own']}", f"/series/{bar['series']}"} <= set(
        page.links
    )
    (game, *_) = page.rows("Newest first")
    assert (game["bot"], game["against"]) == (BOT, "rookie")
    assert anybody.get("/owners/nobody", headers={"Accept": "text/html"}).status_code == 404


def test_hidden_and_deleted_names_are_text(
    app: Flask, services: Service, bar: dict[str, str], admin: ContractClient, anybody: ContractClient
) -> None:
    for of, id in (("bot", BOT), ("owner", OWNER)):
        sent = {"of": of, "id": id, "text": "name", "reason": "It insults."}
        assert admin.post("/v1/admin/hidden-texts", json=sent).status_code == 201
    page = read(anybody, f"/tournaments/{bar['models']}")
    assert "hidden-" in page.html
    assert not [link for link in page.links if link.startswith(("/bots/hidden-", "/owners/hidden-"))]
    assert f"/bots/{BOT}" not in page.links
    read(anybody, f"/owners/{OWNER}", 404)


def test_a_replay_leads_on(bar: dict[str, str], anybody: ContractClient) -> None:
    page = read(anybody, f"/games/{bar['game']}")
    twin = bar["game"].removesuffix("-1") + "-2"
    assert f"/tournaments/{bar['swiss']}" in page.links
    assert any(link.startswith(f"/games/{twin}?of=") for link in page.links)
    assert {"/bots/rookie", "/bots/random"} <= set(page.links)
    (group,) = [link for link in page.links if "#group-" in link]
    listed = read(anybody, group.partition("#")[0])
    assert f'id="{group.partition("#")[2]}"' in listed.html


def test_a_bot_that_failed_to_qualify_is_not_offered(
    app: Flask, services: Service, owner: Account, register: Callable[..., Account]
) -> None:
    event = announce(owner.client, {"name": CUP, "kind": "toepen", "format": "swiss"})
    ana = Browser(app)
    ana.sign_in(owner.token)
    for name in ("quebrado", "inteiro"):
        register(name, owner)
        state = "failed" if name == "quebrado" else "qualified"
        services.store.qualifications.add(f"toepen/{name}/1", [state, f"q-{name}", 1, 0, "", None, ""])
    page = ana.get(f"/tournaments/{event}").text
    assert "<option>inteiro</option>" in page
    assert "<option>quebrado</option>" not in page
