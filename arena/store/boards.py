"""Boards in Redis: the list of released groups, the board computed from it, and its daily points.

Of a board, all in its hash tag: the hash itself (:func:`board_key`); ``:log`` the released groups that are
not in chunks of their tournament (:mod:`arena.store.chunks`), ``:last`` their last place; ``:tournaments``
those with groups in chunks; ``:ledger`` the counted groups in parts; ``:ratings`` the ratings by part of
the bots; ``:points`` the daily points: per day the first names of its sheets, and its sheets; ``:recent``
the points that the board's page draws, and ``:matchups`` who beats whom, which are computed later;
``:staged:<token>:…`` a publication that has not happened yet, which expires if its process has died.
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
"""The scripts that the connection of boards must load."""

_BYTES_AT_ONCE: Final = 1 << 20
"""About the most bytes of values in one exchange with the database while a board is published."""

_PARTS_AT_ONCE: Final = 8
"""How many parts of a ledger are read in one exchange."""

_STAGED_MS: Final = 600_000
"""How long what was staged for a publication is kept."""


_PARTS: Final = 64
"""The number of parts of the ratings."""

_SHEET: Final = 100
"""The number of points in a sheet."""

_LISTED: Final = "{}"
"""The value of a day on the list of days, whose points are elsewhere."""

Point = Sequence[Any]
"""What is stored of a bot on a day."""


class BoardState(NamedTuple):
    """A board as published (JSON; None: never), the last place of its list that it includes, when it was
    published, how long that took, in which layout it is, and the last place of the list. All numbers are 0
    without a board, and the layout is empty.
    """

    shown: bytes | None
    place: int
    at_ms: int
    cost_ms: int
    layout: str
    last: int


class StoredLedger(NamedTuple):
    """A ledger: its head (None: there is none), its parts by name, the last
    place of the list that it includes (None: it was forgotten, or never was), and how often it was forgotten.
    """

    head: bytes | None
    parts: Mapping[str, bytes]
    place: int | None
    turn: int


class BoardStore(Repository):
    """The boards by name (``BoardName.key``). Holds no rules. All times are milliseconds."""

    def released_after(self, board: str, after: int, count: int) -> list[tuple[int, str, str]]:
        """Groups released after a place of the list, oldest first: place, tournament, group."""
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
            [("HMGET", key, "board", "place", "at", "cost", "layout"), ("GET", f"{key}:last")]
        )
        return _state(board, shown, (*numbers, last))

    def progress(self, board: str) -> BoardState:
        """Return the state without the board itself, which may be large."""
        key = board_key(board)
        numbers, last = self._connection.run(
            [("HMGET", key, "place", "at", "cost", "layout"), ("GET", f"{key}:last")]
        )
        return _state(board, None, (*numbers, last))

    def ledger(self, board: str) -> StoredLedger:
        """Return the ledger of the counted groups, all of one moment. Raises
        :class:`~arena.errors.CorruptState`.
        """
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
        head: bytes,
        parts: Mapping[str, bytes],
        ratings: Mapping[str, object],
        day: str,
        points: Mapping[str, Point],
    ) -> bool:
        """Publish a board whose ledger was ``before``: ``parts`` replace those of the same name (without a
        ledger before, all), ``ratings`` by name all others, and ``points`` those of ``day``. False if another
        process was faster.

        All of it is staged first, in exchanges of about a megabyte, and then replaces what there was in one
        step. What a killed process has staged expires.
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
            },
            "day": day,
            "listed": _LISTED,
        }
        return bool(self._one(*_PUBLISH.call_named([key, place], publication)))

    def forget_ledger(self, board: str) -> None:
        """Delete the ledger, which is then recomputed. Processes that read it before cannot publish it."""
        self._one(*_FORGET.call([board_key(board)]))

    def trim(self, board: str, event: str, groups: Sequence[str]) -> bool:
        """Remove groups of a tournament from the list of released ones, of which the ledger has all; they are
        found by :meth:`tournaments` from then on. False if one of them is not in the ledger yet.
        """
        members = [f"{event}/{group}" for group in groups]
        return bool(self._one(*_TRIM.call([board_key(board)], event, *members)))

    def tournaments(self, board: str) -> list[str]:
        """Return the tournaments with groups that have left the list of released ones, oldest first."""
        return self._names("ZRANGE", f"{board_key(board)}:tournaments", 0, -1)

    def recent(self, board: str) -> bytes | None:
        """The document with the points that the page draws; None if there is none."""
        found: bytes | None = self._one("GET", f"{board_key(board)}:recent")
        return found

    def save_recent(self, board: str, document: bytes) -> None:
        """Replace it."""
        self._one("SET", f"{board_key(board)}:recent", document)

    def ratings(self, board: str, names: Iterable[str]) -> dict[str, Any]:
        """Return the stored ratings of bots."""
        wanted = set(names)
        numbers = sorted(set(map(_part_of, wanted)))
        stored = self._one("HMGET", f"{board_key(board)}:ratings", *numbers) if numbers else []
        found: dict[str, Any] = {}
        for part in filter(None, stored):
            found.update((name, own) for name, own in orjson.loads(part).items() if name in wanted)
        return found

    # History

    def days(self, board: str) -> list[str]:
        """Return the days with points, in their order."""
        return sorted(self._names("HKEYS", f"{board_key(board)}:days"))

    def day(self, board: str, day: str, start: int, count: int) -> list[tuple[int, str, Point]]:
        """Return up to ``count`` points of a day from number ``start`` on, by name, with their numbers."""
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


def _state(board: str, shown: bytes | None, numbers: Sequence[bytes | None]) -> BoardState:
    with reading(f"board {board}"):
        place, at_ms, cost_ms, layout, last = numbers
        return BoardState(
            shown,
            int(place or 0),
            int(at_ms or 0),
            int(cost_ms or 0),
            (layout or b"").decode(),
            int(last or 0),
        )


def _names(name: str, data: bytes | None) -> list[str]:
    """The first names of the sheets of a day; none if they cannot be read."""

    def read() -> list[str]:
        names: list[str] = orjson.loads(data or b"[]")
        if not isinstance(names, list) or not all(isinstance(first, str) for first in names):
            raise TypeError("the names are no list of texts")
        return names

    return shown_or_left_out(name, read) or []


def _rows(name: str, data: bytes | None) -> list[list[Any]]:
    """The points of a sheet, each with its name first; none if they cannot be read."""

    def read() -> list[list[Any]]:
        rows: list[list[Any]] = orjson.loads(data or b"[]")
        if not all(isinstance(row, list) and isinstance(row[0], str) for row in rows):
            raise TypeError("a point has no name")
        return rows

    return shown_or_left_out(name, read) or []


def _pieces(name: str, value: bytes) -> dict[str, bytes]:
    """A value that may be large, in pieces by name and number."""
    starts = range(0, max(1, len(value)), _BYTES_AT_ONCE)
    return {f"{name}/{number}": value[at : at + _BYTES_AT_ONCE] for number, at in enumerate(starts)}


def _batches(values: Mapping[str, bytes]) -> Iterator[list[str | bytes]]:
    """Names and values in turn, in batches of about :data:`_BYTES_AT_ONCE`."""
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
    """The first names of the sheets, and the sheets: points by name, the name first."""
    rows = [[name, *points[name]] for name in sorted(points)]
    sheets = [rows[start : start + _SHEET] for start in range(0, len(rows), _SHEET)]
    return [sheet[0][0] for sheet in sheets], [orjson.dumps(sheet) for sheet in sheets]


def _sheet(day: str, number: int) -> str:
    return f"{day}/{number}"


def board_key(board: str) -> str:
    """Return the hash of a board (``BoardName.key``): ``board`` as published, ``head`` of the ledger,
    ``place``, ``at``, ``cost``, ``layout``, and ``turn``, which counts how often the ledger was forgotten.
    """
    return f"{{board:{board}}}"


__all__ = ["BOARD_SCRIPTS", "BoardState", "BoardStore", "StoredLedger", "board_key"]
