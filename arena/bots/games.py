"""Which games a bot plays."""

from __future__ import annotations

from collections.abc import Collection

from arena.errors import ArenaError


class GameNotPlayed(ArenaError):
    """A bot is to play a game that it does not play, as it says itself."""

    code = "game_not_played"


def check_game(bot: str, games: Collection[str], kind: str, field: str = "bot") -> None:
    """Raise :class:`GameNotPlayed` unless ``kind`` is among the ``games`` that the bot named ``bot`` plays;
    none are all. ``field``: of the request, for the error.
    """
    if games and kind not in games:
        raise GameNotPlayed(
            f"{bot} does not play {kind}: its games do not name it",
            field=field,
            expected=" or ".join(games),
        )
