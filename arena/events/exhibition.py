"""Exhibition games: house bots play one game of each kind at the speed of people, so that there is always
something to watch.

The sweeper requests the moves (:data:`~arena.live.game.PACE_MS`), and only while somebody looks: ten minutes
after the last look, the games stand still. They are public, unrated and unmirrored, and no list, board,
statistic or data set contains them. Their account has a budget of processor time
(:data:`~arena.live.header.EXHIBITION`); without time left, no further game begins.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from arena.accounts.allowances import Budgets
from arena.errors import ArenaError
from arena.games import GAMES
from arena.games.descriptor import Game, Preset
from arena.live.finalizer import ENDED
from arena.live.header import EXHIBITION, GameNotFound
from arena.live.service import LiveGames
from arena.store.connection import StoreUnavailable
from arena.store.repositories import Store

log = logging.getLogger(__name__)

REST_MS: Final = 10_000
"""The pause between two games of a kind, in which the result can be read."""

_CREATION_MS: Final = 60_000
"""The time in which a game that was decided on is created, if need be by another process."""

_ID_BYTES: Final = 9

_RANDOM: Final = "random"
"""The bot that takes no part."""


class Shown(TypedDict):
    """The row of a kind: the number and the id of its present game, and when it was decided on."""

    number: int
    game: str
    begun_ms: int


class Exhibition:
    """The exhibition games. Any number of processes can call :meth:`keep`: a game has the id in the row of
    its kind, so there is never more than one of each kind.
    """

    def __init__(self, store: Store, live: LiveGames, budgets: Budgets) -> None:
        self._rows = store.exhibition
        self._watchers = store.watchers
        self._clock = store.clock
        self._live = live
        self._budgets = budgets

    def games(self) -> Mapping[str, str]:
        """Return the ids of the present games by kind. A game may be over, or not created yet."""
        rows = self._rows.many(list(GAMES))
        return {kind: row["game"] for kind, row in zip(GAMES, rows, strict=True) if row is not None}

    def keep(self) -> Sequence[str]:
        """Begin the next game of each kind whose last one is over, and return the ids of these games."""
        if not self._watchers.is_looked_at():
            return []
        begun = []
        for kind, game in GAMES.items():
            try:
                made = self._next(kind, game)
            except StoreUnavailable:
                raise
            except ArenaError:
                log.exception("exhibition game of %s cannot begin", kind)
                continue
            if made is not None:
                begun.append(made)
        return begun

    def _next(self, kind: str, game: Game) -> str | None:
        row: Shown | None = self._rows.find(kind)
        now_ms = self._clock().now_ms
        if row is not None:
            try:
                header = self._live.header(row["game"])
            except GameNotFound:
                if now_ms - row["begun_ms"] < _CREATION_MS:
                    return self._create(kind, game, row)
            else:
                if header.state not in ENDED or now_ms < (header.finished_ms or 0) + REST_MS:
                    return None
        if not self._budgets.has_time(EXHIBITION):
            return None
        number = 0 if row is None else row["number"] + 1
        new: Shown = {"number": number, "game": secrets.token_hex(_ID_BYTES), "begun_ms": now_ms}
        stored: Shown = self._rows.change(kind, lambda found: new if found == row else found)
        return self._create(kind, game, new) if stored == new else None

    def _create(self, kind: str, game: Game, row: Shown) -> str:
        """Create the game of a row, unless another process has done so."""
        preset = preset_of(game, row["number"])
        made = self._live.create(
            kind,
            seats=[{"house": name} for name in players_of(game, row["number"])],
            rules=preset.rules,
            game_id=row["game"],
            exhibition=True,
        )
        return made["game"]


def preset_of(game: Game, number: int) -> Preset:
    """Return the rules of a game by its number: each preset in turn."""
    return game.presets[number % len(game.presets)]


def players_of(game: Game, number: int) -> list[str]:
    """Return the bots at the seats of a game by its number. Partners are the same bot, and the bots of the
    teams change each time all presets have been played. The bot that plays at random takes no part.
    """
    rules: dict[str, Any] = game.options.complete(preset_of(game, number).rules)
    levels = [name for name in list(game.house_bots)[::-1] if name != _RANDOM]
    shift = number // len(game.presets)
    players = dict[int, str]()
    for team, seats in enumerate(game.teams(rules)):
        players |= dict.fromkeys(seats, levels[(team + shift) % len(levels)])
    return [players[seat] for seat in range(game.seats(rules))]
