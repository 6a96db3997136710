"""Where games are loaded, changed and written back: one read and one write for any number of games.

A process keeps the games that it touched last in memory. That is only a short cut: a write checks
the version, a look is checked against the store's, and what other processes change is forgotten
as soon as they say so. Whoever uses a kept game takes it out meanwhile, so no two ever share one.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from arena.errors import ArenaError, CorruptState
from arena.live.clocks import ServiceClock
from arena.live.game import LiveGame
from arena.live.sheet import GameNotFound, check_game_id
from arena.live.store import GameStore, Row
from arena.live.store_wire import Command

log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_TRIES: Final = 50
"""Tries to change a game before giving up; each conflict means that somebody else got through."""


class GameBusy(ArenaError):
    """So many changes at once that this one did not get through; nothing was changed by it."""

    code: ClassVar[str] = "game_busy"


class Changed(NamedTuple, Generic[T]):
    """The results of :meth:`Desk.change`, the versions of the games for which they hold, and the
    replies to the commands that went along.
    """

    results: dict[str, T | None]
    versions: dict[str, int]
    replies: list[Any]


class Taken(NamedTuple):
    """A step that was taken: of which game, to which version and state, and whether a house bot must move."""

    game: str
    version: int
    state: str
    house: bool


class Desk:
    """The games of one process. ``after_step`` is called for every step that was taken."""

    after_step: Callable[[Taken], None]

    def __init__(self, store: GameStore, *, kept_games: int = 4096) -> None:
        self.store = store
        self.after_step = _nothing
        self._kept: dict[str, LiveGame] = {}
        self._most = kept_games
        store.wire.on_restart.append(self._kept.clear)

    # Looking

    def load(self, game_id: str, seats: Iterable[int] = ()) -> LiveGame:
        """The game as stored now, with the events that turns of ``seats`` show.

        Raises :class:`GameNotFound` or :class:`~arena.errors.CorruptState`.
        """
        (row,) = self.store.load([check_game_id(game_id)], tails=True)
        if row is None:
            raise GameNotFound(f"there is no game {game_id[:80]!r}", field="game")
        game = LiveGame.restore(row)
        for seat in seats:
            self.complete(game, seat)
        return game

    def complete(self, game: LiveGame, seat: int) -> None:
        """Fetch the events that a turn of ``seat`` shows and that are not in memory."""
        missing = game.missing_events(seat) if game.table is not None else None
        if missing is not None:
            game.add_older_events(self.store.events(game.id, *missing))

    def at_least(self, versions: Mapping[str, int]) -> dict[str, LiveGame]:
        """The games at these versions or later, from memory where possible; those that are there
        and can be read. Give them back with :meth:`keep`.
        """
        found: dict[str, LiveGame] = {}
        for game_id, version in versions.items():
            game = self._kept.pop(game_id, None)
            if game is None:
                continue
            if game.version == version:
                game.stored = version
            if game.version == game.stored >= version:
                found[game_id] = game
            else:
                self.keep(game)
        missing = [game_id for game_id in versions if game_id not in found]
        if missing:
            found.update(self._loaded(missing, tails=True))
        return found

    def keep(self, game: LiveGame) -> None:
        """Keep the game in memory, unless a newer one is."""
        kept = self._kept
        other = kept.get(game.id)
        if other is None or other.version <= game.version:
            kept[game.id] = game
            if len(kept) > self._most:
                for oldest in list(kept)[: self._most // 8]:
                    kept.pop(oldest, None)

    def forget_older(self, game_id: str, version: int) -> None:
        """Somebody has brought the game to ``version``."""
        game = self._kept.get(game_id)
        if game is not None and game.version < version:
            self._kept.pop(game_id, None)

    # Changing

    def change_one(self, game_id: str, act: Callable[[LiveGame, ServiceClock], T]) -> T:
        """:meth:`change` for one game. What ``act`` raises is raised, and then nothing is changed."""
        results = self.change({check_game_id(game_id): act}).results
        result = results[game_id]
        if result is None:
            raise GameNotFound(f"there is no game {game_id[:80]!r}", field="game")
        return result

    def change(
        self, acts: Mapping[str, Callable[[LiveGame, ServiceClock], T]], then: Sequence[Command] = ()
    ) -> Changed[T]:
        """Let each function act on its game and store the changes, each game for itself.

        A function gets the game and the time and returns its result; it may be called again with
        a newer game. The result of a game that is not there is None. ``then``: commands that are
        run after the steps, in the same round trip. Raises :class:`GameBusy`.
        """
        results: dict[str, T | None] = {}
        versions: dict[str, int] = {}
        replies: list[Any] | None = [] if not then else None
        todo = dict(acts)
        games = self._take(todo)
        for attempt in range(MAX_TRIES):
            trusted = set(games)
            missing = [game_id for game_id in todo if game_id not in games]
            if missing:
                games.update(self._loaded(missing))
            clock = self.store.clock()
            steps = []
            stepping: list[tuple[LiveGame, Taken]] = []
            for game_id, act in list(todo.items()):
                game = games.get(game_id)
                if game is None:
                    results[game_id] = None
                    del todo[game_id]
                    continue
                game.begin()
                try:
                    results[game_id] = act(game, clock)
                except ArenaError:
                    if game_id not in trusted:
                        raise
                    continue
                step = game.step(clock, self.store.next_version(game.version))
                versions[game_id] = game.version
                if step is not None:
                    game.trim()
                    house = bool(game.awaited_house_seats())
                    stepping.append((game, Taken(game_id, step.version, game.sheet.state, house)))
                    steps.append(step)
                    self.keep(game)
                elif game_id not in trusted:
                    # A game from memory may be an old one, and what it refuses may be allowed now.
                    self.keep(game)
                    del todo[game_id]
            if steps or (replies is None and not todo):
                taken, replies_now = self.store.write(steps, then)
                replies = replies_now if then else []
                for (game, after), ok in zip(stepping, taken, strict=True):
                    if ok:
                        # By now somebody else may have taken it further.
                        game.stored = max(game.stored, after.version)
                        del todo[after.game]
                        self.after_step(after)
                    elif self._kept.get(after.game) is game:
                        self._kept.pop(after.game, None)
            if not todo and replies is not None:
                return Changed(results, versions, replies)
            games = {}
            if attempt > 1:
                time.sleep(random.random() * 0.002 * attempt)
        raise GameBusy("too many changes at once; try again", field="game")

    def _take(self, ids: Iterable[str]) -> dict[str, LiveGame]:
        games = {}
        for game_id in ids:
            game = self._kept.pop(game_id, None)
            if game is not None and game.stored == game.version:
                games[game_id] = game
        return games

    def _loaded(self, ids: Sequence[str], *, tails: bool = False) -> dict[str, LiveGame]:
        games = {}
        for game_id, row in zip(ids, self.store.load(ids, tails=tails), strict=True):
            game = _readable(game_id, row)
            if game is not None:
                games[game_id] = game
        return games


def _nothing(taken: Taken) -> None:
    """What follows a step where nobody has said."""


def _readable(game_id: str, row: Row | None) -> LiveGame | None:
    if row is None:
        return None
    try:
        return LiveGame.restore(row)
    except CorruptState:
        # The sweeper declares it void.
        log.exception("game %s cannot be read", game_id)
        return None


__all__ = ["Changed", "Desk", "GameBusy", "Taken"]
