"""The games. No game imports another; the rest of the service looks them up here."""

from __future__ import annotations

from arena.errors import UnknownGame
from arena.games.descriptor import Game
from arena.games.toepen.game import GAME as TOEPEN
from arena.games.truco.game import GAME as TRUCO

GAMES: dict[str, Game] = {}
"""All games by kind, in the order of their registration."""


def register(game: Game) -> None:
    """Add a game. Raises ``ValueError`` if there is one of that kind."""
    if game.kind in GAMES:
        raise ValueError(f"there is a game {game.kind!r} already")
    GAMES[game.kind] = game


def game_of(kind: str) -> Game:
    """The game of that kind. Raises :class:`~arena.errors.UnknownGame`."""
    game = GAMES.get(kind)
    if game is None:
        raise UnknownGame(
            f"there is no game {kind!r}", field="kind", expected="one of " + ", ".join(sorted(GAMES))
        )
    return game


register(TRUCO)
register(TOEPEN)
