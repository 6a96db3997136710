"""Turns as text, to be read: the first turn of each phase in random games of each preset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from arena.games import GAMES
from arena.games.descriptor import Game, Preset
from arena.play.table import Table
from arena.play.turn_texts import LEGAL, turn_text

FOLDER = Path(__file__).parent / "texts"
_MOST_GAMES = 40


def name_of(kind: str, preset: str) -> str:
    """The name of the file of a preset."""
    return f"{kind}-{preset.replace('@', '-')}.txt"


def turns(game: Game, preset: Preset) -> Iterator[dict[str, Any]]:
    """All turns of some random games, again for each change at the table."""
    rules = game.options.complete(preset.rules)
    for number in range(_MOST_GAMES):
        table = Table(f"game{number}", game.kind, rules, bytes([number]) * 32)
        table.start()
        source = Random(number)
        while awaited := table.awaited():
            for seat in range(table.size):
                turn = table.turn(seat, 120_000, 1_200_000)
                if turn is not None:
                    yield turn
            seat = source.choice(awaited)
            table.submit(seat, table.turn_number(seat), source.choice(table.legal_actions(seat)))


def phase_of(turn: dict[str, Any]) -> str:
    """What kind of decision a turn is."""
    phase = str(turn["observation"].get("phase", "play"))
    return f"{phase}, optional" if turn["optional"] else phase


def by_phase(game: Game, preset: Preset) -> dict[str, dict[str, Any]]:
    """For each phase the first turn with something to tell, if there is one."""
    found: dict[str, dict[str, Any]] = {}
    told: set[str] = set()
    for turn in turns(game, preset):
        phase = phase_of(turn)
        tells = len(turn["events"]) > 3 and ("play" not in phase or len(turn["observation"]["tricks"]) > 1)
        if phase not in found or (tells and phase not in told):
            found[phase] = turn
            if tells:
                told.add(phase)
    return found


def text_of(game: Game, preset: Preset) -> str:
    """What the file of a preset has to hold."""
    found = by_phase(game, preset)
    parts = [f"{game.kind} {preset.name}: a turn in each phase, as text\n"]
    parts += [f"== {phase}\n{turn_text(found[phase])}" for phase in sorted(found)]
    for legal in LEGAL[1:]:
        phase = "answer" if "answer" in found else min(found)
        parts.append(f"== {phase}, legal={legal}\n{turn_text(found[phase], legal)}")
    return "\n".join(parts)


def all_texts() -> dict[str, str]:
    """The content of all files by their names."""
    return {
        name_of(game.kind, preset.name): text_of(game, preset)
        for game in GAMES.values()
        for preset in game.presets
    }
