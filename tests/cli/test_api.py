"""``botequim api`` reaches all operations, with all of their fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import botequim
from arena.operations import OPERATIONS
from tests.api.server import ADMIN_TOKEN
from tests.cli.conftest import Owner, Terminal
from tests.documents import openapi
from tests.receiver import Receiver

BOT = "def choose(turn):\n    return turn['legal_actions'][0]  # é\n"


def called(terminal: Terminal, *words: str) -> Any:
    """The reply of an operation."""
    return json.loads(terminal("api", *words))


def test_all_operations_are_listed(terminal: Terminal) -> None:
    lines = terminal("api", "--list").splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(OPERATIONS)
    listed = {(one["method"].lower(), one["path"]) for one in terminal.json("api", "--list")["operations"]}
    paths = openapi()["paths"]
    assert listed == {(method, path) for path in paths for method in paths[path] if method != "parameters"}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_operation_is_reached(name: str, receiver: Receiver, terminal: Terminal) -> None:
    operation = OPERATIONS[name]
    receiver.seen.clear()
    terminal("api", name, *(f"{one}={one}" for one in operation.in_path), "--url", receiver.url)
    ((method, path, _, _),) = receiver.seen
    assert (method, path) == (operation.method, operation.path.replace("{", "").replace("}", ""))


def test_fields_of_the_path_the_query_and_the_body(owner: Owner, terminal: Terminal) -> None:
    bot = f"{owner.name}-bot"
    made = called(terminal, "registerBot", f"name={bot}", "description=true", "game_cost:=0.25")
    assert (made["bot"]["description"], made["bot"]["game_cost"]) == ("true", 0.25)
    assert called(terminal, "change_bot", f"bot={bot}", "game_cost:=null")["game_cost"] is None
    cup = (
        "kind=toepen",
        "name=Cup",
        "format=swiss",
        "rules.seats:=2",
        "rules.lives:=3",
        "clock.preset=patient",
    )
    planned = called(terminal, "plan_tournament", *cup, 'house:=["rookie", "random"]', "entrants=4")
    assert planned["entrants"] == 4
    made = called(terminal, "create_tournament", *cup, 'house:=["rookie", "random"]')
    assert (made["rules"]["lives"], made["clock"]["per_turn_ms"]) == (3, 120_000)
    assert terminal("api", "cancel_tournament", f"tournament={made['id']}", "reason=rain")
    assert terminal("api", "delete_bot", f"bot={bot}") == ""


def test_fields_in_files(owner: Owner, terminal: Terminal, tmp_path: Path) -> None:
    body = {"kind": "toepen", "seats": [{"open": True}, {"open": True}], "rules": {"lives": 3}}
    (tmp_path / "game.json").write_text(json.dumps(body), encoding="utf-8")
    made = called(terminal, "create_game", "--input", str(tmp_path / "game.json"), "visibility=private")
    assert (made["visibility"], made["rules"]["lives"]) == ("private", 3)
    (tmp_path / "seats.json").write_text('[{"open": true}, {"house": "rookie"}]')
    (tmp_path / "text").write_text("One line.", encoding="utf-8")
    seats = f"seats:=@{tmp_path / 'seats.json'}"
    assert called(terminal, "create_game", "kind=toepen", seats)["seats"][1]["name"] == "rookie"
    text = f"description=@{tmp_path / 'text'}"
    made = called(terminal, "register_bot", f"name={owner.name}-bot", text)
    assert made["bot"]["description"] == "One line."


def test_an_upload_is_sent_as_a_file(receiver: Receiver, terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    receiver.seen.clear()
    source = f"source=@{tmp_path / 'bot.py'}"
    terminal("api", "add_version", "bot=b", "label=2", source, "--url", receiver.url)
    ((_, path, query, body),) = receiver.seen
    assert path == "/v1/bots/b/versions"
    assert query["label"] == "2"
    assert body == ("text/x-python", BOT.encode())


def test_pages_texts_and_streams(owner: Owner, terminal: Terminal) -> None:
    games = {terminal("game", "create", "toepen", "open", "open").strip() for _ in range(3)}
    first = called(terminal, "list_games", "limit=2")
    assert len(first["games"]) == 2
    assert first["cursor"]
    joined = called(terminal, "list_games", "limit=2", "--all")
    assert games <= {one["game"] for one in joined["games"]}
    assert joined.keys() == {"games"}
    assert "botequim_requests_total" in terminal("api", "get_metrics")
    cup = terminal(
        "tournament", "create", "Cup", "toepen", "--rule", "seats=2", "--house", "rookie", "--starts", "+1h"
    ).strip()
    assert terminal("api", "get_standings", f"tournament={cup}", "format=csv").startswith("place,")
    terminal("tournament", "cancel", cup, "--reason", "rain")
    (line, *_) = terminal("api", "stream_tournament", f"tournament={cup}").splitlines()
    assert json.loads(line)["data"]["state"] == "cancelled"


def test_admins(owner: Owner, terminal: Terminal) -> None:
    made = called(terminal, "set_admin", f"owner={owner.name}", "admin:=true", "--token", ADMIN_TOKEN)
    assert made["admin"] is True


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("creat_series",), "there is no operation 'creat_series'; did you mean 'create_series'"),
        (("nonsense!",), "there is no operation 'nonsense!'; 'botequim api --list' lists them"),
        ((), "OPERATION is missing"),
        (
            ("get_source", "bot=b"),
            "get_source needs version=...: GET /v1/bots/{bot}/versions/{version}/source",
        ),
        (("get_me", "bot"), "'bot' is not a valid field; at FIELD; expected name=text, name:=JSON"),
        (("create_game", "seats:=[1"), "seats is not JSON"),
        (("create_game", "kind=truco", "kind=toepen"), "kind is given twice"),
        (
            ("create_game", "clock=1", "clock.preset=patient"),
            "clock is set both as a value and as an object",
        ),
        (("create_game", "source=@/nowhere"), "/nowhere cannot be read: No such file or directory"),
        (("create_game", "--input", "{list}"), "the file does not contain a JSON object"),
        (("get_me", "--all"), "get_me does not return pages"),
        (("list_bots", "wrong=1"), "wrong"),
        (("list_bots", "limit=many"), "limit"),
        (("get_game", "game=g", "wait=soon"), "wait"),
        (("get_bot", "bot=nobody-at-all"), "there is no bot"),
        (("create_series", "name="), "name: length must be"),
        (("register_bot", "name=hook-bot", "url=u", "transport=webhook"), "url"),
    ],
)
def test_errors(owner: Owner, terminal: Terminal, tmp_path: Path, words: tuple[str, ...], line: str) -> None:
    (tmp_path / "list.json").write_text("[1]")
    shown = terminal.error("api", *(word.replace("{list}", str(tmp_path / "list.json")) for word in words))
    assert line in shown
    assert "--url" not in shown


def test_names_are_completed() -> None:
    done = CliRunner().invoke(
        botequim,
        env={"_BOTEQUIM_COMPLETE": "bash_complete", "COMP_WORDS": "botequim api create_s", "COMP_CWORD": "2"},
        prog_name="botequim",
    )
    names = [line.partition(",")[2] for line in done.output.splitlines()]
    assert names == [name for name in OPERATIONS if name.startswith("create_s")]
