"""Boards in Redis: the list of released groups, the board computed from it, and daily rating points.

All keys of a board share its hash tag: the hash itself (:func:`board_key`); ``:log``, the released groups
that are not yet in chunks of their tournament (:mod:`arena.store.chunks`); ``:last``, the last place in that
list; ``:tournaments``, the tournaments with groups in chunks; ``:ledger``, the counted groups, in parts;
``:ratings``, the ratings, each part with some of the bots; ``:points``, the daily points (for each day the
first name on each sheet, and the sheets); ``:recent``, the points drawn on the board's page; ``:matchups``,
who beats whom, computed later; and ``:staged:<token>:…``, a publication in preparation, which expires if its
process dies.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

import orjson

from arena.store.connection import Command, Repository, Script
from arena.store.rows import reading, shown_or_left_out

_STAGE: Final = Script("board_stage")
_PUBLISH: Final = Script("board_publish")
_FORGET: Final = Script("board_forget")
_TRIM: Final = Script("board_trim")
BOARD_SCRIPTS: Final = (_STAGE, _PUBLISH, _FORGET, _TRIM)
"""The scripts that the connection of a :class:`BoardStore` must load."""

_BYTES_AT_ONCE: Final = 1 << 20
"""The approximate maximum size of values in one exchange with the database while a board is published."""

_PARTS_AT_ONCE: Final = 8
"""How many parts of a ledger are read per exchange."""

_STAGED_MS: Final = 600_000
"""How long values staged for a publication are kept."""


_PARTS: Final = 64
"""The number of parts into which ratings are split."""

_SHEET: Final = 100
"""The number of points per sheet."""

_STATE: Final = ("place", "at", "cost", "layout", "states")
"""The fields of a published board that are read without the board itself."""

_LISTED: Final = "{}"
"""The value that marks a day in the list of days; its points are stored elsewhere."""

Point = Sequence[Any]
"""The stored values of a bot on one day."""


class BoardState(NamedTuple):
    """A published board as JSON (None if never published), the last place of the list that it includes, when
    it was published, how long that took, its layout, the last place of the list, and the number of changes of
    bots' states that it includes. For a board that was never published all numbers are 0, and the layout is
    empty.
    """

    shown: bytes | None
    place: int
    at_ms: int
    cost_ms: int
    layout: str
    last: int
    states: int = 0


class StoredLedger(NamedTuple):
    """A ledger: its head (None if there is no ledger), its parts by name, the last place of the list that it
    includes (None if it was forgotten or never existed), and how often it was forgotten.
    """

    head: bytes | None
    parts: Mapping[str, bytes]
    place: int | None
    turn: int


class BoardStore(Repository):
    """Stores the boards by name (``BoardName.key``). It has no rules; all times are in milliseconds."""

    def released_after(self, board: str, after: int, count: int) -> list[tuple[int, str, str]]:
        """Return groups released after a place in the list, oldest first, as (place, tournament, group)."""
        reply = self._one(
            "ZRANGEBYSCORE", f"{board_key(board)}:log", f"({after}", "+inf", "WITHSCORES", "LIMIT", 0, count
        )
        found = []
        for at in range(0, len(reply), 2):
            event, _, group = reply[at].decode().partition("/")
            found.append((int(reply[at + 1]), event, group))
        return found

    def state(self, board: str) -> BoardState:
        """Return the state of a board. Raises :class:`~arena.errors.CorruptState`."""
        key = board_key(board)
        (shown, *numbers), last = self._connection.run(
            [("HMGET", key, "board", *_STATE), ("GET", f"{key}:last")]
        )
        return _state(board, shown, (*numbers, last))

    def progress(self, board: str) -> BoardState:
        """Return the state without the board itself, which may be large."""
        key = board_key(board)
        numbers, last = self._connection.run([("HMGET", key, *_STATE), ("GET", f"{key}:last")])
        return _state(board, None, (*numbers, last))

    def ledger(self, board: str) -> StoredLedger:
        """Return a consistent snapshot of the ledger. Raises :class:`~arena.errors.CorruptState`."""
        key = board_key(board)
        query: Command = ("HMGET", key, "place", "turn", "at")
        while True:
            now, head, names = self._connection.run(
                [query, ("HGET", key, "head"), ("HKEYS", f"{key}:ledger")]
            )
            parts: dict[str, bytes] = {}
            for start in range(0, len(names), _PARTS_AT_ONCE):
                some = names[start : start + _PARTS_AT_ONCE]
                stored = self._one("HMGET", f"{key}:ledger", *some)
                parts.update((name.decode(), part) for name, part in zip(some, stored, strict=True) if part)
            if [now] == self._connection.run([query]):
                break
        place, turn, _ = now
        with reading(f"board {board}"):
            return StoredLedger(head, parts, None if place is None else int(place), int(turn or 0))

    def publish(
        self,
        board: str,
        before: StoredLedger,
        *,
        state: BoardState,
        supplement: bytes,
        head: bytes,
        parts: Mapping[str, bytes],
        ratings: Mapping[str, object],
        day: str,
        points: Mapping[str, Point],
    ) -> bool:
        """Publish a board and its ``supplement``. The ledger was ``before``. Each of ``parts`` replaces the
        part of the same name, or they replace all parts if there was no ledger. ``ratings``, by bot name,
        replace all ratings, and ``points`` those of ``day``. Returns False if another process has published
        first.

        All values are staged first, in exchanges of about a megabyte, and then replace the previous ones
        atomically. Values staged by a process that was killed expire.
        """
        in_parts: list[dict[str, object]] = [{} for _ in range(_PARTS)]
        for name, own in ratings.items():
            in_parts[_part_of(name)][name] = own
        names, sheets = _sheets(points)
        staged: dict[str, dict[str, bytes]] = {
            "board": {**_pieces("board", state.shown or b""), **_pieces("head", head)},
            "ledger": dict(parts),
            "ratings": {str(number): orjson.dumps(part) for number, part in enumerate(in_parts)},
            "points": {day: orjson.dumps(names), **{_sheet(day, at): own for at, own in enumerate(sheets)}},
        }
        key = board_key(board)
        place = f"{key}:staged:{secrets.token_hex(8)}"
        for part, values in staged.items():
            for some in _batches(values):
                self._one(*_STAGE.call([f"{place}:{part}"], _STAGED_MS, *some))
        publication = {
            "place_before": "" if before.place is None else str(before.place),
            "turn_before": str(before.turn),
            "whole_ledger": before.head is None,
            "staged": {part: len(values) for part, values in staged.items()},
            "fields": {
                "place": state.place,
                "at": state.at_ms,
                "cost": state.cost_ms,
                "layout": state.layout,
                "states": state.states,
                "supplement": supplement.decode(),
            },
            "day": day,
            "listed": _LISTED,
        }
        return bool(self._one(*_PUBLISH.call_named([key, place], publication)))

    def supplement(self, board: str) -> bytes | None:
        """Return the supplement of the published board, or None if there is none."""
        found: bytes | None = self._one("HGET", board_key(board), "supplement")
        return found

    def note_states(self, board: str, states: int) -> None:
        """Store how many changes of bots' states the published board includes."""
        self._one("HSET", board_key(board), "states", states)

    def forget_ledger(self, board: str) -> None:
        """Delete the ledger, so that it is recomputed. Processes that have read it cannot publish it."""
        self._one(*_FORGET.call([board_key(board)]))

    def trim(self, board: str, event: str, groups: Sequence[str]) -> bool:
        """Remove groups of a tournament that the ledger includes from the list of released groups; from then
        on :meth:`tournaments` finds them. Returns False if the ledger does not include one of them yet.
        """
        members = [f"{event}/{group}" for group in groups]
        return bool(self._one(*_TRIM.call([board_key(board)], event, *members)))

    def tournaments(self, board: str) -> list[str]:
        """Return the tournaments with groups removed from the list of released groups, oldest first."""
        return self._names("ZRANGE", f"{board_key(board)}:tournaments", 0, -1)

    def recent(self, board: str) -> bytes | None:
        """Return the document with the points drawn on the board's page, or None if there is none."""
        found: bytes | None = self._one("GET", f"{board_key(board)}:recent")
        return found

    def save_recent(self, board: str, document: bytes) -> None:
        """Replace the document with the points drawn on the board's page."""
        self._one("SET", f"{board_key(board)}:recent", document)

    def ratings(self, board: str, names: Iterable[str]) -> dict[str, Any]:
        """Return the stored ratings of the named bots."""
        wanted = set(names)
        numbers = sorted(set(map(_part_of, wanted)))
        stored = self._one("HMGET", f"{board_key(board)}:ratings", *numbers) if numbers else []
        found: dict[str, Any] = {}
        for part in filter(None, stored):
            found.update((name, own) for name, own in orjson.loads(part).items() if name in wanted)
        return found

    def rated_names(self, board: str) -> list[str]:
        """Return the names of all bots with a stored rating."""
        names: list[str] = []
        for start in range(0, _PARTS, _PARTS_AT_ONCE):
            numbers = range(start, min(start + _PARTS_AT_ONCE, _PARTS))
            for part in self._one("HMGET", f"{board_key(board)}:ratings", *numbers):
                names += orjson.loads(part or b"{}")
        return names

    # History

    def days(self, board: str) -> list[str]:
        """Return the days with points, in chronological order."""
        return sorted(self._names("HKEYS", f"{board_key(board)}:days"))

    def day(self, board: str, day: str, start: int, count: int) -> list[tuple[int, str, Point]]:
        """Return up to ``count`` points of a day by name, from number ``start`` on, with their numbers."""
        key = f"{board_key(board)}:points"
        names = self._one("HGET", key, day)
        last = min(-(-(start + count) // _SHEET), len(_names(f"days of {board}", names)))
        sheets = range(start // _SHEET, last)
        stored = self._one("HMGET", key, *(_sheet(day, number) for number in sheets)) if sheets else []
        found = []
        for sheet, data in zip(sheets, stored, strict=True):
            rows = _rows(f"points of {board} on {day}", data)
            found += [(number, name, point) for number, (name, *point) in enumerate(rows, _SHEET * sheet)]
        return [row for row in found if start <= row[0] < start + count]

    def points_of(self, board: str, days: Sequence[str], bot: str) -> list[Point | None]:
        """Return the point of a bot on each of ``days``, with None for days without one."""
        if not days:
            return []
        key = f"{board_key(board)}:points"
        firsts = [_names(f"days of {board}", names) for names in self._one("HMGET", key, *days)]
        sheets = [
            _sheet(day, max(0, bisect_right(first, bot) - 1)) for day, first in zip(days, firsts, strict=True)
        ]
        found: list[Point | None] = []
        for day, sheet in zip(days, self._one("HMGET", key, *sheets), strict=True):
            rows = _rows(f"points of {board} on {day}", sheet)
            found.append(next((point for name, *point in rows if name == bot), None))
        return found

    def points_on(self, board: str, day: str, bots: Iterable[str]) -> dict[str, Point]:
        """Return the points of some bots on a day."""
        key = f"{board_key(board)}:points"
        firsts = _names(f"days of {board}", self._one("HGET", key, day))
        wanted = set(bots)
        sheets = sorted({_sheet(day, max(0, bisect_right(firsts, bot) - 1)) for bot in wanted})
        stored = self._one("HMGET", key, *sheets) if firsts and sheets else []
        rows = (row for sheet in stored for row in _rows(f"points of {board} on {day}", sheet))
        return {name: point for name, *point in rows if name in wanted}


def _state(board: str, shown: bytes | None, numbers: Sequence[bytes | None]) -> BoardState:
    with reading(f"board {board}"):
        place, at_ms, cost_ms, layout, states, last = numbers
        return BoardState(
            shown,
            int(place or 0),
            int(at_ms or 0),
            int(cost_ms or 0),
            (layout or b"").decode(),
            int(last or 0),
            int(states or 0),
        )


def _names(name: str, data: bytes | None) -> list[str]:
    """Return the first name on each sheet of a day, or no names if they cannot be read."""

    def read() -> list[str]:
        names: list[str] = orjson.loads(data or b"[]")
        if not isinstance(names, list) or not all(isinstance(first, str) for first in names):
            raise TypeError("expected a list of strings")
        return names

    return shown_or_left_out(name, read) or []


def _rows(name: str, data: bytes | None) -> list[list[Any]]:
    """Return the points on a sheet, each beginning with its name, or no points if they cannot be read."""

    def read() -> list[list[Any]]:
        rows: list[list[Any]] = orjson.loads(data or b"[]")
        if not all(isinstance(row, list) and isinstance(row[0], str) for row in rows):
            raise TypeError("a point has no name")
        return rows

    return shown_or_left_out(name, read) or []


def _pieces(name: str, value: bytes) -> dict[str, bytes]:
    """Split a value that may be large into pieces, keyed by name and number."""
    starts = range(0, max(1, len(value)), _BYTES_AT_ONCE)
    return {f"{name}/{number}": value[at : at + _BYTES_AT_ONCE] for number, at in enumerate(starts)}


def _batches(values: Mapping[str, bytes]) -> Iterator[list[str | bytes]]:
    """Yield names and values alternately, in batches of about :data:`_BYTES_AT_ONCE`."""
    batch: list[str | bytes] = []
    size = 0
    for name, value in values.items():
        if batch and size + len(value) > _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch += (name, value)
        size += len(value)
    if batch:
        yield batch


def _part_of(bot: str) -> int:
    return crc32(bot.encode()) % _PARTS


def _sheets(points: Mapping[str, Point]) -> tuple[list[str], list[bytes]]:
    """Return the first name on each sheet, and the sheets. Points begin with a name and are sorted by it."""
    rows = [[name, *points[name]] for name in sorted(points)]
    sheets = [rows[start : start + _SHEET] for start in range(0, len(rows), _SHEET)]
    return [sheet[0][0] for sheet in sheets], [orjson.dumps(sheet) for sheet in sheets]


def _sheet(day: str, number: int) -> str:
    return f"{day}/{number}"


def board_key(board: str) -> str:
    """Return the key of a board's hash (``BoardName.key``), which has the fields ``board`` (as published),
    ``head`` (of the ledger), ``place``, ``at``, ``cost``, ``layout``, and ``turn`` (how often the ledger was
    forgotten).
    """
    return f"{{board:{board}}}"


__all__ = ["BOARD_SCRIPTS", "BoardState", "BoardStore", "StoredLedger", "board_key"]
