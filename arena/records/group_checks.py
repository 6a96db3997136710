"""Checks across the records of one file: groups are whole, and no game occurs twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from arena.records.record import Record
from arena.records.verify import Problem


class GroupFacts(NamedTuple):
    """The facts of a record and its group for :class:`GroupChecks`."""

    game: str
    group: str | None
    number: int
    """The number of the game in its group, from 0."""
    size: int
    mirrored: bool
    seed: str
    setting: tuple[object, ...]
    """What all games of a group share: kind, rules and players."""


def group_facts(record: Record) -> GroupFacts:
    """The facts of one record."""
    canonical = record["canonical"]
    group = canonical["group"]
    game, seed = canonical["game"], canonical["seed"]
    if group is None:
        return GroupFacts(game, None, 0, 1, False, seed, ())
    rules = tuple(sorted(canonical["rules"].items()))
    players = tuple(sorted((player["name"], player["version"]) for player in canonical["players"]))
    name = group["id"] if group["attempt"] == 0 else f"{group['id']} (attempt {group['attempt']})"
    setting = (canonical["kind"], canonical["rules_version"], rules, players)
    return GroupFacts(game, name, group["index"], group["size"], group["mirrored"], seed, setting)


class GroupChecks:
    """Checks the records of a file in order; memory grows with the number of games."""

    def __init__(self) -> None:
        self._games: set[str] = set()
        self._open: dict[str, dict[int, GroupFacts]] = {}
        self._whole: set[str] = set()

    def add(self, facts: GroupFacts) -> Iterator[Problem]:
        """Add a record; yields contradictions with the records before it."""
        if facts.game in self._games:
            yield Problem("repeated_game", f"game {facts.game}", "it occurs twice in this file")
            return
        self._games.add(facts.game)
        if facts.group is None:
            return
        where = f"group {facts.group}"
        games = self._open.setdefault(facts.group, {}) if facts.group not in self._whole else None
        if games is None or facts.number in games:
            yield Problem("repeated_index", where, f"game {facts.number} occurs twice")
            return
        games[facts.number] = facts
        first = next(iter(games.values()))
        if first is not facts:
            yield from self._compare(where, first, facts)
        if len(games) >= first.size:
            del self._open[facts.group]
            self._whole.add(facts.group)

    def missing(self) -> Iterator[Problem]:
        """The groups that are not whole."""
        for name, games in self._open.items():
            size = next(iter(games.values())).size
            absent = islice((str(index) for index in range(size) if index not in games), 8)
            count = size - len(games)
            yield Problem(
                "missing_games",
                f"group {name}",
                f"{count} of its {size} games missing: {', '.join(absent)}{' …' if count > 8 else ''}",
            )

    @staticmethod
    def _compare(where: str, first: GroupFacts, other: GroupFacts) -> Iterator[Problem]:
        pair = f"games {first.number} and {other.number}"
        if (first.size, first.mirrored) != (other.size, other.mirrored):
            yield Problem("group_mismatch", where, f"{pair} differ in the size or the mirroring of the group")
        if first.setting != other.setting:
            yield Problem("group_mismatch", where, f"{pair} differ in the rules or the players")
        if first.mirrored and other.mirrored and first.seed != other.seed:
            yield Problem("group_seeds", where, f"{pair} have different seeds, but the group is mirrored")
        if not first.mirrored and not other.mirrored and first.seed == other.seed:
            yield Problem("group_seeds", where, f"{pair} have the same seed, but the group is not mirrored")
