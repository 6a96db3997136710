"""Describes a bot's games in words, from the response of ``GET /v1/bots/{bot}/games``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

GAMES_MOST: Final = 100
"""The maximum number of a bot's games in a list."""

RESULTS: Final = ("won", "lost", "drawn", "running")
"""The results of a game for a bot. At larger tables, every place but the first is lost."""

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


def opponents(game: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the players on other sides, each listed once."""
    return _players(seat for seat in game["seats"] if seat["seat"] not in game["team"])


def partners(game: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the other players on the bot's side, each listed once."""
    own = game["seats"][game["seat"]]["name"]
    return _players(seat for seat in game["seats"] if seat["seat"] in game["team"] and seat["name"] != own)


def _players(seats: Any) -> list[Mapping[str, Any]]:
    return list({seat["name"]: seat for seat in seats if seat["name"] is not None}.values())


def result_words(game: Mapping[str, Any]) -> str:
    """Return the result for the bot, such as ``won 12–7``, ``lost by forfeit`` or ``3rd of 4``, or the state
    of a game that has no result.
    """
    outcome, seat = game["outcome"], game["seat"]
    if outcome is None:
        return str(game["state"])
    forfeits, sides = outcome["forfeits"], game["sides"]
    if sides > 2:
        place = ordinal(outcome["places"][seat])
        return f"{place} of {sides}" + (" by forfeit" if seat in forfeits else "")
    result = str(game["result"])
    if forfeits:
        return f"{result} by forfeit"
    scores = outcome["scores"]
    other = next((number for number in range(len(scores)) if number not in game["team"]), None)
    # In a game that counts lives, a player who is out has no points.
    if other is None or min(scores[seat], scores[other]) < 0:
        return result
    return f"{result} {scores[seat]}\N{EN DASH}{scores[other]}"


def ordinal(number: int) -> str:
    """Return an ordinal such as ``1st``, ``2nd`` or ``13th``."""
    teen = 10 < number % 100 < 14
    return f"{number}{'th' if teen else _ENDINGS.get(number % 10, 'th')}"
