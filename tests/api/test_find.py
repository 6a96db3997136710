"""The search over bots, owners, tournaments and the manual."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from arena.ops.service import Service
from arena.store.search import begins, plain
from tests.api.arenas import announce
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.test_web_pages import Page, read


def found(anybody: ContractClient, query: str) -> set[str]:
    """The addresses to which the results of a search lead, except of the manual."""
    page: Page = read(anybody, f"/search?q={query}")
    return {link for link in page.links if link.startswith(("/bots/", "/owners/", "/tournaments/"))}


@pytest.mark.parametrize(
    ("query", "name", "is_found"),
    [
        ("sete", "sete-belo", True),
        ("bel", "sete-belo", True),
        ("Sete Belo", "sete-belo", True),
        ("ete", "sete-belo", False),
        ("botao", "Copa do Botão", True),
        ("BOTÃO", "Copa do Botao", True),
        ("do bot", "Copa do Botão", True),
        ("copa bot", "Copa do Botão", True),
        ("bot copa!", "Copa do Botão", True),
        ("copa x", "Copa do Botão", False),
        ("halfbot", "half-bot", True),
        ("", "Copa", False),
        ("-", "Copa", False),
    ],
)
def test_what_a_query_finds(query: str, name: str, is_found: bool) -> None:
    assert begins(query, name) == is_found


def test_a_long_name_is_cut() -> None:
    assert len(plain("x" * 1000)) < 100


@pytest.fixture
def bar(
    admin: ContractClient, sign_up: Callable[..., Account], register: Callable[..., Account]
) -> dict[str, str]:
    """An owner, a bot and two tournaments with one name; the ids of the tournaments."""
    ana = sign_up("dona-ana")
    register("sete-belo", ana)
    body = {"name": "Copa do Botão", "kind": "toepen", "format": "swiss"}
    older, newer = announce(admin, body), announce(admin, body)
    hidden = announce(admin, {**body, "name": "Copa secreta", "hidden": True, "who": "invited"})
    return {"older": older, "newer": newer, "hidden": hidden, "token": ana.token}


def test_names_are_found_by_the_beginnings_of_their_words(
    bar: dict[str, str], anybody: ContractClient
) -> None:
    newer = f"/tournaments/{bar['newer']}"
    for query, there in (
        ("sete", {"/bots/sete-belo", "/owners/dona-ana"}),
        ("belo", {"/bots/sete-belo", "/owners/dona-ana"}),
        ("dona", {"/owners/dona-ana"}),
        ("dona a", {"/owners/dona-ana"}),
        ("botao", {newer}),
        ("COPA", {newer}),
        ("rook", {"/bots/rookie"}),
        ("nothing-like-it", set()),
        ("", set()),
        ("%00", set()),
        ("%FF", set()),
    ):
        assert found(anybody, query) == there, query


def test_the_manual_is_searched_too(anybody: ContractClient) -> None:
    page = read(anybody, "/search?q=manilha")
    assert any(link.startswith("/docs/rules/") for link in page.links)
    assert "No bot, owner, tournament or section" in read(anybody, "/search?q=xyzzyplugh").html


def test_each_page_has_the_search(anybody: ContractClient) -> None:
    for path in ("/", "/tournaments", "/bots/rookie", "/docs"):
        assert 'action="/search"' in read(anybody, path).html


def test_what_is_hidden_or_deleted_is_not_found(
    services: Service, bar: dict[str, str], admin: ContractClient, anybody: ContractClient
) -> None:
    for of, id in (("bot", "sete-belo"), ("owner", "dona-ana"), ("tournament", bar["newer"])):
        sent = {"of": of, "id": id, "text": "name", "reason": "It insults."}
        assert admin.post("/v1/admin/hidden-texts", json=sent).status_code == 201
    for query in ("sete", "belo", "dona", "copa", "hidden"):
        assert found(anybody, query) == set()
    services.bot_deletion.remove("sete-belo")
    services.accounts.delete_owner("dona-ana")
    index = services.store.search
    assert (index.find("bot", "sete", 10), index.find("owner", "dona", 10)) == ([], [])
    assert found(anybody, "secret") == set()


def test_a_tournament_is_found_by_its_new_name(bar: dict[str, str], admin: ContractClient) -> None:
    path = f"/v1/tournaments/{bar['newer']}"
    assert admin.patch(path, json={"name": "Taça da Sorte"}).status_code == 200
    assert found(admin, "taca") == {f"/tournaments/{bar['newer']}"}
    assert found(admin, "copa") == set()


def test_a_search_is_bounded(app: Flask, services: Service, anybody: ContractClient) -> None:
    for number in range(40):
        services.accounts.sign_up(f"owner-{number}")
    assert len(found(anybody, "owner")) == 10
    page = read(anybody, "/search?q=" + "x" * 5000)
    assert "x" * 101 not in page.html


def test_words_in_any_order_and_joined_words(bar: dict[str, str], anybody: ContractClient) -> None:
    newer = f"/tournaments/{bar['newer']}"
    for query, there in (
        ("botao copa", {newer}),
        ("copa bot", {newer}),
        ("copa x", set()),
        ("setebelo", {"/bots/sete-belo", "/owners/dona-ana"}),
        ("belo%20sete", {"/bots/sete-belo", "/owners/dona-ana"}),
    ):
        assert found(anybody, query) == there, query


def test_the_exact_name_of_a_tournament_comes_first(admin: ContractClient, anybody: ContractClient) -> None:
    body = {"kind": "toepen", "format": "swiss"}
    exact = announce(admin, {**body, "name": "Truco knockout"})
    other = announce(admin, {**body, "name": "Truco knockout, running"})
    html = read(anybody, "/search?q=truco%20knockout").html
    assert 0 < html.index(f"/tournaments/{exact}") < html.index(f"/tournaments/{other}")


def test_a_misspelt_name_is_proposed(
    services: Service, bar: dict[str, str], admin: ContractClient, anybody: ContractClient
) -> None:
    for query, name in (
        ("sette-belo", "sete-belo"),
        ("rookei", "rookie"),
        ("copa%20do%20botoa", "Copa do Bot"),
    ):
        assert f">{name}" in read(anybody, f"/search?q={query}").html.partition("Did you mean")[2], query
    assert "Did you mean" not in read(anybody, "/search?q=xyzzyplugh").html
    sent = {"of": "bot", "id": "sete-belo", "text": "name", "reason": "It insults."}
    assert admin.post("/v1/admin/hidden-texts", json=sent).status_code == 201
    assert "Did you mean" not in read(anybody, "/search?q=sette-belo").html


def test_pages_are_found(anybody: ContractClient) -> None:
    for query, there in (
        ("toepen", "/leaderboards/toepen"),
        ("play", "/play"),
        ("leaderboard", "/leaderboards/truco"),
        ("rules%20truco", "/learn/truco"),
    ):
        listed = read(anybody, f"/search?q={query}").html.partition('aria-label="Pages">\n<h2>')[2]
        assert f'href="{there}"' in listed.partition("</section>")[0], query


def test_punctuation_around_words_is_ignored(anybody: ContractClient) -> None:
    for query in ("zap!", '"toep"'):
        assert any(
            link.startswith("/docs/") and "#" in link for link in read(anybody, f"/search?q={query}").links
        )


def test_a_copy_of_a_house_bot_is_found_if_it_has_a_rank(
    services: Service, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(anybody, "regular%2B2") == set()
    board = {"rows": [{"name": "regular+2"}]}
    monkeypatch.setattr(services.boards, "read", lambda *_: board)
    assert found(anybody, "Regular%2B2") == {"/bots/regular+2"}
    assert found(anybody, "regular%2B3") == set()


def test_results_show_owners(bar: dict[str, str], anybody: ContractClient) -> None:
    page = read(anybody, "/search?q=sete")
    assert "/owners/dona-ana" in page.links
