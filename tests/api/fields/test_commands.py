"""What the options of commands give arrives: the service then says so of the thing."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import botequim
from tests.api.arenas import now_ms
from tests.api.conftest import Account

DUEL = ("--rule", "seats=2", "--rule", "lives=3")


class Commands:
    """Runs commands of an owner."""

    def __init__(self, owner: Account, online: list[str]) -> None:
        self._owner = owner
        self._mine = ["--token", owner.token, *online]

    def __call__(self, *words: str) -> str:
        done = CliRunner().invoke(botequim, [*words, *self._mine])
        assert done.exit_code == 0, done.output + str(done.exception)
        return done.output.strip()

    def shows(self, path: str, expected: dict[str, Any]) -> None:
        """Check what the service says of a thing."""
        view = self._owner.client.get(path).json
        assert {name: view[name] for name in expected} == expected


@pytest.fixture
def commands(owner: Account, online: list[str]) -> Commands:
    return Commands(owner, online)


def test_a_tournament(commands: Commands) -> None:
    words = ("--description", "Bring cards.", "--link", "https://example.org/", "--max-entries", "9")
    times = ("--starts", "+1h", "--ends", "+2h", "--max-repeats", "3", "--games-per-bot", "2")
    made = commands("tournament", "create", "Cup", "toepen", "--format", "open", *DUEL, *words, *times)
    expected = {"description": "Bring cards.", "link": "https://example.org/", "max_entries": 9}
    commands.shows(f"/v1/tournaments/{made}", {**expected, "max_repeats": 3, "games_per_bot": 2})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--max-repeats", "7"), {"max_repeats": 7}),
        (("--games-per-bot", "3", "--unrated"), {"games_per_bot": 3, "rated": False}),
        (("--tie-break", "won", "--tie-break", "buchholz"), {"tie_breaks": ["won", "buchholz"]}),
        (("--turn-seconds", "5"), {"clock": {"per_turn_ms": 5000, "bank_ms": 60_000}}),
        (("--clock", "patient"), {"clock": {"per_turn_ms": 120_000, "bank_ms": 1_200_000}}),
        (("--who", "invited", "--invite", "ana-bot"), {"who": "invited", "invited": ["ana-bot"]}),
        (
            ("--kind", "truco", "--preset", "base@1", "--partners", "mixed"),
            {"kind": "truco", "partners": "mixed"},
        ),
    ],
)
def test_a_tournament_that_is_edited(
    commands: Commands, owner: Account, register: Any, words: tuple[str, ...], expected: dict[str, Any]
) -> None:
    register("ana-bot")
    times = {"locks_ms": now_ms() + 3_600_000, "ends_ms": now_ms() + 7_200_000}
    body = {"name": "Cup", "kind": "toepen", "rules": {"seats": 2}, "format": "open", **times}
    made = owner.client.post("/v1/tournaments", json=body).json["id"]
    commands("tournament", "edit", made, *words)
    commands.shows(f"/v1/tournaments/{made}", expected)


def test_a_hidden_tournament_is_made_public(commands: Commands) -> None:
    invited = ("--by-invitation", "--hidden", "--starts", "+1h")
    made = commands("tournament", "create", "Cup", "toepen", *DUEL, *invited)
    commands.shows(f"/v1/tournaments/{made}", {"who": "invited", "hidden": True})
    commands("tournament", "edit", made, "--public")
    commands.shows(f"/v1/tournaments/{made}", {"who": "invited", "hidden": False})


def test_lists_of_a_tournament_are_emptied(commands: Commands, owner: Account, register: Any) -> None:
    register("ana-bot")
    body = {"name": "Cup", "kind": "toepen", "format": "swiss", "rules": {"seats": 2}, "who": "invited"}
    body |= {"invited": ["ana-bot"], "locks_ms": now_ms() + 3_600_000}
    made = owner.client.post("/v1/tournaments", json=body).json["id"]
    commands("tournament", "edit", made, "--invite", "")
    commands.shows(f"/v1/tournaments/{made}", {"who": "invited", "invited": []})


def test_a_schedule(commands: Commands, owner: Account) -> None:
    words = ("--description", "Bring cards.", "--link", "https://example.org/", "--max-repeats", "3")
    times = ("--cron", "0 20 * * 1", "--play", "1h")
    commands("schedule", "create", "weekly", "Cup", "toepen", "--format", "open", *DUEL, *words, *times)
    template = owner.client.get("/v1/schedules/weekly").json["tournament"]
    assert template["description"] == "Bring cards."
    assert template["link"] == "https://example.org/"
    assert template["max_repeats"] == 3


def test_a_series(commands: Commands) -> None:
    made = commands("series", "create", "Autumn")
    commands("series", "edit", made, "--name", "Winter", "--best", "3", "--points", "5,3", "--by", "bot")
    commands.shows(f"/v1/series/{made}", {"name": "Winter", "best": 3, "points": [5.0, 3.0], "by": "bot"})
    commands("series", "edit", made, "--tie-break", "played")
    commands.shows(f"/v1/series/{made}", {"name": "Winter", "best": 3, "tie_breaks": ["played"]})


def test_a_private_game(commands: Commands) -> None:
    seats = ("house:rookie", "house:rookie")
    made = commands("game", "create", "toepen", *seats, "--rule", "seats=2", "--visibility", "private")
    commands.shows(f"/v1/games/{made}", {"visibility": "private"})


def test_errors_name_the_options(commands: Commands, owner: Account, online: list[str]) -> None:
    line = ["schedule", "create", "weekly", "Cup", "toepen", "--cron", "0 20 * * 1", "--link", "ftp://x"]
    done = CliRunner().invoke(botequim, [*line, "--token", owner.token, *online])
    assert getattr(done.exception, "field", None) == "--link", done.output
