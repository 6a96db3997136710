"""Matchups on the published leaderboards, computed after each publication."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Final, NamedTuple

import orjson

from arena.events.boards import board_version, read_supplement
from arena.events.moderation import Moderation
from arena.play.board_names import BoardName, all_boards
from arena.ratings.board import Board
from arena.ratings.ledger import InvalidLedger, Ledger, LedgerParts
from arena.ratings.matchups import METHOD, Fit, MatchedBot, Matchups, Pair, matchups
from arena.store.boards import BoardState
from arena.store.repositories import Store
from arena.store.rows import check_types, reading, shown_or_left_out

COMPUTE_EVERY_MS: Final = 30_000
COST_SHARE: Final = 20
"""The minimum ratio of the interval between computations of a board's matchups to their computing time. The
interval is also at least ``COMPUTE_EVERY_MS``.
"""

_LAYOUT: Final = 2
"""Increased whenever the data computed with the matchups change."""


class PublishedMatchups:
    """The matchups of a board. ``version`` changes whenever the board does. ``data`` is read-only."""

    def __init__(self, version: str, data: Mapping[str, object]) -> None:
        self.version = version
        self.data = data
        self.table = Matchups.from_json(data)
        _check(self.table)
        if not isinstance(data["computed_ms"], int):
            raise TypeError("computed_ms is not a number")

    @cached_property
    def bots(self) -> dict[tuple[str, str], MatchedBot]:
        """The bots by name and version."""
        return {(bot.name, bot.version): bot for bot in self.table.bots}

    @cached_property
    def csv(self) -> str:
        """All pairs, as CSV."""
        return self.table.as_csv()

    @cached_property
    def text(self) -> str:
        """The tables as plain text for people."""
        return self.table.as_text()


class _Progress(NamedTuple):
    """``of`` is the version of the board for which its matchups were last computed, or empty if they never
    were. ``cost_ms`` is how long that took.
    """

    of: str
    cost_ms: int


class BoardMatchups:
    """The matchups of the leaderboards. Methods that take the name of a board raise
    :class:`~arena.errors.UnknownGame` and :class:`~arena.errors.UnknownPreset`.
    """

    def __init__(self, store: Store, moderation: Moderation) -> None:
        self._moderation = moderation
        self._store = store.matchups
        self._boards = store.boards
        self._clock = store.clock
        self._flags = store.flags
        self._known: dict[str, PublishedMatchups] = {}

    def published(self, kind: str, division: str, preset: str | None = None) -> PublishedMatchups | None:
        """Return the matchups, or None if there are none or they cannot be read. They are cached once
        parsed.
        """
        name = BoardName.of(kind, division, preset).key
        return shown_or_left_out(f"matchups of {name}", partial(self._published, name))

    def _published(self, name: str) -> PublishedMatchups | None:
        known = self._known.get(name)
        (progress,) = self._progress([name])
        mark = self._moderation.mark
        if known is None or known.version != progress.of + mark:
            shown, of = self._store.load(name, "shown", "of")
            if not shown:
                return None
            version = (of or b"").decode() + mark
            known = self._known[name] = PublishedMatchups(
                version, self._moderation.apply(orjson.loads(shown))
            )
        return known

    def due(self) -> list[BoardName]:
        """Return the boards that were published after their matchups were last computed. A returned board is
        not due again for a while.
        """
        boards = all_boards()
        states = [
            shown_or_left_out(f"progress of board {board.key}", partial(self._boards.progress, board.key))
            for board in boards
        ]
        found = []
        for board, state, own in zip(
            boards, states, self._progress([board.key for board in boards]), strict=True
        ):
            if state is not None and state.at_ms > 0 and own.of != _version(state):
                pause = max(COMPUTE_EVERY_MS, COST_SHARE * own.cost_ms)
                if self._flags.first(f"matchups:{board.key}", pause):
                    found.append(board)
        return found

    def compute(self, kind: str, division: str, preset: str | None = None) -> bool:
        """Compute the matchups of the published board, and return whether they were computed. They are not if
        they are up to date, if the board's groups must be recounted, or if it is republished in the meantime.
        Safe to run twice.
        """
        name = BoardName.of(kind, division, preset).key
        start = time.monotonic()
        state = self._boards.state(name)
        version = _version(state)
        if state.shown is None or self._progress([name])[0].of == version:
            return False
        stored = self._boards.ledger(name)
        if stored.head is None:
            return False
        try:
            ledger = Ledger.from_parts(LedgerParts(stored.head, stored.parts))
        except InvalidLedger:
            # Written by another version of this program.
            return False
        board = Board.from_json(orjson.loads(state.shown))
        if ledger.records_hash().hex() != board.records_hash:
            return False
        supplement = read_supplement(self._boards, name)
        if supplement.hash != board.supplement_hash:
            return False
        found = matchups(ledger, board, supplement)
        shown = b""
        if found is not None:
            shown = orjson.dumps({**found.as_json(), "computed_ms": self._clock().now_ms})
        cost_ms = int((time.monotonic() - start) * 1000)
        self._store.save(name, shown=shown, of=version, cost=cost_ms)
        return True

    def _progress(self, boards: Sequence[str]) -> list[_Progress]:
        found = []
        for board, (of, cost) in zip(boards, self._store.many(boards, "of", "cost"), strict=True):
            with reading(f"matchups of {board}"):
                found.append(_Progress((of or b"").decode(), int(cost or 0)))
        return found


def _version(state: BoardState) -> str:
    """A value that changes whenever the matchups, or the data computed with them, must be recomputed."""
    return f"{board_version(state)}-{METHOD}-{_LAYOUT}"


def _check(table: Matchups) -> None:
    """Raise TypeError unless all data that the page shows are present."""
    check_types(Matchups, vars(table))
    check_types(Fit, vars(table.fit))
    for bot in table.bots:
        check_types(MatchedBot, vars(bot))
    for pair in table.pairs:
        check_types(Pair, vars(pair))
