"""Which games a bot plays."""

from __future__ import annotations

from collections.abc import Collection

from arena.errors import ArenaError


class GameNotPlayed(ArenaError):
    """Raised if a bot is asked to play a game that it says it does not play."""

    code = "game_not_played"


def check_game(bot: str, games: Collection[str], kind: str, field: str = "bot") -> None:
    """Raise :class:`GameNotPlayed` unless ``kind`` is among the ``games`` that the bot named ``bot`` plays;
    an empty collection means all. ``field`` is the request's field, for the error.
    """
    if games and kind not in games:
        raise GameNotPlayed(
            f"{bot} does not play {kind}: its games do not name it",
            field=field,
            expected=" or ".join(games),
        )
