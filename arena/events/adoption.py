"""What a restored database takes over from an archive that is newer: games, and the results of tournaments.

The archive holds the records of games that ended after the backup. Games that were running in it are over
then, and a tournament that goes on takes their results. Groups of tournaments that are not in the backup, or
had not begun, are counted on the leaderboards; the tournaments themselves are lost.
"""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import orjson

from arena.errors import ArenaError
from arena.events.annulment import GroupNotOver
from arena.events.schedules import Schedules
from arena.events.service import Tournaments
from arena.events.tournament import Tournament
from arena.live.finished import FinishedGames
from arena.live.header import GameHeader, GameNotFound
from arena.play.game_ids import tournament_of
from arena.ratings.results import Results
from arena.records.archive.archive import GAMES, PRIVATE, PUBLIC, Archive
from arena.records.record import Record
from arena.store.repositories import Store

log = logging.getLogger(__name__)

_LOST = "it was played after the backup from which the database was restored; its records are in the archive"


class Adopted(NamedTuple):
    """The numbers of games, rated groups and lost tournaments that were taken over."""

    games: int
    groups: int
    lost: int


class Adoption:
    """Reconciles a restored database with its archive before anything else uses it."""

    def __init__(
        self, store: Store, finished: FinishedGames, tournaments: Tournaments, schedules: Schedules
    ) -> None:
        self._store = store
        self._finished = finished
        self._tournaments = tournaments
        self._schedules = schedules
        self._here: dict[str, bool] = {}

    def run(self) -> Adopted:
        """Take over the contents of the archive."""
        archive = self._finished.current()
        if archive is None:
            return Adopted(0, 0, 0)
        self._store.archiving.renew(self._store.clock().now_ms)
        last = self._store.archiving.last_number()
        results = Results()
        for _, lines in archive.after(PUBLIC, last):
            for record in map(json.loads, lines):
                group = record["canonical"]["group"]
                tournament = None if group is None else tournament_of(group["id"])
                if tournament is not None and not self._is_here(tournament):
                    _add(results, record)
        games = sum(self._take_game(archive, json.loads(line)) for _, (line,) in archive.after(GAMES, last))
        groups = self._count(results)
        for change in archive.refresh().changes:
            self._annul(change)
        lost = {name for name, is_here in self._here.items() if not is_here}
        self._schedules.pass_over(lost)
        return Adopted(games, groups, len(lost))

    def _is_here(self, name: str) -> bool:
        """Whether the tournament goes on, or is over, in this database; one that has not begun is cancelled,
        because it would be another one under the same name.
        """
        if name not in self._here:
            (row,) = self._store.tournaments.load([name])
            state = None if row is None else Tournament.loads(row.meta).state
            if state in ("announced", "entry"):
                self._tournaments.cancel(name, reason=_LOST)
            self._here[name] = state not in (None, "announced", "entry")
        return self._here[name]

    def _take_game(self, archive: Archive, row: Mapping[str, Any]) -> bool:
        """Let a live game be over as in the archive, from which the archiver removes it here again."""
        header = GameHeader.loads(orjson.dumps(row["header"]))
        index = self._store.game_index
        ended = index.ended(header.game)
        lines = archive.find(PUBLIC, header.game) or archive.find(PRIVATE, header.game)
        if not lines or (ended is not None and ended.record is not None):
            return False
        record = gzip.compress(lines[0], 6, mtime=0)
        index.replace_header(header.game, header.dumps())
        index.keep(
            header.game,
            row["version"],
            record,
            bots=(),
            live_ms=1,
            record_ms=None,
            oldest_ms=0,
        )
        index.enlist(header.game, header.kind, header.created_ms, header.bots())
        index.settle(header.game, header.state, header.created_ms)
        if header.visibility == "public":
            index.publish(header.game, header.kind)
        else:
            index.publish_private(header.game)
        index.close(header.game)
        return True

    def _count(self, results: Results) -> int:
        """Put the groups of tournaments that are lost on the lists of their leaderboards."""
        count = 0
        for group in results.groups():
            name = tournament_of(group.id)
            if name is None or len(group.games) != group.size:
                log.warning("group %s is not whole in the archive, and counts for nobody", group.id)
                continue
            local = group.id[len(name) + 1 :]
            data = json.dumps(group.as_json(), separators=(",", ":")).encode()
            self._store.tournaments.replace_result(name, local, data, b"")
            board = group.board
            self._store.tournaments.release(name, group.kind, board and board.key, [], [local])
            count += 1
        return count

    def _annul(self, change: Mapping[str, Any]) -> None:
        reason = change["info"].get("annulled")
        if reason is not None:
            # Of a tournament that goes on, or that is lost, there is nothing to annul.
            with suppress(GameNotFound, GroupNotOver):
                self._tournaments.annul(change["group"], "restore", reason)


def _add(results: Results, record: Record) -> None:
    try:
        results.add(record)
    except ArenaError as error:
        log.warning("game %s counts for nobody: %s", record["canonical"]["game"], error)


__all__ = ["Adopted", "Adoption"]
