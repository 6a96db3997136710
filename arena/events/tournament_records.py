"""Public records of tournaments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arena.events.live_groups import LiveGroups
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.finished import FinishedGames
from arena.store.tournaments import TournamentStore

_GROUPS_AT_ONCE: Final = 200


class TournamentRecords:
    """Records of local groups, stored by group, and of live groups, stored by game."""

    def __init__(self, store: TournamentStore, finished: FinishedGames, live_groups: LiveGroups) -> None:
        self._store = store
        self._finished = finished
        self._live_groups = live_groups

    def of(self, tournament: Tournament, group: str | None = None) -> Iterator[bytes]:
        """Yield the records of all groups, or of ``group`` only, group by group. Each record is one line of
        JSON.
        """
        (row,) = self._store.load([tournament.id])
        for start in range(0, 0 if row is None else row.planned, _GROUPS_AT_ONCE):
            found = self._store.groups(tournament.id, start, _GROUPS_AT_ONCE)
            over = [own for own in found if group in (None, own.id) and own.result is not None]
            local = [own.id for own in over if PlannedGroup.loads(own.id, own.row).mirrored]
            records = dict(zip(local, self._finished.groups(tournament.id, local), strict=True))
            for own in over:
                yield from records.get(own.id) or self._live_groups.records(tournament, own)
