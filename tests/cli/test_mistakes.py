"""Mistakes at the command line: one line, in the words of the command, that says what is meant."""

from __future__ import annotations

import re
import shlex
import subprocess
from math import inf
from pathlib import Path

import pytest

from arena.cli import run
from arena.cli.compare import interval_text
from arena.cli.output import with_interval
from tests.api.server import Server
from tests.cli.conftest import Owner, Terminal
from tests.mistakes.cases import BOT, OFFLINE, ONLINE, OTHER_BOT, Command
from tests.mistakes.examples import examples
from tests.service import botequim, environment

CUP = ("tournament", "create", "Cup", "toepen", "--rule", "seats=2")


def parts(command: Command) -> list[str]:
    """What its error must contain."""
    return command.says.split(" ... ")


@pytest.mark.parametrize("command", OFFLINE, ids=lambda one: one.line)
def test_a_mistake_is_one_line(config: Path, terminal: Terminal, command: Command) -> None:
    error = terminal.error(*shlex.split(command.line))
    assert all(part in error for part in parts(command)), error


@pytest.fixture(scope="session")
def ana(service: Server) -> str:
    """The token of an owner with a bot; somebody else has another one."""
    token = service.client().sign_up("ana")
    service.client(token).register_bot(BOT)
    service.client(service.client().sign_up("pia")).register_bot(OTHER_BOT)
    return token


@pytest.mark.parametrize("command", ONLINE, ids=lambda one: one.line)
def test_the_service_is_quoted_in_the_words_of_the_command(
    ana: str,
    service: Server,
    config: Path,
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    command: Command,
) -> None:
    monkeypatch.setenv("BOTEQUIM_URL", service.url)
    monkeypatch.setenv("BOTEQUIM_TOKEN", ana)
    error = terminal.error(*shlex.split(command.line))
    assert all(part in error for part in parts(command)), error
    assert "_ms" not in error
    assert not re.search(r"; at [a-z]", error), "a field of the API is no word of the command"
    places = error.split("; ")
    assert len(places) == len(set(places)), "it says something twice"


CREATE = "tournament create Cup toepen --rule seats=2"


@pytest.mark.parametrize(
    ("line", "count"),
    [
        (f"{CREATE} --starts tomorrow", 3),
        (f"{CREATE} --starts 2020-01-01T00:00", 2),
        (f"{CREATE} --starts +999d", 2),
        (f"{CREATE} --opens 18h", 3),
        (f"{CREATE} --format open --ends +999d", 2),
        (f"{CREATE} --turn-seconds soon", 4),
        (f"{CREATE} --turn-seconds 0s", 2),
        (f"{CREATE} --bank-seconds 999d", 2),
        (f"{CREATE} --per-owner 65", 2),
        (f"{CREATE} --link here", 1),
        ("tournament create Cup toepen --preset duel@2", 2),
        ("schedule create as-said Nightly toepen --house rookie --house random --at tomorrow", 3),
        ("schedule create as-said Nightly toepen --house rookie --house random --cron daily", 1),
    ],
)
def test_what_a_command_says_is_expected_is_accepted(
    owner: Owner, terminal: Terminal, line: str, count: int
) -> None:
    *command, option, _ = shlex.split(line)
    error = terminal.error(*shlex.split(line))
    found = examples(error.rpartition("expected ")[2].partition(" (see ")[0])
    assert len(found) == count, error
    for value in found:
        later = ["--starts", "+30d"] if option == "--opens" else []
        again = terminal.stderr(*command, option, str(value), *later)
        assert option not in again, again
        if command[0] == "schedule":
            terminal("schedule", "delete", "as-said")


def test_the_name_rule_is_said_once(owner: Owner, terminal: Terminal) -> None:
    assert terminal.error("bot", "register", "my_bot").count("3 to 32") == 1


def test_https_at_a_port_of_http_is_not_tried_again(
    owner: Owner, service: Server, terminal: Terminal
) -> None:
    url = service.url.replace("http://", "https://")
    error = terminal.error("tournament", "list", "--url", url)
    assert error.endswith(f"the service does not use HTTPS there; at --url; expected {service.url}")


def test_changes_are_confirmed(owner: Owner, terminal: Terminal) -> None:
    event = terminal(*CUP, "--starts", "+1h").strip()
    terminal("bot", "register", f"{owner.name}-bot")
    terminal("tournament", "enter", event, f"{owner.name}-bot")
    assert terminal("tournament", "leave", event, f"{owner.name}-bot").endswith(": withdrawn (left)\n")
    assert terminal("tournament", "standings", event) == "Cup has no finished groups; it is entry\n"
    assert terminal("tournament", "cancel", event, "--reason", "rain") == f"{event}: cancelled: rain\n"
    assert terminal("bot", "delete", f"{owner.name}-bot") == f"{owner.name}-bot is deleted\n"


def test_a_missing_file_is_not_like_a_word_of_the_message(terminal: Terminal) -> None:
    assert "did you mean" not in terminal.error("play", "truco", "nofile.py", "rookie")


@pytest.mark.parametrize(("encoding", "sign"), [("ascii", "±".encode()), ("iso8859-5", b"?")])
def test_an_output_without_all_characters_shows_the_result(
    encoding: str, sign: bytes, tmp_path: Path
) -> None:
    done = subprocess.run(
        botequim("play", "truco", "random", "rookie", "--groups", "2", "--seed", "1", "--jobs", "1"),
        cwd=tmp_path,
        env=environment(PYTHONIOENCODING=encoding),
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    # The sign of the interval.
    assert sign in done.stdout


@pytest.mark.parametrize("command", [("play",), ("game", "create"), ("tournament", "create")])
def test_the_kinds_are_in_the_help(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--help"]) == 0
    assert "truco or toepen" in " ".join(capsys.readouterr().out.split())


def test_one_group_has_no_interval(terminal: Terminal) -> None:
    shown = terminal("play", "truco", "random", "rookie", "--groups", "1", "--seed", "1", "--jobs", "1")
    assert "± -" in shown
    assert "inf" not in shown
    bots = terminal.json("play", "truco", "random", "rookie", "--groups", "1", "--seed", "1", "--jobs", "1")[
        "bots"
    ]
    assert [bot["half_width"] for bot in bots] == [None, None]


def test_an_interval_as_wide_as_all_margins_is_not_shown() -> None:
    assert with_interval(0.25, 9.711) == with_interval(0.25, None) == "+0.250 ± -"
    assert with_interval(0.25, 0.999) == "+0.250 ± 0.999"
    assert interval_text((0.25, -9.461, 9.961), "+.3f") == "+0.250"
    assert interval_text((0.25, -1.0, 1.0), "+.3f") == "+0.250"
    assert interval_text((0.5, -0.25, 1.25), "+.3f") == "+0.500 (-0.250 to +1.000)"
    assert interval_text((89.0, -inf, inf), "+.0f") == "+89"
    assert interval_text((191.0, -89.0, inf), "+.0f") == "+191 (-89 to +999)"


def test_not_waiting_is_no_mistake(owner: Owner, terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text("def choose(turn):\n    return turn['legal_actions'][0]\n")
    name = f"{owner.name}-up"
    said = terminal("bot", "submit", str(file), "--name", name, "--wait", "0")
    assert f"{name} 1 has not been checked yet" in said
    (upload,) = terminal.json("bot", "uploads", name)["uploads"]
    assert terminal.json("bot", "upload", name, upload["id"])["state"] == "received"
