"""Equity tables: the chance to win from the score between two hands, if par plays all seats from then on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.descriptor import Game, Preset, Standing
from arena.games.options import Rules
from arena.records.record import canonical_hash

TABLES_VERSION: Final = 3
"""The version of the tables, which rises when any of them changes. Luck that is stored with another version
does not count.
"""


class NoLuck(ArenaError):
    """Raised if luck is not measured for the given rules."""

    code = "no_luck"


class Result(NamedTuple):
    """How a hand ended when par played it. ``turned`` is whether the other team is in view afterwards.
    ``own`` and ``other`` are the values of the team in view and of the other team, and ``packs`` is the
    number of packs with this result.
    """

    turned: bool
    own: int
    other: int
    packs: int


@dataclass(frozen=True)
class EquityTable:
    """An equity table. ``equity`` maps the values of the team in view and of the other team to the chance (0
    to 1) that the team in view wins. ``results`` lists how the hands played from each standing ended.
    ``weight`` is the factor of the luck that is subtracted from a result. ``packs`` is the number of packs
    played at each standing. ``data`` is the content of the file, and ``hash`` is its SHA-256.
    """

    name: str
    weight: float
    packs: int
    equity: Mapping[tuple[int, int], float]
    results: Mapping[tuple[int, int], tuple[Result, ...]]
    data: Mapping[str, Any]
    hash: str

    def of_team(self, standing: Standing, team: int) -> float:
        """Return the winning chance of ``team`` at a standing."""
        value = win_chance(self.equity, standing.own, standing.other)
        return value if team == standing.team else 1.0 - value


def win_chance(equity: Mapping[tuple[int, int], float], own: int, other: int) -> float:
    """Return the winning chance of the team in view: the value in the table, or 1 or 0 once the game is
    decided.
    """
    value = equity.get((own, other))
    return float(own > other) if value is None else value


def table_of(kind: str, rules: Rules) -> EquityTable:
    """Return the equity table of a game with these complete rules. Raises :class:`NoLuck`, with the reason,
    if its luck is not measured.
    """
    found = _table_of(kind, json.dumps(dict(rules)))
    if isinstance(found, EquityTable):
        return found
    raise NoLuck(found[0], field="rules", expected=found[1])


def has_table(kind: str, rules: Rules) -> bool:
    """Return whether the luck of a game with these complete rules is measured."""
    return isinstance(_table_of(kind, json.dumps(dict(rules))), EquityTable)


def measured_presets(game: Game) -> list[Preset]:
    """Return the presets that have an equity table. If several presets share the same luck measurement, only
    the first is included.
    """
    found: dict[str, Preset] = {}
    for preset in game.presets if game.luck is not None else ():
        assert game.luck is not None
        rules = game.options.complete(preset.rules)
        if len(game.teams(rules)) == 2:
            found.setdefault(_key(game.luck.rules(rules)), preset)
    return list(found.values())


def table_name(game: Game, preset: Preset) -> str:
    """Return the file name of an equity table, without its suffix."""
    return f"{game.kind}-{preset.name.replace('@', '-')}"


def table_hash(data: Mapping[str, object]) -> str:
    """Return the hash of a table: the SHA-256 of its file as canonical JSON, excluding the hash itself."""
    return canonical_hash({name: value for name, value in data.items() if name != "hash"})


def read_table(name: str, data: Mapping[str, Any]) -> EquityTable:
    """Parse the data of the table file with this name."""
    rows: Sequence[tuple[int, int, float, list[list[int]]]] = data["standings"]
    return EquityTable(
        name,
        data["weight"],
        data["packs"],
        {(own, other): value for own, other, value, _ in rows},
        {
            (own, other): tuple(Result(bool(turned), *rest) for turned, *rest in results)
            for own, other, _, results in rows
        },
        data,
        data["hash"],
    )


@lru_cache(maxsize=256)
def _table_of(kind: str, rules_text: str) -> EquityTable | tuple[str, str]:
    """Return the table, or the reason why there is none and the rules that have one."""
    rules = json.loads(rules_text)
    game = game_of(kind)
    if len(game.teams(rules)) > 2:
        why = "luck is not measured for three or more players: the cards alone explain too little of a result"
        return why, "two seats or two teams"
    presets = measured_presets(game)
    if game.luck is not None:
        key = _key(game.luck.rules(rules))
        for preset in presets:
            if _key(game.luck.rules(game.options.complete(preset.rules))) == key:
                return _load(table_name(game, preset))
    expected = "those of " + " or ".join(preset.name for preset in presets) if presets else "another game"
    return f"luck is not measured for {game.title} with these rules", expected


def _key(rules: Rules) -> str:
    return json.dumps(dict(rules), sort_keys=True)


@lru_cache(maxsize=64)
def _load(name: str) -> EquityTable:
    text = files("arena.luck").joinpath("tables", f"{name}.json").read_text(encoding="utf-8")
    return read_table(name, json.loads(text))
