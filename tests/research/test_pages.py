"""docs/research.md has the sizes and columns that there are."""

from __future__ import annotations

import re

from arena.games import GAMES, features_of
from arena.research.dataset import COLUMNS
from arena.research.environment import RENDER_MODES
from tests.service import ROOT

PAGE = (ROOT / "docs/research.md").read_text(encoding="utf-8")


def test_the_sizes_of_all_presets() -> None:
    shown = {}
    for line in PAGE.splitlines():
        found = re.fullmatch(r"\| (Truco|Toepen) (.*) \| (\d+) \| (\d+) \|", line)
        if found is not None:
            for preset in re.findall(r"`([^`]+)`", found[2]):
                shown[found[1].lower(), preset] = (int(found[3]), int(found[4]))
    actual = {}
    for kind, game in GAMES.items():
        for preset in game.presets:
            features = features_of(kind, game.options.complete(preset.rules))
            actual[kind, preset.name] = (features.layout.size, len(features.actions) + 1)
    assert shown == actual


def test_the_parts_of_a_vector_are_listed_in_order() -> None:
    every = {"truco": {"signals": "table"}, "toepen": {"end": "rubber"}}
    for kind, game in GAMES.items():
        source = (ROOT / f"arena/games/{kind}/features.py").read_text(encoding="utf-8").split('"""')[1]
        listed = re.findall(r"^    (\w+) {2,}\S", source, re.MULTILINE)
        assert listed == list(features_of(kind, game.options.complete(every[kind])).layout.parts)


def test_the_columns_of_data_sets() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\w ]+) \| (.+) \|$", PAGE, re.MULTILINE)
    types = {
        name: "int8 list" if column.type is None else str(column.type) for name, column in COLUMNS.items()
    }
    assert rows == [(name, types[name], column.doc) for name, column in COLUMNS.items()]


def test_the_arguments_of_environments() -> None:
    for mode in RENDER_MODES:
        assert f"`{mode}`" in PAGE
