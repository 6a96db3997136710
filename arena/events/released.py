"""The released records of tournaments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arena.events.live_groups import LiveGroups
from arena.events.tournament import Tournament
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
            ids = [name for name, _ in found if group in (None, name)]
            results = zip(ids, self._store.results(tournament.id, ids), strict=True)
            over = [name for name, result in results if result is not None]
            for name, lines in zip(over, self._finished.packs(tournament.id, over), strict=True):
                if lines is not None:
                    yield from lines
                else:
                    yield from self._live_groups.records(tournament, name)
