"""Tournaments that fill a service: some played by house bots, the others at random, which is quicker."""

from __future__ import annotations

import random
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from arena.events import local_groups
from arena.events.compaction import Compaction
from arena.events.listing import place
from arena.events.tournament import Tournament
from arena.games import GAMES, game_of
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.play.dealing import game_seed
from arena.play.game_ids import game_id
from arena.play.groups import PlayedGame
from arena.play.players import SEALED
from arena.play.table import Table
from arena.store.tournaments import NewGroup
from arena.tournaments.formats import plan
from arena.tournaments.sealed import LocalGroup, PlayedGroup, recorded

ENTRIES: Final = 23
"""The entries of a tournament: a round robin of 253 pairs, of two games each."""

GAMES_EACH: Final = ENTRIES * (ENTRIES - 1)
"""The games of a tournament."""

_HOUSE: Final = ("random", "rookie")


class Place(NamedTuple):
    """Where a service is: its database and its archive."""

    url: str
    archive: str

    def open(self) -> Service:
        """The service, without processes."""
        service = open_service(self.settings, InlineJobs())
        service.store.identity.register()
        return service

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

    def draw(self, entries: int) -> list[str]:
        """The entries of the next tournament, at most as many as there are bots: all play in turn."""
        chosen: dict[str, None] = {"rookie": None}
        while len(chosen) < min(entries, len(self._names) + 1):
            if self._next == 0:
                self._random.shuffle(self._names)
            chosen[self._names[self._next]] = None
            self._next = (self._next + 1) % len(self._names)
        return list(chosen)


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


def enter(service: Service, like: Tournament, name: str, names: Sequence[str]) -> None:
    """Store a tournament like ``like`` of the bots ``names`` as its lock does: running, with all groups."""
    tournament = Tournament.loads(like.dumps())
    now_ms = service.store.clock().now_ms
    tournament.id, tournament.seed, tournament.state = name, secrets.token_hex(32), "running"
    tournament.spec = replace(tournament.spec, name=f"Growth {name}", max_entries=len(names))
    tournament.final = tournament.finished_ms = tournament.places = None
    tournament.final_hash = ""
    tournament.started_ms = now_ms
    entry = next(one for one in tournament.entries if one.source == _HOUSE[0])
    tournament.entries = [replace(entry, name=own) for own in names]
    tournament.in_play = len(names)
    tournament.entries_hash = tournament.hash_entries().hex()
    entrants = [one.entrant for one in tournament.playing]
    planned = plan(tournament.spec, entrants, {}, bytes.fromhex(tournament.seed), planned=())
    tournament.round, tournament.expected = planned.round, planned.expected
    groups = map(tournament.planned, planned.groups)
    store = service.store.tournaments
    store.enlist(name, now_ms, now_ms, listed=True)
    store.step(name, 0, tournament.dumps(), [NewGroup(group.id, group.dumps(), now_ms) for group in groups])
    place(service.store.tournament_lists, tournament, 1)


def play_at_random(service: Service, name: str) -> None:
    """Play the groups of a tournament as a worker does, but without asking bots: every choice is random."""
    with patch.object(local_groups, "play_local_group", _random_group):
        while service.tournaments.play_local_groups(name, 60).more:
            pass


def _random_group(group: LocalGroup, finished_ms: Callable[[], int], *_: object) -> PlayedGroup:
    return recorded(group, _random_games(group), finished_ms)


def _random_games(group: LocalGroup) -> Iterator[PlayedGame]:
    """The games of a group, each with choices of its own. No turn is made, which takes most of the time of
    a game among bots.
    """
    for number, players in enumerate(group.seats):
        seed = game_seed(group.seed, number, group.mirrored)
        table = Table(game_id(group.id, number), group.kind, group.rules, seed)
        choose = random.Random(seed + bytes([number])).choice
        table.start()
        while awaited := table.awaited():
            seat = awaited[0]
            table.submit(seat, table.turn_number(seat), choose(table.legal_actions(seat)))
        yield PlayedGame(number, players, table, (), ())


class Filler:
    """Fills a service up to a number of games, with ``processes`` processes: the first ``real`` are played by
    house bots, the others at random.
    """

    def __init__(self, place: Place, bots: int, real: int, processes: int) -> None:
        self._place = place
        self._field = BotPool(bots)
        self._real = max(real, len(GAMES) * GAMES_EACH)
        self._processes = processes
        self._numbers = count(1)
        self.games = 0
        """The number of games in the service."""
        self.real = 0
        """How many of them house bots played."""

    def fill(self, service: Service, games: int) -> None:
        """Add tournaments until there are ``games`` games, or a few more."""
        start = time.monotonic()
        while self.games < games:
            if self.real < self._real:
                self.real += self._add(_play, min(self._real - self.real, games - self.games), bots=False)
            else:
                self._add(_random, min(_ARCHIVED_AT_ONCE, games - self.games), bots=True)
            archive(service)
            seconds = time.monotonic() - start
            print(f"{self.games:,} of {games:,} games after {seconds:.0f} s", file=sys.stderr, flush=True)

    def add(self, service: Service) -> None:
        """Add one tournament of each game."""
        self.fill(service, self.games + len(GAMES) * GAMES_EACH)

    def add_large(self, service: Service, entries: int) -> str:
        """Add a tournament of ``entries`` entries, whose groups are all played and which is not over; returns
        its name.
        """
        if not self.real:
            self.fill(service, 1)
        kind = list(GAMES)[-1]
        name = f"large-{entries}"
        enter(service, _template(service, kind), name, self._field.draw(entries))
        with get_context("spawn").Pool(self._processes) as pool:
            pool.starmap(_join, [(self._place, name)] * self._processes)
        self.games += entries * (entries - 1)
        return name

    def _add(self, act: Callable[..., None], games: int, *, bots: bool) -> int:
        kinds = list(GAMES)
        tasks: list[tuple[Any, ...]] = []
        for _ in range(max(-(-games // GAMES_EACH), 1 if bots else len(kinds))):
            number = next(self._numbers)
            task = self._place, f"{'random' if bots else 'played'}-{number}", kinds[number % len(kinds)]
            tasks.append((*task, self._field.draw(ENTRIES)) if bots else task)
        with get_context("spawn").Pool(self._processes) as pool:
            pool.starmap(act, tasks, chunksize=1)
        self.games += len(tasks) * GAMES_EACH
        return len(tasks) * GAMES_EACH


_ARCHIVED_AT_ONCE: Final = 50_000
"""About how many games are played before they are archived."""

_services: dict[Place, Service] = {}
_templates: dict[str, Tournament] = {}


def _service(place: Place) -> Service:
    if place not in _services:
        _services[place] = place.open()
    return _services[place]


def _template(service: Service, kind: str) -> Tournament:
    """A tournament that house bots played."""
    if kind not in _templates:
        _templates[kind], _ = service.tournaments.lifecycle.load(first_of(kind))
    return _templates[kind]


def first_of(kind: str) -> str:
    """The name of the first tournament of a kind of game."""
    kinds = list(GAMES)
    return f"played-{kinds.index(kind) or len(kinds)}"


def _play(place: Place, name: str, kind: str) -> None:
    play(_service(place), name, kind)


def _random(place: Place, name: str, kind: str, names: Sequence[str]) -> None:
    service = _service(place)
    enter(service, _template(service, kind), name, names)
    play_at_random(service, name)
    state = service.tournaments.step(name).state
    assert state == "finished", state


def _join(place: Place, name: str) -> None:
    play_at_random(_service(place), name)


def settle(service: Service) -> None:
    """Publish, compact and archive all that is over, as workers do in time."""
    boards = service.boards
    for kind in GAMES:
        boards.publish(kind, SEALED)
    archive(service)
    while Compaction(service.store, settle_ms=-1000).run(60):
        pass


def archive(service: Service) -> None:
    """Archive all that is over."""
    while service.archiver().run():
        pass
