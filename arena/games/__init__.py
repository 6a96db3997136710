"""The games: rules only. No clock, no randomness, no I/O; no game imports another."""

from __future__ import annotations

from arena.errors import UnknownGame
from arena.games.kernel import Game
from arena.games.toepen import TOEPEN
from arena.games.truco import TRUCO

GAMES: dict[str, Game] = {game.kind: game for game in (TRUCO, TOEPEN)}


def game_of(kind: str) -> Game:
    """The game of that kind. Raises :class:`~arena.errors.UnknownGame`."""
    game = GAMES.get(kind)
    if game is None:
        raise UnknownGame(
            f"there is no game {kind!r}", field="kind", expected="one of " + ", ".join(sorted(GAMES))
        )
    return game
