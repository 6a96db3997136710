"""A bot's turns: what it has to do, its answers to any number of them, and waiting for the next."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from arena.errors import ArenaError, IllegalAction
from arena.live.clocks import ServiceClock
from arena.live.desk import Desk
from arena.live.game import LiveGame
from arena.live.sheet import check_game_id
from arena.live.store import Pending
from arena.live.store_waker import Waiter, Waker, right_key, turn_key
from arena.live.store_wire import Command
from arena.table import StaleTurn, TurnAlreadyAnswered, UnknownTurn, parse_turn_id
from arena.text import printable

Result = dict[str, Any]

_UNKNOWN: Final = "there is no such turn of yours"


class InvalidCursor(ArenaError):
    """A cursor that was not given out here."""

    code: ClassVar[str] = "invalid_cursor"


class TurnPage(NamedTuple):
    """Turns as bots get them (``Table.turn``), and the cursor to pass as ``after`` next time."""

    turns: list[dict[str, Any]]
    cursor: str


class Exchange(NamedTuple):
    """What one request of a bot's loop returns: a result per answer, then the new turns."""

    results: list[Result]
    turns: list[dict[str, Any]]
    cursor: str


class _Answer(NamedTuple):
    place: int
    turn: str
    seat: int
    number: int
    action: Any


@dataclass(slots=True)
class _Place:
    """How far a bot has been told of its turns."""

    incarnation: str
    number: int = 0


class Turns:
    """The turns of all bots. Cursors are ``<incarnation of the store>-<number>``: one from before a
    restart of the store, which may have lost its last second, brings everything that is pending.
    """

    def __init__(self, desk: Desk, waker: Waker) -> None:
        self._desk = desk
        self._store = desk.store
        self._waker = waker

    def answer(self, bot: str, answers: Sequence[Any]) -> list[Result]:
        """See :meth:`arena.live.games.LiveGames.answer`."""
        return self._answer(bot, answers)[0]

    def page(self, bot: str, after: str | None, *, wait: float, rights: bool, limit: int) -> TurnPage:
        """See :meth:`arena.live.games.LiveGames.turns`."""
        place = self._place(after)
        if wait <= 0:
            return self._page(bot, place, rights, limit)
        with self._waiting(bot, rights) as waiter:
            page = self._page(bot, place, rights, limit)
            return page if page.turns else self._wait(waiter, bot, place, wait, rights, limit)

    def exchange(
        self, bot: str, answers: Sequence[Any], after: str | None, *, wait: float, rights: bool, limit: int
    ) -> Exchange:
        """See :meth:`arena.live.games.LiveGames.exchange`."""
        place = self._place(after)
        look = self._store.pending_command(bot, place.number, limit, rights)
        if wait <= 0:
            results, (reply,) = self._answer(bot, answers, (look,))
            return Exchange(results, *self._page(bot, place, rights, limit, reply))
        # To begin to wait before the look saves a second look.
        with self._waiting(bot, rights) as waiter:
            results, (reply,) = self._answer(bot, answers, (look,))
            page = self._page(bot, place, rights, limit, reply)
            if not page.turns:
                page = self._wait(waiter, bot, place, wait, rights, limit)
            return Exchange(results, *page)

    # Waiting

    def _waiting(self, bot: str, rights: bool) -> AbstractContextManager[Waiter]:
        keys = (turn_key(bot), right_key(bot)) if rights else (turn_key(bot),)
        return self._waker.waiting(*keys)

    def _wait(
        self, waiter: Waiter, bot: str, place: _Place, seconds: float, rights: bool, limit: int
    ) -> TurnPage:
        """The turns after ``place`` as soon as there are some."""
        until = time.monotonic() + seconds
        while True:
            waiter.wait(until - time.monotonic())
            page = self._page(bot, place, rights, limit)
            if page.turns or time.monotonic() >= until or self._waker.is_stopped:
                return page

    def _place(self, cursor: str | None) -> _Place:
        incarnation = self._store.incarnation()
        if cursor is None:
            return _Place(incarnation)
        matched = _CURSOR(cursor) if isinstance(cursor, str) else None
        if matched is None:
            raise InvalidCursor(
                f"{str(cursor)[:80]!r} is not a cursor", field="after", expected="a cursor as given out here"
            )
        return _Place(incarnation, int(matched[2]) if matched[1] == incarnation else 0)

    def _page(
        self, bot: str, place: _Place, rights: bool, limit: int, reply: list[Any] | None = None
    ) -> TurnPage:
        """The turns after ``place``, which moves on. ``reply``: to the look at what is pending there."""
        if reply is None:
            entries = self._store.pending(bot, place.number, limit, rights)
        else:
            entries = self._store.read_pending(reply, limit)
        incarnation = self._store.incarnation()
        if incarnation != place.incarnation:
            place.incarnation, place.number = incarnation, 0
            entries = self._store.pending(bot, 0, limit, rights)
        turns: list[dict[str, Any]] = []
        asked = limit
        while entries:
            place.number = entries[-1].number
            turns += self._shown(bot, entries)
            was_full = len(entries) == asked
            # What was answered may still be listed, and must not make the page seem the last.
            asked = limit - len(turns)
            if not was_full or not asked:
                break
            entries = self._store.pending(bot, place.number, asked, rights)
        return TurnPage(turns, f"{place.incarnation}-{place.number}")

    def _shown(self, bot: str, entries: Sequence[Pending]) -> list[dict[str, Any]]:
        """The turns of these entries, as far as there is something to decide; the others are forgotten."""
        turns: list[dict[str, Any]] = []
        clock = self._store.clock()
        versions: dict[str, int] = {}
        for entry in entries:
            game_id = entry.member.rpartition(".")[0]
            versions[game_id] = max(entry.version, versions.get(game_id, 0))
        games = self._desk.at_least(versions)
        stale = []
        for entry in entries:
            game_id, _, seat = entry.member.rpartition(".")
            turn = self._turn(games.get(game_id), int(seat), bot, clock)
            if turn is None:
                stale.append(entry)
            else:
                turns.append(turn)
        for game in games.values():
            self._desk.keep(game)
        if stale:
            self._store.prune(bot, stale)
        return turns

    def _turn(self, game: LiveGame | None, seat: int, bot: str, clock: ServiceClock) -> dict[str, Any] | None:
        if game is None or game.table is None or game.sheet.seats[seat].bot != bot:
            return None
        if game.table.legal_actions(seat):
            self._desk.complete(game, seat)
        return game.turn(seat, clock)

    # Answers

    def _answer(
        self, bot: str, answers: Sequence[Any], then: Sequence[Command] = ()
    ) -> tuple[list[Result], list[Any]]:
        results: list[Result] = [{}] * len(answers)
        by_game: dict[str, list[_Answer]] = {}
        for index, answer in enumerate(answers):
            if not isinstance(answer, Mapping) or not isinstance(answer.get("turn"), str):
                results[index] = _refusal(None, "malformed", 'an answer is {"turn": id, "action": text}')
                continue
            text = answer["turn"]
            try:
                game_id, seat, number = parse_turn_id(text)
                check_game_id(game_id)
            except ArenaError:
                results[index] = _refusal(printable(text, 200), "unknown_turn", _UNKNOWN)
                continue
            by_game.setdefault(game_id, []).append(_Answer(index, text, seat, number, answer.get("action")))
        acts = {game_id: _act(bot, group) for game_id, group in by_game.items()}
        changed = self._desk.change(acts, then)
        fresh: list[tuple[Result, str, int]] = []
        for game_id, group in by_game.items():
            done = changed.results[game_id]
            for position, answer in enumerate(group):
                result = _refusal(answer.turn, "unknown_turn", _UNKNOWN) if done is None else done[position]
                results[answer.place] = result
                if result["status"] in ("accepted", "stale_turn"):
                    result["version"] = changed.versions[game_id]
                if result["status"] == "stale_turn":
                    if result["reason"] == "superseded":
                        self._look_up(result, game_id, answer)
                    fresh.append((result, game_id, answer.seat))
        if fresh:
            self._add_fresh_turns(bot, fresh)
        return results, changed.replies

    def _look_up(self, result: Result, game_id: str, answer: _Answer) -> None:
        """Correct the result of an answer to a turn of long ago, if that turn was answered."""
        for after, entry in enumerate(self._store.log(game_id), 1):
            seat, action, mark, _, number = orjson.loads(entry)
            if (seat, number) != (answer.seat, answer.number):
                continue
            if mark is not None:
                result.update(message="the clock has answered this turn", reason="clock")
            elif action == answer.action:
                version = result["version"]
                result.clear()
                result.update(_accepted(answer.turn, action, after, True), version=version)
            else:
                result.clear()
                message = f"this turn was answered with {action!r} already"
                result.update(_refusal(answer.turn, "turn_already_answered", message))
            return

    def _add_fresh_turns(self, bot: str, wanted: Sequence[tuple[Result, str, int]]) -> None:
        clock = self._store.clock()
        games = self._desk.at_least({game_id: result.get("version", 0) for result, game_id, _ in wanted})
        for result, game_id, seat in wanted:
            if result["status"] == "stale_turn":
                result["fresh"] = self._turn(games.get(game_id), seat, bot, clock)
        for game in games.values():
            self._desk.keep(game)


def _act(bot: str, answers: Sequence[_Answer]) -> Callable[[LiveGame, ServiceClock], list[Result]]:
    def act(game: LiveGame, clock: ServiceClock) -> list[Result]:
        return [_take(game, bot, answer) for answer in answers]

    return act


def _take(game: LiveGame, bot: str, answer: _Answer) -> Result:
    """Give one answer to the game and say what came of it."""
    seat, number, action = answer.seat, answer.number, answer.action
    seats = game.sheet.seats
    table = game.table
    if table is None or seat >= len(seats) or seats[seat].bot != bot:
        return _refusal(answer.turn, "unknown_turn", _UNKNOWN)
    is_open = number == table.turn_number(seat) and bool(table.legal_actions(seat))
    if not isinstance(action, str):
        result = _refusal(answer.turn, "malformed", "the action of an answer is a text")
        return _fault(result, game, seat, type(action).__name__) if is_open else result
    try:
        answered = table.submit(seat, number, action)
    except IllegalAction as error:
        result = _refusal(answer.turn, "illegal_action", error.message)
        result["legal_actions"] = error.extra["legal_actions"]
        return _fault(result, game, seat, action)
    except StaleTurn as error:
        return _refusal(
            answer.turn,
            "stale_turn",
            error.message,
            reason=error.extra["reason"],
            fresh=None,
        )
    except (TurnAlreadyAnswered, UnknownTurn) as error:
        return _refusal(answer.turn, error.code, error.message)
    return _accepted(answer.turn, answered.action, answered.after, not is_open)


def _accepted(turn: str, action: str, after: int, repeated: bool) -> Result:
    return {"turn": turn, "status": "accepted", "action": action, "after": after, "repeated": repeated}


def _fault(result: Result, game: LiveGame, seat: int, detail: str) -> Result:
    """Count the refusal as a fault of the seat."""
    table = game.playing
    kind = "illegal" if result["status"] == "illegal_action" else "malformed"
    result["forfeited"] = table.fault(seat, kind, printable(detail, 80))
    result["faults"] = sum(fault.seat == seat for fault in table.faults)
    return result


def _refusal(turn: str | None, status: str, message: str, **more: Any) -> Result:
    return {"turn": turn, "status": status, "message": message, **more}


_CURSOR: Final = re.compile(r"([0-9a-f]{0,16})-([0-9]{1,15})\Z").match


__all__ = ["Exchange", "InvalidCursor", "TurnPage", "Turns"]
