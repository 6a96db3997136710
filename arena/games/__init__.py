"""The games. No game imports another; the rest of the service looks them up here."""

from __future__ import annotations

from arena.errors import ArenaError, UnknownGame
from arena.games.descriptor import Game
from arena.games.features import Features
from arena.games.options import Rules
from arena.games.toepen.game import GAME as TOEPEN
from arena.games.truco.game import GAME as TRUCO

GAMES: dict[str, Game] = {}
"""All games by kind, in the order of their registration."""


def register(game: Game) -> None:
    """Add a game. Raises ``ValueError`` if a game of that kind exists already."""
    if game.kind in GAMES:
        raise ValueError(f"a game {game.kind!r} is already registered")
    GAMES[game.kind] = game


def game_of(kind: str) -> Game:
    """Return the game of that kind. Raises :class:`~arena.errors.UnknownGame`."""
    game = GAMES.get(kind)
    if game is None:
        raise UnknownGame(
            f"there is no game {kind!r}", field="kind", expected="one of " + ", ".join(sorted(GAMES))
        )
    return game


def features_of(kind: str, rules: Rules) -> Features:
    """Return the features of a game with these complete rules, such as the ``rules`` of a turn. Raises
    :class:`~arena.errors.ArenaError` (``no_features``) if the game has none.
    """
    game = game_of(kind)
    if game.features is None:
        raise ArenaError(f"{game.title} has no features", code="no_features", field="kind")
    return game.features(rules)


register(TRUCO)
register(TOEPEN)
