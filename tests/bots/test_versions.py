"""The versions of the house bots: a version changes if and only if the play changes."""

from __future__ import annotations

from hashlib import sha256
from itertools import product

import pytest

from arena.bots import HOUSE_BOTS, bot_spec
from arena.games import GAMES, game_of
from arena.play.match import play, seat_bot
from arena.play.table import Table

PLAY = {
    "truco": {
        "random": ("0.1.0", "872712813764ca29"),
        "rookie": ("0.1.0", "caacc3732e37c4f3"),
        "regular": ("0.6.0", "7b78ff11eb169fe4"),
        "barfly": ("0.4.0", "9d853af3b4dad0de"),
        "shark": ("0.6.0", "841b3de69b9f319e"),
    },
    "toepen": {
        "random": ("0.1.0", "08beb418e6e104dd"),
        "rookie": ("0.1.0", "939d06759fddb642"),
        "regular": ("0.2.0", "518d225c04da52f1"),
        "barfly": ("0.1.0", "6a2b8bfd81c4c433"),
        "shark": ("0.4.0", "46f930db96a72995"),
    },
}
"""By game and level: the version, and a digest of games in all presets."""
SHORT = {"truco": {"max_hands": 2}, "toepen": {"lives": 2}}
"""Rules of games that are short enough for ``shark``."""


@pytest.mark.costly(8, "games of ``shark`` in all presets")
@pytest.mark.parametrize(("kind", "level"), [(kind, level) for kind in GAMES for level in HOUSE_BOTS])
def test_a_version_changes_if_and_only_if_the_play_changes(kind: str, level: str) -> None:
    game = game_of(kind)
    digest = sha256()
    for preset, number in product(game.presets, range(1 if level == "shark" else 3)):
        rules = game.options.complete({**preset.rules, **(SHORT[kind] if level == "shark" else {})})
        table = Table("g", kind, rules, bytes([number]) * 32)
        play(table, [seat_bot(bot_spec(level, kind), seat) for seat in range(game.seats(rules))])
        digest.update(repr([tuple(action) for action in table.actions]).encode())
    assert (game.house_bot(level).version, digest.hexdigest()[:16]) == PLAY[kind][level]
