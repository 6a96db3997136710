"""How long a live game can be. Rules and local play have no such limits."""

from __future__ import annotations

from typing import Final

from arena.errors import ArenaError
from arena.games.descriptor import Game
from arena.games.options import Rules, RuleValue

MOST_USUAL_MOVES: Final = 8_000
"""The maximum number of moves that a game may usually take by its rules, so that almost no game reaches
``MOST_MOVES``.
"""

MOST_MOVES: Final = 10_000
"""The number of moves, deals included, after which a live game that has not ended is void."""

TOO_LONG: Final = f"not over after {MOST_MOVES} moves"
"""The reason of such a void."""


class GameTooLong(ArenaError):
    """By these rules, a game would usually take more than ``MOST_USUAL_MOVES`` moves."""

    code = "game_too_long"


def check_length(game: Game, rules: Rules) -> None:
    """Raise :class:`GameTooLong` if games by the complete ``rules`` are too long to be live games. The error
    names, for each option that can shorten the game enough, the largest value that is accepted.
    """
    if game.usual_moves is None or _fits(game, rules):
        return
    values = {name: _largest(game, rules, name) for name in game.length_options}
    fits = {name: value for name, value in values.items() if value is not None}
    raise GameTooLong(
        f"by these rules a game usually takes about {round(game.usual_moves(rules), -2)} moves, more "
        f"than the {MOST_USUAL_MOVES} that are allowed",
        field=f"rules.{next(iter(fits), '')}".rstrip("."),
        expected=" or ".join(f"{name} of at most {value}" for name, value in fits.items()) or "shorter rules",
    )


def _largest(game: Game, rules: Rules, name: str) -> RuleValue | None:
    """Return the largest value of the option with which a game is short enough, or None."""
    option = game.options.by_name[name]
    values = range(int(rules[name]) - 1, option.low - 1, -1)
    return next((value for value in values if _fits(game, {**rules, name: value})), None)


def _fits(game: Game, rules: Rules) -> bool:
    return game.usual_moves is None or game.usual_moves(rules) <= MOST_USUAL_MOVES
