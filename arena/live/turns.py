"""A bot's turns: listing and answering them, and waiting for new ones."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

from arena.errors import ArenaError
from arena.games.kernel import Turn
from arena.live.game import LiveGame
from arena.live.header import check_game_id
from arena.live.repository import GameRepository
from arena.play.clocks import ServiceClock
from arena.play.judge import AcceptedAnswer, FaultyAnswer, judge
from arena.play.table import StaleTurn, parse_turn_id
from arena.store.games import PendingQuery, PendingTurn
from arena.store.notes import NoteStore
from arena.store.notifications import Notifier, Subscription, right_topic, turn_topic
from arena.store.paging import InvalidCursor
from arena.store.waits import MayNotWait
from arena.text import printable

Result = dict[str, Any]

MAX_NOTE: Final = 1000
"""The maximum number of characters in a note on a move."""

_BAD_NOTE: Final = f"a note must be text of at most {MAX_NOTE} characters; the turn is still open"
_NO_ANSWER: Final = 'an answer must be an object {"turn": id, "action": text}'
_UNKNOWN: Final = "this bot has no such turn"

_SPREAD_FROM: Final = 10.0
"""Waits longer than this, in seconds, end up to a tenth early at random. Otherwise, bots that all reconnected
at once after a restart would keep doing so.
"""


class TurnPage(NamedTuple):
    """Turns as received by bots (``Table.turn``), and the cursor to pass as ``after`` next time."""

    turns: list[Turn]
    cursor: str


class Exchange(NamedTuple):
    """The response to one request of a bot's loop: one result per answer, then the new turns."""

    results: list[Result]
    turns: list[Turn]
    cursor: str


class _Answer(NamedTuple):
    position: int
    turn: str
    seat: int
    number: int
    action: Any
    note: str


@dataclass(slots=True)
class _TurnCursor:
    """The position up to which a bot has read its list of turns."""

    incarnation: str
    number: int = 0


class Turns:
    """The turns of all bots. A cursor is ``<incarnation of the store>-<number>``. For a cursor from before a
    restart of the store, which may have lost its last second, all pending turns are returned.
    """

    def __init__(self, repository: GameRepository, notifier: Notifier, notes: NoteStore) -> None:
        self._repository = repository
        self._store = repository.store
        self._notifier = notifier
        self._notes = notes

    def answer(self, bot: str, answers: Sequence[object]) -> list[Result]:
        """See :meth:`arena.live.service.LiveGames.answer`."""
        return self._answer(bot, answers)[0]

    def page(self, bot: str, after: str | None, *, wait: float, rights: bool, limit: int) -> TurnPage:
        """See :meth:`arena.live.service.LiveGames.turns`."""
        position = self._cursor(after)
        if wait <= 0:
            return self._page(bot, position, rights, limit)
        with self._waiting(bot, rights) as subscription:
            page = self._page(bot, position, rights, limit)
            return page if page.turns else self._wait(subscription, bot, position, wait, rights, limit)

    def exchange(
        self, bot: str, answers: Sequence[object], after: str | None, *, wait: float, rights: bool, limit: int
    ) -> Exchange:
        """See :meth:`arena.live.service.LiveGames.exchange`."""
        position = self._cursor(after)
        query = PendingQuery(bot, position.number, limit, rights)
        if wait <= 0:
            results, pending = self._answer(bot, answers, query)
            return Exchange(results, *self._page(bot, position, rights, limit, pending))
        # Subscribe before reading, so that no notification is missed and one read suffices.
        with self._waiting(bot, rights) as subscription:
            results, pending = self._answer(bot, answers, query)
            page = self._page(bot, position, rights, limit, pending)
            if not page.turns:
                try:
                    page = self._wait(subscription, bot, position, wait, rights, limit)
                except MayNotWait:
                    # The bot must get the results of its answers; its next request will be refused.
                    if not results:
                        raise
            return Exchange(results, *page)

    # Waiting

    def _waiting(self, bot: str, rights: bool) -> AbstractContextManager[Subscription]:
        topics = (turn_topic(bot), right_topic(bot)) if rights else (turn_topic(bot),)
        return self._notifier.waiting(*topics)

    def _wait(
        self,
        subscription: Subscription,
        bot: str,
        position: _TurnCursor,
        seconds: float,
        rights: bool,
        limit: int,
    ) -> TurnPage:
        """Wait for turns that follow ``position``."""
        if seconds > _SPREAD_FROM:
            seconds -= random.uniform(0, seconds / 10)
        until = time.monotonic() + seconds
        while True:
            subscription.wait(until - time.monotonic())
            page = self._page(bot, position, rights, limit)
            if page.turns or time.monotonic() >= until or subscription.is_over:
                return page

    def _cursor(self, cursor: str | None) -> _TurnCursor:
        incarnation = self._store.incarnation()
        if cursor is None:
            return _TurnCursor(incarnation)
        matched = _CURSOR(cursor) if isinstance(cursor, str) else None
        if matched is None:
            raise InvalidCursor(cursor, "after")
        return _TurnCursor(incarnation, int(matched[2]) if matched[1] == incarnation else 0)

    def _page(
        self,
        bot: str,
        position: _TurnCursor,
        rights: bool,
        limit: int,
        pending: Sequence[PendingTurn] | None = None,
    ) -> TurnPage:
        """Return the turns that follow ``position``, and advance it. ``pending`` contains those turns if they
        have already been read.
        """
        entries = pending
        if entries is None:
            entries = self._store.pending(PendingQuery(bot, position.number, limit, rights))
        incarnation = self._store.incarnation()
        if incarnation != position.incarnation:
            position.incarnation, position.number = incarnation, 0
            entries = self._store.pending(PendingQuery(bot, 0, limit, rights))
        turns: list[Turn] = []
        missing = limit
        while entries:
            position.number = entries[-1].number
            turns += self._shown(bot, entries)
            was_full = len(entries) == missing
            # Answered turns may still be listed; a page that is short only because of them is not the last.
            missing = limit - len(turns)
            if not was_full or not missing:
                break
            entries = self._store.pending(PendingQuery(bot, position.number, missing, rights))
        return TurnPage(turns, f"{position.incarnation}-{position.number}")

    def _shown(self, bot: str, entries: Sequence[PendingTurn]) -> list[Turn]:
        """Return the turns of these entries. Entries that no longer need a decision are removed from the
        list.
        """
        turns: list[Turn] = []
        clock = self._store.clock()
        versions: dict[str, int] = {}
        for entry in entries:
            versions[entry.game] = max(entry.version, versions.get(entry.game, 0))
        games = self._repository.at_least(versions)
        stale = []
        for entry in entries:
            turn = self._turn(games.get(entry.game), entry.seat, bot, clock)
            if turn is None:
                stale.append(entry)
            else:
                turns.append(turn)
        for game in games.values():
            self._repository.keep(game)
        if stale:
            self._store.prune(bot, stale)
        return turns

    def _turn(self, game: LiveGame | None, seat: int, bot: str, clock: ServiceClock) -> Turn | None:
        if game is None or game.table is None or game.header.seats[seat].bot != bot:
            return None
        if game.table.legal_actions(seat):
            self._repository.complete(game, seat)
        return game.turn(seat, clock)

    # Answers

    def _answer(
        self, bot: str, answers: Sequence[object], then: PendingQuery | None = None
    ) -> tuple[list[Result], list[PendingTurn]]:
        results: list[Result] = [{}] * len(answers)
        by_game: dict[str, list[_Answer]] = {}
        for index, answer in enumerate(answers):
            if not isinstance(answer, Mapping) or not isinstance(answer.get("turn"), str):
                results[index] = _refusal(None, "malformed", _NO_ANSWER)
                continue
            text = answer["turn"]
            try:
                game_id, seat, number = parse_turn_id(text)
                check_game_id(game_id)
            except ArenaError:
                results[index] = _unknown(printable(text, 200), answer.get("action"))
                continue
            note = answer.get("note")
            note = "" if note is None else note
            if not isinstance(note, str) or len(note) > MAX_NOTE:
                results[index] = _refusal(text, "malformed", _BAD_NOTE)
                continue
            by_game.setdefault(game_id, []).append(
                _Answer(index, text, seat, number, answer.get("action"), note)
            )
        acts = {game_id: _act(bot, group) for game_id, group in by_game.items()}
        changed = self._repository.change(acts, then)
        fresh: list[tuple[Result, str, int]] = []
        for game_id, group in by_game.items():
            done = changed.results[game_id]
            for position, answer in enumerate(group):
                result = _unknown(answer.turn, answer.action) if done is None else done[position]
                results[answer.position] = result
                if result["status"] in ("accepted", "stale_turn"):
                    result["version"] = changed.versions[game_id]
                if result["status"] == "stale_turn":
                    if result["reason"] == "superseded":
                        self._look_up(result, game_id, answer)
                    fresh.append((result, game_id, answer.seat))
            # The result of an accepted answer includes the number of actions up to and including its own.
            notes = {
                results[answer.position]["after"] - 1: answer.note
                for answer in group
                if answer.note and results[answer.position]["status"] == "accepted"
            }
            if notes:
                self._notes.add(bot, game_id, notes)
        if fresh:
            self._add_fresh_turns(bot, fresh)
        return results, changed.pending

    def _look_up(self, result: Result, game_id: str, answer: _Answer) -> None:
        """Correct the result of an answer to a turn that is no longer in memory, if the turn was answered."""
        for after, entry in enumerate(self._store.log(game_id), 1):
            seat, action, mark, _, number, *_ = orjson.loads(entry)
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
                message = f"this turn was already answered with {action!r}"
                result.update(_refusal(answer.turn, "turn_already_answered", message))
            return

    def _add_fresh_turns(self, bot: str, wanted: Sequence[tuple[Result, str, int]]) -> None:
        clock = self._store.clock()
        games = self._repository.at_least(
            {game_id: result.get("version", 0) for result, game_id, _ in wanted}
        )
        for result, game_id, seat in wanted:
            if result["status"] == "stale_turn":
                result["fresh"] = self._turn(games.get(game_id), seat, bot, clock)
        for game in games.values():
            self._repository.keep(game)


def _unknown(turn: str, action: object) -> Result:
    """Return the result of an answer to a turn that the bot does not have."""
    if not isinstance(action, str):
        return _refusal(turn, "malformed", _NO_ANSWER)
    return _refusal(turn, "unknown_turn", _UNKNOWN)


def _act(bot: str, answers: Sequence[_Answer]) -> Callable[[LiveGame, ServiceClock], list[Result]]:
    def act(game: LiveGame, clock: ServiceClock) -> list[Result]:
        return [_take(game, bot, answer) for answer in answers]

    return act


def _take(game: LiveGame, bot: str, answer: _Answer) -> Result:
    """Apply one answer to the game and return its result."""
    seat, number, action = answer.seat, answer.number, answer.action
    seats = game.header.seats
    table = game.table
    if table is None or seat >= len(seats) or seats[seat].bot != bot:
        return _refusal(answer.turn, "unknown_turn", _UNKNOWN)
    verdict = judge(table, seat, number, action)
    if isinstance(verdict, AcceptedAnswer):
        answered = verdict.answered
        return _accepted(answer.turn, answered.action, answered.after, verdict.repeated)
    error = verdict.error
    result = _refusal(answer.turn, error.code, error.message, **error.extra)
    if isinstance(verdict, FaultyAnswer):
        result["forfeited"] = verdict.forfeited
        result["faults"] = sum(fault.seat == seat for fault in table.faults)
    elif isinstance(error, StaleTurn):
        result["fresh"] = None
    return result


def _accepted(turn: str, action: str, after: int, repeated: bool) -> Result:
    return {"turn": turn, "status": "accepted", "action": action, "after": after, "repeated": repeated}


def _refusal(turn: str | None, status: str, message: str, **more: object) -> Result:
    return {"turn": turn, "status": status, "message": message, **more}


_CURSOR: Final = re.compile(r"([0-9a-f]{0,16})-([0-9]{1,15})\Z").match
