"""Mistakes that newcomers make, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.api.conftest import Account
from tests.api.contract import ContractClient


class Mistake(NamedTuple):
    """A wrong request, and what the problem document says about it."""

    name: str
    method: str
    path: str
    body: Any
    code: str
    says: str
    expects: str = ""
    who: str = "ana"


TOEPEN = {"kind": "toepen", "seats": [{"open": True}, {"house": "rookie"}]}
CUP = {"name": "Cup", "kind": "toepen", "format": "round_robin", "house": ["rookie", "random"]}
UTC = "in RFC 3339 or as Unix time in milliseconds"


def seats(*seats: Any) -> dict[str, Any]:
    return {"kind": "toepen", "seats": list(seats)}


FOUND = [
    Mistake(
        "Toepen with one seat",
        "POST",
        "/v1/games",
        seats({"open": True}),
        "invalid",
        "must be 2 to 8 seats, not 1",
        "2 to 8 seats",
    ),
    Mistake(
        "Truco with five seats",
        "POST",
        "/v1/games",
        {"kind": "truco", "seats": 5 * [{"open": True}]},
        "invalid",
        "must be 2 to 4 seats, not 5",
        "2 to 4 seats",
    ),
    Mistake(
        "seat {hous}",
        "POST",
        "/v1/games",
        seats({"hous": "rookie"}, {"open": True}),
        "invalid",
        "one of bot, house, open, not hous",
    ),
    Mistake(
        "no kind",
        "POST",
        "/v1/games",
        {"seats": []},
        "invalid",
        "missing data",
        "one of truco, toepen",
    ),
    Mistake(
        "locks_ms in seconds",
        "POST",
        "/v1/tournaments",
        {**CUP, "locks_ms": 1_900_000_000},
        "invalid_tournament",
        "1970-01-22T23:46:40Z) is too early",
        UTC,
    ),
    Mistake(
        "locks_ms as text",
        "POST",
        "/v1/tournaments",
        {**CUP, "locks_ms": "tomorrow"},
        "invalid",
        "RFC 3339 such as 2026-12-31T20:00:00Z",
        "Unix time in milliseconds",
    ),
    Mistake(
        "locks_ms without an offset",
        "POST",
        "/v1/tournaments",
        {**CUP, "locks_ms": "2026-12-31T20:00:00"},
        "invalid",
        "RFC 3339",
        "Unix time in milliseconds",
    ),
    Mistake(
        "locks_ms in the past",
        "POST",
        "/v1/tournaments",
        {**CUP, "locks_ms": "2020-01-01T00:00:00Z"},
        "invalid_tournament",
        "(2020-01-01T00:00:00Z) is too early for locks_ms",
        UTC,
    ),
    Mistake("a list as body", "POST", "/v1/owners", [], "invalid", "the body must be an object, not a list"),
    Mistake(
        "a list as game",
        "POST",
        "/v1/games",
        [],
        "invalid",
        "the body must be an object, not a list",
    ),
    Mistake(
        "leaderboard without division",
        "GET",
        "/v1/leaderboards/toepen",
        None,
        "not_found",
        "did you mean /v1/leaderboards/toepen/{division}?",
    ),
    Mistake(
        "leaderboard of chess",
        "GET",
        "/v1/leaderboards/chess/open",
        None,
        "kind_not_found",
        "chess",
        "toepen, truco",
    ),
    Mistake(
        "trailing slash",
        "GET",
        "/v1/tournaments/",
        None,
        "not_found",
        "did you mean /v1/tournaments?",
        "/v1/tournaments",
    ),
    Mistake("no /v1", "GET", "/owners/ana", None, "not_found", "did you mean /v1/owners/ana?"),
    Mistake(
        "invited without who",
        "POST",
        "/v1/tournaments",
        {**CUP, "invited": ["rookie"]},
        "invalid_tournament",
        "anyone may enter",
        'who "invited"',
    ),
]
"""Section 9 of what newcomers were seen to do."""

MORE = [
    Mistake("singular", "GET", "/v1/tournament", None, "not_found", "did you mean /v1/tournaments?"),
    Mistake("singular of one", "GET", "/v1/bot/zap-bot", None, "not_found", "did you mean /v1/bots/zap-bot?"),
    Mistake("typing error", "GET", "/v1/leaderbords", None, "not_found", "did you mean /v1/leaderboards?"),
    Mistake("twice /v1", "GET", "/v1/v1/games", None, "not_found", "did you mean /v1/games?"),
    Mistake("/api", "GET", "/api/games", None, "not_found", "did you mean /v1/games?"),
    Mistake("capitals", "GET", "/v1/Bots/zap-bot", None, "not_found", "did you mean /v1/bots/zap-bot?"),
    Mistake(
        "unknown field",
        "POST",
        "/v1/bots",
        {"name": "ouros-bot", "desciption": "x"},
        "invalid",
        "did you mean description?",
        "name, version",
    ),
    Mistake(
        "camel case",
        "POST",
        "/v1/tournaments",
        {**CUP, "maxEntries": 4},
        "invalid",
        "did you mean max_entries?",
        "max_entries",
    ),
    Mistake(
        "unknown field deep inside",
        "POST",
        "/v1/games",
        {**TOEPEN, "clock": {"per_turn": 5000}},
        "invalid",
        "did you mean per_turn_ms?",
        "one of per_turn_ms, bank_ms",
    ),
    Mistake(
        "kind in capitals",
        "POST",
        "/v1/games",
        {**TOEPEN, "kind": "Toepen"},
        "kind_not_found",
        "did you mean toepen?",
    ),
    Mistake(
        "format run together",
        "POST",
        "/v1/tournaments",
        {**CUP, "format": "roundrobin"},
        "invalid",
        "'roundrobin' is not allowed; did you mean round_robin?",
        "one of: round_robin",
    ),
    Mistake(
        "house bot as bot",
        "POST",
        "/v1/games",
        seats({"bot": "rookie"}, {"open": True}),
        "bot_not_found",
        "that is a house bot",
        '{"house": "rookie"}',
    ),
    Mistake(
        "house bot as of the command",
        "POST",
        "/v1/games",
        seats({"bot": "house:rookie"}, {"open": True}),
        "bot_not_found",
        "that is a house bot",
        '{"house": "rookie"}',
    ),
    Mistake(
        "bot with its owner",
        "POST",
        "/v1/games",
        seats({"bot": "ana/zap-bot"}, {"open": True}),
        "bot_not_found",
        "a bot is named without its owner: did you mean zap-bot?",
    ),
    Mistake(
        "bot with a typing error",
        "POST",
        "/v1/games",
        seats({"bot": "zap-bto"}, {"open": True}),
        "bot_not_found",
        "did you mean zap-bot?",
    ),
    Mistake(
        "unknown house bot",
        "POST",
        "/v1/games",
        seats({"house": "rooky"}, {"open": True}),
        "invalid",
        "'rooky' is not allowed; did you mean rookie?",
    ),
    Mistake(
        "name with an underscore",
        "POST",
        "/v1/bots",
        {"name": "my_bot"},
        "invalid",
        "did you mean my-bot?",
        "3 to 32",
    ),
    Mistake(
        "page", "GET", "/v1/bots?page=2", None, "invalid", "did you mean cursor?", "one of cursor, limit"
    ),
    Mistake("per_page", "GET", "/v1/bots?per_page=2", None, "invalid", "did you mean limit?"),
    Mistake(
        "token in the query",
        "GET",
        "/v1/bots?token=btq_o_ana_x",
        None,
        "invalid",
        "a token is sent in the header Authorization: Bearer <token>",
    ),
    Mistake(
        "limit too large", "GET", "/v1/bots?limit=1000", None, "invalid", "1000 is out of range", "1 to 100"
    ),
    Mistake("limit in words", "GET", "/v1/bots?limit=ten", None, "invalid", "'ten' is a text", "integer"),
    Mistake(
        "number in quotes",
        "POST",
        "/v1/tournaments",
        {**CUP, "groups": "4"},
        "invalid",
        "'4' is a text: write it without quotes",
    ),
    Mistake(
        "truth in quotes",
        "POST",
        "/v1/tournaments",
        {**CUP, "auto_enter": "true"},
        "invalid",
        "'true' is a text: write it without quotes",
    ),
    Mistake(
        "clock as a number", "POST", "/v1/games", {**TOEPEN, "clock": 30}, "invalid", "not a number", "object"
    ),
    Mistake(
        "clock in seconds",
        "POST",
        "/v1/games",
        {**TOEPEN, "clock": {"per_turn_ms": 30}},
        "invalid",
        "30 is out of range",
        "100 to ",
    ),
    Mistake(
        "name as a number", "POST", "/v1/bots", {"name": 5}, "invalid", "5 is a number", "a valid string"
    ),
    Mistake("empty body", "POST", "/v1/games", b"", "malformed_json", "the body is empty"),
    Mistake("single quotes", "POST", "/v1/games", b"{'kind': 'truco'}", "malformed_json", "double quotes"),
    Mistake(
        "Python's True",
        "POST",
        "/v1/games",
        b'{"kind": "truco", "open": True}',
        "malformed_json",
        "JSON has true, false and null",
    ),
    Mistake(
        "trailing comma",
        "POST",
        "/v1/games",
        b'{"kind": "truco",}',
        "malformed_json",
        "a comma before a closing bracket",
    ),
    Mistake("a form", "POST", "/v1/games", b"kind=truco", "malformed_json", "this is a form"),
    Mistake(
        "rule with a typing error",
        "POST",
        "/v1/games",
        {**TOEPEN, "rules": {"live": 3}},
        "invalid_option",
        "did you mean lives?",
    ),
    Mistake(
        "preset with a typing error",
        "GET",
        "/v1/leaderboards/toepen/open?preset=duel1",
        None,
        "preset_not_found",
        "did you mean duel@1?",
    ),
    Mistake(
        "division in capitals",
        "GET",
        "/v1/leaderboards/toepen/Open",
        None,
        "division_not_found",
        "did you mean open?",
    ),
    Mistake(
        "method of another operation",
        "GET",
        "/v1/games/x/join",
        None,
        "method_not_allowed",
        "does not support GET",
        "POST",
    ),
]
"""Further ones."""


@pytest.mark.parametrize("mistake", [*FOUND, *MORE], ids=lambda one: one.name)
def test_a_mistake_is_explained(
    owner: Account, register: Callable[..., Account], anybody: ContractClient, mistake: Mistake
) -> None:
    register("zap-bot")
    sent: dict[str, Any] = {}
    if isinstance(mistake.body, bytes):
        sent = {"data": mistake.body, "content_type": "application/json"}
    elif mistake.body is not None:
        sent = {"json": mistake.body}
    problem = owner.client.open(mistake.path, method=mistake.method, **sent).json
    assert problem["code"] == mistake.code, problem
    assert mistake.says in problem["detail"]
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
