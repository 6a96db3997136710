"""One live game in memory: its header, its table and its clocks, and the step that stores a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import orjson

from arena.errors import ArenaError
from arena.games.kernel import Turn
from arena.live.header import GameHeader
from arena.live.limits import MOST_MOVES, TOO_LONG
from arena.play.attendance import Attendance
from arena.play.clocks import SeatClock, ServiceClock
from arena.play.table import Table, as_event
from arena.store.games import GameRow, GameStep, Listing, TurnChange
from arena.store.rows import field_names, unreadable

HOUSE_RETRY_MS: Final = 15_000
"""The time after which a move of a house bot is requested again."""

SETTLE_MS: Final = 3_000
"""The time after which a sweeper finishes a game that has ended. By then its job was lost, all workers are
busy with longer jobs, or there are no workers. It exceeds the time for which a worker plays groups without a
pause.
"""

PACE_MS: Final = 1_500
"""The pause between two moves of an exhibition game, in milliseconds."""

_NEVER: Final = 2**53 - 1

_TABLE_FIELDS: Final = frozenset(("logged", "faults", "resigned", "marks", "seats", "clocks", "events_total"))
"""The fields of a stored table; rows of a newer format have additional fields, including ``format``."""

_MOST_UNSEEN: Final = 500
"""The maximum number of events that are loaded for a turn; a seat that is out of the game never acts again.
"""

_MOST_EVENTS_KEPT: Final = 256
_EVENTS_KEPT: Final = 64


Position = tuple[int, tuple[str, ...]]
"""The number of a seat's current turn, and its legal actions."""


def gone_turns(header: GameHeader) -> list[TurnChange]:
    """Return the changes that remove the turns of all bots and people from their lists."""
    return [
        TurnChange(entry.bot, seat, "gone")
        for seat, entry in enumerate(header.seats)
        if entry.bot is not None
    ]


class LiveGame:
    """A game as of ``version``. After a change, the result of :meth:`step` must be written to the store.
    Discard the object if that step is rejected.

    ``stored`` is the newest version known to have been stored. ``unknown`` contains fields that a newer
    version of the program added to the stored table.
    """

    __slots__ = (
        "_after",
        "_before",
        "_has_house",
        "_tail",
        "attendance",
        "clocks",
        "header",
        "stored",
        "table",
        "unknown",
        "version",
    )

    def __init__(self, header: GameHeader, version: int = 0) -> None:
        self.header = header
        self.version = version
        self.table: Table | None = None
        self.clocks: list[SeatClock] = []
        self.attendance: Attendance | None = None
        self.stored = version
        self._has_house = any(entry.house is not None for entry in header.seats)
        self._before = _Marks()
        self._after: _Marks | None = None
        self._tail: Sequence[bytes] = ()
        self.unknown: dict[str, Any] = {}

    @classmethod
    def restore(cls, row: GameRow) -> LiveGame:
        """Restore the game from a stored row. Raises :class:`~arena.errors.CorruptState`."""
        game = cls(GameHeader.loads(row.header), row.version)
        if row.table is None or row.state is None or game.header.state == "void":
            return game
        header = game.header
        try:
            if row.attendance is not None:
                game.attendance = Attendance.restore(row.attendance)
            data = orjson.loads(row.table)
            if data.keys() != _TABLE_FIELDS:
                game.unknown = {name: data[name] for name in data.keys() - _TABLE_FIELDS}
            game.clocks = [SeatClock.restore(values) for values in data["clocks"]]
            if len(game.clocks) != len(header.seats):
                raise ValueError("expected exactly one clock per seat")
            game.table = Table.restore(
                {
                    **data,
                    "id": header.game,
                    "kind": header.kind,
                    "rules": header.rules,
                    "seed": header.seed,
                    "nonces": [entry.nonce for entry in header.seats],
                    "state": row.state.decode(),
                    "events": (),
                    "first_event": data["events_total"],
                }
            )
            game._tail = row.events
        except (ArenaError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A newer header may explain unknown parts of the table.
            names = field_names(GameHeader) | {"format"}
            values = {"format": header.format, **header.unknown, **game.unknown}
            raise unreadable(f"game {header.game}", values, error, names) from error
        return game

    # Reading

    @property
    def id(self) -> str:
        """The game's id."""
        return self.header.game

    @property
    def playing(self) -> Table:
        """The table of a game that has begun."""
        assert self.table is not None
        return self.table

    @property
    def is_running(self) -> bool:
        """Whether the game has begun and has not ended."""
        return self.header.state == "running"

    @property
    def has_one_person(self) -> bool:
        """See :attr:`~arena.live.header.GameHeader.has_one_person`."""
        return self._has_house and self.header.has_one_person

    def is_paused(self, clock: ServiceClock) -> bool:
        """Return whether the game stands still because the only person at the table is gone."""
        return self.is_running and self.attendance is not None and self.attendance.is_paused(clock)

    def table_clock(self, clock: ServiceClock) -> ServiceClock:
        """Return the clock of this table, which also stands still during its pauses."""
        return clock if self.attendance is None else self.attendance.table_clock(clock)

    def turn(self, seat: int, clock: ServiceClock) -> Turn | None:
        """Return the turn of ``seat`` with its remaining time, or None if the seat has nothing to decide."""
        table = self.table
        if table is None:
            return None
        own = self.clocks[seat]
        if not own.turn:
            return table.turn(seat, None, own.bank_ms)
        left = own.left(self.header.clock, self.table_clock(clock))
        return table.turn(seat, left[0], left[1])

    def missing_events(self, seat: int) -> tuple[int, int] | None:
        """Return the number of the first event and the count of the events that a turn of ``seat`` shows and
        that are not in memory, or None if all of them are.
        """
        table = self.playing
        end = table.first_event + len(table.events)
        start = max(table.first_unseen(seat), end - _MOST_UNSEEN)
        count = table.first_event - start
        if count <= 0:
            return None
        if count > len(self._tail):
            return start, count
        self.add_older_events(self._tail[-count:])
        self._tail = ()
        return None

    def add_older_events(self, events: Sequence[bytes]) -> None:
        """Add the stored events that directly precede those in memory."""
        table = self.playing
        table.events[:0] = [as_event(orjson.loads(event)) for event in events]
        table.first_event -= len(events)

    def awaited_house_seats(self) -> list[int]:
        """Return the seats of the house bots that must move now."""
        if not self._has_house or not self.is_running:
            return []
        seats = self.header.seats
        return [seat for seat in self.playing.awaited() if seats[seat].house is not None]

    def house_seats_to_move(self) -> list[int]:
        """Return the seats of the house bots whose moves are requested after each step; in an exhibition
        game, the sweeper requests them.
        """
        return [] if self.header.exhibition else self.awaited_house_seats()

    def late_seats(self, clock: ServiceClock) -> list[int]:
        """Return the seats whose clock has run out."""
        if not self.is_running:
            return []
        settings, clock = self.header.clock, self.table_clock(clock)
        return [
            seat
            for seat, own in enumerate(self.clocks)
            if own.turn and own.deadline(settings, clock) <= clock.now_ms
        ]

    def due_ms(self, clock: ServiceClock) -> int:
        """Return when the running game must be checked again."""
        settings = self.header.clock
        times = [own.deadline(settings, self.table_clock(clock)) for own in self.clocks if own.turn]
        if self.attendance is not None:
            times.append(self.attendance.pauses_at_ms(clock))
        if self.awaited_house_seats():
            times.append(clock.now_ms + HOUSE_RETRY_MS)
        return min(times, default=clock.now_ms + HOUSE_RETRY_MS)

    # Changing

    def begin(self) -> None:
        """Record the current state, so that :meth:`step` can find the differences."""
        after, self._after = self._after, None
        if after is not None:
            self._before = after
            return
        table = self.table
        header = _header_marks(self.header)
        if table is None:
            self._before = _Marks(header)
        else:
            end = table.first_event + len(table.events)
            self._before = _Marks(header, self._progress(), end, table.awaited(), table.positions())

    def stand_still(self, bot: str, clock: ServiceClock) -> None:
        """Stop the clocks of a bot in a running game for a while, unless they have run out."""
        late = self.late_seats(clock)
        for seat in self.header.seats_of(bot) if self.is_running else ():
            if seat not in late:
                self.clocks[seat].stand_still(clock)

    def start(self, clock: ServiceClock, actions: Sequence[Sequence[Any]] = ()) -> None:
        """Deal the first hand, and play these ``actions`` of an earlier game with the same deals. All seats
        must be taken.
        """
        header = self.header
        header.state = "running"
        header.started_ms = clock.now_ms
        self.table = Table(
            header.game,
            header.kind,
            header.rules,
            bytes.fromhex(header.seed),
            [entry.nonce for entry in header.seats],
        )
        self.clocks = [SeatClock(header.clock.bank_ms) for _ in header.seats]
        self.table.start()
        self.table.play_again(actions)

    def step(self, clock: ServiceClock, version: int) -> GameStep | None:
        """Return the step that stores the changes since :meth:`begin`, or None if there are none. From then
        on, this object assumes that the step is accepted. The step also ends a game that is over or too long.
        """
        before = self._before
        table = self.table
        header = self.header
        step = GameStep(header.game, self.version, version)
        after: _Marks | None = None
        if table is not None and self._progress() != before.progress:
            awaited = table.awaited()
            if not awaited and header.state == "running":
                outcome = table.outcome()
                assert outcome is not None
                header.state = "finished"
                header.finished_ms = clock.now_ms
                header.outcome = outcome.as_json()
                header.released = header.group is None
                header.show_if_agreed()
            elif header.state == "running" and table.logged >= MOST_MOVES:
                header.void(TOO_LONG, clock.now_ms)
            positions = table.positions()
            step.due_ms = self._run_clocks(awaited, positions, clock)
            self._put_table(table, step, clock)
            self._put_turns(step.turns, awaited, positions)
            end = table.first_event + len(table.events)
            after = _Marks(_header_marks(header), self._progress(), end, awaited, positions)
        if _header_marks(header) != before.header:
            step.header = header.dumps()
            step.listing = self._listing(before.header[0])
        elif not step.table:
            return None
        if header.state != "running":
            step.due_ms = clock.now_ms + SETTLE_MS
        self.version = version
        self._after = after
        if header.state == "void":
            step.turns = gone_turns(header)
            # As in a restored game: nobody can act any more.
            self.table, self._after = None, None
        return step

    def trim(self) -> None:
        """Keep only the most recent events in memory; older ones are in the store."""
        table = self.table
        if table is None:
            return
        self._tail = ()
        table.actions.clear()
        if len(table.events) > _MOST_EVENTS_KEPT:
            dropped = len(table.events) - _EVENTS_KEPT
            del table.events[:dropped]
            table.first_event += dropped

    def _progress(self) -> tuple[int, int, int, int]:
        """Return numbers, at least one of which grows with every change of the table or of its clocks."""
        table = self.playing
        still_ms = sum(own.still_until_ms for own in self.clocks)
        return table.logged, len(table.faults), len(table.resigned), still_ms

    def _run_clocks(self, awaited: Sequence[int], positions: Sequence[Position], clock: ServiceClock) -> int:
        """Run the clocks of the seats that must act, and return when the game is next due."""
        settings, clock = self.header.clock, self.table_clock(clock)
        # In an exhibition game, the sweeper requests each move of a house bot when it is due.
        pause_ms = PACE_MS if self.header.exhibition else HOUSE_RETRY_MS
        due = clock.now_ms + pause_ms if self._has_house or not awaited else _NEVER
        for seat, own in enumerate(self.clocks):
            number, legal = positions[seat]
            if legal and seat in awaited and self.header.seats[seat].house is None:
                own.run(number, settings, clock)
                due = min(due, own.deadline(settings, clock))
            elif own.turn:
                own.run(0, settings, clock)
        return due

    def _put_table(self, table: Table, step: GameStep, clock: ServiceClock) -> None:
        # Older answers are in the log only.
        data = table.progress(answers=1)
        data["clocks"] = [own.as_json() for own in self.clocks]
        data["events_total"] = table.first_event + len(table.events)
        data.update(self.unknown)
        step.table = orjson.dumps(data)
        step.state = orjson.dumps(table.state.content())
        ago = clock.now_ms - (self.header.started_ms or clock.now_ms)
        first = table.logged - len(table.actions) + 1
        step.log = [
            orjson.dumps((*action, ago, table.answered_after(action[0], after)))
            for after, action in enumerate(table.actions, first)
        ]
        new_events = table.events[self._before.events - table.first_event :]
        step.events = [orjson.dumps(event) for event in new_events]

    def _listing(self, before: str | None) -> Listing:
        header = self.header
        bots = header.bots() if header.state in ("waiting", "running") else ()
        return Listing(
            header.kind,
            header.created_ms,
            header.state,
            before,
            bots,
            creator=header.listed_creator,
            public=header.visibility == "public",
        )

    def _put_turns(
        self, changes: list[TurnChange], awaited: Sequence[int], positions: Sequence[Position]
    ) -> None:
        """Add the changes to the bots' turns."""
        before = self._before
        known = before.positions or _NOWHERE
        for seat, entry in enumerate(self.header.seats):
            bot = entry.bot
            if bot is None:
                continue
            position = positions[seat]
            op: Literal["must", "may", "gone"]
            if not awaited:
                op = "gone"
            elif not position[1]:
                continue
            elif seat in awaited:
                if position == known[seat] and seat in before.awaited:
                    continue
                op = "must"
            else:
                if position == known[seat] and seat not in before.awaited and not self._sees_change(seat):
                    continue
                op = "may"
            changes.append(TurnChange(bot, seat, op))

    def _sees_change(self, seat: int) -> bool:
        """Return whether the change produced an event that the seat may see."""
        table = self.playing
        view_event = table.game.view_event
        new_events = table.events[self._before.events - table.first_event :]
        return any(view_event(event, seat) is not None for event in new_events)


class _Marks(NamedTuple):
    """The state of a game when a change began."""

    header: tuple[Any, ...] = (None,)
    progress: tuple[int, int, int, int] = (0, 0, 0, 0)
    events: int = 0
    awaited: tuple[int, ...] = ()
    positions: Sequence[Position] = ()


_NOWHERE: Final[Sequence[Position]] = [(0, ())] * 16
"""The positions of seats before the game begins."""


def _header_marks(header: GameHeader) -> tuple[object, ...]:
    """Return the parts of a header that can change, beginning with the state; none can while the game is
    running.
    """
    if header.state == "running":
        return ("running",)
    agreed = [entry.agrees for entry in header.seats]
    return (header.state, list(header.seats), header.released, agreed)
