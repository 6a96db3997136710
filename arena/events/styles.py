"""Playing-style statistics for the bots on each leaderboard, counted from the released records.

Each record of a game's rated groups is read once, in order of release, so the cost of a run depends only on
the number of records released since the previous run. The sums of all boards of a game are stored in one
document, with the number of the last record that they include. Concurrent runs therefore duplicate work but
never corrupt the sums.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import orjson

from arena.errors import ArenaError
from arena.events.moderation import Moderation
from arena.games import GAMES, game_of
from arena.games.descriptor import Game
from arena.games.kernel import Event
from arena.live.finished import FinishedGames
from arena.play.board_names import BoardName
from arena.play.players import division_of
from arena.records.record import Record
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

RUN_SECONDS: Final = 2.0
"""The time after which a run starts no more reads; the next run continues from there."""

_AT_ONCE: Final = 50


class BotStyle(NamedTuple):
    """The style of a bot. ``games`` is the number of games counted. For each statistic, ``counts`` holds the
    number of occurrences and the number of opportunities.
    """

    games: int
    counts: Sequence[tuple[int, int]]


class BoardStyle(NamedTuple):
    """The bots of a board, by name. ``version`` changes whenever their styles do."""

    version: str
    bots: Mapping[str, BotStyle]


class BoardStyles:
    """The playing styles of the bots on each board.

    Methods that take the name of a board raise :class:`~arena.errors.UnknownGame` and
    :class:`~arena.errors.UnknownPreset`.
    """

    def __init__(self, store: Store, finished: FinishedGames, moderation: Moderation) -> None:
        self._moderation = moderation
        self._store = store.styles
        self._finished = finished
        self._known: dict[str, tuple[str, Mapping[str, BoardStyle]]] = {}

    def read(self, kind: str, division: str, preset: str | None = None) -> BoardStyle:
        """Return the counts so far, or an empty value if they cannot be read. Parsed counts are cached."""
        board = BoardName.of(kind, division, preset)
        found = shown_or_left_out(f"styles of {kind}", partial(self._read, kind)) or {}
        style = found.get(board.key) or BoardStyle("0", {})
        if not self._moderation.mark:
            return style
        bots = {self._moderation.name("bot", name): own for name, own in style.bots.items()}
        return BoardStyle(style.version + self._moderation.mark, bots)

    def update(self, kind: str, seconds: float = RUN_SECONDS) -> bool:
        """Count newly released records for about ``seconds``, and return whether there are more. Safe to run
        twice.
        """
        game = GAMES[kind]
        if game.style is None:
            return False
        until = time.monotonic() + seconds
        sums = self._sums(game)
        began = sums["after"]
        more = True
        while more and time.monotonic() < until:
            entries = self._finished.released(kind, sums["after"], _AT_ONCE)
            more = bool(entries)
            for number, _, _, lines in entries:
                for line in lines:
                    _add(game, sums["boards"], line)
                sums["after"] = number
                if time.monotonic() > until:
                    break
        if sums["after"] != began:
            self._store.save(kind, version=str(sums["after"]), document=orjson.dumps(sums))
        return more

    def update_all(self) -> None:
        """Count newly released records of every game, each for about ``RUN_SECONDS``."""
        for kind in GAMES:
            self.update(kind)

    def _sums(self, game: Game) -> dict[str, Any]:
        """The sums so far, or empty sums if the stored ones were counted by another version of the game or
        its style.
        """
        assert game.style is not None
        (stored,) = self._store.load(game.kind, "document")
        found = shown_or_left_out(f"styles of {game.kind}", partial(orjson.loads, stored or b"{}")) or {}
        if found.get("of") == [game.version, game.style.version]:
            return dict(found)
        return {"of": [game.version, game.style.version], "after": 0, "boards": {}}

    def _read(self, kind: str) -> Mapping[str, BoardStyle]:
        known = self._known.get(kind)
        (current,) = self._store.load(kind, "version")
        if known is None or known[0] != (current or b"").decode():
            number, stored = self._store.load(kind, "version", "document")
            version = (number or b"").decode()
            boards = {
                board: BoardStyle(version, {name: _style(own) for name, own in bots.items()})
                for board, bots in orjson.loads(stored or b'{"boards":{}}')["boards"].items()
            }
            known = self._known[kind] = (version, boards)
        return known[1]


def _style(stored: Sequence[int]) -> BotStyle:
    games, *counts = stored
    return BotStyle(games, list(zip(counts[::2], counts[1::2], strict=True)))


def _add(game: Game, boards: dict[str, dict[str, list[int]]], line: bytes) -> None:
    """Add one record to the sums, which hold the number of games and then the counts for each board and bot.
    Records that cannot be read or replayed are skipped, as they are for the boards.
    """
    assert game.style is not None
    try:
        record = orjson.loads(line)
        canonical = record["canonical"]
        board = _board_of(game, record)
        if board is None:
            return
        seats = [player["name"] for player in canonical["players"]]
        counted = game.style.count(replayed(game, canonical), game.options.complete(canonical["rules"]))
    except (ArenaError, ValueError, KeyError, TypeError, IndexError):
        return
    bots = boards.setdefault(board, {})
    for name, counts in zip(seats, counted, strict=True):
        flat = [value for pair in counts for value in pair]
        sums = bots.setdefault(name, [0] * (1 + len(flat)))
        for place, value in enumerate(flat, 1):
            sums[place] += value
    for name in set(seats):
        bots[name][0] += 1


def _board_of(game: Game, record: Record) -> str | None:
    """The key of the board to which the game belongs, or None if the game does not count for style."""
    canonical, info = record["canonical"], record["info"]
    group = canonical["group"]
    preset = game.preset_of(canonical["rules"])
    if group is None or preset is None or info.get("rated") is False or info.get("annulled"):
        return None
    if canonical["outcome"]["forfeits"]:
        return None
    return BoardName(game.kind, division_of(group["mirrored"], bool(info.get("models"))), preset).key


def replayed(game: Game, canonical: Mapping[str, Any]) -> list[Event]:
    """Return the events of a record. Raises :class:`~arena.errors.ArenaError` if it cannot be replayed."""
    state = game_of(game.kind).new_state(game.options.complete(canonical["rules"]))
    events: list[Event] = []
    for seat, action, *_ in canonical["actions"]:
        events += state.apply(seat, action)
    return events
