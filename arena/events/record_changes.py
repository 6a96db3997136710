"""Changes in the part ``info`` of released records, which no hash covers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

from arena.events.tournament import PlannedGroup, Tournament
from arena.live.service import LiveGames
from arena.play.game_ids import game_id
from arena.records.record import dumps
from arena.store.tournaments import TournamentStore


class RecordChanges:
    """Changes the records of groups that are over, in the database and in the archive."""

    def __init__(self, store: TournamentStore, live: LiveGames) -> None:
        self._store = store
        self._live = live

    def apply(
        self,
        tournament: Tournament,
        group: PlannedGroup,
        voided: int,
        result: bytes,
        info: Mapping[str, object],
    ) -> None:
        """Change values of ``info`` in the records of the group, which was void ``voided`` times, and replace
        its stored result. May be repeated.
        """
        pack = self._change_stored(tournament, group, voided, info)
        self._change_archived(tournament, group, voided, info)
        self._store.replace_result(tournament.id, group.id, result, pack)
        # Again: the records may have been archived since they were read.
        self._change_archived(tournament, group, voided, info)

    def _change_stored(
        self, tournament: Tournament, group: PlannedGroup, voided: int, info: Mapping[str, object]
    ) -> bytes:
        """Returns the new pack, if the group has one."""
        (pack,) = self._store.packs(tournament.id, [group.id])
        if pack is not None:
            lines = gzip.decompress(pack).split(b"\n")
            return _packed([_changed(line, info) for line in lines])
        for game in _games(tournament, group, voided):
            ended = self._live.index.ended(game)
            if ended is not None and ended.record is not None:
                record = _changed(gzip.decompress(ended.record), info)
                self._live.index.replace_record(game, _packed([record]))
        return b""

    def _change_archived(
        self, tournament: Tournament, group: PlannedGroup, voided: int, info: Mapping[str, object]
    ) -> None:
        group_id = tournament.group_id(group.id)
        self._live.finished.change([group_id, *_games(tournament, group, voided)], group_id, info)


def _games(tournament: Tournament, group: PlannedGroup, voided: int) -> list[str]:
    return [game_id(tournament.group_id(group.id), number, voided) for number in range(len(group.seats))]


def _changed(line: bytes, info: Mapping[str, object]) -> str:
    record = json.loads(line)
    record["info"].update(info)
    return dumps(record)


def _packed(lines: list[str]) -> bytes:
    return gzip.compress("\n".join(lines).encode(), 6, mtime=0)
