"""Standings of tournaments that run: computed by a worker now and then, stored, and read from there."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import orjson

from arena.events.lifecycle import TournamentLifecycle, final_standings
from arena.live.jobs import GameJobs
from arena.ratings.standings import Meeting, Standing, Standings
from arena.store.paging import parse_number
from arena.store.repositories import Store
from arena.store.rows import check_types, reading, shown_or_left_out
from arena.store.tournaments import StoredStandings

StandingsState = Literal["queued", "live", "final"]

STANDINGS_STATES: Final[tuple[StandingsState, ...]] = ("queued", "live", "final")
"""Not computed yet; those of a moment ago; those of a finished tournament."""


class PublishedStandings(NamedTuple):
    """Standings as published. ``computed_ms``: when (milliseconds since 1970); None if they are queued, for
    a table without rows, or final.
    """

    table: Standings
    state: StandingsState
    computed_ms: int | None

    @property
    def version(self) -> str:
        """Changes when the standings do."""
        return f"{self.state}-{self.computed_ms or self.table.records_hash}"

    def page(self, cursor: str | None, limit: int) -> dict[str, Any]:
        """The standings as JSON with up to ``limit`` rows, those of the crosstable too, and ``cursor``, which
        continues after them. Raises ``invalid_cursor``.
        """
        start = parse_number(cursor, 9)
        end = start + limit
        table = replace(self.table, rows=self.table.rows[start:end], meetings=self.table.meetings[start:end])
        return {
            **table.as_json(),
            "state": self.state,
            "computed_ms": self.computed_ms,
            "cursor": str(end) if end < len(self.table.rows) else None,
        }


class LiveStandings:
    """Updates and reads them; reading computes nothing."""

    def __init__(self, store: Store, lifecycle: TournamentLifecycle, jobs: GameJobs) -> None:
        self._store = store.tournaments
        self._clock = store.clock
        self._lifecycle = lifecycle
        self._jobs = jobs

    def read(self, event_id: str) -> PublishedStandings:
        """The standings as last computed. Raises :class:`~arena.events.tournament.TournamentNotFound`."""
        tournament, _ = self._lifecycle.load(event_id)
        if tournament.final is not None or tournament.final_hash:
            with reading(f"the standings of {event_id}"):
                final = tournament.final or orjson.loads(self._store.final(event_id) or b"")
                return PublishedStandings(_checked(final), "final", None)
        stored = shown_or_left_out(f"standings of {event_id}", partial(self._stored, event_id))
        if tournament.state == "cancelled" and self._lifecycle.standings_due(tournament):
            # It takes no more steps, which otherwise request this.
            self._jobs.update_standings(event_id)
        if stored is None:
            nothing = Standings((), (), 0, "", tuple(tournament.spec.tie_breaks))
            return PublishedStandings(nothing, "queued", None)
        return stored

    def _stored(self, event_id: str) -> PublishedStandings | None:
        stored = self._store.standings(event_id)
        if stored is None:
            return None
        return PublishedStandings(_checked(orjson.loads(stored.data)), "live", stored.at_ms)

    def update(self, event_id: str) -> bool:
        """Compute the standings from all results, if they are due, and return whether they were. May run
        twice, also at the same time: older ones are replaced by the next update.
        """
        tournament, row = self._lifecycle.load(event_id)
        if not self._lifecycle.standings_due(tournament):
            return False
        start = time.monotonic()
        table = final_standings(tournament, self._lifecycle.results(tournament).values())
        data = orjson.dumps(table.as_json())
        cost_ms = int((time.monotonic() - start) * 1000)
        stored = StoredStandings(data, row.changes, self._clock().now_ms, cost_ms)
        self._store.store_standings(event_id, stored)
        return True


def _checked(data: Any) -> Standings:
    """Stored standings. Raises one of the errors of a row that cannot be read."""
    found = Standings.from_json(data)
    check_types(Standings, vars(found))
    if not all(isinstance(name, str) for name in found.tie_breaks):
        raise TypeError("a tie-break without a name")
    for row, meetings in zip(found.rows, found.meetings, strict=True):
        check_types(Standing, vars(row))
        if len(meetings) != len(found.rows):
            raise ValueError("the crosstable is not square")
        for meeting in meetings:
            if meeting is not None:
                check_types(Meeting, vars(meeting))
    return found
