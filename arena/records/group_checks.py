"""Checks across the records in one file: groups must be complete and fairly seated, and no game or seed may
occur twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from arena.errors import ArenaError
from arena.games import game_of
from arena.play.seatings import seatings
from arena.records.record import Canonical, Record
from arena.records.verify import Problem


class GroupFacts(NamedTuple):
    """The facts about a record and its group that :class:`GroupChecks` needs."""

    game: str
    group: str | None
    """The group's id, including the attempt unless it is the first."""
    number: int
    """The number of the game in its group, counted from 0."""
    size: int
    mirrored: bool
    seed: str
    nonces: tuple[str, ...]
    players: tuple[tuple[str, str], ...]
    """The name and version at each seat."""
    teams: tuple[tuple[int, ...], ...]
    """The seats of each team; empty if the rules are unknown or do not fit the players."""
    setting: tuple[object, ...]
    """The values that all games of a group share: kind, rules and players."""


def group_facts(record: Record) -> GroupFacts:
    """Return the facts about one record."""
    canonical = record["canonical"]
    group = canonical["group"]
    players = tuple((player["name"], player["version"]) for player in canonical["players"])
    rules = tuple(sorted(canonical["rules"].items()))
    place: Mapping[str, Any] = group or {"id": None, "attempt": 0, "index": 0, "size": 1, "mirrored": False}
    return GroupFacts(
        game=canonical["game"],
        group=place["id"] if not place["attempt"] else f"{place['id']} (attempt {place['attempt']})",
        number=place["index"],
        size=place["size"],
        mirrored=place["mirrored"],
        seed=canonical["seed"],
        nonces=tuple(canonical["nonces"]),
        players=players,
        teams=_teams(canonical) if group else (),
        setting=(canonical["kind"], canonical["rules_version"], rules, tuple(sorted(players))),
    )


def _teams(canonical: Canonical) -> tuple[tuple[int, ...], ...]:
    try:
        game = game_of(canonical["kind"])
        rules = game.options.complete(canonical["rules"])
    except ArenaError:
        return ()
    return game.teams(rules) if game.seats(rules) == len(canonical["players"]) else ()


class GroupChecks:
    """Checks the records of a file in order; memory use grows with the number of games."""

    def __init__(self) -> None:
        self._games: set[str] = set()
        self._open: dict[str, dict[int, GroupFacts]] = {}
        self._whole: set[str] = set()
        self._seeds: dict[tuple[object, str], str] = {}
        """The first group with a game of each kind and seed."""

    def add(self, facts: GroupFacts) -> Iterator[Problem]:
        """Add a record, and yield its contradictions to earlier records."""
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
        user = self._seeds.setdefault((facts.setting[0], facts.seed), facts.group)
        if user != facts.group:
            yield Problem(
                "repeated_seed", where, f"game {facts.number} has the same seed as a game of group {user}"
            )
        first = next(iter(games.values()))
        if first is not facts:
            yield from self._compare(where, first, facts)
        if len(games) >= first.size:
            del self._open[facts.group]
            self._whole.add(facts.group)

    def missing(self) -> Iterator[Problem]:
        """Yield a problem for each incomplete group."""
        for name, games in self._open.items():
            size = next(iter(games.values())).size
            absent = islice((str(index) for index in range(size) if index not in games), 8)
            count = size - len(games)
            yield Problem(
                "missing_games",
                f"group {name}",
                f"{count} of its {size} games are missing: {', '.join(absent)}{' …' if count > 8 else ''}",
            )

    @staticmethod
    def _compare(where: str, first: GroupFacts, other: GroupFacts) -> Iterator[Problem]:
        pair = f"games {first.number} and {other.number}"
        if (first.size, first.mirrored) != (other.size, other.mirrored):
            yield Problem("group_mismatch", where, f"{pair} differ in the group's size or mirroring")
        if first.setting != other.setting:
            yield Problem("group_mismatch", where, f"{pair} differ in the rules or the players")
        elif first.teams:
            games = seatings(first.teams, first.players)
            if list(other.players) != games[(other.number - first.number) % len(games)]:
                message = f"the seating of {pair} is not that of a group"
                yield Problem("group_seatings", where, message)
        if first.mirrored and other.mirrored and first.seed != other.seed:
            yield Problem("group_seeds", where, f"{pair} have different seeds, but the group is mirrored")
        elif first.mirrored and other.mirrored and first.nonces != other.nonces:
            yield Problem("group_nonces", where, f"{pair} have different nonces, but the group is mirrored")
        if not first.mirrored and not other.mirrored and first.seed == other.seed:
            yield Problem("group_seeds", where, f"{pair} have the same seed, but the group is not mirrored")
