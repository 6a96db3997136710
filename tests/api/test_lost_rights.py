"""Rights that were lost: each message of a stream, poll, subscription or session is for those who may see it
at that moment, and so is everything of a bot that its former co-owners could see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from arena.ops.service import Service
from tests.api.arenas import announce
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.api.test_comparisons import BAD, GOOD
from tests.api.test_private_qualifications import NO_TOURNAMENT, OF_TOURNAMENTS, sent
from tests.waiting import wait_until

CUP: dict[str, Any] = {
    "name": "Hush-hush contest",
    "kind": "toepen",
    "format": "round_robin",
    "rules": {"seats": 2, "lives": 1},
    "who": "invited",
    "hidden": True,
}
SECRET = "xyzzy"


@pytest.fixture
def bia(sign_up: Callable[..., Account]) -> Account:
    return sign_up("bia")


@pytest.fixture
def event(owner: Account) -> str:
    """A hidden tournament of ana."""
    return announce(owner.client, CUP)


def set_admin(admin: ContractClient, owner: str, is_admin: bool) -> None:
    assert admin.put(f"/v1/admin/owners/{owner}/admin", json={"admin": is_admin}).status_code == 200


def share(owner: Account, other: Account, bot: str) -> None:
    path = f"/v1/bots/{bot}/owners/{other.name}"
    for client in (owner.client, other.client):
        assert client.put(path).status_code == 200


# The ways to lose a right to see the hidden tournament


def gets_admin(admin: ContractClient, owner: Account, bia: Account, event: str) -> Callable[[], object]:
    set_admin(admin, "bia", True)
    return lambda: set_admin(admin, "bia", False)


def gets_invited(admin: ContractClient, owner: Account, bia: Account, event: str) -> Callable[[], object]:
    where = f"/v1/tournaments/{event}/invitations"
    assert owner.client.post(where, json={"owners": ["bia"]}).status_code == 200
    return lambda: owner.client.delete(f"{where}/owners/bia")


def organises(admin: ContractClient, owner: Account, bia: Account, event: str) -> Callable[[], object]:
    where = f"/v1/tournaments/{event}/organisers/bia"
    for client in (owner.client, bia.client):
        assert client.put(where).status_code == 200
    return lambda: owner.client.delete(where)


def shares_an_entry(admin: ContractClient, owner: Account, bia: Account, event: str) -> Callable[[], object]:
    invited = owner.client.post(f"/v1/tournaments/{event}/invitations", json={"owners": ["ana"]})
    assert invited.status_code == 200
    assert owner.client.post("/v1/bots", json={"name": "shared"}).status_code == 201
    share(owner, bia, "shared")
    assert owner.client.post(f"/v1/tournaments/{event}/entries", json={"bot": "shared"}).status_code == 200
    return lambda: owner.client.delete("/v1/bots/shared/owners/bia")


def has_a_token(admin: ContractClient, owner: Account, bia: Account, event: str) -> Callable[[], object]:
    set_admin(admin, "bia", True)
    return lambda: bia.client.delete("/v1/owners/me/token")


def is_not_suspended(admin: ContractClient, owner: Account, bia: Account, event: str) -> Callable[[], object]:
    gets_invited(admin, owner, bia, event)
    return lambda: admin.put("/v1/admin/owners/bia/suspension", json={"reason": "rain"})


WAYS = (gets_admin, gets_invited, organises, shares_an_entry, has_a_token, is_not_suspended)
Way = Callable[[ContractClient, Account, Account, str], Callable[[], object]]


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_ends_with_the_right(
    way: Way, admin: ContractClient, owner: Account, bia: Account, event: str
) -> None:
    lose = way(admin, owner, bia, event)
    where = f"/v1/tournaments/{event}"
    messages = stream(bia.client.get(f"{where}/events"))
    assert CUP["name"] in next(messages)
    took_effect(lose())
    owner.client.patch(where, json={"description": SECRET})
    rest = "".join(messages)
    assert "event: reconnect" in rest
    assert SECRET not in rest


@pytest.mark.parametrize("way", WAYS)
def test_a_poll_is_answered_with_the_rights_that_remain(
    way: Way, admin: ContractClient, owner: Account, bia: Account, event: str, services: Service
) -> None:
    lose = way(admin, owner, bia, event)
    where = f"/v1/tournaments/{event}"
    version = bia.client.get(where).json["version"]
    answer = meanwhile(services, bia.client, f"{where}?since={version}&wait=60", lambda: took_effect(lose()))
    owner.client.patch(where, json={"description": SECRET})
    found = answer()
    assert found.status_code in (401, 403, 404)
    assert SECRET not in found.text


def took_effect(answer: object) -> None:
    assert answer is None or (isinstance(answer, TestResponse) and answer.status_code in (200, 204))


def stream(response: TestResponse) -> Iterator[str]:
    """The messages of a stream, as far as they are asked for."""
    assert response.status_code == 200
    chunks = (part.decode() if isinstance(part, bytes) else part for part in response.response)
    return (chunk for chunk in chunks if not chunk.startswith((":", "retry")))


def meanwhile(
    services: Service, client: ContractClient, path: str, act: Callable[[], object]
) -> Callable[[], TestResponse]:
    """Begin to poll, do something while the request waits, and return a function that waits for the reply."""
    found: list[TestResponse] = []
    waiting = services.live.notifier.count
    before = waiting()
    thread = Thread(target=lambda: found.append(client.get(path)))
    thread.start()
    wait_until(lambda: waiting() > before or found)
    act()

    def answer() -> TestResponse:
        thread.join()
        return found[0]

    return answer


@pytest.mark.parametrize("path", ["?since={version}&wait=60", "/events?start={events}&wait=60"])
def test_a_private_game_is_not_for_former_admins(
    path: str,
    admin: ContractClient,
    owner: Account,
    bia: Account,
    register: Callable[..., Account],
    services: Service,
) -> None:
    game = private_game(owner, register("ana-bot"))
    set_admin(admin, "bia", True)
    version = bia.client.get(f"/v1/games/{game}").json["version"]
    events = bia.client.get(f"/v1/games/{game}/events").json["next"]
    asked = f"/v1/games/{game}{path.format(version=version, events=events)}"
    answer = meanwhile(services, bia.client, asked, lambda: set_admin(admin, "bia", False))
    play_a_turn(services, "ana-bot")
    assert (answer().status_code, answer().json["code"]) == (404, "game_not_found")


def test_the_stream_of_a_private_game_ends_with_the_right(
    admin: ContractClient,
    owner: Account,
    bia: Account,
    register: Callable[..., Account],
    services: Service,
) -> None:
    game = private_game(owner, register("ana-bot"))
    set_admin(admin, "bia", True)
    messages = stream(bia.client.get(f"/v1/games/{game}/events/stream"))
    assert "event: event" in next(messages)
    set_admin(admin, "bia", False)
    play_a_turn(services, "ana-bot")
    (rest,) = messages
    assert rest.startswith("event: reconnect")


def private_game(owner: Account, bot: Account) -> str:
    seats = [{"bot": bot.name}, {"bot": bot.name}]
    body = {"kind": "toepen", "visibility": "private", "seats": seats}
    game: str = owner.client.post("/v1/games", json=body).json["game"]
    return game


def play_a_turn(services: Service, bot: str) -> None:
    (turn, *_) = services.live.turns(bot, rights=False).turns
    (result,) = services.live.answer(bot, [{"turn": turn["turn"], "action": turn["legal_actions"][0]}])
    assert result["status"] == "accepted"


# What the service makes for itself


def test_a_qualification_belongs_to_the_current_owners_of_its_bot(
    owner: Account, bia: Account, admin: ContractClient, register: Callable[..., Account]
) -> None:
    register("shared")
    share(owner, bia, "shared")
    body = {"kind": "toepen"}
    event = owner.client.post("/v1/bots/shared/versions/1/qualifications", json=body).json["tournament"]
    where = f"/v1/tournaments/{event}"
    assert bia.client.get(where).status_code == 200
    nobody_organises(event, owner, bia, admin)
    assert owner.client.delete("/v1/bots/shared/owners/bia").status_code == 204
    for path in ("", "/standings", "/groups", "/records", "/results.csv", "/events", "?since=0&wait=1"):
        assert bia.client.get(where + path).status_code == 404
    assert bia.client.post(f"{where}/cancel", json={"reason": "rain"}).status_code == 404
    # Who shares the bot later sees what it has played before.
    share(owner, bia, "shared")
    assert bia.client.get(where).status_code == 200
    assert bia.client.post(f"{where}/cancel", json={"reason": "rain"}).json["state"] == "cancelled"


ORGANISING = ("editTournament", "cloneTournament", "addOrganiser", "removeOrganiser", "listGuests",
              "inviteOwners", "uninviteOwner", "createInvitationLink", "revokeInvitationLink")  # fmt: skip


def nobody_organises(event: str, owner: Account, bia: Account, admin: ContractClient) -> None:
    for client in (owner.client, bia.client, admin):
        assert client.get(f"/v1/tournaments/{event}").json["organisers"] == []
        for name in ORGANISING:
            method, path, body = OF_TOURNAMENTS[name]
            refused = sent(client, method, f"/v1/tournaments/{event}{path}", body)
            assert (refused.status_code, refused.json["code"]) == (403, "forbidden"), name


@pytest.mark.system
def test_a_comparison_belongs_to_the_current_owners_of_its_bot(
    app: Flask, owner: Account, bia: Account, admin: ContractClient, checker: None, services: Service
) -> None:
    for number, source in enumerate((BAD + "# 1\n", GOOD + "# 1\n"), 1):
        body = {"transport": "uploaded", "source": source}
        made = (
            owner.client.post("/v1/bots", json={**body, "name": "compared"})
            if number == 1
            else owner.client.post("/v1/bots/compared/versions", json={**body, "label": "2"})
        )
        assert made.status_code == 201
    share(owner, bia, "compared")
    asked = {"bot": "compared", "new": "2", "old": "1", "kind": "truco", "preset": "mineiro-2@1"}
    # The co-owner begins it, and pays.
    event = bia.client.post("/v1/comparisons", json=asked).json["id"]
    nobody_organises(event, owner, bia, admin)
    assert [one["id"] for one in bia.client.get("/v1/comparisons").json["comparisons"]] == [event]
    version = bia.client.get(f"/v1/comparisons/{event}").json["version"]
    polled = meanwhile(
        services,
        bia.client,
        f"/v1/comparisons/{event}?since={version}&wait=60",
        lambda: owner.client.delete("/v1/bots/compared/owners/bia"),
    )
    services.tournaments.step(event)
    assert (polled().status_code, polled().json["code"]) == (404, "comparison_not_found")
    assert bia.client.get(f"/v1/comparisons/{event}").status_code == 404
    for path in ("", "/records", "/groups", "/standings"):
        assert bia.client.get(f"/v1/tournaments/{event}{path}").status_code == 404
    assert bia.client.get("/v1/comparisons").json["comparisons"] == []
    assert bia.client.get("/v1/owners/me/export").json["comparisons"] == []
    assert [one["id"] for one in owner.client.get("/v1/comparisons").json["comparisons"]] == [event]
    share(owner, bia, "compared")
    assert [one["id"] for one in bia.client.get("/v1/comparisons").json["comparisons"]] == [event]
    cancelled = bia.client.post(f"/v1/tournaments/{event}/cancel", json={"reason": "rain"})
    assert cancelled.json["state"] == "cancelled"


def test_a_former_co_owner_exports_no_hidden_tournament(
    owner: Account, bia: Account, admin: ContractClient, event: str
) -> None:
    lose = shares_an_entry(admin, owner, bia, event)
    entries = bia.client.get("/v1/owners/me/export").json["entries"]
    assert event in {one["tournament"] for one in entries}
    took_effect(lose())
    assert bia.client.get("/v1/owners/me/export").json["entries"] == []


def test_series_are_deleted_only_by_those_who_see_them(owner: Account, bia: Account, event: str) -> None:
    body = {"name": "Season", "tournaments": [event]}
    series = owner.client.post("/v1/series", json=body).json["id"]
    for method, change in (("DELETE", None), ("PATCH", {"name": "Mine"})):
        hidden, missing = (
            bia.client.open(f"/v1/series/{name}", method=method, json=change)
            for name in (series, NO_TOURNAMENT)
        )
        assert hidden.status_code == missing.status_code == 404
    assert owner.client.delete(f"/v1/series/{series}").status_code == 204


def test_the_client_of_a_former_admin_gets_no_answer_it_may_not_see(
    app: Flask, admin: ContractClient, bia: Account, event: str
) -> None:
    """Also while its token is remembered."""
    set_admin(admin, "bia", True)
    client = contract_client(app, bia.token)
    assert client.get(f"/v1/tournaments/{event}").status_code == 200
    set_admin(admin, "bia", False)
    assert client.get(f"/v1/tournaments/{event}").status_code == 404
