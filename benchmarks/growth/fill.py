"""Tournaments that fill a service: played, or copies of played ones with other bots, ids and hashes."""

from __future__ import annotations

import gzip
import json
import random
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from typing import Any, Final, NamedTuple

from arena.events.boards import Boards
from arena.events.compaction import Compaction
from arena.events.tournament import PlannedGroup, Tournament
from arena.games import GAMES, game_of
from arena.live.archiver import Archiver, Batches
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.play.game_ids import game_id
from arena.play.players import SEALED, PlayerId
from arena.ratings.results import GroupResult
from arena.records.record import canonical_hash, dumps
from arena.store.tournaments import NewGroup, NewResult

ENTRIES: Final = 23
"""The entries of a tournament: a round robin of 253 pairs, of two games each."""

GAMES_EACH: Final = ENTRIES * (ENTRIES - 1)
"""The games of a tournament."""

_HOUSE: Final = ("random", "rookie")
_RESULTS_AT_ONCE: Final = 100


class Place(NamedTuple):
    """Where a service is: its database and its archive."""

    url: str
    archive: str

    def open(self) -> Service:
        """The service, without processes."""
        return open_service(self.settings, InlineJobs())

    @property
    def settings(self) -> Settings:
        """Its settings, without limits on requests."""
        return Settings(
            self.url, archive=self.archive, http=HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS))
        )


class BotPool:
    """The names of the bots that play, of which every tournament has some; ``rookie`` is among them."""

    def __init__(self, bots: int) -> None:
        self._names = [f"bot-{number:05}" for number in range(1, bots)]
        self._random = random.Random(bots)
        self._next = 0

    def draw(self) -> list[str]:
        """The entries of the next tournament: all bots play in turn."""
        chosen: list[str] = []
        while len(chosen) < min(ENTRIES - 1, len(self._names)):
            if self._next == 0:
                self._random.shuffle(self._names)
            if self._names[self._next] not in chosen:
                chosen.append(self._names[self._next])
            self._next = (self._next + 1) % len(self._names)
        return ["rookie", *chosen]


def play(service: Service, name: str, kind: str) -> None:
    """Play a tournament of house bots, as a worker does."""
    now_ms = service.store.clock().now_ms
    copies = [f"{_HOUSE[number % 2]}+{number}" for number in range(2, ENTRIES + 1)]
    fields = {
        "name": f"Growth {name}",
        "kind": kind,
        "rules": game_of(kind).duel_rules,
        "format": "round_robin",
        "groups": 1,
        "house": ["rookie", *copies],
        "max_entries": ENTRIES,
        "opens_ms": now_ms,
        "locks_ms": now_ms + 1,
    }
    service.tournaments.create(fields, "bench", tournament_id=name)
    time.sleep(0.01)
    while service.tournaments.step(name).state != "finished":
        service.tournaments.play_local_groups(name, 60)


class Template(NamedTuple):
    """A played tournament: its rows, to be copied."""

    tournament: Tournament
    groups: list[tuple[PlannedGroup, list[Any], list[dict[str, Any]]]]
    """The planned groups with their results and records."""


def template(service: Service, name: str) -> Template:
    """What :func:`copy` needs of a tournament that :func:`play` played."""
    tournament, _ = service.tournaments.lifecycle.load(name)
    groups = []
    for stored in service.store.tournaments.groups(name, 0, GAMES_EACH):
        assert stored.result is not None
        (lines,) = service.live.finished.packs(name, [stored.id])
        assert lines is not None
        records = [json.loads(line) for line in lines]
        groups.append((PlannedGroup.loads(stored.id, stored.row), json.loads(stored.result), records))
    return Template(tournament, groups)


def copy(service: Service, played: Template, name: str, names: Sequence[str]) -> int:
    """Store a tournament like ``played`` under another name, with other bots, seeds and hashes, by the steps
    of one that is played; returns the number of games. A hash is that of its record, but the deals do not
    follow from the new seeds.
    """
    before = played.tournament
    tournament = Tournament.loads(before.dumps())
    other = {entry.name: new for entry, new in zip(before.playing, names, strict=True)}
    now_ms = service.store.clock().now_ms
    tournament.id, tournament.seed, tournament.state = name, secrets.token_hex(32), "running"
    tournament.spec = replace(tournament.spec, name=f"Growth {name}")
    tournament.final = tournament.finished_ms = None
    tournament.started_ms = now_ms
    for entry in tournament.entries:
        entry.name = other[entry.name]
    tournament.entries_hash = tournament.hash_entries().hex()
    groups, results = [], []
    for group, data, records in played.groups:
        commitment = secrets.token_hex(32)
        groups.append(NewGroup(group.id, group._replace(commitment=commitment).dumps(), now_ms))
        results.append(_copied(tournament, group, data, records, other, commitment, now_ms))
    store = service.store.tournaments
    store.step(name, 0, tournament.dumps(), groups)
    store.enlist(name, now_ms, now_ms, listed=True)
    board = tournament.board_of(played.groups[0][0])
    for start in range(0, len(results), _RESULTS_AT_ONCE):
        some = results[start : start + _RESULTS_AT_ONCE]
        store.add_results(name, some)
        packed = [(result.group, result.games) for result in some]
        store.release(name, tournament.spec.kind, board, packed, ())
    state = service.tournaments.step(name).state
    assert state == "finished", state
    return sum(result.games for result in results)


def _copied(
    tournament: Tournament,
    group: PlannedGroup,
    data: Sequence[Any],
    records: Sequence[dict[str, Any]],
    other: dict[str, str],
    commitment: str,
    now_ms: int,
) -> NewResult:
    """The result of a group with its records, for other players."""
    group_id = tournament.group_id(group.id)
    seed = secrets.token_hex(32)
    lines, hashes = [], []
    for number, record in enumerate(records):
        canonical = {**record["canonical"], "seed": seed, "commitment": commitment}
        canonical["game"] = game_id(group_id, number)
        canonical["group"] = {**canonical["group"], "id": group_id}
        players = canonical["players"]
        canonical["players"] = [{**player, "name": other[player["name"]]} for player in players]
        hashes.append(canonical_hash(canonical))
        info = {**record["info"], "finished_ms": now_ms}
        lines.append(dumps({**record, "canonical": canonical, "hash": hashes[-1], "info": info}))
    before = GroupResult.from_json(data)
    games = [
        game._replace(
            hash=hashes[game.number],
            players=tuple(PlayerId(other[player.name], player.version) for player in game.players),
            finished_ms=now_ms,
        )
        for game in before.games
    ]
    result = GroupResult(before.kind, group_id, before.size, before.mirrored, before.teams, games)
    pack = gzip.compress("\n".join(lines).encode(), 6, mtime=0)
    return NewResult(
        group.id, 0, len(games), json.dumps(result.as_json(), separators=(",", ":")).encode(), pack
    )


class Filler:
    """Fills a service up to a number of games, the first ``real`` of which are played, with all cores."""

    def __init__(self, place: Place, bots: int, real: int, processes: int) -> None:
        self._place = place
        self._field = BotPool(bots)
        self._real = max(real, len(GAMES) * GAMES_EACH)
        self._processes = processes
        self._played: list[tuple[str, str]] = []
        self._numbers = count(1)
        self.games = 0
        """The number of games in the service."""

    @property
    def real(self) -> int:
        """How many of them were played."""
        return len(self._played) * GAMES_EACH

    def fill(self, games: int) -> None:
        """Add tournaments until there are ``games`` games, or a few more."""
        tasks: list[tuple[Any, ...]] = []
        kinds = list(GAMES)
        while self.games + len(tasks) * GAMES_EACH < min(games, self._real) or len(self._played) + len(
            tasks
        ) < len(kinds):
            number = next(self._numbers)
            tasks.append((self._place, f"played-{number}", kinds[number % len(kinds)]))
        self._run(_play, tasks)
        self._played += [(name, kind) for _, name, kind in tasks]
        copies: list[tuple[Any, ...]] = []
        while self.games + len(copies) * GAMES_EACH < games:
            number = next(self._numbers)
            source, _ = self._played[number % len(self._played)]
            copies.append((self._place, source, f"copied-{number}", self._field.draw()))
        self._run(_copy, copies)

    def add(self) -> None:
        """Add one tournament of each game."""
        self.fill(self.games + len(GAMES) * GAMES_EACH)

    def _run(self, act: Any, tasks: Sequence[tuple[Any, ...]]) -> None:
        if tasks:
            with get_context("spawn").Pool(self._processes) as pool:
                pool.starmap(act, tasks, chunksize=1 if act is _play else 20)
        self.games += len(tasks) * GAMES_EACH


_services: dict[Place, Service] = {}
_templates: dict[str, Template] = {}


def _service(place: Place) -> Service:
    if place not in _services:
        _services[place] = place.open()
    return _services[place]


def _play(place: Place, name: str, kind: str) -> None:
    play(_service(place), name, kind)


def _copy(place: Place, source: str, name: str, names: Sequence[str]) -> None:
    if source not in _templates:
        _templates[source] = template(_service(place), source)
    copy(_service(place), _templates[source], name, names)


def settle(service: Service) -> None:
    """Publish, compact and archive all that is over, as workers do in time."""
    boards = Boards(service.store)
    for kind in GAMES:
        boards.publish(kind, SEALED)
    while Compaction(service.store, settle_ms=-1000).run(60):
        pass
    service.live.finished.claim()
    now = Batches(most_ms=-1, settle_ms=-1000)
    archiver = Archiver(service.store, service.live.finished, service.settings.retention, now)
    while archiver.run():
        pass
