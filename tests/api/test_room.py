"""What every operation that writes counts in. A new one must say it here, and what can be asked is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from arena.accounts.default_limits import DayBytes, Quotas
from arena.operations import OPERATIONS
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS
from arena.store.amounts import Stored
from tests.api.arenas import announce, now_ms
from tests.api.conftest import Account
from tests.api.contract import ContractClient

CUP: Final = {"name": "Cup", "kind": "toepen", "format": "round_robin", "house": ["rookie", "random"]}

QUOTA: Final = "the quota of the owner: quota_exceeded"
BUDGET: Final = "the budget of the day: budget_exceeded"
MAXIMUM: Final = "a maximum of what it belongs to: quota_exceeded"
TEXTS: Final = "the quota of the owner, which drops the oldest texts instead of refusing new ones"
LIMIT: Final = "a rate limit; what it stores expires within a day, or is one row of an account"
GAME: Final = "the bytes of its game, which count when the game ends"
ROW: Final = "one row of bounded size, which is there already"
LESS: Final = "nothing: it removes or ends something"
ADMIN: Final = "nothing: only admins can do it"

COUNTS: Final = {
    "sign_up": LIMIT,
    "create_sign_in_link": LIMIT,
    "ping_subscription": LIMIT,
    "register_bot": QUOTA,
    "add_version": QUOTA,
    "add_bot_owner": QUOTA,
    "create_invitations": QUOTA,
    "create_series": QUOTA,
    "create_schedule": QUOTA,
    "subscribe_to_tournament": QUOTA,
    "create_game": BUDGET,
    "create_tournament": BUDGET,
    "clone_tournament": BUDGET,
    "create_comparison": BUDGET,
    "qualify": BUDGET,
    "edit_tournament": MAXIMUM,
    "invite_owners": MAXIMUM,
    "create_invitation_link": MAXIMUM,
    "accept_invitation": MAXIMUM,
    "add_organiser": MAXIMUM,
    "exchange_turns": TEXTS,
    "publish_notes": ROW,
    "join_game": GAME,
    "resign_game": GAME,
    "change_me": ROW,
    "replace_owner_token": ROW,
    "recover_owner": ROW,
    "replace_recovery_code": ROW,
    "replace_bot_token": ROW,
    "replace_webhook_secret": ROW,
    "change_bot": ROW,
    "publish_version": ROW,
    "enter_tournament": ROW,
    "change_series": ROW,
    "change_schedule": ROW,
    "plan_tournament": LESS,
    "cancel_game": LESS,
    "cancel_tournament": LESS,
}
"""The operations that are not for admins alone and delete nothing."""


def test_every_operation_that_writes_counts() -> None:
    for name, one in OPERATIONS.items():
        if one.method == "GET" or name in COUNTS:
            continue
        is_for_admins = one.scopes is not None and tuple(one.scopes) == ("admin",)
        assert one.method == "DELETE" or is_for_admins, f"{name} counts in nothing: say in what"
    gone = COUNTS.keys() - OPERATIONS.keys()
    assert not gone


@pytest.mark.parametrize("name", COUNTS)
def test_what_an_operation_counts_in_is_in_its_contract(name: str) -> None:
    one = OPERATIONS[name]
    refusal = {QUOTA: "quota_exceeded", MAXIMUM: "quota_exceeded", BUDGET: "budget_exceeded"}
    if COUNTS[name] in refusal:
        assert refusal[COUNTS[name]] in one.errors
    elif COUNTS[name] == LIMIT:
        assert name == "sign_up" or one.limit in DEFAULT_LIMITS


def cup() -> dict[str, object]:
    return {**CUP, "locks_ms": now_ms() + 3_600_000}


def announced(client: FlaskClient) -> str:
    return str(client.get("/v1/tournaments").json["tournaments"][0]["id"])


Ask = Callable[[FlaskClient], Any]

ASKED: Final[dict[str, Ask]] = {
    "register_bot": lambda client: client.post("/v1/bots", json={"name": "second"}),
    "add_version": lambda client: client.post("/v1/bots/zap/versions", json={"label": "2"}),
    "add_bot_owner": lambda client: client.put("/v1/bots/shared/owners/ana"),
    "create_invitations": lambda client: client.post("/v1/invitations", json={"count": 1}),
    "create_series": lambda client: client.post("/v1/series", json={"name": "Autumn"}),
    "create_schedule": lambda client: client.post(
        "/v1/schedules", json={"id": "weekly", "cron": "0 9 * * 1", "tournament": {**CUP, "entry_s": 600}}
    ),
    "create_game": lambda client: client.post(
        "/v1/games", json={"kind": "toepen", "seats": [{"open": True}, {"open": True}]}
    ),
    "create_tournament": lambda client: client.post("/v1/tournaments", json=cup()),
    "clone_tournament": lambda client: client.post(
        f"/v1/tournaments/{announced(client)}/clone", json={"locks_ms": now_ms() + 3_600_000}
    ),
}
"""Requests of an owner, who can do each of them once."""


@pytest.fixture
def full(services: Service, sign_up: Callable[..., Account], admin: ContractClient) -> Account:
    """An owner with a bot, an announced tournament, and an invitation to share a bot."""
    ana, bia = sign_up("ana"), sign_up("bia")
    assert ana.client.post("/v1/bots", json={"name": "zap"}).status_code == 201
    assert bia.client.post("/v1/bots", json={"name": "shared"}).status_code == 201
    assert bia.client.put("/v1/bots/shared/owners/ana").status_code == 200
    assert admin.put("/v1/admin/owners/ana/invitations", json={"most": 9}).status_code == 200
    announce(ana.client, CUP)
    return ana


@pytest.mark.parametrize("name", ASKED)
def test_without_room_it_is_refused(
    name: str, full: Account, services: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {QUOTA: (409, "quota_exceeded"), BUDGET: (429, "budget_exceeded")}[COUNTS[name]]
    before = full.client.get("/v1/owners/me").json
    used = {what: before["quotas"][what]["used"] for what in Stored._fields}
    with monkeypatch.context() as patch:
        patch.setattr(services.accounts.quotas, "_quotas", Quotas(owner=Stored(**used), invitations=9))
        patch.setattr(services.budgets, "_most_bytes", DayBytes(before["budgets"]["bytes"]["used"], 0))
        refused = ASKED[name](full.client)
        assert (refused.status_code, refused.json["code"]) == expected, refused.text
    assert full.client.get("/v1/owners/me").json["quotas"] == before["quotas"]
    done = ASKED[name](full.client)
    assert done.status_code in (200, 201), done.text
