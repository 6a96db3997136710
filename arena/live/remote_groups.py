"""The groups of tournaments with bots that the arena does not run: their games are live games."""

from __future__ import annotations

import gzip
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from arena.dealing import game_seed
from arena.live.clocks import ServiceClock
from arena.live.ending import ENDED, GameNotOver
from arena.live.event import Event, PlannedGroup
from arena.live.games import LiveGames
from arena.live.house_groups import void
from arena.live.sheet import GameNotFound, Sheet
from arena.live.store_tournaments import NewResult, TournamentStore
from arena.ratings.results import collect
from arena.records import Record
from arena.tournaments.playing import game_id

log = logging.getLogger(__name__)

_AT_ONCE: Final = 50


class RemoteGroups:
    """Starts games, takes their results, and releases them. Everything may be done again."""

    def __init__(self, store: TournamentStore, live: LiveGames, clock: Callable[[], ServiceClock]) -> None:
        self._store = store
        self._live = live
        self._clock = clock

    def drive(self, event: Event) -> bool:
        """Start what may be started and take what is over; whether a result or a void has come."""
        busy: Counter[str] = Counter()
        remote = {entry.name for entry in event.playing if not entry.arena_run}
        ids = sorted(self._store.remote(event.id), key=_natural)
        news = False
        waiting: list[tuple[PlannedGroup, int, list[Sheet | None]]] = []
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            begun = False
            for name, (row, voided) in zip(some, self._store.rows(event.id, some), strict=True):
                if row is None:
                    continue
                group = PlannedGroup.loads(name, row)
                sheets = self._sheets(event, group, voided)
                begun = begun or any(sheets)
                if self._take(event, group, voided, sheets):
                    news = True
                    continue
                for sheet in sheets:
                    if sheet is not None and sheet.state == "running":
                        busy.update(sheet.bots())
                waiting.append((group, voided, sheets))
            if not begun and all(busy[name] >= event.spec.games_per_bot for name in remote):
                # What follows has not begun either, and cannot.
                break
        for group, voided, sheets in waiting:
            self._start(event, group, voided, sheets, busy)
        return news

    def release(self, event: Event, group: PlannedGroup, voided: int) -> None:
        """Let the games of a group that is over be seen."""
        for game in self._games(event, group, voided):
            try:
                self._live.release(game)
            except (GameNotFound, GameNotOver):
                log.warning("game %s is not released", game, exc_info=True)

    def records(self, event: Event, name: str) -> Iterator[bytes]:
        """The records of a group that is over."""
        ((row, voided),) = self._store.rows(event.id, [name])
        if row is None:
            return
        for game in self._games(event, PlannedGroup.loads(name, row), voided):
            ended = self._live.index.ended(game)
            if ended is not None and ended.record is not None:
                yield gzip.decompress(ended.record)

    def give_up(self, event: Event, reason: str) -> None:
        """No game of the tournament goes on."""
        for name, (row, voided) in zip(
            ids := self._store.remote(event.id), self._store.rows(event.id, ids), strict=True
        ):
            if row is None:
                continue
            group = PlannedGroup.loads(name, row)
            for sheet in self._sheets(event, group, voided):
                if sheet is not None and sheet.state not in ENDED:
                    self._live.void(sheet.game, reason)

    def _games(self, event: Event, group: PlannedGroup, attempt: int) -> list[str]:
        return [game_id(event.group_id(group.id), number, attempt) for number in range(len(group.seats))]

    def _sheets(self, event: Event, group: PlannedGroup, attempt: int) -> list[Sheet | None]:
        stored = self._live.index.sheets(self._games(event, group, attempt))
        return [None if data is None else Sheet.loads(data) for data in stored]

    def _take(self, event: Event, group: PlannedGroup, voided: int, sheets: Sequence[Sheet | None]) -> bool:
        """Take the result of a group whose games are over; void one with a void game."""
        games = [sheet for sheet in sheets if sheet is not None]
        lost = next((sheet for sheet in games if sheet.state in ("void", "cancelled")), None)
        if lost is not None:
            reason = f"game {lost.game} is {lost.state}: {lost.reason}"
            for sheet in games:
                if sheet.state not in ENDED:
                    self._live.void(sheet.game, "another game of the group is void")
            void(self._store, event.id, group.id, voided, reason, self._clock().now_ms)
            return True
        if not games and any(event.playing[player].withdrawn is not None for player in group.players):
            # It has not begun, and will not: given up.
            self._store.add_results(event.id, [NewResult(group.id, voided, 0, b"null", b"")])
            return True
        if len(games) < len(sheets) or any(sheet.state != "finished" for sheet in games):
            return False
        records: list[Record] = []
        for sheet in games:
            ended = self._live.index.ended(sheet.game)
            if ended is None or ended.record is None:
                # It has only just ended; or, if it stays so, nothing of it is left.
                return False
            records.append(json.loads(gzip.decompress(ended.record)))
        # That a group is rated depends on the tournament, and unrated ones have standings too.
        (result,) = collect({**record, "info": {**record["info"], "rated": True}} for record in records)
        data = json.dumps(result.as_json(), separators=(",", ":")).encode()
        self._store.add_results(event.id, [NewResult(group.id, voided, len(records), data, b"")])
        return True

    def _start(
        self,
        event: Event,
        group: PlannedGroup,
        attempt: int,
        sheets: Sequence[Sheet | None],
        busy: Counter[str],
    ) -> None:
        bots = {event.playing[player].name for player in group.players if not event.playing[player].arena_run}
        seed = event.seed_of(group.id, attempt)
        for number, (game, sheet) in enumerate(zip(self._games(event, group, attempt), sheets, strict=True)):
            if sheet is not None or any(busy[bot] >= event.spec.games_per_bot for bot in bots):
                continue
            busy.update(bots)
            seats = []
            for player in group.seats[number]:
                entry = event.playing[player]
                seats.append(
                    {"house": entry.source} if entry.source else {"bot": entry.name, "version": entry.version}
                )
            self._live.create(
                event.spec.kind,
                seats=seats,
                rules=event.rules_of(group),
                clock=event.spec.clock,
                created_by=event.created_by,
                rated=event.spec.rated,
                group={
                    "id": event.group_id(group.id),
                    "index": number,
                    "size": len(group.seats),
                    "mirrored": False,
                    "attempt": attempt,
                },
                seed=game_seed(seed, number, False),
                game_id=game,
            )


def _natural(name: str) -> list[int]:
    """Groups in the order of their rounds, pairings and numbers."""
    return [int(part.lstrip("rpgx")) for part in name.split("-")]
