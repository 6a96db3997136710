"""The released records of tournaments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arena.events.live_groups import LiveGroups
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.finished import FinishedGames
from arena.store.tournaments import TournamentStore

_GROUPS_AT_ONCE: Final = 200


class ReleasedRecords:
    """Records of local groups, which are stored in packs, and of live groups, stored by game."""

    def __init__(self, store: TournamentStore, finished: FinishedGames, live_groups: LiveGroups) -> None:
        self._store = store
        self._finished = finished
        self._live_groups = live_groups

    def of(self, tournament: Tournament, group: str | None = None) -> Iterator[bytes]:
        """The records, each as one line of JSON, group by group; of all groups or of ``group``."""
        start = 0
        while found := self._store.groups(tournament.id, start, _GROUPS_AT_ONCE):
            start += _GROUPS_AT_ONCE
            rows = {name: row for name, row in found if group in (None, name)}
            results = zip(rows, self._store.results(tournament.id, list(rows)), strict=True)
            over = [name for name, result in results if result is not None]
            local = [name for name in over if PlannedGroup.loads(name, rows[name]).mirrored]
            packs = dict(zip(local, self._finished.packs(tournament.id, local), strict=True))
            for name in over:
                lines = packs.get(name)
                yield from lines or self._live_groups.records(tournament, name)
