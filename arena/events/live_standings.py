"""Standings of running tournaments: workers compute and store them from time to time, and readers use the
stored ones.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypedDict

import orjson

from arena.events.lifecycle import TournamentLifecycle, final_standings
from arena.events.moderation import Moderation
from arena.live.jobs import GameJobs
from arena.ratings.standings import Meeting, Standings, StandingsRow
from arena.store.paging import parse_number
from arena.store.repositories import Store
from arena.store.rows import check_types, reading, shown_or_left_out
from arena.store.tournaments import StoredStandings

StandingsState = Literal["queued", "live", "final"]

STANDINGS_STATES: Final[tuple[StandingsState, ...]] = ("queued", "live", "final")
"""``queued``: not computed yet; ``live``: recently computed; ``final``: the standings of a finished
tournament.
"""

_KEPT_BYTES: Final = 32 << 20
"""The approximate size limit of the cache of parsed standings, per process."""


class _StoredMeeting(TypedDict):
    points: float
    groups: int


class PublishedStandings:
    """Standings as published. ``computed_ms`` is when they were computed (Unix time in milliseconds), or None
    if they are queued (a table without rows) or final. The crosstable, whose size grows with the square of
    the number of entries, is kept as text.
    """

    def __init__(
        self, data: Mapping[str, Any], state: StandingsState, computed_ms: int | None = None
    ) -> None:
        """``data`` is the output of :meth:`~arena.ratings.standings.Standings.stored`. Raises one of the
        errors for a row that cannot be read.
        """
        self.state = state
        self.computed_ms = computed_ms
        table = Standings.from_json({**data, "crosstable": ()})
        check_types(Standings, vars(table))
        if not all(isinstance(name, str) for name in table.tie_breaks):
            raise TypeError("the name of a tie-break is not a string")
        for row in table.rows:
            check_types(StandingsRow, vars(row))
        self._head = table.as_json()
        self.rows: list[dict[str, Any]] = self._head["rows"]
        """The rows from first to last place, read-only."""
        if len(data["crosstable"]) != len(self.rows):
            raise ValueError("the number of rows of the crosstable differs from that of the standings")
        self._crosstable = [_checked(meetings, len(self.rows)) for meetings in data["crosstable"]]

    @property
    def version(self) -> str:
        """A value that changes whenever the standings do."""
        return f"{self.state}-{self.computed_ms or self._head['records_hash']}"

    @property
    def table(self) -> Standings:
        """The complete standings, as a new value for each call."""
        return Standings.from_json({**self._head, "crosstable": map(orjson.loads, self._crosstable)})

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return 1000 * len(self.rows) + sum(map(len, self._crosstable))

    def page(self, cursor: str | None, limit: int) -> dict[str, object]:
        """Return the standings for orjson, with up to ``limit`` rows and the same rows of the crosstable.
        ``cursor`` in the result continues after them. Raises ``invalid_cursor``.
        """
        start = parse_number(cursor, 9)
        end = start + limit
        return {
            **self._head,
            "rows": self.rows[start:end],
            "crosstable": [orjson.Fragment(meetings) for meetings in self._crosstable[start:end]],
            "state": self.state,
            "computed_ms": self.computed_ms,
            "cursor": str(end) if end < len(self.rows) else None,
        }

    def shown(self, most_rows: int, most_columns: int) -> dict[str, Any]:
        """Return the standings as JSON with the first ``most_rows`` rows. The crosstable is None if it has
        more than ``most_columns`` columns.
        """
        is_small = len(self.rows) <= most_columns
        crosstable = [orjson.loads(meetings) for meetings in self._crosstable] if is_small else None
        return {**self._head, "rows": self.rows[:most_rows], "crosstable": crosstable}


class LiveStandings:
    """Updates and reads live standings. Reading computes nothing, and each process parses the standings once
    per change.
    """

    def __init__(
        self, store: Store, lifecycle: TournamentLifecycle, jobs: GameJobs, moderation: Moderation
    ) -> None:
        self._moderation = moderation
        self._store = store.tournaments
        self._clock = store.clock
        self._lifecycle = lifecycle
        self._jobs = jobs
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, Any], PublishedStandings] = OrderedDict()

    def read(self, event_id: str) -> PublishedStandings:
        """Return the standings as last computed. Raises
        :class:`~arena.events.tournament.TournamentNotFound`.
        """
        tournament, row = self._lifecycle.load(event_id)
        if tournament.final is not None:
            with reading(f"the standings of {event_id}"):
                return self._published(tournament.final, "final")
        if tournament.final_hash:
            with reading(f"the standings of {event_id}"):
                return self._known((event_id, (row.version, row.changes)), partial(self._final, event_id))
        stored = shown_or_left_out(f"standings of {event_id}", partial(self._live, event_id))
        if tournament.state == "cancelled" and self._lifecycle.standings_due(tournament):
            # A cancelled tournament takes no more steps, which would otherwise request this update.
            self._jobs.update_standings(event_id)
        if stored is None:
            nothing = Standings((), (), 0, "", tuple(tournament.spec.tie_breaks))
            return PublishedStandings(nothing.as_json(), "queued")
        return stored

    def _final(self, event_id: str) -> PublishedStandings:
        return self._published(orjson.loads(self._store.final(event_id) or b""), "final")

    def _published(
        self, standings: Mapping[str, Any], state: StandingsState, at_ms: int | None = None
    ) -> PublishedStandings:
        return PublishedStandings(self._moderation.apply(standings), state, at_ms)

    def _live(self, event_id: str) -> PublishedStandings | None:
        _, age = self._store.standings_age(event_id)
        if age is None and self._store.standings(event_id) is None:
            return None

        def parse() -> PublishedStandings:
            stored = self._store.standings(event_id)
            data, at_ms = (b"", 0) if stored is None else (stored.data, stored.at_ms)
            return self._published(orjson.loads(data), "live", at_ms)

        return self._known((event_id, age), parse)

    def _known(self, key: tuple[str, object], parse: Callable[[], PublishedStandings]) -> PublishedStandings:
        """Return the standings for ``key``, a tournament and a change to it. They are parsed only if not
        cached.
        """
        key = (key[0], (key[1], self._moderation.mark))
        found = self._kept.get(key) or parse()
        with self._lock:
            for other in [other for other in self._kept if other[0] == key[0]]:
                del self._kept[other]
            self._kept[key] = found
            size = sum(kept.size for kept in self._kept.values())
            while size > _KEPT_BYTES and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                size -= dropped.size
        return found

    def update(self, event_id: str) -> bool:
        """Compute the standings from all results if they are due, and return whether they were. Safe to run
        concurrently: if an older computation is stored last, the next update replaces it.
        """
        tournament, row = self._lifecycle.load(event_id)
        self._lifecycle.charge_to(tournament.payer)
        if not self._lifecycle.standings_due(tournament):
            return False
        start = time.monotonic()
        table = final_standings(tournament, self._lifecycle.results(tournament).values())
        data = orjson.dumps(table.stored())
        cost_ms = int((time.monotonic() - start) * 1000)
        stored = StoredStandings(data, row.changes, self._clock().now_ms, cost_ms)
        self._store.store_standings(event_id, stored)
        return True


def _checked(meetings: Sequence[_StoredMeeting | None], columns: int) -> bytes:
    """A row of a stored crosstable, as JSON. Raises one of the errors for a row that cannot be read."""
    if len(meetings) != columns:
        raise ValueError("the crosstable is not square")
    return orjson.dumps([None if meeting is None else _meeting(meeting) for meeting in meetings])


def _meeting(meeting: _StoredMeeting) -> dict[str, object]:
    points, groups = meeting["points"], meeting["groups"]
    if type(points) not in (float, int) or type(groups) is not int:
        raise TypeError(f"{meeting!r} is not a valid meeting")
    return Meeting(points, groups).as_json()
