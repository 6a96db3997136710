"""Published leaderboards: computed from the released groups, and replaced atomically."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import orjson

from arena.events.board_parties import supplement_of
from arena.events.board_ratings import ratings_by_name
from arena.events.group_results import read_results, results_of
from arena.events.house_entries import house_source
from arena.events.moderation import Moderation
from arena.play.board_names import BoardName, all_boards
from arena.ratings.board import METHOD, MISTAKES, Board, Rating, Row, Title, ledger_board
from arena.ratings.ledger import VERSION, InvalidLedger, Ledger, LedgerParts
from arena.ratings.results import GroupResult
from arena.ratings.supplement import NO_SUPPLEMENT, PROVEN_PARTIES, Supplement
from arena.store.amounts import DAY_MS
from arena.store.boards import BoardState, BoardStore, StoredLedger
from arena.store.paging import Cursor, InvalidCursor, Page, parse_number
from arena.store.repositories import Store
from arena.store.rows import check_types, field_names, reading, shown_or_left_out

PUBLISH_EVERY_MS: Final = 2_000
COST_SHARE: Final = 10
"""The minimum ratio of the interval between publications of a board to its computing time. The interval is
also at least ``PUBLISH_EVERY_MS``.
"""

PAGE_ROWS: Final = 200
"""The maximum number of rows per page of a board or its history."""

LAYOUT: Final = f"supplement-{METHOD}-{VERSION}"
"""The version of how boards are computed and stored. A board published with another version is republished.
"""

_AT_ONCE: Final = 1000
_POINT: Final = ("version", "rating", "low", "high", "provisional")
_MORE: Final = ("rank", "groups")
"""The stored values of a point. Those of earlier versions of the program lack the last two."""


class PublishedBoard:
    """A published board. ``version`` changes when the board is republished; ``data`` is read-only."""

    def __init__(self, version: str, data: Mapping[str, Any]) -> None:
        self.version = version
        self.data = data

    def page(self, cursor: str | None, limit: int = PAGE_ROWS) -> dict[str, Any]:
        """Return ``data`` with up to ``limit`` rows, and a ``cursor`` that continues after them. Raises
        ``invalid_cursor``.
        """
        start = parse_number(cursor, 9)
        rows = self.data["rows"][start : start + limit]
        more = start + limit < len(self.data["rows"])
        return {**self.data, "rows": rows, "cursor": str(start + limit) if more else None}

    @cached_property
    def csv(self) -> str:
        """All rows, as CSV."""
        return Board.from_json(self.data).as_csv()

    @cached_property
    def text(self) -> str:
        """All rows, as a plain-text table for people."""
        return Board.from_json(self.data).as_text()


class BoardAge(NamedTuple):
    """``lag_s`` is the longest time for which a released group can have been missing from the board.
    ``age_s`` is the time since its publication, or None if it was never published. Both are in seconds.
    """

    lag_s: float
    age_s: float | None


class Boards:
    """The leaderboards: one for each preset of a game and division.

    ``preset`` defaults to the first preset of the game. Every method that takes the name of a board raises
    :class:`~arena.errors.UnknownGame` and :class:`~arena.errors.UnknownPreset`.
    """

    def __init__(self, store: Store, moderation: Moderation) -> None:
        self._moderation = moderation
        self._store = store.boards
        self._accounts = store.accounts
        self._tournaments = store.tournaments
        self._clock = store.clock
        self._published: dict[str, PublishedBoard] = {}

    def published(self, kind: str, division: str, preset: str | None = None) -> PublishedBoard | None:
        """Return the published board, or None if there is none or it cannot be read. Parsed boards are
        cached.
        """
        board = BoardName.of(kind, division, preset)
        return shown_or_left_out(f"board {board.key}", partial(self._read_published, board))

    def _read_published(self, board: BoardName) -> PublishedBoard | None:
        name = board.key
        known = self._published.get(name)
        if known is None or known.version != self._version(self._store.progress(name)):
            state = self._store.state(name)
            if state.shown is None:
                return None
            data = {**orjson.loads(state.shown), "published_ms": state.at_ms}
            if state.layout != LAYOUT:
                _complete(data)
            _check_board(data)
            known = self._published[name] = PublishedBoard(self._version(state), self._moderation.apply(data))
        return known

    def _version(self, state: BoardState) -> str:
        return board_version(state) + self._moderation.mark

    def read(self, kind: str, division: str, preset: str | None = None) -> Mapping[str, Any] | None:
        """Return the board as published (see ``Board.as_json``) with ``published_ms``, or None if it was
        never published.
        """
        found = self.published(kind, division, preset)
        return None if found is None else found.data

    def history(
        self,
        kind: str,
        division: str,
        preset: str | None = None,
        *,
        bot: str | None = None,
        cursor: str | None = None,
        limit: int = PAGE_ROWS,
    ) -> Page[dict[str, object]]:
        """Return the last point of every day, for all bots or for ``bot`` only, by day and name. Each point
        is ``{"day", "name", "version", "rating", "low", "high", "provisional", "rank", "groups"}``. The last
        two are None if they are unknown, and the rank also if the bot had none.
        """
        name = BoardName.of(kind, division, preset).key
        day, start = ("", 0) if cursor is None else _place_in_history(cursor)
        days = [own for own in self._store.days(name) if own >= day]
        if bot is not None:
            return self._history_of(name, days, bot, start if days and days[0] == day else 0, limit)
        items: list[dict[str, Any]] = []
        for own in days:
            first = start if own == day else 0
            points = self._store.day(name, own, first, limit + 1 - len(items))
            for number, who, values in points:
                if len(items) == limit:
                    return Page(items, f"{own.replace('-', '')}-{number}")
                if len(values) >= len(_POINT):
                    items.append(self._point(own, who, values))
        return Page(items, None)

    def _history_of(
        self, name: str, days: Sequence[str], bot: str, start: int, limit: int
    ) -> Page[dict[str, object]]:
        items: list[dict[str, Any]] = []
        for first in range(0, len(days), limit):
            some = days[first : first + limit]
            for own, values in zip(some, self._store.points_of(name, some, bot), strict=True):
                # A bot has one point a day.
                if values is None or len(values) < len(_POINT) or (start and own == days[0]):
                    continue
                if len(items) == limit:
                    return Page(items, f"{own.replace('-', '')}-0")
                items.append(self._point(own, bot, values))
        return Page(items, None)

    def _point(self, day: str, name: str, values: Sequence[object]) -> dict[str, object]:
        padded = [*values, *(None for _ in _MORE)]
        point = {"day": day, "name": name, **dict(zip((*_POINT, *_MORE), padded, strict=False))}
        return self._moderation.apply(point)

    def groups(self, kind: str, division: str, preset: str | None = None) -> Iterator[GroupResult]:
        """Yield every released group of the board once, including annulled ones."""
        board = BoardName.of(kind, division, preset)
        name = board.key
        released = list(self._released_after(name, 0))
        seen = set()
        # These are read after the list, so a group that has left the list is found here.
        for event in self._store.tournaments(name):
            for result in self._all_results(event):
                if result.board == board:
                    seen.add(result.id)
                    yield result
        for start in range(0, len(released), _AT_ONCE):
            for result in self._results(released[start : start + _AT_ONCE]):
                if result.board == board and result.id not in seen:
                    yield result

    def has_played(self, bot: str) -> bool:
        """Return whether a bot is on a board, or will be once its released groups are published."""
        for board, state in self._progress():
            if self._store.ratings(board.key, [bot]):
                return True
            released = list(self._released_after(board.key, state.place))
            if any(player.name == bot for result in self._results(released) for player in result.players):
                return True
        return False

    def due(self) -> list[BoardName]:
        """Return the boards that lack released groups, may lack a change of a bot or an owner, or have an
        outdated layout, and that may be published now.
        """
        now_ms = self._clock().now_ms
        states = self._states(now_ms)
        found = []
        for board, state in self._progress():
            pause = max(PUBLISH_EVERY_MS, COST_SHARE * state.cost_ms)
            if _is_behind(state, states) and now_ms >= state.at_ms + pause:
                found.append(board)
        return found

    def ages(self) -> dict[BoardName, BoardAge]:
        """Return the age of each board."""
        now_ms = self._clock().now_ms
        found = {}
        for board, state in self._progress():
            age = max(0, now_ms - state.at_ms) / 1000 if state.at_ms > 0 else None
            found[board] = BoardAge(age or 0.0 if state.last > state.place else 0.0, age)
        return found

    def _progress(self) -> Iterator[tuple[BoardName, BoardState]]:
        """The progress of each board, except those that cannot be read."""
        for board in all_boards():
            name = f"progress of board {board.key}"
            state = shown_or_left_out(name, partial(self._store.progress, board.key))
            if state is not None:
                yield board, state

    def publish(self, kind: str, division: str, preset: str | None = None) -> bool:
        """Add the groups released since the last publication and publish the board with its supplement, if
        either changed. Returns whether it was published. Safe to run concurrently: only one of the runs takes
        effect.
        """
        board = BoardName.of(kind, division, preset)
        name = board.key
        start = time.monotonic()
        # This is read before the states, so every change until then is in the supplement.
        states = self._states(self._clock().now_ms)
        state = self._store.state(name)
        is_shown = state.shown is not None and state.layout == LAYOUT
        published = self._store.supplement(name) if is_shown else None
        if is_shown and state.last <= state.place:
            current = self._supplement(self._store.rated_names(name))
            if orjson.dumps(current.as_json(board)) == published:
                self._store.note_states(name, states)
                return False
        ledger, before = self._ledger(board)
        counted = None if before.head is None else before.place
        # This is read before the list, so every group released until then is on the list or has left it.
        place = state.last if counted is None else counted
        for released in self._pages_after(name, counted or 0):
            place = max(place, released[-1][0])
            for result in self._results(released):
                ledger.add(result)
        if counted is None:
            for event in self._store.tournaments(name):
                for result in self._all_results(event):
                    ledger.add(result)
        if not place:
            return False
        rated = sorted({player.name for player, own in ledger.totals.items() if own.completed})
        supplement = self._supplement(rated)
        document = orjson.dumps(supplement.as_json(board))
        if place == counted and document == published:
            return False
        shown = ledger_board(ledger, supplement).as_json()
        now_ms = self._clock().now_ms
        points = {row["name"]: [row[key] for key in (*_POINT, *_MORE)] for row in shown["rows"]}
        head, parts = ledger.changed()
        return self._store.publish(
            name,
            before,
            day=datetime.fromtimestamp(now_ms / 1000, UTC).date().isoformat(),
            points=points,
            state=BoardState(
                orjson.dumps(shown),
                place,
                now_ms,
                int((time.monotonic() - start) * 1000),
                LAYOUT,
                place,
                states,
            ),
            supplement=document,
            head=head,
            parts=parts,
            ratings=ratings_by_name(shown),
        )

    def supplement(self, kind: str, division: str, preset: str | None = None) -> Supplement:
        """Return the supplement of the published board; an empty one if there is none."""
        return read_supplement(self._store, BoardName.of(kind, division, preset).key)

    def _supplement(self, rated: Sequence[str]) -> Supplement:
        """Return the supplement of a board with ratings of these bots, as it is now."""
        names = [name for name in rated if house_source(name) is None]
        return supplement_of(self._accounts, names, self._clock().now_ms)

    def _states(self, now_ms: int) -> int:
        """Return a number that grows with every change that can be in a supplement. Owners become proven at
        midnight.
        """
        return self._accounts.state_changes() + now_ms // DAY_MS

    def renew(self, kind: str, division: str, preset: str | None = None) -> None:
        """Have the next publication recompute the board from all groups, because a counted group no longer
        counts.
        """
        self._store.forget_ledger(BoardName.of(kind, division, preset).key)

    def _results(self, released: Sequence[tuple[int, str, str]]) -> Iterator[GroupResult]:
        return results_of(self._tournaments, ((event, group) for _, event, group in released))

    def _released_after(self, name: str, place: int) -> Iterator[tuple[int, str, str]]:
        for released in self._pages_after(name, place):
            yield from released

    def _pages_after(self, name: str, place: int) -> Iterator[Sequence[tuple[int, str, str]]]:
        while released := self._store.released_after(name, place, _AT_ONCE):
            place = released[-1][0]
            yield released

    def _all_results(self, event: str) -> Iterator[GroupResult]:
        return read_results(event, self._tournaments.all_results(event))

    def _ledger(self, board: BoardName) -> tuple[Ledger, StoredLedger]:
        """The ledger of the groups counted so far, or an empty one if they must be recounted."""
        stored = self._store.ledger(board.key)
        if stored.head is not None:
            try:
                return Ledger.from_parts(LedgerParts(stored.head, stored.parts)), stored
            except InvalidLedger:
                # Written by another version of this program.
                self._store.forget_ledger(board.key)
                stored = self._store.ledger(board.key)
        return Ledger(*board), stored._replace(head=None)


def _is_behind(state: BoardState, states: int) -> bool:
    """Whether a board must be published because it lacks groups or may lack a change of a bot or an owner, or
    was last published by another version of the program. ``states``: the number of changes until now.
    """
    return state.last > state.place or (state.last > 0 and (state.layout != LAYOUT or state.states != states))


def read_supplement(store: BoardStore, key: str) -> Supplement:
    """Return the supplement of a published board; an empty one if there is none."""
    stored = store.supplement(key)
    if stored is None:
        return NO_SUPPLEMENT
    with reading(f"supplement of board {key}"):
        return Supplement.from_json(orjson.loads(stored))[1]


def board_version(state: BoardState) -> str:
    """Return a value that changes whenever the board is published."""
    return f"{state.place}-{state.at_ms}"


def _complete(data: dict[str, Any]) -> None:
    """Add what is missing in a board published by an earlier version of the program."""
    data.setdefault("supplement_hash", NO_SUPPLEMENT.hash)
    data.setdefault("proven_parties", 0)
    data.setdefault("proven_needed", PROVEN_PARTIES)
    rows = data["rows"]
    ranked = sum(row["rank"] is not None for row in rows)
    for row in rows:
        row.setdefault("worst_rank", None if row["rank"] is None else ranked)
        row.setdefault("proven", True)
        row.setdefault("chosen", True)
        for rating in (row, *row["versions"]):
            rating.setdefault("house_groups", 0)
            rating.setdefault("without_house", None)


def _check_board(data: Mapping[str, Any]) -> None:
    """Raise one of the errors for an unreadable row unless everything that the page shows is present."""
    board = Board.from_json(data)
    check_types(Board, vars(board))
    for title in board.titles.values():
        check_types(Title, vars(title))
    for row, shown in zip(board.rows, data["rows"], strict=True):
        check_types(Row, vars(row))
        for rating in row.versions:
            check_types(Rating, vars(rating))
        named = (name for name in _RATING if name in shown or name not in MISTAKES)
        check_types(Rating, {name: shown[name] for name in named})
    if not isinstance(data["rows"], list) or not isinstance(data["anchor"]["rating"], float):
        raise TypeError("the rows are not a list, or the anchor has no rating")
    if type(data["proven_needed"]) is not int:
        raise TypeError("proven_needed is not a number")


_RATING: Final = field_names(Rating)


def _place_in_history(cursor: str) -> tuple[str, int]:
    """The day of a cursor, and the number of points of that day that precede it."""
    place = Cursor.parse(cursor)
    digits = str(place.score)
    if len(digits) != 8:
        raise InvalidCursor(cursor)
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}", parse_number(place.name, 9)
