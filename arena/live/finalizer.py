"""Ends games: handles expired clocks, records and voids, and checks games that are due."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

import orjson

from arena.errors import ArenaError, CorruptState, NewerFormat
from arena.games import GAMES
from arena.live.game import HOUSE_RETRY_MS, LiveGame, gone_turns
from arena.live.header import STATES, GameHeader, GameNotFound
from arena.live.jobs import GameJobs
from arena.live.repository import GameRepository, StepApplied
from arena.live.retention import Retention
from arena.play.attendance import ENDS_MS, NOBODY_THERE
from arena.play.clocks import ServiceClock
from arena.play.game_ids import tournament_of
from arena.play.judge import fail
from arena.records.record import build_record, dumps
from arena.store.amounts import DAY_MS
from arena.store.game_index import EndedGame, GameList
from arena.store.games import GameStep, Listing
from arena.store.records import RecordStore
from arena.store.repositories import Store
from arena.store.rows import FORMAT

log = logging.getLogger(__name__)

ENDED: Final = ("finished", "cancelled", "void")

OPEN_BYTES: Final = 4096
"""The bytes of a game that are counted when it is created: about the size of an open one. When it ends, only
what it has in addition is counted.
"""


EXHIBITION_KEPT_MS: Final = DAY_MS
"""How long exhibition games are kept after their end."""

UNWATCHED_MS: Final = 2_000
"""How often it is checked whether somebody looks at exhibition games again, while they stand still."""


class GameNotOver(ArenaError):
    """The game has not ended."""

    code = "game_not_over"


class GameFinalizer:
    """Ends games and requests the jobs that follow their steps. Everything here can safely run twice.

    The request with the last action does not finish the game: a job does, or a sweeper if the job is late.
    """

    def __init__(
        self,
        repository: GameRepository,
        store: Store,
        retention: Retention,
        jobs: GameJobs,
        in_charge: Callable[[str], str],
        count_bytes: Callable[[str, int], None],
    ) -> None:
        self._repository = repository
        self._store = repository.store
        self._index = store.game_index
        self._records = store.records
        self._watchers = store.watchers
        self._webhooks = store.webhooks
        self._identity = store.identity
        self.retention = retention
        self._jobs = jobs
        self._in_charge = in_charge
        self._count_bytes = count_bytes

    def after_step(self, taken: StepApplied) -> None:
        """Request the job that follows a step. If the request fails, a sweeper does the work later."""
        try:
            if taken.house:
                self._move_house_bots(taken.game, taken.payer)
            if taken.state in ENDED and taken.before not in ENDED:
                self._jobs.finish_game(taken.game)
        except Exception:
            log.exception("game %s: deferred to the sweeper", taken.game)

    def attend(self, header: GameHeader) -> bool:
        """Record that the only person at a table is there, and continue a paused game. Returns whether the
        game was paused.
        """
        if not self._store.attend(header.game):
            return False
        try:
            self._move_house_bots(header.game, header.payer)
        except Exception:
            log.exception("game %s: deferred to the sweeper", header.game)
        return True

    def _move_house_bots(self, game_id: str, payer: str) -> None:
        self._jobs.move_house_bots(game_id, self._in_charge(payer))

    def check(self, game_id: str) -> int | None:
        """Do what is due in a game, and return when to check it again, or None for never."""
        self._store.resend(game_id)
        try:
            game = self._repository.load(game_id)
        except GameNotFound:
            if self._index.is_running(game_id):
                self._void_lost(game_id)
            return None
        except CorruptState as error:
            if isinstance(error, NewerFormat) or (self._identity.format() or 0) > FORMAT:
                log.warning("game %s has a newer format and is left for newer processes: %s", game_id, error)
                return self._store.clock().now_ms + HOUSE_RETRY_MS
            log.exception("game %s cannot be read", game_id, extra={"game": game_id})
            self.void(game_id, "corrupt_state")
            return None
        clock = self._store.clock()
        state = game.header.state
        if state == "waiting":
            until = game.header.created_ms + int(self.retention.waiting_s * 1000)
            if clock.now_ms < until:
                return until
            self._repository.change_one(game_id, _give_up_waiting)
            return None
        if state in ENDED:
            record = self._record(game) if state == "finished" else None
            self._keep(game.header, game.version, record)
            return None
        if game.has_one_person and game.attendance is None:
            self._store.attend(game_id)
        if game.attendance is not None and game.is_paused(clock):
            if game.attendance.gone_ms(clock) >= ENDS_MS:
                self.void(game_id, NOBODY_THERE)
                return None
            return game.attendance.ends_at_ms(clock)
        if game.late_seats(clock):
            self._repository.change_one(game_id, self._act_for_late)
            return clock.now_ms
        if game.awaited_house_seats():
            if game.header.exhibition and not self._watchers.is_looked_at():
                return clock.now_ms + UNWATCHED_MS
            self._move_house_bots(game_id, game.header.payer)
            return min(game.due_ms(clock), clock.now_ms + HOUSE_RETRY_MS)
        return game.due_ms(clock)

    def void(self, game_id: str, reason: str) -> None:
        """Declare a game void because of a server fault, so that it does not count.

        Finished games stay unchanged. Raises :class:`GameNotFound`.
        """
        while True:
            (row,) = self._store.load([game_id])
            if row is None:
                raise GameNotFound(f"there is no game {game_id!r}", field="game")
            header = GameHeader.loads(row.header)
            if header.state in ENDED:
                return
            before = header.state
            header.void(reason, self._store.clock().now_ms)
            version = self._store.next_version(row.version)
            step = GameStep(game_id, row.version, version, header=header.dumps())
            step.listing = Listing(
                header.kind, header.created_ms, "void", before, creator=header.listed_creator
            )
            step.turns = gone_turns(header)
            if self._store.write([step])[0] == [True]:
                log.warning("declared game %s void: %s", game_id, reason, extra={"game": game_id})
                self._keep(header, step.version, None)
                return

    def release(self, game_id: str) -> None:
        """Release the game and its record, because its group is over. Raises :class:`GameNotOver`."""
        ended = self._index.ended(game_id)
        if ended is None:
            raise GameNotFound(f"there is no game {game_id!r}", field="game")
        self._change(game_id, ended, _release)

    def agree(self, game_id: str, person: str) -> GameHeader:
        """Record that a person agrees to make a finished game public. It becomes public once all its people
        agree.

        Raises :class:`GameNotOver`, also if the record of the game is already archived and can no longer
        change.
        """
        ended = self._index.ended(game_id)
        if ended is None or RecordStore.is_archived(ended.record):
            raise GameNotOver(
                f"game {game_id} can no longer be made public",
                field="game",
                expected="a game that ended recently",
            )
        header = GameHeader.loads(ended.header)
        if header.practice:
            raise GameNotOver(
                f"game {game_id} is practice, which stays private", field="game", expected="another game"
            )
        state = header.state
        if state != "finished":
            raise GameNotOver(f"game {game_id} is {state}", field="game", expected="a finished game")
        return self._change(game_id, ended, partial(_agree, person=person))

    def trim(self) -> None:
        """Remove games that are older than the retention period of records from all lists."""
        if self.retention.record_s is not None:
            self._index.trim(GAMES, [state for state in STATES if state != "running"], self._oldest_ms())

    def _change(self, game_id: str, ended: EndedGame, change: Callable[[GameHeader], None]) -> GameHeader:
        """Change the header of a finished game, and publish its record if allowed; a record that is not
        stored yet is published by the job that stores it. Returns the new header. Raises
        :class:`GameNotOver`.
        """

        def act(game: LiveGame, clock: ServiceClock) -> GameHeader:
            if game.header.state not in ENDED:
                raise GameNotOver(
                    f"game {game_id} is {game.header.state}", field="game", expected="a game that is over"
                )
            change(game.header)
            return game.header

        changed = self._repository.change({game_id: act})
        header = changed.results[game_id]
        if header is None:
            # Only the record still exists.
            header = GameHeader.loads(ended.header)
            change(header)
            self._index.replace_header(game_id, header.dumps())
        if header.state == "finished" and ended.record is None:
            self._jobs.finish_game(game_id)
        else:
            self._keep(header, changed.versions.get(game_id, ended.version), ended.record)
        return header

    def _keep(self, header: GameHeader, version: int, record: bytes | None) -> None:
        """Store the record of a finished game, publish it if allowed, and notify its tournament."""
        live_ms = int(self.retention.live_s * 1000)
        record_s = self.retention.record_s
        record_ms = None if record_s is None else int(record_s * 1000)
        if header.exhibition:
            record_ms = min(EXHIBITION_KEPT_MS, record_ms or EXHIBITION_KEPT_MS)
        size = len(header.dumps()) + len(record or b"")
        is_new = self._index.keep(
            header.game,
            version,
            record,
            size=size,
            bots=header.bots(),
            live_ms=live_ms,
            record_ms=live_ms if header.state == "cancelled" else record_ms,
            oldest_ms=self._oldest_ms(),
        )
        if is_new and size > OPEN_BYTES:
            self._count_bytes(header.payer, size - OPEN_BYTES)
        # A hint that was delivered late may have put the game back on an earlier list.
        self._index.settle(header.game, header.state, header.created_ms, header.created_by)
        if header.exhibition:
            # It can be replayed for a while, but counts for nobody and is in no list and no archive.
            self._index.unlist(header.game, header.kind, header.state)
            self._index.close(header.game)
            return
        # Done afterwards, because the archiver moves the game to the chunks of its lists.
        if record is not None and header.released:
            if header.visibility == "public":
                self._records.publish(header.game)
            else:
                self._records.publish_private(header.game)
        tournament = None if header.group is None else tournament_of(header.group["id"])
        if tournament is not None:
            self._jobs.step_tournament(tournament)
        self._index.close(header.game)

    def _act_for_late(self, game: LiveGame, clock: ServiceClock) -> bool:
        """Act for every seat whose clock has run out, and return whether there were any."""
        late = [(seat, game.clocks[seat].turn) for seat in game.late_seats(clock)]
        for seat, number in late:
            table = game.playing
            if seat not in table.awaited() or table.turn_number(seat) != number:
                continue
            entry = game.header.seats[seat]
            since_ms = game.clocks[seat].started_ms
            if entry.bot and self._webhooks.is_unreachable(entry.bot, entry.version, since_ms):
                fault, detail = "unreachable", "the webhook could not be reached"
            else:
                fault, detail = "late", "the clock ran out"
            fail(table, seat, fault, detail)
        return bool(late)

    def _oldest_ms(self) -> int:
        record_s = self.retention.record_s
        return 0 if record_s is None else self._store.clock().now_ms - int(record_s * 1000)

    def _record(self, game: LiveGame) -> bytes:
        """Return the gzipped record of a game that was played to the end."""
        header = game.header
        entries = [orjson.loads(entry) for entry in self._store.log(game.id)]
        record = build_record(
            game.playing,
            players=[(entry.name or "", entry.version) for entry in header.seats],
            actions=[(seat, action, mark) for seat, action, mark, *_ in entries],
            group=header.group,
            info={
                "created_ms": header.created_ms,
                "started_ms": header.started_ms,
                "finished_ms": header.finished_ms,
                "clock": header.clock.as_json(),
                "rated": header.rated,
                "house": [entry.house is not None for entry in header.seats],
                "action_ms": [entry[3] for entry in entries],
                **_people(header),
                **({"models": True} if header.models else {}),
                **({"practice": header.practice} if header.practice else {}),
                **({"exhibition": True} if header.exhibition else {}),
            },
        )
        return gzip.compress(dumps(record).encode(), 6, mtime=0)

    def _void_lost(self, game_id: str) -> None:
        """Void a game that was listed as running but whose state is lost, if a copy of its header exists."""
        ended = self._index.ended(game_id)
        if ended is not None:
            header = GameHeader.loads(ended.header)
            if header.state not in ENDED:
                log.warning(
                    "declared game %s void because its state is lost", game_id, extra={"game": game_id}
                )
                header.void("state_lost", self._store.clock().now_ms)
                self._index.replace_header(game_id, header.dumps())
            if header.state == "void":
                self._keep(header, ended.version, None)
        self._index.forget(GameList(state="running"), [game_id])
        self._index.close(game_id)


def _people(header: GameHeader) -> dict[str, object]:
    """Return which seats belong to people, or an empty object if none do."""
    return {"people": [bool(entry.person) for entry in header.seats]} if header.people() else {}


def _agree(header: GameHeader, person: str) -> None:
    for seat in header.seats_of(person):
        header.seats[seat].agrees = True
    header.show_if_agreed()


def _give_up_waiting(game: LiveGame, clock: ServiceClock) -> bool:
    if game.header.state == "waiting":
        game.header.state = "cancelled"
        game.header.reason = "not all seats were taken in time"
        game.header.finished_ms = clock.now_ms
    return True


def _release(header: GameHeader) -> None:
    header.released = True
