"""Frequent mistakes at the API, with the errors that they get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from api.http.errors import ERRORS
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.mistakes.cases import BOT, CUP, FOUND, MORE, OTHER_BOT, Request, seats


@pytest.mark.parametrize("mistake", [*FOUND, *MORE], ids=lambda one: one.name)
def test_a_mistake_is_explained(
    owner: Account,
    register: Callable[..., Account],
    sign_up: Callable[..., Account],
    anybody: ContractClient,
    mistake: Request,
) -> None:
    bot = register(BOT)
    sign_up("pia").client.post("/v1/bots", json={"name": OTHER_BOT})
    client = {"ana": owner.client, BOT: bot.client, "": anybody}[mistake.who]
    sent: dict[str, Any] = {"headers": dict(mistake.headers)}
    if isinstance(mistake.body, bytes):
        sent |= {"data": mistake.body, "content_type": "application/json"}
    elif mistake.body is not None:
        sent["json"] = mistake.body
    if "Content-Type" in mistake.headers:
        sent["content_type"] = sent.pop("headers")["Content-Type"]
    response = client.open(mistake.path, method=mistake.method, **sent)
    problem = response.json
    assert response.status_code == (ERRORS[mistake.code].status if mistake.code else 200), problem
    assert problem.get("code", "") == mistake.code, problem
    assert mistake.says in (problem["detail"] if mistake.code else response.text)
    assert mistake.expects in problem.get("expected", "")


def test_an_answer_without_an_action_is_malformed(owner: Account, register: Callable[..., Account]) -> None:
    bot = register("zap-bot")
    owner.client.post("/v1/games", json=seats({"bot": "zap-bot"}, {"house": "rookie"}))
    body = {"answers": [{"turn": "no-such-turn"}, {"turn": "gone.0.1"}, {"action": "play:7D"}, {}, 5]}
    results = bot.client.post("/v1/turns", json=body).json["results"]
    assert [result["status"] for result in results] == 5 * ["malformed"]
    known = {"answers": [{"turn": "gone.0.1", "action": "play:7D"}]}
    assert bot.client.post("/v1/turns", json=known).json["results"][0]["status"] == "unknown_turn"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/nothing",
        "/v1",
        "/v1/",
        "/v1/zzz",
        "/v1/" + "a/" * 90,
        "/v1/a/b/c/d",
        "/wp-login.php",
        "/v1/%00",
    ],
)
def test_no_hint_where_nothing_is_near(anybody: ContractClient, path: str) -> None:
    response = anybody.get(path, headers={"Accept": "application/json"})
    assert response.status_code in (200, 404)
    assert "did you mean" not in response.text


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("2026-12-31T20:00:00Z", 1_798_747_200_000),
        ("2026-12-31t20:00:00.5z", 1_798_747_200_500),
        ("2026-12-31T21:30:00+01:30", 1_798_747_200_000),
        (1_798_747_200_000, 1_798_747_200_000),
        (1_798_747_200_000.0, 1_798_747_200_000),
    ],
)
def test_times_in_both_forms(text: object, ms: int) -> None:
    from api.schemas.fields import GivenMoment

    assert GivenMoment("A time.").deserialize(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-12-31",
        "2026-12-31T20:00Z",
        "2026-13-31T20:00:00Z",
        "20261231T200000Z",
        True,
        1.5,
        "12",
    ],
)
def test_what_is_no_time(text: object) -> None:
    from marshmallow import ValidationError

    from api.schemas.fields import GivenMoment

    with pytest.raises(ValidationError, match="RFC 3339"):
        GivenMoment("A time.").deserialize(text)


def test_a_tournament_and_a_schedule_with_times_in_text(owner: Account, admin: ContractClient) -> None:
    opens = owner.client.get("/v1/owners/me").json["budgets"]["renews_ms"]
    from datetime import UTC, datetime

    text = datetime.fromtimestamp(opens / 1000, UTC).isoformat()
    made = owner.client.post("/v1/tournaments", json={**CUP, "opens_ms": text}).json
    assert made["opens_ms"] == opens
    template = dict(CUP)
    schedule = admin.post("/v1/schedules", json={"id": "once", "at_ms": text, "tournament": template})
    assert schedule.json["at_ms"] == opens
    late = admin.post(
        "/v1/schedules", json={"id": "late", "at_ms": "2020-01-01T00:00:00Z", "tournament": template}
    )
    assert "RFC 3339" in late.json["expected"]
