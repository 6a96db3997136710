"""Published leaderboards: computed from the released groups, and replaced atomically."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from arena.events.lifecycle import read_result
from arena.games import GAMES
from arena.play.players import DIVISIONS
from arena.ratings.board import ledger_board
from arena.ratings.ledger import InvalidLedger, Ledger
from arena.ratings.results import GroupResult
from arena.store.boards import BoardState
from arena.store.repositories import Store

PUBLISH_EVERY_MS: Final = 2_000
COST_SHARE: Final = 10
"""A board is published at most every ``PUBLISH_EVERY_MS``, and takes at most this fraction of the time."""

_AT_ONCE: Final = 1000
_POINT: Final = ("version", "rating", "low", "high", "provisional")


class Boards:
    """One leaderboard per kind of game and division (``sealed``, ``open``)."""

    def __init__(self, store: Store) -> None:
        self._store = store.boards
        self._tournaments = store.tournaments
        self._clock = store.clock

    def read(self, kind: str, division: str) -> dict[str, Any] | None:
        """The board as published (``Board.as_json``), with ``published_ms``; None if it never was."""
        state = self._store.state(_name(kind, division))
        if state.shown is None:
            return None
        return {**orjson.loads(state.shown), "published_ms": state.at_ms}

    def history(self, kind: str, division: str, bot: str | None = None) -> list[dict[str, Any]]:
        """The last point of every day, by day and name: ``{"day", "name", "version", "rating", "low",
        "high", "provisional"}``; of all bots or of ``bot``.
        """
        points = []
        for day, data in sorted(self._store.days(_name(kind, division)).items()):
            for name, values in sorted(orjson.loads(data).items()):
                if bot in (None, name):
                    points.append({"day": day, "name": name, **dict(zip(_POINT, values, strict=False))})
        return points

    def groups(self, kind: str, division: str) -> Iterator[GroupResult]:
        """All released groups of the board, including annulled ones."""
        place = 0
        while released := self._store.released_after(_name(kind, division), place, _AT_ONCE):
            place = released[-1][0]
            yield from self._results(released)

    def due(self) -> list[tuple[str, str]]:
        """The boards (kind, division) that lack released groups and may be published now."""
        now_ms = self._clock().now_ms
        found = []
        for kind in GAMES:
            for division in DIVISIONS:
                state = self._store.state(_name(kind, division))
                pause = max(PUBLISH_EVERY_MS, COST_SHARE * state.cost_ms)
                if state.last > state.place and now_ms >= state.at_ms + pause:
                    found.append((kind, division))
        return found

    def lags(self) -> dict[tuple[str, str], float]:
        """Per board (kind, division), for how many seconds it has lacked released groups at most."""
        now_ms = self._clock().now_ms
        found = {}
        for kind in GAMES:
            for division in DIVISIONS:
                state = self._store.state(_name(kind, division))
                late = state.last > state.place and state.at_ms > 0
                found[kind, division] = max(0, now_ms - state.at_ms) / 1000 if late else 0.0
        return found

    def publish(self, kind: str, division: str) -> bool:
        """Add the groups released since the last time, publish the board, and return whether that was needed.
        May run twice, also at the same time: one of them wins.
        """
        name = _name(kind, division)
        start = time.monotonic()
        state = self._store.state(name)
        ledger, place = self._ledger(kind, division)
        before = place
        while released := self._store.released_after(name, place or 0, _AT_ONCE):
            place = released[-1][0]
            for result in self._results(released):
                ledger.add(result)
        if place is None or (place == before and state.shown is not None):
            return False
        shown = ledger_board(ledger).as_json()
        now_ms = self._clock().now_ms
        point = {row["name"]: [row[key] for key in _POINT] for row in shown["rows"]}
        return self._store.publish(
            name,
            before,
            day=datetime.fromtimestamp(now_ms / 1000, UTC).date().isoformat(),
            point=orjson.dumps(point),
            state=BoardState(
                orjson.dumps(shown), place, now_ms, int((time.monotonic() - start) * 1000), place
            ),
            ledger=ledger.to_bytes(),
        )

    def renew(self, kind: str, division: str) -> None:
        """Compute the board from all groups the next time, because a counted group no longer counts."""
        self._store.forget_ledger(_name(kind, division))

    def _results(self, released: Sequence[tuple[int, str, str]]) -> Iterator[GroupResult]:
        groups: dict[str, list[str]] = defaultdict(list)
        for _, event, group in released:
            groups[event].append(group)
        for event, ids in groups.items():
            for data in self._tournaments.results(event, ids):
                result = None if data is None else read_result(data)
                if result is not None:
                    yield result

    def _ledger(self, kind: str, division: str) -> tuple[Ledger, int | None]:
        """The groups counted so far, and up to which place of the list; None: nothing."""
        data, place = self._store.ledger(_name(kind, division))
        if data is not None and place is not None:
            try:
                return Ledger.from_bytes(data), place
            except InvalidLedger:
                # Of another version of this program: recompute it.
                self.renew(kind, division)
        return Ledger(kind, division), None


def _name(kind: str, division: str) -> str:
    return f"{kind}/{division}"
