"""Live games: the one class that the HTTP API, the workers and the tests talk to.

Everything takes and returns plain JSON-ready values. Every method may be called from any thread,
greenlet, process or host: what is true is in the store, and a game changes in one atomic step.
"""

from __future__ import annotations

import gzip
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.dealing import SEED_BYTES
from arena.errors import ArenaError, CorruptState
from arena.games import game_of
from arena.live.clocks import ServiceClock
from arena.live.desk import Desk, Taken
from arena.live.ending import ENDED, Endings, OnFinished, OnHouse, Retention
from arena.live.game import LiveGame
from arena.live.house import Choose, play_house
from arena.live.sheet import (
    ANYBODY,
    STATES,
    GameNotFound,
    InvalidGame,
    Sheet,
    Viewer,
    check_game_id,
    new_sheet,
    seated,
)
from arena.live.store import GAME_SCRIPTS, GameStore, bot_games_key
from arena.live.store_index import (
    ALL_GAMES,
    INDEX_SCRIPTS,
    Ended,
    GameIndex,
    Place,
    kind_key,
    state_key,
)
from arena.live.store_presence import Presence
from arena.live.store_waker import Waker, game_key
from arena.live.store_wire import Wire, connect
from arena.live.sweeper import Sweeper
from arena.live.turns import Exchange, InvalidCursor, Result, TurnPage, Turns
from arena.live.views import NotSeated, check_visible, game_view, own_seat, past_view, project_events
from arena.tournaments.playing import place_of

LIVE_SCRIPTS: Final = (*GAME_SCRIPTS, *INDEX_SCRIPTS)
"""The scripts that the wire of live games has to know."""

Results = list[Result]

_ID_BYTES: Final = 9
_RECORDS_AT_ONCE: Final = 100
_PAGES_PER_LIST: Final = 10


class SeatTaken(ArenaError):
    """The seat is not open."""

    code = "seat_taken"


class GameNotOpen(ArenaError):
    """A game that has begun, or was cancelled."""

    code = "game_not_open"


class GameNotRunning(ArenaError):
    """A game that has not begun, or is over."""

    code = "game_not_running"


class RecordNotReady(ArenaError):
    """The game is not over, or its group is not."""

    code = "record_not_ready"


class EventsGone(ArenaError):
    """The live data of a game that is over were kept for a while only."""

    code = "events_gone"


class Page(NamedTuple):
    """One page of a list; ``cursor`` goes on after it, None at the end."""

    items: list[dict[str, Any]]
    cursor: str | None


class LiveGames:
    """The games that are being set up, played, or have been played here.

    ``on_house(game_id)`` is told that house bots must move (again and again until they did),
    ``on_finished(game_id, summary)`` that a game has ended, possibly more than once. Neither may block.

    Errors are :class:`~arena.errors.ArenaError` with these codes: ``game_not_found``, ``game_hidden``
    (a mirrored group that is not over), ``not_seated``, ``seat_taken``, ``game_not_open``,
    ``game_not_running``, ``game_not_over``, ``record_not_ready``, ``events_gone``, ``invalid_seats``,
    ``invalid_clock``, ``invalid_game``, ``invalid_cursor``, ``invalid_option``, ``invalid_nonce``,
    ``invalid_seed``, ``unknown_game``, ``game_busy`` and ``store_unavailable``.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        retention: Retention | None = None,
        on_house: OnHouse | None = None,
        on_finished: OnFinished | None = None,
        kept_games: int = 4096,
    ) -> None:
        self.store = GameStore(wire)
        self.index = GameIndex(wire)
        self.desk = Desk(self.store, kept_games=kept_games)
        self.waker = Waker(self.store, self.desk.forget_older)
        self.endings = Endings(self.desk, self.index, retention or Retention(), on_house, on_finished)
        self._turns = Turns(self.desk, self.waker)
        self.presence = Presence(wire, self.store.clock)

    @classmethod
    def open(cls, url: str, **options: Any) -> LiveGames:
        """Live games on a wire of their own; see :func:`~arena.live.store_wire.connect`."""
        return cls(connect(url, LIVE_SCRIPTS), **options)

    def sweeper(self) -> Sweeper:
        """What serves the clocks. At least one must run somewhere; any number may."""
        return Sweeper(self.store, self.endings)

    def close(self) -> None:
        """Wake all who wait and close all connections."""
        self.waker.stop()
        self.store.wire.close()

    # Games

    def create(
        self,
        kind: str,
        *,
        seats: Sequence[Mapping[str, Any]],
        rules: Mapping[str, Any] | None = None,
        clock: Mapping[str, Any] | None = None,
        created_by: str = "",
        visibility: str = "public",
        rated: bool = False,
        group: Mapping[str, Any] | None = None,
        seed: bytes | None = None,
        game_id: str | None = None,
    ) -> dict[str, Any]:
        """Make a game and return its summary; it starts at once if no seat is open.

        ``seats``: one per seat, each ``{"bot": name, "version": text, "nonce": text}``,
        ``{"house": "rookie"}`` or ``{"open": true}``. ``clock``: ``{"per_turn_ms", "bank_ms"}``.
        ``visibility``: ``public`` or ``private`` (only ``created_by`` and the seats see it).
        ``group``: ``{"id", "index", "size", "mirrored", "attempt"}``: its record waits for
        :meth:`release`. With ``game_id`` a second call returns the game of the first.
        """
        made = check_game_id(game_id) if game_id is not None else secrets.token_hex(_ID_BYTES)
        now = self.store.clock()
        sheet = new_sheet(
            made,
            kind,
            seats=seats,
            rules=rules,
            clock=clock,
            seed=secrets.token_bytes(SEED_BYTES) if seed is None else seed,
            created_by=created_by,
            created_ms=now.now_ms,
            visibility=visibility,
            rated=rated,
            group=group,
        )
        if not self._write_new(LiveGame(sheet), now):
            known = self._sheet(made)
            if known is not None:
                sheet = known
        return sheet.summary()

    def join(
        self, game_id: str, bot: str, *, seat: int | None = None, nonce: str = "", version: str = "1"
    ) -> dict[str, Any]:
        """Sit ``bot`` down on an open seat (None: the first) and return the summary, with ``seat``.

        Joining again returns the seat that the bot already has.
        """
        entry = seated(bot, version, nonce)

        def act(game: LiveGame, clock: ServiceClock) -> dict[str, Any]:
            sheet = game.sheet
            mine = sheet.seats_of(bot)
            if mine and seat in (None, *mine):
                return {**sheet.summary(), "seat": mine[0] if seat is None else seat}
            if sheet.state != "waiting":
                raise GameNotOpen(f"game {game_id} is {sheet.state}", field="game", expected="a waiting game")
            free = [number for number, other in enumerate(sheet.seats) if other.is_open]
            if seat is not None and seat not in free:
                raise SeatTaken(
                    f"seat {seat} is not open", field="seat", expected="one of " + ", ".join(map(str, free))
                )
            taken = free[0] if seat is None else seat
            sheet.seats[taken] = entry
            if sheet.is_full:
                game.start(clock)
            return {**sheet.summary(), "seat": taken}

        return self.desk.change_one(game_id, act)

    def cancel(self, game_id: str) -> dict[str, Any]:
        """End a game that still waits for players."""

        def act(game: LiveGame, clock: ServiceClock) -> dict[str, Any]:
            sheet = game.sheet
            if sheet.state not in ("waiting", "cancelled"):
                raise GameNotOpen(f"game {game_id} is {sheet.state}", field="game", expected="a waiting game")
            if sheet.state == "waiting":
                sheet.state, sheet.reason, sheet.finished_ms = "cancelled", "cancelled", clock.now_ms
            return sheet.summary()

        return self.desk.change_one(game_id, act)

    def resign(self, game_id: str, bot: str, *, seat: int | None = None) -> dict[str, Any]:
        """The bot gives up on ``seat`` (None: on all its seats); the table plays on for it.

        (BT-7.3, TP-8.3.)
        """

        def act(game: LiveGame, clock: ServiceClock) -> dict[str, Any]:
            sheet = game.sheet
            check_visible(sheet, Viewer(bot))
            chosen = own_seat(sheet, Viewer(bot), seat)
            if chosen is None:
                raise NotSeated(f"{bot} does not sit there", field="game")
            if sheet.state != "running":
                raise GameNotRunning(
                    f"game {game_id} is {sheet.state}", field="game", expected="a running game"
                )
            for number in sheet.seats_of(bot) if seat is None else [chosen]:
                game.playing.resign(number)
            return sheet.summary()

        self.desk.change_one(game_id, act)
        return self.summary(game_id, Viewer(bot))

    def void(self, game_id: str, reason: str) -> None:
        """Declare a game that is not over void by a fault of the service: it counts for nobody."""
        self.endings.void(check_game_id(game_id), reason)

    def release(self, game_id: str) -> None:
        """The group of this game is over: its record may be shown. May be done again."""
        self.endings.release(check_game_id(game_id))

    # Looking

    def summary(self, game_id: str, viewer: Viewer = ANYBODY) -> dict[str, Any]:
        """What lists show of a game: no cards."""
        return self._visible_sheet(game_id, viewer).summary()

    def view(
        self,
        game_id: str,
        viewer: Viewer = ANYBODY,
        *,
        seat: int | None = None,
        since: int | None = None,
        wait: float = 0,
    ) -> dict[str, Any] | None:
        """The summary plus ``version``, ``observation`` and, for a seat, its ``turn``.

        ``seat`` must be the viewer's own; None: the viewer's first seat, else as a spectator.
        ``since``: a version; returns None if the game has not changed from it within ``wait`` seconds.
        """
        for _ in self._looks(game_id, wait):
            view = self._view(game_id, viewer, seat)
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
    ) -> dict[str, Any]:
        """``{"events": [...], "next": n, "over": bool}``: what the viewer saw from event number ``start`` on.

        Each event carries its number ``n``. With none new, waits up to ``wait`` seconds. Pass ``next``
        as ``start`` to go on; ``over`` says that there will be no more.
        """
        start = max(0, start)
        events: Results = []
        over = False
        for _ in self._looks(game_id, wait):
            # The sheet first: what is written between the two is then found by the next call.
            sheet = self._visible_sheet(game_id, viewer)
            seen_from = own_seat(sheet, viewer, seat)
            stored = self.store.events(game_id, start, limit)
            if not stored and sheet.state == "finished" and not self.store.events(game_id, 0, 1):
                raise EventsGone(f"of game {game_id} only the record is left", field="game")
            events = project_events(sheet.kind, stored, start, seen_from)
            over = sheet.state in ENDED and len(stored) < limit
            start += len(stored)
            if events or over:
                break
        return {"events": events, "next": start, "over": over}

    def record(self, game_id: str, viewer: Viewer = ANYBODY) -> bytes:
        """The released record of a finished game, as one line of JSON; also of one that a tournament has
        played without making it a live game.
        """
        place = place_of(game_id)
        if place is not None:
            record = self.index.packed_record(*place)
            if record is not None:
                return record
        sheet = self._visible_sheet(game_id, viewer)
        ended = self.index.ended(game_id)
        if not sheet.released or ended is None or ended.record is None:
            raise RecordNotReady(
                f"game {game_id} is {sheet.state}"
                + (", its group is not over" if sheet.state == "finished" and sheet.group else ""),
                field="game",
                expected="a finished game" + (" of a group that is over" if sheet.group else ""),
            )
        return gzip.decompress(ended.record)

    def list(
        self,
        *,
        kind: str | None = None,
        state: str | None = None,
        bot: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        viewer: Viewer = ANYBODY,
    ) -> Page:
        """Summaries, newest first. ``state``: one of ``STATES``.

        A page may be short, even empty, though more games follow: only ``cursor`` says.
        """
        if kind is not None:
            game_of(kind)
        if state is not None and state not in STATES:
            raise InvalidGame(f"{state!r} is no state", field="state", expected="one of " + ", ".join(STATES))
        if bot is not None:
            key = bot_games_key(seated(bot, "", "").bot or "")
        else:
            key = state_key(state) if state else kind_key(kind) if kind else ALL_GAMES
        place = _place(cursor)
        items: list[dict[str, Any]] = []
        for _ in range(_PAGES_PER_LIST):
            places = self.index.page(key, place, limit)
            gone = []
            old = []
            for here, data in zip(places, self.index.sheets([p.game for p in places]), strict=True):
                place = here
                if data is None:
                    gone.append(here.game)
                    continue
                sheet = Sheet.loads(data)
                if state is not None and bot is None and sheet.state != state:
                    # States only advance, so this entry is an old one.
                    old.append(here.game)
                fits = kind in (None, sheet.kind) and state in (None, sheet.state)
                if fits and not sheet.is_hidden_from(viewer):
                    items.append(sheet.summary())
                    if len(items) == limit:
                        break
            if key == state_key("running"):
                # There it is the sign that a game's state was lost.
                gone = []
            self.index.forget(key, [*gone, *old])
            if len(places) < limit and len(items) < limit:
                return Page(items, None)
            if len(items) == limit:
                break
        return Page(items, None if place is None else f"{place.score}-{place.game}")

    def iter_records(
        self, *, kind: str | None = None, cursor: str | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """``(cursor, record)`` of all released public records, oldest first, each one line of JSON."""
        if kind is not None:
            game_of(kind)
        after = 0
        if cursor is not None:
            if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 18):
                raise _invalid_cursor(cursor)
            after = int(cursor)
        while found := self.index.records(kind, after, _RECORDS_AT_ONCE):
            for place, record in found:
                if record is not None:
                    lines = gzip.decompress(record).split(b"\n")
                    for number, line in enumerate(lines, place.score - len(lines) + 1):
                        # A group's records have a place each; a cursor may stand between them.
                        if number > after:
                            yield str(number), line
            after = found[-1][0].score

    # Turns

    def answer(self, bot: str, answers: Sequence[Any]) -> Results:
        """Take any number of answers ``{"turn": id, "action": text}`` of one bot; one result per answer.

        A result has ``turn``, ``status`` and by status: ``accepted`` (``action``, ``after``: the number of
        logged actions after it, ``version``; the same again on a repeated answer, with ``repeated``
        true); ``stale_turn`` (``reason``: ``clock`` or ``superseded``; ``version``; ``fresh``: the
        present turn or null); ``turn_already_answered``; ``illegal_action`` (``legal_actions``, ``faults``,
        ``forfeited``); ``malformed`` (``faults``, ``forfeited`` if the turn is open and this bot's);
        ``unknown_turn`` (also for somebody else's). All but ``accepted`` have a ``message``.
        """
        self.presence.note(bot)
        return self._turns.answer(bot, answers)

    def turns(
        self, bot: str, after: str | None = None, *, wait: float = 0, rights: bool = True, limit: int = 100
    ) -> TurnPage:
        """The turns that are new since the cursor ``after`` (None: all that are pending), oldest first.

        Waits up to ``wait`` seconds while there are none. ``rights``: optional turns too. With
        ``limit`` turns there may be more: the cursor goes on.
        """
        self.presence.note(bot)
        return self._turns.page(bot, after, wait=wait, rights=rights, limit=limit)

    def exchange(
        self,
        bot: str,
        answers: Sequence[Any],
        after: str | None = None,
        *,
        wait: float = 0,
        rights: bool = True,
        limit: int = 100,
    ) -> Exchange:
        """:meth:`answer`, then :meth:`turns`, in fewer round trips than the two."""
        self.presence.note(bot)
        return self._turns.exchange(bot, answers, after, wait=wait, rights=rights, limit=limit)

    # House bots

    def play_house(self, game_id: str, choose: Choose) -> int:
        """Let the house bots of a game move until somebody outside must decide; returns how many moves.

        ``choose(name, seat, turn, seed)`` returns the action, or None to let an optional turn pass;
        ``seed`` is for the bot's own randomness at this turn. May run twice at once: one of them wins.
        """
        return play_house(self.desk, check_game_id(game_id), choose)

    # Parts

    def _looks(self, game_id: str, wait: float) -> Iterator[None]:
        """Yield at once and then whenever the game may have changed, for ``wait`` seconds."""
        if wait <= 0:
            yield
            return
        until = time.monotonic() + wait
        with self.waker.waiting(game_key(game_id)) as waiter:
            while True:
                yield
                left = until - time.monotonic()
                if left <= 0 or self.waker.is_stopped:
                    return
                waiter.wait(left)

    def _write_new(self, game: LiveGame, clock: ServiceClock) -> bool:
        if game.sheet.is_full:
            game.start(clock)
        step = game.step(clock, self.store.next_version(0))
        assert step is not None
        if self.store.write([step])[0] != [True]:
            return False
        game.trim()
        game.stored = game.version
        after = Taken(game.id, game.version, game.sheet.state, bool(game.awaited_house_seats()))
        self.desk.keep(game)
        self.endings.after_step(after)
        return True

    def _sheet(self, game_id: str) -> Sheet | None:
        (data,) = self.index.sheets([check_game_id(game_id)])
        return None if data is None else Sheet.loads(data)

    def _visible_sheet(self, game_id: str, viewer: Viewer) -> Sheet:
        sheet = self._sheet(game_id)
        if sheet is None:
            raise GameNotFound(f"there is no game {game_id!r}", field="game")
        check_visible(sheet, viewer)
        return sheet

    def _view(self, game_id: str, viewer: Viewer, seat: int | None) -> dict[str, Any]:
        try:
            game = self.desk.load(game_id)
        except (GameNotFound, CorruptState):
            return self._past_view(game_id, viewer, seat)
        check_visible(game.sheet, viewer)
        chosen = own_seat(game.sheet, viewer, seat)
        if chosen is not None:
            self.desk.complete(game, chosen)
        return game_view(game, chosen, self.store.clock())

    def _past_view(self, game_id: str, viewer: Viewer, seat: int | None) -> dict[str, Any]:
        sheet = self._visible_sheet(game_id, viewer)
        ended = self.index.ended(game_id) or Ended(b"", 0, None)
        chosen = own_seat(sheet, viewer, seat)
        return {**sheet.summary(), "version": ended.version, "seat": chosen, **past_view()}


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    score, separator, game = cursor.partition("-")
    if not separator or not (score.isascii() and score.isdecimal() and len(score) < 18):
        raise _invalid_cursor(cursor)
    return Place(int(score), game)


def _invalid_cursor(cursor: str) -> InvalidCursor:
    return InvalidCursor(
        f"{cursor[:80]!r} is not a cursor", field="cursor", expected="a cursor as given out here"
    )


__all__ = [
    "ANYBODY",
    "LIVE_SCRIPTS",
    "EventsGone",
    "Exchange",
    "GameNotOpen",
    "GameNotRunning",
    "LiveGames",
    "Page",
    "RecordNotReady",
    "Retention",
    "SeatTaken",
    "TurnPage",
    "Viewer",
]
