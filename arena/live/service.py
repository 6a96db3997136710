"""Live games: the class used by the HTTP API, the workers and the tests.

Methods accept and return JSON-serializable values. They can be called from any thread, greenlet, process or
host, because all state is in the store, and each change of a game is atomic.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from arena.errors import ArenaError, CorruptState
from arena.games import game_of
from arena.live.finalizer import ENDED, OPEN_BYTES, GameFinalizer, GameNotOver
from arena.live.finished import FinishedGames
from arena.live.game import LiveGame
from arena.live.header import (
    ANYBODY,
    STATES,
    EarlierGame,
    GameHeader,
    GameNotFound,
    GameSummary,
    InvalidGame,
    SeatEntry,
    Viewer,
    check_game_id,
    new_header,
    seated,
    seated_person,
)
from arena.live.house import Choose, HouseMoves, house_choice, move_house_bots
from arena.live.jobs import GameJobs
from arena.live.limits import check_length
from arena.live.repository import GameBusy, GameRepository, StepApplied
from arena.live.retention import Retention
from arena.live.sweeper import Sweeper
from arena.live.turns import Exchange, Result, TurnPage, Turns
from arena.live.unfinished import KEPT_MS, UnfinishedGames
from arena.live.views import (
    EventPage,
    GameView,
    Moderate,
    NotSeated,
    as_it_is,
    check_visible,
    game_view,
    is_running,
    list_entry,
    past_view,
    project_events,
    viewing_seat,
)
from arena.play.clocks import ServiceClock
from arena.play.dealing import SEED_BYTES
from arena.play.game_ids import place_of
from arena.records.archive.archive import Archive
from arena.store.game_index import GameList
from arena.store.games import PendingQuery
from arena.store.notifications import game_topic
from arena.store.paging import Cursor, Page, filled_page, parse_number
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

Results = list[Result]

_ID_BYTES: Final = 9
_READS: Final = 3
"""The maximum number of games that are read for a page, as a multiple of the size of the page."""

_RECORDS_AT_ONCE: Final = 100
_LOOKED_AT: Final = 100

_STILL_AT_ONCE: Final = 20
"""How many games' clocks are stopped together."""

_STILL_EVERY: Final = 2.0
"""The minimum number of seconds between two times that a process stops the clocks of a bot."""

_KEPT_STILL: Final = 20_000


class JoinedGame(GameSummary):
    """The summary of a game for a bot that has a seat in it, and the seat's number."""

    seat: int


class SeatTaken(ArenaError):
    """The seat is not open."""

    code = "seat_taken"


class GameNotOpen(ArenaError):
    """The game has already begun or was cancelled."""

    code = "game_not_open"


class GameNotRunning(ArenaError):
    """The game has not begun or is already over."""

    code = "game_not_running"


class RecordNotReady(ArenaError):
    """The game or its group is not over, or the record is still being written."""

    code = "record_not_ready"


class EventsGone(ArenaError):
    """The live data of a finished game are no longer kept."""

    code = "events_gone"


class LiveGames:
    """All live games: waiting, running and finished.

    ``jobs`` receives requests to finish a game that has ended, to move house bots, and to continue a
    tournament after one of its games has finished. Each request can be repeated. ``check_payer`` raises an
    :class:`~arena.errors.ArenaError` if an account (:attr:`~arena.live.header.GameHeader.payer`) cannot pay
    for house bots now, ``check_bytes`` one if it can store no games now, and ``count_bytes`` counts the bytes
    of a game that was created or ended; ``in_charge`` returns the account that is finally responsible for
    such an account, by which the jobs that move house bots take turns. ``house_games_at_once`` is the maximum
    number of unfinished games with house bots that an owner has created, alone or in tournaments.
    """

    def __init__(
        self,
        store: Store,
        jobs: GameJobs,
        *,
        retention: Retention,
        kept_games: int = 4096,
        archive: Archive | None = None,
        moderate: Moderate = as_it_is,
        check_payer: Callable[[str], None] = lambda payer: None,
        check_bytes: Callable[[str], None] = lambda payer: None,
        count_bytes: Callable[[str, int], None] = lambda payer, size: None,
        in_charge: Callable[[str], str] = lambda payer: payer,
        house_games_at_once: int | None = None,
    ) -> None:
        self._moderate = moderate
        self._check_payer = check_payer
        self._check_bytes = check_bytes
        self._count_bytes = count_bytes
        self._unfinished = UnfinishedGames(store, house_games_at_once, KEPT_MS)
        self.store = store.games
        self.index = store.game_index
        self.finished = FinishedGames(store, archive)
        self.presence = store.presence
        self._close = store.close
        self.repository = GameRepository(self.store, self._after_step, kept_games=kept_games)
        self.notifier = store.notifier(self.repository.forget_older)
        self.finalizer = GameFinalizer(self.repository, store, retention, jobs, in_charge, count_bytes)
        self._stood_still: dict[str, float] = {}
        self.notes = store.notes
        self.readings = store.readings
        self._turns = Turns(self.repository, self.notifier, self.notes)

    def sweeper(self) -> Sweeper:
        """Return a new sweeper, which handles the clocks. At least one must run; any number can."""
        return Sweeper(self.store, self.finalizer)

    def close(self) -> None:
        """Wake all waiting requests and close all connections."""
        self.notifier.stop()
        self._close()

    # Games

    def create(
        self,
        kind: str,
        *,
        seats: Sequence[Mapping[str, object]],
        rules: Mapping[str, object] | None = None,
        clock: Mapping[str, object] | None = None,
        created_by: str = "",
        visibility: str = "public",
        rated: bool = False,
        models: bool = False,
        group: Mapping[str, object] | None = None,
        seed: bytes | None = None,
        game_id: str | None = None,
        opening: EarlierGame | None = None,
        exhibition: bool = False,
    ) -> GameSummary:
        """Create a game and return its summary. It starts immediately if no seat is open.

        ``seats`` has one entry per seat: ``{"bot": name, "version": text, "nonce": text}``, ``{"house":
        "rookie"}``, ``{"open": true}`` or ``{"person": id, "name": shown, "agrees": bool}``. ``clock`` is
        ``{"per_turn_ms", "bank_ms"}`` or ``{"preset"}``. ``visibility`` is ``public`` or ``private`` (only
        ``created_by`` and the players see it). For ``models`` and ``exhibition``, see
        :class:`~arena.live.header.GameHeader`.
        With a ``group`` (``{"id", "index", "size", "mirrored", "attempt"}``), the record is released only by
        :meth:`release`. If ``game_id`` is given, a repeated call returns the existing game. With an
        ``opening``, the game is a practice game, in which no seat may be open.

        Raises the errors of :func:`~arena.live.header.new_header`, :class:`~arena.live.limits.GameTooLong`
        unless the game belongs to a group, what ``check_bytes`` raises, and for games with house bots
        :class:`~arena.live.unfinished.TooManyTables` and what ``check_payer`` raises.
        """
        made = check_game_id(game_id) if game_id is not None else secrets.token_hex(_ID_BYTES)
        now = self.store.clock()
        header = new_header(
            made,
            kind,
            seats=seats,
            rules=rules,
            clock=clock,
            seed=seed or (secrets.token_bytes(SEED_BYTES) if opening is None else opening.seed),
            created_by=created_by,
            created_ms=now.now_ms,
            visibility=visibility,
            rated=rated,
            group=group,
        )
        header.models, header.exhibition = models, exhibition
        if opening is not None:
            header.practice = opening.as_row()
            for entry, nonce in zip(header.seats, opening.nonces, strict=True):
                entry.nonce = nonce
        if group is None:
            check_length(game_of(kind), header.rules)
        self._check_bytes(header.payer)
        if any(entry.house is not None for entry in header.seats):
            self._check_payer(header.payer)
            if created_by:
                self._unfinished.add(created_by, made)
        if not self._write_new(LiveGame(header), now, () if opening is None else opening.actions):
            header = self._header(made) or header
        return header.summary()

    def join(
        self, game_id: str, bot: str, *, seat: int | None = None, nonce: str = "", version: str = "1"
    ) -> JoinedGame:
        """Assign ``bot`` to an open seat (None: the first one), and return the summary with ``seat``. Joining
        again returns the seat that the bot already has.
        """
        return self._join(game_id, seated(bot, version, nonce), seat)

    def join_person(self, game_id: str, person: str, name: str, agrees: bool, seat: int) -> JoinedGame:
        """Assign a person to an open seat, as :meth:`join` does for a bot."""
        return self._join(game_id, seated_person(person, name, agrees), seat)

    def _join(self, game_id: str, entry: SeatEntry, seat: int | None) -> JoinedGame:
        bot = entry.bot

        def act(game: LiveGame, clock: ServiceClock) -> JoinedGame:
            header = game.header
            mine = header.seats_of(bot)
            if mine and seat in (None, *mine):
                return {**header.summary(), "seat": mine[0] if seat is None else seat}
            if header.state != "waiting":
                raise GameNotOpen(
                    f"game {game_id} is {header.state}", field="game", expected="a waiting game"
                )
            free = [number for number, other in enumerate(header.seats) if other.is_open]
            if seat is not None and seat not in free:
                raise SeatTaken(
                    f"seat {seat} is not open", field="seat", expected="one of " + ", ".join(map(str, free))
                )
            taken = free[0] if seat is None else seat
            header.seats[taken] = entry
            if header.is_full:
                game.start(clock)
            return {**header.summary(), "seat": taken}

        return self.repository.change_one(game_id, act)

    def cancel(self, game_id: str, why: str = "cancelled", *, running: bool = False) -> GameSummary:
        """Cancel a game that is waiting for players. With ``running``, also end a running game, which is then
        void. ``why`` is public. Can be repeated.
        """

        def act(game: LiveGame, clock: ServiceClock) -> GameSummary:
            header = game.header
            if header.state == "waiting":
                header.state, header.reason = "cancelled", why
                header.finished_ms = clock.now_ms
            elif header.state == "running" and running:
                header.void(why, clock.now_ms)
            elif header.state != "cancelled" and (header.state, header.reason) != ("void", why):
                raise GameNotOpen(
                    f"game {game_id} is {header.state}",
                    field="game",
                    expected="a waiting or running game" if running else "a waiting game",
                )
            return header.summary()

        return self.repository.change_one(game_id, act)

    def unfinished(self, created_by: str) -> Sequence[str]:
        """Return the waiting and running games that an owner created, without those of tournaments."""
        listed = GameList(creator=created_by)
        found: list[str] = []
        before: Cursor | None = None
        while members := self.index.page(listed, before, _LOOKED_AT):
            before = members[-1]
            names = [member.name for member in members]
            gone = []
            for name, data in zip(names, self.index.headers(names), strict=True):
                read = partial(GameHeader.loads, data or b"")
                header = None if data is None else shown_or_left_out(f"game {name}", read)
                if data is None or (header is not None and header.state in ENDED):
                    gone.append(name)
                elif header is not None:
                    found.append(name)
            self.index.forget(listed, gone)
        return found

    def resign(self, game_id: str, bot: str, *, seat: int | None = None) -> GameSummary:
        """Resign for the bot at ``seat`` (None: at all its seats). The table plays the seat to the end
        (BT-7.3, TP-8.3).
        """

        def act(game: LiveGame, clock: ServiceClock) -> GameSummary:
            header = game.header
            check_visible(header, Viewer(bot))
            chosen = viewing_seat(header, Viewer(bot), seat)
            if chosen is None:
                raise NotSeated(f"{bot} has no seat in this game", field="game")
            if header.state != "running":
                raise GameNotRunning(
                    f"game {game_id} is {header.state}", field="game", expected="a running game"
                )
            for number in header.seats_of(bot) if seat is None else [chosen]:
                game.playing.resign(number)
            return header.summary()

        self.repository.change_one(game_id, act)
        return self.summary(game_id, Viewer(bot))

    def void(self, game_id: str, reason: str) -> None:
        """Declare an unfinished game void because of a server fault, so that it does not count."""
        self.finalizer.void(check_game_id(game_id), reason)

    def agree(self, game_id: str, person: str) -> bool:
        """Record that a person in the game agrees to make it public. Returns whether it is public now, which
        requires that all its people agree.
        """
        try:
            return self.finalizer.agree(check_game_id(game_id), person).visibility == "public"
        except GameNotOver as error:
            raise RecordNotReady(error.message, field=error.field, expected=error.expected) from None

    def finish(self, game_id: str) -> None:
        """Store the record of a game that has ended, and perform the follow-up work. Can be repeated."""
        self.finalizer.check(check_game_id(game_id))

    def release(self, game_id: str) -> None:
        """Release the record of a game whose group is over. Can be repeated."""
        self.finalizer.release(check_game_id(game_id))

    # Reading

    def summary(self, game_id: str, viewer: Viewer = ANYBODY) -> GameSummary:
        """Return the entry of a game in lists, without cards."""
        return self.summary_of(self._visible_header(game_id, viewer))

    def summary_of(self, header: GameHeader) -> GameSummary:
        """Return the entry in lists of a game whose header is already loaded, with hidden texts replaced."""
        return self._moderate(header.summary())

    def view(
        self,
        game_id: str,
        viewer: Viewer = ANYBODY,
        *,
        seat: int | None = None,
        since: int | None = None,
        wait: float = 0,
    ) -> GameView | None:
        """Return the summary with ``version``, ``observation`` and, for a seat, its ``turn``.

        ``seat`` must be one of the viewer's seats. None means the viewer's first seat, or a spectator's view
        if the viewer has none. ``since`` is a version. The result is None if the game still has that version
        after ``wait`` seconds.
        """
        for _ in self._polls(game_id, wait):
            view = self._moderate(self._view(game_id, viewer, seat))
            if view["version"] != since:
                return view
            if view["state"] in ENDED:
                break
        return None

    def events(
        self,
        game_id: str,
        viewer: Viewer = ANYBODY,
        *,
        seat: int | None = None,
        start: int = 0,
        limit: int = 500,
        wait: float = 0,
    ) -> EventPage:
        """Return ``{"events": [...], "next": n, "over": bool}``: the events visible to the viewer, starting
        at number ``start``.

        Each event has its number ``n``. If there are no events, this waits up to ``wait`` seconds. Pass
        ``next`` as ``start`` to continue. ``over`` means that there will be no more events.
        """
        start = max(0, start)
        events: Results = []
        over = False
        for _ in self._polls(game_id, wait):
            # The header is read first, so that the next call returns events written between the two reads.
            header = self._visible_header(game_id, viewer)
            seen_from = viewing_seat(header, viewer, seat)
            stored = self.store.events(game_id, start, limit)
            if not stored and header.state == "finished" and not self.store.events(game_id, 0, 1):
                raise EventsGone(
                    f"the events of game {game_id} are no longer stored; only its record is", field="game"
                )
            events = project_events(header.kind, stored, start, seen_from)
            over = header.state in ENDED and len(stored) < limit
            start += len(stored)
            if events or over:
                break
        return {"events": events, "next": start, "over": over}

    def record(self, game_id: str, viewer: Viewer = ANYBODY) -> bytes:
        """Return the released record of a finished game as one line of JSON. The game can also belong to a
        local group of a tournament; in that case :meth:`arena.events.service.Tournaments.record` checks its
        visibility.
        """
        place = place_of(game_id)
        if place is not None:
            (lines,) = self.finished.groups(place.tournament, [place.group])
            if lines is not None and place.number < len(lines):
                return lines[place.number]
        self._check_released(game_id, viewer)
        ended = self.finished.game(game_id)
        if ended is None or ended.record is None:
            raise _still_written(game_id)
        return ended.record

    def check_record(self, game_id: str, viewer: Viewer = ANYBODY) -> None:
        """Raise what :meth:`record` would raise now for a game whose record has been read before, without
        reading the record again.
        """
        place = place_of(game_id)
        if place is not None and self.finished.has_group(place.tournament, place.group):
            return
        self._check_released(game_id, viewer)
        if not self.finished.has_game(game_id):
            raise _still_written(game_id)

    def _check_released(self, game_id: str, viewer: Viewer) -> None:
        header = self._visible_header(game_id, viewer)
        if header.state != "finished" or not header.released:
            why = ", but its group is not over" if header.state == "finished" and header.group else ""
            expected = "a finished game" + (" of a group that is over" if header.group else "")
            raise RecordNotReady(f"game {game_id} is {header.state}{why}", field="game", expected=expected)

    def list(
        self,
        *,
        kind: str | None = None,
        state: str | None = None,
        bot: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        viewer: Viewer = ANYBODY,
    ) -> Page[GameSummary]:
        """Return a page of game summaries, newest first. ``state`` is one of ``STATES``.

        A page can be short or even empty although more games follow; ``cursor`` is None only at the end.
        """
        if kind is not None:
            game_of(kind)
        if state is not None and state not in STATES:
            raise InvalidGame(
                f"{state!r} is not a valid state", field="state", expected="one of " + ", ".join(STATES)
            )
        name = None if bot is None else seated(bot, "", "").bot
        listed = GameList(bot=name, state=state, kind=kind, public=viewer == ANYBODY)

        def read(before: Cursor | None, count: int) -> Sequence[Cursor]:
            return self.index.page(listed, before, count)

        def show(games: Sequence[str]) -> list[GameSummary | None]:
            items: list[GameSummary | None] = []
            stale = []
            for game, data in zip(games, self.index.headers(games), strict=True):
                read_it = partial(list_entry, data or b"", viewer)
                found = None if data is None else shown_or_left_out(f"game {game}", read_it)
                header, summary = found or (None, None)
                if data is None:
                    # The sweeper voids games that are listed as running but have no header.
                    if state != "running" or name is not None:
                        stale.append(game)
                elif header is not None and name is None and state not in (None, header.state):
                    # States only advance, so this list entry is outdated.
                    stale.append(game)
                fits = header is not None and kind in (None, header.kind) and state in (None, header.state)
                items.append(self._moderate(summary) if fits else None)
            self.index.forget(listed, stale)
            return items

        return filled_page(read, show, cursor, limit, _READS)

    def iter_records(
        self, *, kind: str | None = None, cursor: str | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """Yield ``(cursor, record)`` for all released public records, oldest first; each record is one line
        of JSON.
        """
        if kind is not None:
            game_of(kind)
        after = parse_number(cursor, 17)
        while found := self.finished.released(kind, after, _RECORDS_AT_ONCE):
            for last, _, _, lines in found:
                for number, line in enumerate(lines, last - len(lines) + 1):
                    # Each record of a group has a number, so a cursor can be between two of them.
                    if number > after:
                        yield str(number), line
            after = found[-1].number

    # Turns

    def answer(self, bot: str, answers: Sequence[object]) -> Results:
        """Apply any number of answers ``{"turn": id, "action": text}`` from one bot, and return one result
        for each.

        Each result has ``turn``, ``status`` and, depending on the status: ``accepted`` (``action``,
        ``version``, and ``after``, the number of logged actions including this one; a repeated answer gets
        the same result with ``repeated`` set); ``stale_turn`` (``reason``, which is ``clock`` or
        ``superseded``; ``version``; and ``fresh``, the current turn or null); ``turn_already_answered``;
        ``illegal_action`` (``legal_actions``, ``faults``, ``forfeited``); ``malformed`` (``faults`` and
        ``forfeited`` if the turn is open and belongs to this bot); ``unknown_turn`` (also for turns of other
        bots). Every status except ``accepted`` has a ``message``.
        """
        self.presence.note(bot)
        return self._turns.answer(bot, answers)

    def act(self, person: str, turn: str, action: str) -> Result:
        """Apply a person's answer, and return a result like those of :meth:`answer`. People never count as
        online.
        """
        (result,) = self._turns.answer(person, [{"turn": turn, "action": action}])
        return result

    def attend(self, header: GameHeader) -> bool:
        """Record that a person at a table is there. Returns whether that ended a pause of the game, which
        only a game with a single person and house bots can have.
        """
        if header.state != "running" or not header.has_one_person:
            return False
        return self.finalizer.attend(header)

    def turns(
        self,
        bot: str,
        after: str | None = None,
        *,
        wait: float = 0,
        rights: bool = True,
        limit: int = 100,
        tournaments: bool = False,
        leaving: bool = False,
    ) -> TurnPage:
        """Return the turns that are new since the cursor ``after`` (None: all pending turns), oldest first.

        If there are none, this waits up to ``wait`` seconds. ``rights`` includes optional turns. If ``limit``
        turns are returned, more may follow after the cursor. ``tournaments`` is whether the bot takes part in
        scheduled tournaments. With ``leaving``, the bot continues its running games but is not online.
        """
        self._note(bot, tournaments, leaving)
        return self._turns.page(bot, after, wait=wait, rights=rights, limit=limit)

    def exchange(
        self,
        bot: str,
        answers: Sequence[object],
        after: str | None = None,
        *,
        wait: float = 0,
        rights: bool = True,
        limit: int = 100,
        tournaments: bool = False,
        leaving: bool = False,
    ) -> Exchange:
        """Combine :meth:`answer` and :meth:`turns` in fewer round trips."""
        self._note(bot, tournaments, leaving)
        return self._turns.exchange(bot, answers, after, wait=wait, rights=rights, limit=limit)

    def end_presence(self, bot: str) -> Sequence[str]:
        """End the presence of a bot that is leaving, so that nothing new starts for it automatically. Returns
        its running games.
        """
        self.presence.end(bot)
        return self._running(bot)

    def has_turns(self, bot: str) -> bool:
        """Return whether the bot has a turn that it must answer."""
        return bool(self.store.pending(PendingQuery(bot, 0, 1, False)))

    def stand_still(self, bot: str) -> None:
        """Stop the clocks of the bot in all its games for a while, because the service had no room for its
        request.
        """
        now = time.monotonic()
        if now - self._stood_still.get(bot, -math.inf) < _STILL_EVERY:
            return
        if len(self._stood_still) >= _KEPT_STILL:
            self._stood_still.clear()
        self._stood_still[bot] = now

        def act(game: LiveGame, clock: ServiceClock) -> None:
            game.stand_still(bot, clock)

        running = self._running(bot)
        for start in range(0, len(running), _STILL_AT_ONCE):
            with suppress(GameBusy, GameNotFound):
                self.repository.change(dict.fromkeys(running[start : start + _STILL_AT_ONCE], act))
            # Other requests are answered between the parts.
            time.sleep(0)

    def _running(self, bot: str) -> Sequence[str]:
        """Return the running games of a bot."""
        found = []
        before: Cursor | None = None
        while members := self.index.page(GameList(bot=bot), before, _LOOKED_AT):
            before = members[-1]
            names = [member.name for member in members]
            headers = zip(names, self.index.headers(names), strict=True)
            running = [name for name, data in headers if data is not None and is_running(name, data)]
            found += running
            # Running games are among the newest.
            if not running:
                break
        return found

    def _note(self, bot: str, tournaments: bool, leaving: bool) -> None:
        if leaving:
            self.presence.end(bot)
        else:
            self.presence.note(bot, tournaments=tournaments)

    # House bots

    def move_house_bots(
        self, game_id: str, choose: Choose = house_choice, seconds: float = math.inf
    ) -> HouseMoves:
        """Move the house bots of a game until it waits for another player, or after a move until the thread
        has used this many ``seconds`` of processor time. ``choose(name, seat, turn, seed)`` returns the
        action, or None to pass an optional turn. ``seed`` seeds the bot's randomness for this turn. If two
        calls run at once, only one of them makes each move.
        """
        return move_house_bots(self.repository, check_game_id(game_id), choose, seconds)

    # Parts

    def _polls(self, game_id: str, wait: float) -> Iterator[None]:
        """Yield immediately, and then whenever the game may have changed, for ``wait`` seconds."""
        if wait <= 0:
            yield
            return
        until = time.monotonic() + wait
        with self.notifier.waiting(game_topic(game_id)) as subscription:
            while True:
                yield
                left = until - time.monotonic()
                if left <= 0 or subscription.is_over:
                    return
                subscription.wait(left)

    def _write_new(self, game: LiveGame, clock: ServiceClock, actions: Sequence[Sequence[Any]] = ()) -> bool:
        if game.header.is_full:
            game.start(clock, actions)
        step = game.step(clock, self.store.next_version(0))
        assert step is not None
        if self.store.write([step])[0] != [True]:
            return False
        self._count_bytes(game.header.payer, OPEN_BYTES)
        game.trim()
        game.stored = game.version
        house = bool(game.house_seats_to_move())
        after = StepApplied(game.id, game.version, "", game.header.state, house, game.header.payer)
        self.repository.keep(game)
        self._after_step(after)
        return True

    def _after_step(self, taken: StepApplied) -> None:
        self.finalizer.after_step(taken)

    def header(self, game_id: str) -> GameHeader:
        """Return the header of a game regardless of who can see it; it must not be shown to users. Raises
        ``game_not_found``.
        """
        found = self._header(game_id)
        if found is None:
            raise self.not_found(game_id)
        return found

    def payer(self, game_id: str) -> str:
        """Return the account that pays for a game; empty if the game is not stored."""
        header = self._header(game_id)
        return "" if header is None else header.payer

    def not_found(self, game_id: str) -> GameNotFound:
        """Return the error for a game that does not exist or is hidden from the viewer."""
        return GameNotFound(f"there is no game {game_id!r}", field="game")

    def _header(self, game_id: str) -> GameHeader | None:
        (data,) = self.index.headers([check_game_id(game_id)])
        return None if data is None else GameHeader.loads(data)

    def _visible_header(self, game_id: str, viewer: Viewer) -> GameHeader:
        header = self.header(game_id)
        check_visible(header, viewer)
        return header

    def _view(self, game_id: str, viewer: Viewer, seat: int | None) -> GameView:
        try:
            game = self.repository.load(game_id)
        except (GameNotFound, CorruptState):
            return self._past_view(game_id, viewer, seat)
        check_visible(game.header, viewer)
        chosen = viewing_seat(game.header, viewer, seat)
        if chosen is not None:
            self.repository.complete(game, chosen)
        return game_view(game, chosen, self.store.clock())

    def _past_view(self, game_id: str, viewer: Viewer, seat: int | None) -> GameView:
        header = self._visible_header(game_id, viewer)
        ended = self.finished.game(game_id)
        chosen = viewing_seat(header, viewer, seat)
        return {
            **header.summary(),
            "version": 0 if ended is None else ended.version,
            "seat": chosen,
            **past_view(),
        }


def _still_written(game_id: str) -> RecordNotReady:
    return RecordNotReady(
        f"the record of game {game_id} is still being written", field="game", expected="to try again later"
    )


__all__ = [
    "ANYBODY",
    "EventsGone",
    "Exchange",
    "GameNotOpen",
    "GameNotRunning",
    "LiveGames",
    "Page",
    "RecordNotReady",
    "SeatTaken",
    "TurnPage",
    "Viewer",
]
