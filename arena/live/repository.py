"""Loads, changes and stores games, with one read and one write for any number of games.

A process caches the games that it used most recently. Each write checks the version, and each read compares
it with the version in the store. Notifications from other processes evict the games that they changed. A game
is removed from the cache while it is in use, so two callers never share one.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

from arena.errors import ArenaError, CorruptState
from arena.live.game import LiveGame
from arena.live.header import GameNotFound, check_game_id
from arena.play.clocks import ServiceClock
from arena.store.games import GameRow, GameStore, PendingQuery, PendingTurn

log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_TRIES: Final = 50
"""The maximum number of attempts to change a game; each conflict means that another change succeeded."""


class GameBusy(ArenaError):
    """The change was rejected because of too many concurrent changes, and had no effect."""

    code: ClassVar[str] = "game_busy"


class ChangeResult(NamedTuple, Generic[T]):
    """The results of :meth:`GameRepository.change`, the versions of the games to which they apply, and the
    turns pending afterwards.
    """

    results: dict[str, T | None]
    versions: dict[str, int]
    pending: list[PendingTurn]


class StepApplied(NamedTuple):
    """An accepted step: the game, its new version, its state before the step (empty if the game is new) and
    after it, whether a house bot must move, and the account that pays for that.
    """

    game: str
    version: int
    before: str
    state: str
    house: bool
    payer: str


class GameRepository:
    """The games of one process. ``after_step`` is called for every accepted step."""

    def __init__(
        self, store: GameStore, after_step: Callable[[StepApplied], None], *, kept_games: int = 4096
    ) -> None:
        self.store = store
        self._after_step = after_step
        self._kept: dict[str, LiveGame] = {}
        self._most = kept_games
        store.on_restart(self._kept.clear)

    # Reading

    def load(self, game_id: str, seats: Iterable[int] = ()) -> LiveGame:
        """Return the game as currently stored, including the events that turns of ``seats`` show.

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
        """Load the events that a turn of ``seat`` shows and that are not yet in memory."""
        missing = game.missing_events(seat) if game.table is not None else None
        if missing is not None:
            game.add_older_events(self.store.events(game.id, *missing))

    def at_least(self, versions: Mapping[str, int]) -> dict[str, LiveGame]:
        """Return the games at these or later versions, from the cache if possible, leaving out those that are
        missing or cannot be read. The caller must return them with :meth:`keep`.
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
        """Put the game into the cache, unless the cache has a newer version. Tables that can be paused are
        not cached, because their attendance changes without a new version.
        """
        if game.has_one_person:
            return
        kept = self._kept
        other = kept.get(game.id)
        if other is None or other.version <= game.version:
            kept[game.id] = game
            if len(kept) > self._most:
                for oldest in list(kept)[: self._most // 8]:
                    kept.pop(oldest, None)

    def forget_older(self, game_id: str, version: int) -> None:
        """Evict the game from the cache if it is older than ``version``."""
        game = self._kept.get(game_id)
        if game is not None and game.version < version:
            self._kept.pop(game_id, None)

    # Changing

    def change_one(
        self, game_id: str, act: Callable[[LiveGame, ServiceClock], T], *, by_house: bool = False
    ) -> T:
        """Call :meth:`change` for one game. If ``act`` raises, nothing changes, and the error propagates."""
        results = self.change({check_game_id(game_id): act}, by_house=by_house).results
        result = results[game_id]
        if result is None:
            raise GameNotFound(f"there is no game {game_id[:80]!r}", field="game")
        return result

    def change(
        self,
        acts: Mapping[str, Callable[[LiveGame, ServiceClock], T]],
        then: PendingQuery | None = None,
        *,
        by_house: bool = False,
    ) -> ChangeResult[T]:
        """Apply each function to its game and store the changes; each game is independent.

        A function receives the game and the time, and returns its result. It can be called again with a newer
        version of the game. The result of a missing game is None. ``then`` is a query for turns to read after
        the steps, in the same round trip. ``by_house`` means that the caller will move the house bots of
        these games, so no job is requested for that. Raises :class:`GameBusy`.
        """
        results: dict[str, T | None] = {}
        versions: dict[str, int] = {}
        pending: list[PendingTurn] | None = [] if then is None else None
        todo = dict(acts)
        games = self._take(todo)
        for attempt in range(MAX_TRIES):
            trusted = set(games)
            missing = [game_id for game_id in todo if game_id not in games]
            if missing:
                games.update(self._loaded(missing))
            clock = self.store.clock()
            steps = []
            stepping: list[tuple[LiveGame, StepApplied]] = []
            for game_id, act in list(todo.items()):
                game = games.get(game_id)
                if game is None:
                    results[game_id] = None
                    del todo[game_id]
                    continue
                game.begin()
                before = game.header.state
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
                    house = not by_house and bool(game.house_seats_to_move())
                    after = StepApplied(
                        game_id, step.version, before, game.header.state, house, game.header.payer
                    )
                    stepping.append((game, after))
                    steps.append(step)
                    self.keep(game)
                elif game_id not in trusted:
                    # A cached game can be outdated, and an action that it rejects can be allowed now.
                    self.keep(game)
                    del todo[game_id]
            if steps or (pending is None and not todo):
                taken, pending = self.store.write(steps, then)
                for (game, after), ok in zip(stepping, taken, strict=True):
                    if ok:
                        # Another process may have changed the game in the meantime.
                        game.stored = max(game.stored, after.version)
                        del todo[after.game]
                        self._after_step(after)
                    elif self._kept.get(after.game) is game:
                        self._kept.pop(after.game, None)
            if not todo and pending is not None:
                return ChangeResult(results, versions, pending)
            games = {}
            if attempt > 1:
                time.sleep(random.random() * 0.002 * attempt)
        raise GameBusy("the game is being changed by too many requests at once; try again", field="game")

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


def _readable(game_id: str, row: GameRow | None) -> LiveGame | None:
    if row is None:
        return None
    try:
        return LiveGame.restore(row)
    except CorruptState:
        # The sweeper voids such a game.
        log.exception("game %s cannot be read", game_id)
        return None
