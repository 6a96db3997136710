"""Adoption of games and tournament results from an archive that is newer than the database.

The archive holds the records of games that ended after the backup. Games that are still running in the backup
are ended, and tournaments that are still running collect their results. Groups of tournaments that are not in
the backup, or that had not begun, are counted on the leaderboards, but the tournaments themselves are lost.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import Any

import orjson

from arena.errors import ArenaError
from arena.events.annulment import GroupNotOver
from arena.events.schedules import Schedules
from arena.events.service import Tournaments
from arena.events.tournament import Tournament
from arena.live.archiver import Adopted
from arena.live.finalizer import ENDED
from arena.live.header import GameHeader, GameNotFound
from arena.play.game_ids import place_of, tournament_of
from arena.ratings.results import Results
from arena.records.archive.archive import PUBLIC, ROWS
from arena.records.archive.segments import Member
from arena.store.game_index import ListedGame
from arena.store.repositories import Store

log = logging.getLogger(__name__)

_LOST = "it was played after the backup from which the database was restored; its records are in the archive"


class ArchiveAdoption:
    """Adopts archive entries whose records are missing from the database."""

    def __init__(self, store: Store, tournaments: Tournaments, schedules: Schedules) -> None:
        self._store = store
        self._tournaments = tournaments
        self._schedules = schedules
        self._results = Results()
        self._annulled: dict[str, dict[str, Any]] = {}
        self._here: dict[str, bool] = {}
        self._games = 0

    def add(self, collection: str, member: Member) -> None:
        """Adopt an entry of the archive."""
        if collection == ROWS:
            for row in map(json.loads, member.lines()):
                if "annulled" in row:
                    self._annulled[member.key] = row["annulled"]
                else:
                    self._games += self._take_game(row)
            return
        place = place_of(member.key)
        tournament = tournament_of(member.key) if place is None else place.tournament
        if tournament is not None and not self._is_here(tournament) and collection == PUBLIC:
            for record in map(json.loads, member.lines()):
                try:
                    self._results.add(record)
                except ArenaError as error:
                    log.warning("game %s does not count: %s", record["canonical"]["game"], error)

    def finish(self) -> Adopted:
        """Collect the results of tournaments that are still running, count the groups of lost tournaments,
        and repeat annulments.
        """
        for name, is_here in self._here.items():
            if is_here:
                self._tournaments.collect(name)
        groups = self._count()
        for group, annulment in self._annulled.items():
            self._store.annulments.add(group, annulment)
            # The groups of a lost tournament cannot be annulled any further.
            with suppress(GameNotFound, GroupNotOver):
                self._tournaments.annul(group, annulment["by"], annulment["reason"])
        lost = {name for name, is_here in self._here.items() if not is_here}
        self._schedules.pass_over(lost)
        return Adopted(self._games, groups, len(lost))

    def _is_here(self, name: str) -> bool:
        """Whether the tournament is running or over in this database. A tournament that has not begun is
        cancelled, because it would be a different one with the same name.
        """
        if name not in self._here:
            (row,) = self._store.tournaments.load([name])
            state = None if row is None else Tournament.loads(row.meta).state
            if state in ("announced", "entry"):
                self._tournaments.cancel(name, reason=_LOST)
            self._here[name] = state not in (None, "announced", "entry")
        return self._here[name]

    def _take_game(self, row: dict[str, Any]) -> bool:
        """End a live game with the header from the archive, and return whether it had not ended yet. Its
        record is already stored.
        """
        header = GameHeader.loads(orjson.dumps(row["header"]))
        index = self._store.game_index
        ended = index.ended(header.game)
        if ended is not None and GameHeader.loads(ended.header).state in ENDED:
            return False
        index.replace_header(header.game, header.dumps())
        index.keep(header.game, row["version"], None, size=0, bots=(), live_ms=1, record_ms=None, oldest_ms=0)
        index.enlist(header.game, header.kind, header.created_ms, header.bots())
        index.settle(header.game, header.state, header.created_ms, header.created_by)
        index.archive([ListedGame(header.game, header.created_ms, header.kind, header.state, header.bots())])
        index.close(header.game)
        return True

    def _count(self) -> int:
        """Add the groups of lost tournaments to the lists of their leaderboards, and return their number."""
        count = 0
        for group in self._results.groups():
            name = tournament_of(group.id)
            if name is None or len(group.games) != group.size:
                log.warning("group %s is incomplete in the archive and does not count", group.id)
                continue
            local = group.id[len(name) + 1 :]
            group.annulled = group.annulled or group.id in self._annulled
            data = json.dumps(group.as_json(), separators=(",", ":")).encode()
            self._store.tournaments.replace_result(name, local, data)
            board = group.board
            self._store.tournaments.release(name, True, board and board.key, [], [local])
            count += 1
        return count
