"""Each starter from nothing to a played game, by the commands of its README, on a live service."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

from arena.cli.new import LANGUAGES, commands, write_starter
from arena.games import GAMES
from arena.records.verify import verify
from tests.service import Service
from tests.starters.toolchains import CLOCK, count_passed, done, needs, played, prepare, runs

pytestmark = pytest.mark.system


@pytest.fixture(scope="session")
def owner(arena: Service) -> str:
    return arena.client().sign_up("olga")


def marks(language: str, kind: str) -> list[pytest.MarkDecorator]:
    """One game of each language is played by day, except by the compiler that takes longest."""
    by_night = kind == "toepen" or language == "rust"
    return [needs(language), *([pytest.mark.nightly("starters")] if by_night else [])]


@pytest.mark.parametrize(
    ("language", "kind"),
    [pytest.param(name, kind, marks=marks(name, kind)) for name in LANGUAGES for kind in GAMES],
)
def test_from_nothing_to_a_played_game(
    language: str, kind: str, arena: Service, owner: str, workshop: Path
) -> None:
    settings = prepare(language, workshop)
    name = f"{language}-{kind}"
    folder = workshop / name
    moments = [time.monotonic()]
    write_starter(folder, kind, language)
    todo = commands((folder / "README.md").read_text())
    done(todo["build"], folder, settings)
    moments.append(time.monotonic())
    said = done(todo["test"] + " -v" * (language == "go"), folder, settings)
    assert count_passed(language, said) >= 2, said
    moments.append(time.monotonic())

    client = arena.client(owner)
    token = client.register_bot(name)
    seats = [{"bot": name}, {"house": "rookie"}, {"house": "random"}, {"house": "rookie"}]
    game = client.create_game(kind, seats, clock=CLOCK)["game"]
    with runs(todo["run"], folder, settings, arena.url, token) as bot:
        record = played(client, game, bot)
    moments.append(time.monotonic())
    assert verify(record) == []
    assert record["canonical"]["faults"] == [], bot.said
    own = [action for action in record["canonical"]["actions"] if action[0] == 0]
    assert len(own) > 3
    building, testing, playing = (after - before for before, after in pairwise(moments))
    print(f"{name}: built {building:.1f} s, tested {testing:.1f} s, played {playing:.1f} s")
