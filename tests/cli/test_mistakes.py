"""Mistakes at the command line: one line, in the words of the command, that says what is meant."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.cli import run
from tests.cli.conftest import Owner, Terminal
from tests.service import Service, botequim, environment

CUP = ("tournament", "create", "Cup", "toepen", "--rule", "seats=2")
SCHEDULE = ("schedule", "create", "nightly", "Nightly", "truco")
REGISTER = ("bot", "register", "my-bot", "--token", "t")

OFFLINE: list[tuple[tuple[str, ...], str]] = [
    # Names
    (("tournamnet", "list"), "No such command 'tournamnet'. Did you mean 'tournament'?"),
    (("bot", "lst"), "No such command 'lst'. Did you mean 'list'?"),
    (("schedule", "delet"), "No such command 'delet'. Did you mean 'delete'?"),
    (("play", "truco", "random", "--gruops", "3"), "No such option '--gruops'. Did you mean '--groups'?"),
    (("play", "truco", "random", "rookei"), "there is no bot 'rookei'"),
    (("play", "truco", "random", "rookei"), "did you mean 'rookie'?"),
    (("play", "trucoo", "random", "rookie"), "did you mean 'truco'?"),
    (("compare", "random", "rookie", "--kind", "topen"), "did you mean 'toepen'?"),
    (("play", "truco", "random", "rookie", "--rule", "max_burn=1"), "did you mean 'max_burns'?"),
    (("play", "toepen", "random", "rookie", "--rule", "end=eliminaton"), "did you mean 'elimination'?"),
    (("compare", "random", "rookie", "--kind", "truco", "--preset", "bas@1"), "did you mean 'base@1'?"),
    ((*CUP, "--format", "swis"), "Did you mean 'swiss'?"),
    ((*CUP, "--division", "seald"), "Did you mean 'sealed'?"),
    (("game", "list", "--state", "runing"), "Did you mean 'running'?"),
    (("completion", "powershell"), "'powershell' is not one of 'bash', 'zsh', 'fish'."),
    # Values
    (("play", "truco", "random", "rookie", "--groups", "0"), "'--groups': 0 is not in the range x>=1"),
    (("play", "truco", "random", "rookie", "--think-limit", "0"), "0.0 is not in the range x>0"),
    (("play", "truco", "random", "rookie", "--jobs", "-3"), "'--jobs': -3 is not in the range x>=1"),
    (("bot", "test", "random", "--records", "/no-dir/x"), "/no-dir/x: No such file or directory"),
    (("series", "create", "Autumn", "--best", "0"), "'--best': 0 is not in the range x>=1"),
    ((*CUP, "--groups", "0"), "Invalid value for '--groups': 0 is not in the range x>=1"),
    ((*CUP, "--starts", "2020-01-01T00:00"), "Invalid value for '--starts': 2020-01-01T00:00 is in the past"),
    ((*CUP, "--opens", "+10m", "--starts", "+5m", "--token", "t"), "'--starts': it is not after --opens"),
    ((*CUP, "--ends", "+1m", "--token", "t"), "'--ends': it is not after --starts"),
    ((*SCHEDULE, "--at", "2020-01-01T00:00"), "Invalid value for '--at': 2020-01-01T00:00 is in the past"),
    ((*SCHEDULE, "--token", "t"), "exactly one of --cron and --at is needed"),
    (("webhook", "test", "localhost:9000"), "'localhost:9000' is not a URL; expected http:// or https://"),
    (("webhook", "test", "http://127.0.0.1:9", "--secret", "abc"), "at --secret; expected whsec_"),
    (("tournament", "list", "--url", "ftp://x"), "'ftp://x' is not the address of a service; at --url"),
    (
        ("tournament", "list", "--url", "http://127.0.0.1:9/v1"),
        "is the address of the API, not of the service; at --url; expected http://127.0.0.1:9",
    ),
    # What is missing, or does not go together
    (("whoami",), "the token of an owner, a bot or an admin is missing; 'botequim login' stores it"),
    (("whoami", "--profile", "work"), "'botequim login --profile work' first"),
    ((*REGISTER, "--secret", "s"), "--secret and --rights need --webhook"),
    (("bot", "change", "my-bot", "--token", "t"), "nothing to change: give --people, --tournaments, --state"),
    (("bot", "list", "--mine", "--owner", "ana", "--token", "t"), "--mine and --owner exclude each other"),
    (("--json", "whoami"), "No such option '--json' before the command; options follow it"),
    (("completion",), "Choose from: bash, zsh, fish"),
    (("leaderboard",), "Missing argument 'FILE...'. --online shows the boards of a service."),
    (("leaderboard", "--bot", "x", "out.jsonl"), "--bot needs --history"),
    (("leaderboard", "--history", "out.jsonl"), "--history and --styles are of a service, and take no FILE"),
    (("bot", "submit", "my_bot.py", "--token", "t"), "Missing option '--name'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"), OFFLINE, ids=lambda one: " ".join(one) if isinstance(one, tuple) else ""
)
def test_a_mistake_is_one_line(
    config: Path, terminal: Terminal, arguments: tuple[str, ...], message: str
) -> None:
    assert message in terminal.error(*arguments)


ONLINE: list[tuple[tuple[str, ...], str]] = [
    (("game", "create", "toepen", "rookie", "house:random"), "that is a house bot; at SEAT"),
    (("game", "create", "toepen", "rookie", "house:random"), "expected house:rookie for the house bot"),
    (("game", "create", "toepen", "house:rookei", "open"), "did you mean 'rookie'?"),
    (("game", "create", "toepen", "open", "open", "--turn-seconds", "0.001"), "--turn-seconds"),
    (("game", "create", "toepen", "open", "open", "--rule", "seats=3"), "SEAT"),
    (("game", "show", "nothing"), "there is no game 'nothing'; at GAME"),
    ((*CUP, "--format", "open"), "needs --ends"),
    ((*CUP, "--groups", "5000"), "--groups: 5000 is out of range; expected 1 to 1000"),
    ((*CUP, "--house", "deep-blue"), "at --house"),
    ((*CUP, "--turn-seconds", "0s"), "--turn-seconds"),
    ((*CUP, "--tie-break", "buchholtz"), "--tie-break"),
    (("tournament", "show", "nothing"), "there is no tournament 'nothing'"),
    (("tournament", "standings", "nothing"), "there is no tournament 'nothing'"),
    (("bot", "register", "my_bot"), "must be 3 to 32 of a-z, 0-9 and, inside, hyphens"),
    (("bot", "show", "nobody"), "there is no bot 'nobody'"),
    (("bot", "submit", "no_file.py", "--name", "my-bot"), "no_file.py cannot be read: No such file"),
    (("bot", "register", "hooked", "--webhook", "ftp://x"), "at --webhook"),
    (("admin", "audit"), "a token of scope owner does not permit this operation; at --token"),
    ((*SCHEDULE, "--cron", "0 25 * * *"), "at --cron; expected five fields (minute, hour, day"),
    (("schedule", "show", "nightly"), "there is no schedule 'nightly'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"), ONLINE, ids=lambda one: " ".join(one) if isinstance(one, tuple) else ""
)
def test_the_service_is_quoted_in_the_words_of_the_command(
    owner: Owner, terminal: Terminal, arguments: tuple[str, ...], message: str
) -> None:
    error = terminal.error(*arguments)
    assert message in error
    assert "_ms" not in error
    places = error.split("; ")
    assert len(places) == len(set(places)), "it says something twice"


def test_the_name_rule_is_said_once(owner: Owner, terminal: Terminal) -> None:
    assert terminal.error("bot", "register", "my_bot").count("3 to 32") == 1


def test_https_at_a_port_of_http_is_not_tried_again(
    owner: Owner, service: Service, terminal: Terminal
) -> None:
    url = service.url.replace("http://", "https://")
    error = terminal.error("tournament", "list", "--url", url)
    assert error.endswith(f"the service does not speak https there; at --url; expected {service.url}")


def test_changes_are_confirmed(owner: Owner, terminal: Terminal) -> None:
    event = terminal(*CUP, "--starts", "+1h").strip()
    terminal("bot", "register", f"{owner.name}-bot")
    terminal("tournament", "enter", event, f"{owner.name}-bot")
    assert terminal("tournament", "leave", event, f"{owner.name}-bot").endswith(": withdrawn (left)\n")
    assert terminal("tournament", "standings", event) == "no group of Cup is over; it is entry\n"
    assert terminal("tournament", "cancel", event, "--reason", "rain") == f"{event}: cancelled: rain\n"
    assert terminal("bot", "delete", f"{owner.name}-bot") == f"{owner.name}-bot is deleted\n"


def test_a_missing_file_is_not_like_a_word_of_the_message(terminal: Terminal) -> None:
    assert "did you mean" not in terminal.error("play", "truco", "nofile.py", "rookie")


def test_an_output_without_all_characters_shows_the_result(tmp_path: Path) -> None:
    done = subprocess.run(
        botequim("play", "truco", "random", "rookie", "--groups", "2", "--seed", "1", "--jobs", "1"),
        cwd=tmp_path,
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    # In place of the sign of the interval.
    assert "?" in done.stdout


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


def test_not_waiting_is_no_mistake(owner: Owner, terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text("def choose(turn):\n    return turn['legal_actions'][0]\n")
    name = f"{owner.name}-up"
    said = terminal("bot", "submit", str(file), "--name", name, "--wait", "0")
    assert f"{name} 1 has not been checked yet" in said
    (upload,) = terminal.json("bot", "uploads", name)["uploads"]
    assert terminal.json("bot", "upload", name, upload["id"])["state"] == "received"
