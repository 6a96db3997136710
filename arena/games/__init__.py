"""The registry of games. No game imports another, and the rest of the service looks games up here."""

from __future__ import annotations

from arena.errors import ArenaError, UnknownGame
from arena.games.descriptor import Game
from arena.games.features import Features
from arena.games.options import Rules
from arena.games.toepen.game import GAME as TOEPEN
from arena.games.truco.game import GAME as TRUCO

GAMES: dict[str, Game] = {}
"""All games by kind, in the order in which they were registered."""


def register(game: Game) -> None:
    """Register a game. Raises ``ValueError`` if a game of the same kind is already registered."""
    if game.kind in GAMES:
        raise ValueError(f"a game {game.kind!r} is already registered")
    GAMES[game.kind] = game


def game_of(kind: str) -> Game:
    """Return the game of this kind. Raises :class:`~arena.errors.UnknownGame`."""
    game = GAMES.get(kind)
    if game is None:
        raise UnknownGame(
            f"there is no game {kind!r}", field="kind", expected="one of " + ", ".join(sorted(GAMES))
        )
    return game


def features_of(kind: str, rules: Rules) -> Features:
    """Return the features of a game with these complete rules, such as the ``rules`` of a turn. Raises
    :class:`~arena.errors.ArenaError` (``no_features``) if the game has no features.
    """
    game = game_of(kind)
    if game.features is None:
        raise ArenaError(f"{game.title} has no features", code="no_features", field="kind")
    return game.features(rules)


register(TRUCO)
register(TOEPEN)
