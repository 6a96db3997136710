"""The commands about owners, bots, games, tournaments and schedules, and for admins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import run
from arena.cli.tournament_views import pairings
from tests.api.server import ADMIN_TOKEN, Server
from tests.cli.conftest import Owner, Terminal
from tests.service import ROOT, environment
from tests.waiting import PATIENCE

ADMIN = ("--token", ADMIN_TOKEN)


def test_owners_and_their_tokens(owner: Owner, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    made = terminal.json("signup", f"{owner.name}-two")
    assert made["owner"]["name"] == f"{owner.name}-two"
    shown = terminal("owner", "show", owner.name)
    assert shown.startswith(f"name:      {owner.name}\n")
    assert terminal.json("web", "--no-browser")["url"].startswith("http")
    new = terminal("owner", "rotate").strip()
    monkeypatch.setenv("BOTEQUIM_TOKEN", new)
    assert terminal.json("whoami")["name"] == owner.name
    assert terminal("owner", "unlink") == "no identity is linked\n"
    code = terminal("owner", "recovery-code").strip()
    recovered = terminal.json("owner", "recover", "--recovery-code", code)
    assert recovered["owner"]["name"] == owner.name
    assert recovered["recovery_code"] != code
    monkeypatch.setenv("BOTEQUIM_TOKEN", recovered["token"])
    assert terminal("owner", "revoke", "--yes") == "the token is revoked\n"
    issued = terminal("admin", "token", owner.name, *ADMIN).strip()
    assert terminal.json("whoami", "--token", issued)["name"] == owner.name


def test_bots_and_their_tokens(owner: Owner, terminal: Terminal) -> None:
    name = f"{owner.name}-bot"
    made = terminal.json("bot", "register", name, "--description", "plays", "--no-tournaments")
    assert made["token"].startswith(f"btq_b_{name}_")
    assert (made["bot"]["description"], made["bot"]["tournaments"]) == ("plays", False)
    assert terminal.json("bot", "list", "--mine") == {"bots": [*owner.client.bots(owner=owner.name)]}
    assert name in terminal("bot", "list", "--owner", owner.name)
    assert terminal("bot", "add-version", name, "2") == f"{name} 2: added, remote\n"
    shown = terminal("bot", "show", name)
    assert "takes part in scheduled tournaments: no\n" in shown
    assert [line.split()[0] for line in shown.partition("\n\n")[2].splitlines()] == ["version", "1", "2"]
    assert terminal.json("bot", "show", name) == owner.client.bot(name)
    assert terminal("bot", "change", name, "--state", "withdrawn", "--people") == (
        "people: yes\nstate: withdrawn\n"
    )
    assert terminal("bot", "rotate", name).startswith("btq_b_")
    assert terminal("bot", "revoke", name) == f"the token of {name} is revoked\n"
    assert terminal("bot", "qualifications", name) == "no qualifications\n"
    assert terminal("bot", "uploads", name) == "no uploads\n"
    assert terminal("bot", "delete", name) == f"{name} is deleted\n"
    assert terminal("bot", "list", "--mine") == "no bots\n"


def test_a_game_from_its_creation_to_its_record(owner: Owner, service: Server, terminal: Terminal) -> None:
    names = [f"{owner.name}-{letter}" for letter in "ab"]
    tokens = [terminal("bot", "register", name).strip() for name in names]
    made = terminal.json("game", "create", "toepen", names[0], "open", "--rule", "lives=1")
    game = made["game"]
    assert (made["kind"], made["state"]) == ("toepen", "waiting")
    assert terminal("game", "join", game, "--token", tokens[1]) == "1\n"
    shown = terminal("game", "show", game)
    assert "lives=1" in shown
    assert names[1] in shown
    assert terminal.json("game", "show", game)["game"] == game
    assert terminal("game", "resign", game, "--token", tokens[1]).startswith(
        f"{game}: resigned; the game is "
    )
    # Whoever is left wins as the table plays on; the other bot answers what it is asked.
    cursor = None
    bot = service.client(tokens[0])
    while owner.client.request("GET", f"/v1/games/{game}")["state"] == "running":
        page = bot.turns(cursor, wait=0.2)
        cursor = page["cursor"]
        bot.exchange([{"turn": turn["turn"], "action": turn["legal_actions"][0]} for turn in page["turns"]])
    lines = terminal("game", "watch", game).splitlines()
    assert lines[0].split()[:2] == ["0", "dealer"]
    assert lines[-1].startswith("finished: 1. ")
    events = [json.loads(line) for line in terminal("game", "watch", game, "--json").splitlines()]
    assert events[: len(lines) - 1][0]["type"] == "dealer"
    page = terminal.json("game", "events", game, "--start", "2", "--limit", "3")
    assert [event["n"] for event in page["events"]] == [2, 3, 4]
    assert terminal("game", "events", game).splitlines()[:3] == lines[:3]
    assert json.loads(terminal("game", "record", game, "--wait"))["canonical"]["game"] == game
    found = terminal.json("game", "list", "--bot", names[0], "--state", "finished")
    assert [one["game"] for one in found["games"]] == [game]
    assert game in terminal("game", "list", "--kind", "toepen")
    other = terminal("game", "create", "toepen", "open", "open").strip()
    assert terminal("game", "cancel", other) == f"{other}: cancelled\n"
    assert terminal("game", "list", "--bot", names[0], "--state", "void") == "no games\n"


def test_tournaments_are_shown(owner: Owner, terminal: Terminal) -> None:
    made = terminal.json(
        "tournament", "create", "Cup", "toepen", "--rule", "seats=2", "--house", "rookie", "--starts", "+1h"
    )
    event = made["id"]
    shown = terminal("tournament", "show", event)
    assert "game:               toepen/duel@1\n" in shown
    assert "rookie" in shown
    assert terminal.json("tournament", "show", event)["id"] == event
    assert terminal("tournament", "groups", event) == "no groups\n"
    assert terminal("tournament", "bracket", event) == "no round of Cup has begun; it is entry\n"
    assert terminal("tournament", "records", event) == ""
    assert event in [one["id"] for one in terminal.json("tournament", "list")["tournaments"]]
    assert terminal("tournament", "list", "--state", "cancelled", "--kind", "truco") == "no tournaments\n"


def test_the_rounds_of_a_tournament() -> None:
    def group(number: int, pairing: int, score: dict[str, float] | None) -> dict[str, object]:
        players = list(score or {"a": 0, "b": 0})
        return {
            "round": number,
            "pairing": pairing,
            "players": players,
            "state": "done" if score else "playing",
            "score": score,
            "annulled": None,
        }

    rounds = pairings(
        [group(1, 1, {"a": 1.0, "b": 0.0}), group(1, 1, {"a": 0.5, "b": 0.5}), group(2, 1, None)]
    )
    assert [one["round"] for one in rounds] == [1, 2]
    (first,) = rounds[0]["pairings"]
    assert (first["points"], first["groups"], first["over"]) == ({"a": 1.5, "b": 0.5}, 2, True)
    assert rounds[1]["pairings"][0]["over"] is False


def test_a_schedule_is_paused_and_resumed(owner: Owner, terminal: Terminal) -> None:
    name = f"{owner.name}-s"
    terminal(
        "schedule", "create", name, "Nightly", "truco", "--cron", "0 20 * * *", "--house", "rookie",
        "--house", "random", *ADMIN,
    )  # fmt: skip
    assert terminal("schedule", "pause", name, *ADMIN) == f"{name}: paused\n"
    assert terminal.json("schedule", "show", name)["enabled"] is False
    assert "house:      rookie, random\n" in terminal("schedule", "show", name)
    assert terminal("schedule", "resume", name, *ADMIN).startswith(f"{name}: next 20")
    assert name in [one["id"] for one in terminal.json("schedule", "list")["schedules"]]
    assert terminal("schedule", "delete", name, *ADMIN) == f"{name} is deleted\n"


def test_admins(owner: Owner, terminal: Terminal) -> None:
    assert terminal("admin", "grant", owner.name, *ADMIN) == f"{owner.name} is an admin\n"
    assert terminal.json("whoami")["admin"] is True
    assert terminal.json("admin", "withdraw", owner.name, *ADMIN)["admin"] is False
    first = terminal.json("admin", "audit", "--limit", "1", *ADMIN)["entries"][0]
    assert (first["action"], first["subject"]) == ("set admin", f"owner {owner.name}")
    assert terminal("admin", "suspensions", *ADMIN) == "no bots\n"
    assert terminal("admin", "suspicions", "toepen", "open", *ADMIN) == "no suspicions\nno copies\n"
    assert "botequim_requests_total" in terminal("admin", "metrics")
    assert "there is no bot" in terminal.error("admin", "lift", "nobody", *ADMIN)
    assert "no tournament has a game" in terminal.error("admin", "annul", "0" * 18, "--reason", "r", *ADMIN)
    pair = ("admin", "annul", "--owners", owner.name, "nobody", "--reason", "r", *ADMIN)
    assert terminal(*pair) == f"0 groups between {owner.name} and nobody annulled: r\n"
    assert terminal.json(*pair) == {"annulled": 0}
    assert "either GAME or --owners" in terminal.error("admin", "annul", "--reason", "r", *ADMIN)


def test_boards_and_what_is_beside_them(owner: Owner, terminal: Terminal) -> None:
    # Tests beside this one play for the other divisions of the same service.
    models = ("--division", "models")
    assert terminal("leaderboard", "--history", *models) == "nothing has been published\n"
    assert terminal.json("leaderboard", "--styles", *models) == {"boards": []}
    assert terminal.json("leaderboard", "--online", *models) == {"boards": []}


def test_local_results_as_json(terminal: Terminal, tmp_path: Path) -> None:
    file = str(tmp_path / "out.jsonl")
    found = terminal.json(
        "play", "toepen", "random", "rookie", "--groups", "2", "--jobs", "1", "--seed", "7", "--records", file
    )
    assert (found["games"], found["groups"], found["seed"]) == (4, 2, "7")
    assert {bot["name"] for bot in found["bots"]} == {"random", "rookie"}
    assert terminal.json("verify", file)["records"] == 4
    record = json.loads(Path(file).read_text().splitlines()[0])
    record["canonical"]["outcome"]["scores"][0] += 1
    (tmp_path / "wrong.json").write_text(json.dumps(record))
    wrong = terminal.json("verify", str(tmp_path / "wrong.json"), status=1)
    assert wrong["wrong"] == 1
    assert wrong["problems"]
    decided = terminal.json("bot", "debug", file, "--number", "1", "--turn", "1", "--bot", "rookie")
    assert decided["turn"]["kind"] == "toepen"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str, terminal: Terminal, tmp_path: Path) -> None:
    assert "_BOTEQUIM_COMPLETE" in terminal("completion", shell)
    program = tmp_path / "botequim"
    program.write_text(f"#!{sys.executable}\nfrom arena.cli import main\nmain()\n")
    program.chmod(0o755)
    # fish passes the word itself, the others its number.
    words = {"COMP_WORDS": "botequim tourn", "COMP_CWORD": "tourn" if shell == "fish" else "1"}
    done = subprocess.run(
        [str(program)],
        env=environment(_BOTEQUIM_COMPLETE=f"{shell}_complete", **words),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE,
    )
    assert "tournament" in done.stdout, os.linesep.join((done.stdout, done.stderr))


def test_json_after_a_group_is_not_understood(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bot", "--json", "list"]) == 2
    assert "No such option '--json'" in capsys.readouterr().err
