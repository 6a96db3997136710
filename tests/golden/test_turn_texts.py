"""Turns as text say what the golden files say, for every phase of every preset."""

from __future__ import annotations

import pytest

from arena.games import GAMES
from arena.games.descriptor import Game, Preset
from tests.golden.texts import FOLDER, name_of, text_of

PRESETS = [(game, preset) for game in GAMES.values() for preset in game.presets]
PHASES = {
    "toepen": {"exchange", "challenge", "poverty", "play", "play, optional", "knock"},
    "truco": {"eleven", "play", "answer"},
    "truco-no-cut-1.txt": {"choose", "eleven", "play", "answer"},
    "truco-base-1.txt": {"cut", "choose", "eleven", "play", "answer"},
}


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[name_of(g.kind, p.name) for g, p in PRESETS])
def test_turns_match_the_golden_files(game: Game, preset: Preset) -> None:
    """Run ``make golden`` after a change, and read the difference."""
    name = name_of(game.kind, preset.name)
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert text_of(game, preset) == written
    phases = {line[3:] for line in written.splitlines() if line.startswith("== ") and "legal=" not in line}
    assert phases == PHASES.get(name, PHASES[game.kind])


def test_there_is_a_preset_for_every_file() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {name_of(g.kind, p.name) for g, p in PRESETS}
