"""How games end: late seats, records, voids, and the look that a due game gets."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from arena.errors import ArenaError, CorruptState
from arena.games import GAMES
from arena.live.clocks import ServiceClock
from arena.live.desk import Desk, Taken
from arena.live.game import HOUSE_RETRY_MS, LiveGame
from arena.live.sheet import STATES, GameNotFound, Sheet
from arena.live.store import ListAdd, ListRemove, Step, TurnHint, Wake
from arena.live.store_index import ALL_GAMES, Ended, GameIndex, kind_key, state_key
from arena.records import build_record, dumps

log = logging.getLogger(__name__)

ENDED: Final = ("finished", "cancelled", "void")

OnHouse = Callable[[str], None]
OnFinished = Callable[[str, Mapping[str, Any]], None]


class GameNotOver(ArenaError):
    """A game that has not ended."""

    code = "game_not_over"


@dataclass(frozen=True, slots=True)
class Retention:
    """Seconds that things are kept: a game that waits for players, the live data of a game that is
    over (its last view and its events), and records (None: for good).
    """

    waiting_s: float = 86_400
    live_s: float = 3_600
    record_s: float | None = None


class Endings:
    """Ends games, and tells those who are to know. Everything here may run twice."""

    def __init__(
        self,
        desk: Desk,
        index: GameIndex,
        retention: Retention,
        on_house: OnHouse | None,
        on_finished: OnFinished | None,
    ) -> None:
        self._desk = desk
        self._store = desk.store
        self._index = index
        self.retention = retention
        self._on_house = on_house
        self._on_finished = on_finished
        desk.after_step = self.after_step

    def after_step(self, taken: Taken) -> None:
        """What a step leads to at once. If it fails, a sweeper does it later."""
        try:
            if taken.house and self._on_house is not None:
                self._on_house(taken.game)
            if taken.state in ENDED:
                self.finish(self._desk.load(taken.game))
        except Exception:
            log.exception("game %s: left to the sweeper", taken.game)

    def look(self, game_id: str) -> int | None:
        """Do what is due in a game; when to look again, None for never."""
        self._store.resend(game_id)
        try:
            game = self._desk.load(game_id)
        except GameNotFound:
            if self._index.holds(state_key("running"), game_id):
                self._void_lost(game_id)
            return None
        except CorruptState:
            log.exception("game %s is void", game_id)
            self.void(game_id, "corrupt_state")
            return None
        clock = self._store.clock()
        state = game.sheet.state
        if state == "waiting":
            until = game.sheet.created_ms + int(self.retention.waiting_s * 1000)
            if clock.now_ms < until:
                return until
            self._desk.change_one(game_id, _give_up_waiting)
            return None
        if state in ENDED:
            self.finish(game)
            return None
        if game.late_seats(clock):
            self._desk.change_one(game_id, act_for_late)
            return clock.now_ms
        if game.awaited_house_seats():
            if self._on_house is not None:
                self._on_house(game_id)
            return min(game.due_ms(clock), clock.now_ms + HOUSE_RETRY_MS)
        return game.due_ms(clock)

    def finish(self, game: LiveGame) -> None:
        """Store the record of a game that is over, publish it if it may be, and say so."""
        sheet = game.sheet
        text = self._record(game) if sheet.state == "finished" else None
        record = None if text is None else gzip.compress(text.encode(), 6, mtime=0)
        self._keep(sheet, Ended(sheet.dumps(), game.version, record))

    def void(self, game_id: str, reason: str) -> None:
        """Declare a game void by a fault of the service: it counts for nobody.

        Raises :class:`GameNotFound`; a game that is over stays as it is.
        """
        while True:
            (row,) = self._store.load([game_id])
            if row is None:
                raise GameNotFound(f"there is no game {game_id!r}", field="game")
            sheet = Sheet.loads(row.sheet)
            if sheet.state in ENDED:
                return
            before = sheet.state
            self._mark_void(sheet, reason)
            step = Step(game_id, row.version, self._store.next_version(row.version), sheet=sheet.dumps())
            step.hints = [
                ListRemove(state_key(before), game_id),
                ListAdd(state_key("void"), game_id, sheet.created_ms),
            ]
            step.hints += (
                TurnHint(entry.bot, f"{game_id}.{seat}", "gone")
                for seat, entry in enumerate(sheet.seats)
                if entry.bot is not None
            )
            step.wake = Wake(game_id, step.version, [], [])
            if self._store.write([step])[0] == [True]:
                self._keep(sheet, Ended(sheet.dumps(), step.version, None))
                return

    def release(self, game_id: str) -> None:
        """The group is over: show the game and its record. Raises :class:`GameNotOver`."""
        ended = self._index.ended(game_id)
        if ended is None:
            raise GameNotFound(f"there is no game {game_id!r}", field="game")
        try:
            self._desk.change_one(game_id, _release)
            return
        except GameNotFound:
            # Only the record is left.
            sheet = Sheet.loads(ended.sheet)
        sheet.released = True
        self._keep(sheet, ended._replace(sheet=sheet.dumps()))

    def trim(self) -> None:
        """Take what is older than records are kept off all lists."""
        if self.retention.record_s is not None:
            lists = [ALL_GAMES, *map(kind_key, GAMES), *(state_key(s) for s in STATES if s != "running")]
            self._index.trim(lists, GAMES, self._oldest_ms())

    def _keep(self, sheet: Sheet, ended: Ended) -> None:
        live_ms = int(self.retention.live_s * 1000)
        record_s = self.retention.record_s
        record_ms = None if record_s is None else int(record_s * 1000)
        self._index.keep(
            sheet.game,
            ended,
            bots=sheet.bots(),
            live_ms=live_ms,
            record_ms=live_ms if sheet.state == "cancelled" else record_ms,
            oldest_ms=self._oldest_ms(),
        )
        # A hint that came late may have put it back on an earlier list.
        self._index.move(
            sheet.game, state_key(sheet.state), sheet.created_ms, map(state_key, ("waiting", "running"))
        )
        if ended.record is not None and sheet.released and sheet.visibility == "public":
            self._index.publish(sheet.game, sheet.kind)
        if self._on_finished is not None:
            self._on_finished(sheet.game, sheet.summary())
        self._index.settled(sheet.game)

    def _oldest_ms(self) -> int:
        record_s = self.retention.record_s
        return 0 if record_s is None else self._store.clock().now_ms - int(record_s * 1000)

    def _record(self, game: LiveGame) -> str:
        sheet = game.sheet
        entries = [orjson.loads(entry) for entry in self._store.log(game.id)]
        record = build_record(
            game.playing,
            players=[(entry.bot or entry.house or "", entry.version) for entry in sheet.seats],
            actions=[(seat, action, mark) for seat, action, mark, *_ in entries],
            group=sheet.group,
            info={
                "created_ms": sheet.created_ms,
                "started_ms": sheet.started_ms,
                "finished_ms": sheet.finished_ms,
                "clock": sheet.clock.as_json(),
                "rated": sheet.rated,
                "house": [entry.house is not None for entry in sheet.seats],
                "action_ms": [entry[3] for entry in entries],
            },
        )
        return dumps(record)

    def _void_lost(self, game_id: str) -> None:
        """The game was running, and its state is gone: a copy of its sheet may be left."""
        ended = self._index.ended(game_id)
        sheet = None if ended is None else Sheet.loads(ended.sheet)
        if ended is not None and sheet is not None and sheet.state not in ENDED:
            log.error("game %s is void: its state is lost", game_id)
            self._mark_void(sheet, "state_lost")
            self._keep(sheet, Ended(sheet.dumps(), ended.version, None))
        self._index.forget(state_key("running"), [game_id])
        self._index.settled(game_id)

    def _mark_void(self, sheet: Sheet, reason: str) -> None:
        sheet.state = "void"
        sheet.reason = reason
        sheet.finished_ms = self._store.clock().now_ms


def act_for_late(game: LiveGame, clock: ServiceClock) -> bool:
    """Let the table act for every seat whose time is over; whether there was one."""
    late = [(seat, game.clocks[seat].turn) for seat in game.late_seats(clock)]
    table = game.table
    for seat, number in late:
        assert table is not None
        if (
            seat in table.awaited()
            and table.turn_number(seat) == number
            and not table.fault(seat, "late", "the clock ran out")
        ):
            table.act_for(seat, "clock")
    return bool(late)


def _give_up_waiting(game: LiveGame, clock: ServiceClock) -> bool:
    if game.sheet.state == "waiting":
        game.sheet.state = "cancelled"
        game.sheet.reason = "nobody came"
        game.sheet.finished_ms = clock.now_ms
    return True


def _release(game: LiveGame, clock: ServiceClock) -> bool:
    if game.sheet.state not in ENDED:
        raise GameNotOver(
            f"game {game.id} is {game.sheet.state}", field="game", expected="a game that is over"
        )
    game.sheet.released = True
    return True


__all__ = ["ENDED", "Endings", "GameNotOver", "OnFinished", "OnHouse", "Retention", "act_for_late"]
