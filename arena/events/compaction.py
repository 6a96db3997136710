"""Compaction: moves groups of tournaments that are over into compressed chunks, and removes them from the
lists of boards.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Final

from arena.events.lifecycle import keep_final
from arena.events.tournament import OVER, PlannedGroup, Tournament
from arena.play.board_names import BoardName
from arena.store.chunks import StoredGroup
from arena.store.records import RecordStore
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

log = logging.getLogger(__name__)

SETTLE_MS: Final = 3_600_000
"""The delay between the end of a tournament, or an unsuccessful attempt, and the compaction of its groups. By
then, no worker is still playing a group that it started before the end.
"""

_AT_ONCE: Final = 100


class Compaction:
    """Moves groups of finished tournaments into chunks. It is safe to run concurrently and to kill at any
    time, because every chunk is one step of its tournament.
    """

    def __init__(self, store: Store, settle_ms: int = SETTLE_MS) -> None:
        self._store = store.tournaments
        self._boards = store.boards
        self._clock = store.clock
        self._settle_ms = settle_ms

    def run(self, seconds: float) -> int:
        """Compact for about ``seconds``, and return the number of compacted groups."""
        until = time.monotonic() + seconds
        now_ms = self._clock().now_ms
        count = 0
        for event in self._store.over(now_ms - self._settle_ms, _AT_ONCE):
            if time.monotonic() > until:
                break
            # If this tournament fails, the others come first the next time.
            self._store.note_over(event, now_ms)
            count += shown_or_left_out(f"tournament {event}", partial(self._compact, event, until)) or 0
        return count

    def _compact(self, event: str, until: float) -> int:
        (row,) = self._store.load([event])
        tournament = None if row is None else Tournament.loads(row.meta)
        if tournament is None or tournament.state not in OVER:
            # When the tournament is over, its last step adds it again.
            self._store.forget_over(event)
            return 0
        if self._store.unreleased(event):
            self._store.settle(event, self._clock().now_ms)
            return 0
        count = 0
        while time.monotonic() <= until:
            start, changes, groups = self._store.next_chunk(event)
            if not groups:
                if keep_final(self._store, event):
                    self._store.forget_over(event)
                return count
            waits = any(
                group.records is not None and not RecordStore.is_archived(group.records) for group in groups
            )
            if waits or not self._trim(tournament, groups):
                return count
            if not self._store.add_chunk(event, start, changes, groups):
                return count
            count += len(groups)
        self._store.note_over(event, self._clock().now_ms - self._settle_ms)
        return count

    def _trim(self, tournament: Tournament, groups: Sequence[StoredGroup]) -> bool:
        """Remove the groups from the lists of the boards, or return False if one of them has not been counted
        yet.
        """
        by_board: dict[BoardName, list[str]] = defaultdict(list)
        for group in groups:
            board = tournament.board_of(PlannedGroup.loads(group.id, group.row))
            if board is not None and group.result is not None:
                by_board[board].append(group.id)
        return all(self._boards.trim(board.key, tournament.id, ids) for board, ids in by_board.items())
