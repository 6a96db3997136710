"""The starters that only play online: ten games of every preset of their game at once, without a fault. For
those in Python, ``tests/docs/test_bots.py`` does it with ``botequim bot test``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from arena.cli.new import LANGUAGES, commands, write_starter
from arena.games import GAMES
from arena.records.verify import verify
from tests.service import Service
from tests.starters.toolchains import CLOCK, done, needs, played, prepare, runs

pytestmark = pytest.mark.nightly("starters")

EACH: Final = 10
"""Games of each preset."""

ONLINE: Final = [name for name in LANGUAGES if name != "python"]


@pytest.mark.parametrize("kind", GAMES)
@pytest.mark.parametrize("language", [pytest.param(name, marks=needs(name)) for name in ONLINE])
def test_ten_games_of_every_preset(language: str, kind: str, arena: Service, workshop: Path) -> None:
    folder = workshop / f"presets_{language}_{kind}"
    name = folder.name.replace("_", "-")
    write_starter(folder, kind, language)
    todo = commands((folder / "README.md").read_text())
    settings = prepare(language, workshop)
    done(todo["build"], folder, settings)
    owner = arena.client(arena.client().sign_up(f"{name}-author"))
    token = owner.register_bot(name)
    game = GAMES[kind]
    games: dict[str, list[str]] = {}
    for preset in game.presets:
        rules = game.options.complete(preset.rules)
        for number in range(EACH):
            seats: list[dict[str, str]] = [{"house": "random"}] * game.seats(rules)
            seats[number % len(seats)] = {"bot": name}
            made = owner.create_game(kind, seats, rules=dict(preset.rules), clock=CLOCK)
            games.setdefault(preset.name, []).append(made["game"])
    with runs(todo["run"], folder, settings, arena.url, token) as bot:
        for preset_name, ids in games.items():
            for number, one in enumerate(ids):
                record = played(owner, one, bot)
                assert verify(record) == []
                assert record["canonical"]["faults"] == [], (preset_name, number, bot.said)
        assert bot.process.poll() is None, bot.said
        # Nothing had to be played for it.
        assert "choose failed" not in bot.said
