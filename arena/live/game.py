"""One live game in memory: its sheet, its table and its clocks; and the step that stores a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import orjson

from arena.errors import CorruptState
from arena.live.clocks import SeatClock, ServiceClock
from arena.live.sheet import Sheet
from arena.live.store import Hint, ListAdd, ListRemove, Row, Step, TurnHint, Wake, bot_games_key
from arena.live.store_index import ALL_GAMES, kind_key, state_key
from arena.table import KEPT_EVENTS, Table, as_event

HOUSE_RETRY_MS: Final = 15_000
"""A house bot that has not moved by then is asked for again."""

SETTLE_MS: Final = 5_000
"""A game that has ended but whose record is not stored by then is looked at again."""

_NEVER: Final = 2**53 - 1

_MOST_EVENTS_KEPT: Final = 256
_EVENTS_KEPT: Final = 64


Position = tuple[int, tuple[str, ...]]
"""The number of a seat's present turn, and what it may do."""


class LiveGame:
    """A game as it was at ``version``. Whoever changes it asks for :meth:`step` and writes that;
    an object whose step was not taken is thrown away.

    ``stored``: the newest of its versions that is known to be, or to have been, in the store.
    """

    __slots__ = ("_after", "_before", "_has_house", "_tail", "clocks", "sheet", "stored", "table", "version")

    def __init__(self, sheet: Sheet, version: int = 0) -> None:
        self.sheet = sheet
        self.version = version
        self.table: Table | None = None
        self.clocks: list[SeatClock] = []
        self.stored = version
        self._has_house = any(entry.house is not None for entry in sheet.seats)
        self._before = _Marks()
        self._after: _Marks | None = None
        self._tail: Sequence[bytes] = ()

    @classmethod
    def restore(cls, row: Row) -> LiveGame:
        """The game of a stored row. Raises :class:`~arena.errors.CorruptState`."""
        game = cls(Sheet.loads(row.sheet), row.version)
        if row.table is None or row.state is None or game.sheet.state == "void":
            return game
        sheet = game.sheet
        try:
            data = orjson.loads(row.table)
            game.clocks = [SeatClock(*values) for values in data["clocks"]]
            game.table = Table.restore(
                {
                    **data,
                    "id": sheet.game,
                    "kind": sheet.kind,
                    "rules": sheet.rules,
                    "seed": sheet.seed,
                    "nonces": [entry.nonce for entry in sheet.seats],
                    "state": row.state.decode(),
                    "events": (),
                    "first_event": data["events_total"],
                }
            )
            game._tail = row.events
        except (KeyError, TypeError, ValueError) as error:
            raise CorruptState(f"game {sheet.game} cannot be read: {error}") from error
        return game

    # Looking

    @property
    def id(self) -> str:
        """The game's id."""
        return self.sheet.game

    @property
    def playing(self) -> Table:
        """The table of a game that has begun."""
        assert self.table is not None
        return self.table

    @property
    def is_running(self) -> bool:
        """Whether it has begun and is not over."""
        return self.sheet.state == "running"

    def turn(self, seat: int, clock: ServiceClock) -> dict[str, Any] | None:
        """The turn of ``seat`` with the time it has left, None if it has nothing to decide."""
        table = self.table
        if table is None:
            return None
        own = self.clocks[seat]
        if not own.turn:
            return table.turn(seat, None, own.bank_ms)
        left = own.left(self.sheet.clock, clock)
        return table.turn(seat, left[0], left[1])

    def missing_events(self, seat: int) -> tuple[int, int] | None:
        """The first number and the count of the events that a turn of ``seat`` has to show and that
        did not come with the game; None if all did, which then are at hand.
        """
        table = self.playing
        end = table.first_event + len(table.events)
        start = max(table.first_unseen(seat), end - KEPT_EVENTS)
        count = table.first_event - start
        if count <= 0:
            return None
        if count > len(self._tail):
            return start, count
        self.add_older_events(self._tail[-count:])
        self._tail = ()
        return None

    def add_older_events(self, events: Sequence[bytes]) -> None:
        """The events just before those at hand, as stored."""
        table = self.playing
        table.events[:0] = [as_event(orjson.loads(event)) for event in events]
        table.first_event -= len(events)

    def awaited_house_seats(self) -> list[int]:
        """The seats of house bots that must move now."""
        if not self._has_house or not self.is_running:
            return []
        seats = self.sheet.seats
        return [seat for seat in self.playing.awaited() if seats[seat].house is not None]

    def late_seats(self, clock: ServiceClock) -> list[int]:
        """The seats whose clock has run out."""
        if not self.is_running:
            return []
        settings = self.sheet.clock
        return [
            seat
            for seat, own in enumerate(self.clocks)
            if own.turn and own.deadline(settings, clock) <= clock.now_ms
        ]

    def due_ms(self, clock: ServiceClock) -> int:
        """When somebody should look at the running game again."""
        settings = self.sheet.clock
        times = [own.deadline(settings, clock) for own in self.clocks if own.turn]
        if self.awaited_house_seats():
            times.append(clock.now_ms + HOUSE_RETRY_MS)
        return min(times, default=clock.now_ms + HOUSE_RETRY_MS)

    # Changing

    def begin(self) -> None:
        """Note what is there, so that :meth:`step` knows what a change has changed."""
        after, self._after = self._after, None
        if after is not None:
            self._before = after
            return
        table = self.table
        sheet = _sheet_marks(self.sheet)
        if table is None:
            self._before = _Marks(sheet)
        else:
            end = table.first_event + len(table.events)
            self._before = _Marks(sheet, _progress(table), end, table.awaited(), table.positions())

    def start(self, clock: ServiceClock) -> None:
        """Everybody sits: deal the first hand."""
        sheet = self.sheet
        sheet.state = "running"
        sheet.started_ms = clock.now_ms
        self.table = Table(
            sheet.game,
            sheet.kind,
            sheet.rules,
            bytes.fromhex(sheet.seed),
            [entry.nonce for entry in sheet.seats],
        )
        self.clocks = [SeatClock(sheet.clock.bank_ms) for _ in sheet.seats]
        self.table.start()

    def step(self, clock: ServiceClock, version: int) -> Step | None:
        """The step that stores the changes since :meth:`begin`, which this object takes as made;
        None if there are none.
        """
        before = self._before
        table = self.table
        sheet = self.sheet
        step = Step(sheet.game, self.version, version)
        must: list[str] = []
        may: list[str] = []
        after: _Marks | None = None
        if table is not None and _progress(table) != before.progress:
            awaited = table.awaited()
            if not awaited and sheet.state == "running":
                outcome = table.outcome()
                assert outcome is not None
                sheet.state = "finished"
                sheet.finished_ms = clock.now_ms
                sheet.outcome = outcome.as_json()
                sheet.released = sheet.group is None
            positions = table.positions()
            step.due_ms = self._run_clocks(awaited, positions, clock)
            self._put_table(table, step, clock)
            self._put_turn_hints(step.hints, awaited, positions, must, may)
            end = table.first_event + len(table.events)
            after = _Marks(_sheet_marks(sheet), _progress(table), end, awaited, positions)
        if _sheet_marks(sheet) != before.sheet:
            step.sheet = sheet.dumps()
            step.hints += self._list_hints(before.sheet[0])
        elif not step.table:
            return None
        if sheet.state != "running":
            step.due_ms = clock.now_ms + SETTLE_MS
        step.wake = Wake(sheet.game, version, must, may)
        self.version = version
        self._after = after
        return step

    def trim(self) -> None:
        """Keep only the newest events in memory; older ones are in the store."""
        table = self.table
        if table is None:
            return
        self._tail = ()
        table.actions.clear()
        if len(table.events) > _MOST_EVENTS_KEPT:
            dropped = len(table.events) - _EVENTS_KEPT
            del table.events[:dropped]
            table.first_event += dropped

    def _run_clocks(self, awaited: Sequence[int], positions: Sequence[Position], clock: ServiceClock) -> int:
        """Let the clocks of those run who must act, and return when the game is due."""
        settings = self.sheet.clock
        due = clock.now_ms + HOUSE_RETRY_MS if self._has_house or not awaited else _NEVER
        for seat, own in enumerate(self.clocks):
            number, legal = positions[seat]
            if legal and seat in awaited and self.sheet.seats[seat].house is None:
                own.run(number, settings, clock)
                due = min(due, own.deadline(settings, clock))
            elif own.turn:
                own.run(0, settings, clock)
        return due

    def _put_table(self, table: Table, step: Step, clock: ServiceClock) -> None:
        # Older answers are in the log.
        data = table.progress(answers=1)
        data["clocks"] = [own.as_json() for own in self.clocks]
        data["events_total"] = table.first_event + len(table.events)
        step.table = orjson.dumps(data)
        step.state = orjson.dumps(table.state.content())
        ago = clock.now_ms - (self.sheet.started_ms or clock.now_ms)
        first = table.logged - len(table.actions) + 1
        step.log = [
            orjson.dumps((*action, ago, table.answered_after(action[0], after)))
            for after, action in enumerate(table.actions, first)
        ]
        new_events = table.events[self._before.events - table.first_event :]
        step.events = [orjson.dumps(event) for event in new_events]

    def _list_hints(self, before: str | None) -> list[Hint]:
        sheet = self.sheet
        hints: list[Hint] = []
        if before != sheet.state:
            if before is not None:
                hints.append(ListRemove(state_key(before), sheet.game))
            hints.append(ListAdd(state_key(sheet.state), sheet.game, sheet.created_ms))
        if before is None:
            hints += (ListAdd(key, sheet.game, sheet.created_ms) for key in (ALL_GAMES, kind_key(sheet.kind)))
        if sheet.state in ("waiting", "running"):
            hints += (ListAdd(bot_games_key(bot), sheet.game, sheet.created_ms) for bot in sheet.bots())
        return hints

    def _put_turn_hints(
        self,
        hints: list[Hint],
        awaited: Sequence[int],
        positions: Sequence[Position],
        must: list[str],
        may: list[str],
    ) -> None:
        """Add the hints to the bots at the table, and to ``must`` and ``may`` who is woken for what."""
        before = self._before
        known = before.positions or _NOWHERE
        for seat, entry in enumerate(self.sheet.seats):
            bot = entry.bot
            if bot is None:
                continue
            position = positions[seat]
            if not awaited:
                op = "gone"
            elif not position[1]:
                continue
            elif seat in awaited:
                if position == known[seat] and seat in before.awaited:
                    continue
                op = "must"
                must.append(bot)
            else:
                if position == known[seat] and seat not in before.awaited and not self._has_news(seat):
                    continue
                op = "may"
                may.append(bot)
            hints.append(TurnHint(bot, f"{self.sheet.game}.{seat}", op))

    def _has_news(self, seat: int) -> bool:
        """Whether the change has shown the seat anything."""
        table = self.playing
        view_event = table.game.view_event
        new_events = table.events[self._before.events - table.first_event :]
        return any(view_event(event, seat) is not None for event in new_events)


class _Marks(NamedTuple):
    """How far a game was when a change began."""

    sheet: tuple[Any, ...] = (None,)
    progress: tuple[int, int, int] = (0, 0, 0)
    events: int = 0
    awaited: tuple[int, ...] = ()
    positions: Sequence[Position] = ()


_NOWHERE: Final[Sequence[Position]] = [(0, ())] * 16
"""Positions of seats before the game begins."""


def _progress(table: Table) -> tuple[int, int, int]:
    return table.logged, len(table.faults), len(table.resigned)


def _sheet_marks(sheet: Sheet) -> tuple[Any, ...]:
    """What of a sheet can change, the state first; while the game is running, nothing can."""
    return ("running",) if sheet.state == "running" else (sheet.state, list(sheet.seats), sheet.released)


__all__ = ["HOUSE_RETRY_MS", "LiveGame"]
