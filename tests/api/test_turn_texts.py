"""Turns as text over HTTP, and answers that are read as people write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from arena.play.turn_texts import turn_text
from tests.api.conftest import Account

TEXT = {"Accept": "text/plain"}


@pytest.fixture
def to_move(owner: Account, register: Callable[..., Account]) -> tuple[Account, dict[str, Any]]:
    """The bot that must act in a game of Toepen, and its turn."""
    bots = [register(f"bot-{letter}") for letter in "ab"]
    game = {"kind": "toepen", "seats": [{"bot": bot.name} for bot in bots]}
    assert owner.client.post("/v1/games", json=game).status_code == 201
    for bot in bots:
        for turn in bot.client.get("/v1/turns").json["turns"]:
            if not turn["optional"]:
                return bot, turn
    raise AssertionError("nobody has a turn")


def answered(bot: Account, turn: dict[str, Any], action: Any, query: str = "") -> str:
    body = {"answers": [{"turn": turn["turn"], "action": action}]}
    response = bot.client.post(f"/v1/turns{query}", json=body, headers=TEXT)
    assert response.status_code == 200
    assert response.content_type == "text/plain; charset=utf-8"
    return str(response.text)


def timeless(text: str) -> str:
    return re.sub(r"Time: .*", "Time:", text)


def test_a_turn_is_the_same_in_text(to_move: tuple[Account, dict[str, Any]]) -> None:
    bot, turn = to_move
    response = bot.client.get("/v1/turns", headers=TEXT)
    assert response.content_type == "text/plain; charset=utf-8"
    told, _, cursor = response.text.rpartition("\ncursor: ")
    assert timeless(told) == timeless(turn_text(turn))
    again = bot.client.get(f"/v1/turns?after={cursor.strip()}", headers=TEXT).text
    assert again.startswith("No new turn.\n\ncursor: ")
    without = bot.client.get("/v1/turns?legal=none", headers=TEXT).text
    assert timeless(without.rpartition("\ncursor: ")[0]) == timeless(turn_text(turn, "none"))
    assert bot.client.get("/v1/turns?legal=all", headers=TEXT).json["field"] == "legal"


@pytest.mark.parametrize(
    "accept", [None, "*/*", "application/json", "application/json, text/plain, */*", "text/plain;q=0.5, */*"]
)
def test_others_get_json(to_move: tuple[Account, dict[str, Any]], accept: str | None) -> None:
    bot, turn = to_move
    headers = {} if accept is None else {"Accept": accept}
    response = bot.client.get("/v1/turns?legal=none", headers=headers)
    assert response.content_type == "application/json"
    assert response.json["turns"][0]["legal_actions"] == turn["legal_actions"]
    body = {"answers": [{"turn": turn["turn"], "action": "KEEP"}]}
    result = bot.client.post("/v1/turns", json=body, headers=headers).json["results"][0]
    assert result["status"] == "illegal_action"


def test_answers_are_read_as_people_write_them(to_move: tuple[Account, dict[str, Any]]) -> None:
    bot, turn = to_move
    assert "keep" in turn["legal_actions"]
    told = answered(bot, turn, "I am happy with this. [Keep]")
    assert told.startswith(f"answer {turn['turn']}: accepted keep\n")
    assert f"answer {turn['turn']}: accepted keep (again)\n" in answered(bot, turn, "KEEP")
    assert f"answer {turn['turn']}: turn_already_answered, " in answered(bot, turn, "exchange!")


def test_a_refusal_says_what_would_be_read(to_move: tuple[Account, dict[str, Any]]) -> None:
    bot, turn = to_move
    told = answered(bot, turn, "what a hand").splitlines()
    assert told[0].startswith(f"answer {turn['turn']}: illegal_action, ")
    assert told[1:3] == ["Faults: 1", "Legal: " + ", ".join(turn["legal_actions"])]
    told = answered(bot, turn, "play 2C", "?legal=none").splitlines()
    assert told[1:3] == ["Faults: 2", "Forms of actions:"]
    assert "- keep: Play with this hand (TP-2.3)." in told
    assert answered(bot, turn, 5).splitlines()[1] == "Faults: 3, forfeited"


def test_answers_that_name_no_turn_are_refused_one_by_one(to_move: tuple[Account, dict[str, Any]]) -> None:
    bot, turn = to_move
    answers = [5, {"turn": "x.0.1", "action": "keep"}, {"turn": 5, "action": "keep"}]
    answers.append({"turn": turn["turn"], "action": "keep"})
    told = bot.client.post("/v1/turns", json={"answers": answers}, headers=TEXT).text
    found = re.findall(r"^answer (\S+): (\w+)", told, re.MULTILINE)
    assert found == [
        ("?", "malformed"),
        ("x.0.1", "unknown_turn"),
        ("?", "malformed"),
        (turn["turn"], "accepted"),
    ]


def test_an_answer_that_is_late_gets_the_new_turn(to_move: tuple[Account, dict[str, Any]]) -> None:
    bot, turn = to_move
    old = {**turn, "turn": turn["turn"].rpartition(".")[0] + ".0"}
    told = answered(bot, old, "keep")
    assert f"answer {old['turn']}: " in told
    assert f"\nturn {turn['turn']}: toepen" in told
