"""Tournaments and schedules by the client and by the commands, on a service with a worker."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from arena.cli import run
from arena.cli.params import moment, seconds
from arena.client import ApiError, Client
from arena.ops.service import open_service
from arena.ops.settings import Settings
from queues.rq_jobs import RqJobs
from tests.api.server import ADMIN_TOKEN
from tests.live.clock import close_entry
from tests.service import Process, Service, botequim
from tests.waiting import PATIENCE

pytestmark = pytest.mark.system

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The whole service, with a worker and a scheduler."""
    folder = tmp_path_factory.mktemp("service")
    with Service(folder, workers=1, BOTEQUIM_ADMIN_TOKEN=ADMIN_TOKEN) as running:
        yield running


@pytest.fixture
def owner(service: Service, monkeypatch: pytest.MonkeyPatch) -> Client:
    """An owner; the commands are its own."""
    token = service.client().sign_up(f"patron-{next(_numbers)}")
    monkeypatch.setenv("BOTEQUIM_URL", service.url)
    monkeypatch.setenv("BOTEQUIM_TOKEN", token)
    return service.client(token)


class Terminal:
    """What commands print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.errors = ""

    def __call__(self, *arguments: str, status: int = 0) -> str:
        assert run(arguments) == status, self._capsys.readouterr().err
        told = self._capsys.readouterr()
        self.errors = told.err
        return told.out


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


CUP = ["toepen", "--rule", "seats=2", "--rule", "lives=2"]
HOUSE = ["--house", "rookie", "--house", "random"]


def test_a_tournament_from_its_announcement_to_its_standings(
    service: Service, owner: Client, terminal: Terminal, tmp_path: Path
) -> None:
    """A bot enters while it is online, qualifies, and plays among house bots."""
    bot = f"patron-bot-{next(_numbers)}"
    token = owner.register_bot(bot)
    with Process(
        botequim("bot", "run", "rookie"), tmp_path, BOTEQUIM_URL=service.url, BOTEQUIM_TOKEN=token
    ) as player:
        player.wait_for("plays at")
        made = terminal("tournament", "create", "The cup", *CUP, *HOUSE, "--groups", "2", "--starts", "+1h")
        event = made.strip()
        entered = terminal("tournament", "enter", event, bot, "--nonce", "sete")
        assert re.match(rf"{bot} 1: (qualifying|qualified)", entered)
        parts = open_service(Settings(service.database), RqJobs(service.database))
        close_entry(parts.tournaments, event)
        parts.live.close()
        table = terminal("tournament", "watch", event)
    assert "The cup: finished, 6 of 6 groups" in terminal.errors
    assert {bot, "rookie", "random"} <= set(table.split())
    assert terminal("tournament", "standings", event) == table
    standings = json.loads(terminal("tournament", "standings", event, "--format", "json"))
    assert standings == json.loads(owner.standings(event))
    assert len(standings["rows"]) == len(standings["crosstable"]) > 1
    assert standings == json.loads(owner.standings(event, limit=1))
    (mine,) = [row for row in standings["rows"] if row["name"] == bot]
    assert (mine["groups"], mine["forfeits"]) == (4, 0)
    csv = terminal("tournament", "standings", event, "--format", "csv")
    assert csv.startswith("place,name,version,")
    assert len(csv.splitlines()) == 4
    listed = terminal("tournament", "list", "--state", "finished", "--kind", "toepen")
    (line,) = [line for line in listed.splitlines() if line.startswith(event)]
    assert line.split()[1:6] == ["The", "cup", "toepen", "round_robin", "finished"]


def test_leaving_and_cancelling(owner: Client, terminal: Terminal) -> None:
    event = terminal("tournament", "create", "Another cup", *CUP, *HOUSE, "--starts", "+1h").strip()
    bot = f"patron-bot-{next(_numbers)}"
    owner.register_bot(bot)
    terminal("tournament", "enter", event, bot)
    terminal("tournament", "leave", event, bot)
    view = owner.tournament(event)
    assert view is not None
    (entry,) = [entry for entry in view["entries"] if entry["bot"] == bot]
    assert entry["status"] == "withdrawn"
    terminal("tournament", "cancel", event, "--reason", "rain")
    terminal("tournament", "watch", event, status=2)
    assert "Another cup was cancelled: rain" in terminal.errors


def test_an_edit(owner: Client, terminal: Terminal) -> None:
    event = terminal(
        "tournament", "create", "Cup", *CUP, *HOUSE, "--starts", "+1h", "--description", "All welcome."
    ).strip()
    told = terminal(
        "tournament", "edit", event, "--name", "Great cup", "--link", "https://example.org/",
        "--rule", "lives=5", "--rule", "seats=2",
    )  # fmt: skip
    assert "name: 'Cup' -> 'Great cup'\n" in told
    view = owner.tournament(event)
    assert view is not None
    assert (view["name"], view["link"], view["rules"]["lives"]) == ("Great cup", "https://example.org/", 5)
    assert view["description"] == "All welcome."
    terminal("tournament", "edit", event, status=2)
    assert "nothing to change" in terminal.errors
    terminal("tournament", "edit", event, "--link", "javascript:", status=2)
    assert "is not a valid web address" in terminal.errors


def test_every_option_of_a_tournament(owner: Client, terminal: Terminal) -> None:
    some, other = (f"some-bot-{next(_numbers)}" for _ in range(2))
    for bot in (some, other):
        owner.register_bot(bot)
    event = terminal(
        "tournament", "create", "Mixed", "truco", "--format", "swiss", "--rounds", "3", "--groups", "2",
        "--partners", "mixed", "--turn-seconds", "5s", "--bank-seconds", "1m", "--max-entries", "12",
        "--per-owner", "2", "--invite", some, "--invite", other, "--auto-enter", "--unrated",
        "--games-per-bot", "3", "--tie-break", "won", "--tie-break", "buchholz", "--opens", "+10m",
        "--starts", "+20m", "--preset", "no-cut@1",
    ).strip()  # fmt: skip
    view = owner.tournament(event)
    assert view is not None
    told = {
        "format": "swiss", "rounds": 3, "groups": 2, "partners": "mixed", "max_entries": 12,
        "clock": {"per_turn_ms": 5000, "bank_ms": 60_000}, "per_owner": 2, "who": "invited",
        "invited": [some, other], "auto_enter": True, "rated": False, "games_per_bot": 3,
        "tie_breaks": ["won", "buchholz"], "state": "announced", "preset": "no-cut@1",
    }  # fmt: skip
    assert {name: view[name] for name in told} == told
    assert abs(view["locks_ms"] - view["opens_ms"] - 600_000) < 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tournament", "create", "Cup", "chess"], "there is no game 'chess'"),
        (["tournament", "create", "Cup", "toepen", "--rule", "lives=x"], "lives"),
        (["tournament", "create", "Cup", "toepen", "--starts", "soon"], "'soon' is not a valid time"),
        (["tournament", "create", "Cup", "toepen", "--turn-seconds", "1y"], "'1y' is not a valid duration"),
        (["tournament", "create", "Cup", "toepen", "--format", "open"], "requires --ends"),
        (["tournament", "create", "Cup", "toepen", "--house", "deep-blue"], "house"),
        (["tournament", "enter", "nothing", "nobody"], "there is no tournament 'nothing'"),
        (["tournament", "watch", "nothing"], "there is no tournament 'nothing'"),
        (["schedule", "create", "cup", "Cup", "toepen"], "exactly one of --cron and --at"),
        (["schedule", "create", "cup", "Cup", "toepen", "--cron", "0 25 * * *"], "at --cron"),
    ],
)
def test_invalid_requests_are_reported(
    owner: Client, terminal: Terminal, arguments: list[str], message: str
) -> None:
    assert terminal(*arguments, status=2) == ""
    (line,) = terminal.errors.splitlines()
    assert line.startswith("botequim: error: ")
    assert message in line


def test_a_schedule(
    service: Service, owner: Client, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fires by itself: the tournament is announced by the scheduler and the worker."""
    monkeypatch.setenv("BOTEQUIM_TOKEN", ADMIN_TOKEN)
    said = terminal("schedule", "create", "often", "Often", *CUP, *HOUSE, "--cron", "*/5 * * * *")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d[05]:00 UTC\n", said)
    soon = terminal("schedule", "create", "soon", "Soon", *CUP, *HOUSE, "--at", "+4s", "--entry", "1s")
    assert soon.endswith(" UTC\n")
    listed = terminal("schedule", "list")
    assert [line.split()[0] for line in listed.splitlines()] == ["id", "often", "soon"]
    until = time.monotonic() + PATIENCE
    while not (found := [one for one in owner.tournaments() if one["name"] == "Soon"]):
        assert time.monotonic() < until, "the schedule does not fire"
        time.sleep(0.2)
    assert found[0]["id"].startswith("soon-")
    table = terminal("tournament", "watch", found[0]["id"])
    assert {"rookie", "random"} <= set(table.split())
    terminal("schedule", "delete", "often")
    terminal("schedule", "delete", "soon")
    terminal("schedule", "delete", "soon", status=2)
    assert "there is no schedule 'soon'" in terminal.errors
    assert owner.schedules() == []


def test_a_leaderboard_as_text(owner: Client) -> None:
    assert json.loads(owner.leaderboard("truco", "sealed"))["kind"] == "truco"
    assert owner.leaderboard("truco", "sealed", "csv").startswith("kind,preset,division,rank,")
    assert owner.leaderboard("truco", "sealed", "text").startswith("truco/base@1, sealed: ")
    assert json.loads(owner.leaderboard("toepen", "open", preset="table-4@1"))["preset"] == "table-4@1"
    with pytest.raises(ApiError) as refused:
        owner.leaderboard("truco", "shut")
    assert refused.value.code == "division_not_found"


@pytest.mark.parametrize(
    ("text", "value"), [("90", 90), ("90s", 90), ("1.5m", 90), ("2h", 7200), ("1d", 86_400)]
)
def test_durations(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "5x", "-5m", "m", "1e3", "٣s"])
def test_invalid_durations(text: str) -> None:
    with pytest.raises(click.BadParameter):
        seconds(text)


def test_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Sao_Paulo")
    time.tzset()
    try:
        assert moment("2026-12-31T17:00") == moment("2026-12-31T20:00Z") == 1_798_747_200_000
    finally:
        monkeypatch.undo()
        time.tzset()
    assert moment("2026-12-31T17:00-03:00") == 1_798_747_200_000
    before = 1000 * time.time()
    assert before <= moment("+5m") - 300_000 + 1 <= 1000 * time.time() + 2
    with pytest.raises(click.BadParameter):
        moment("tomorrow")
