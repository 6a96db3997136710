"""The jobs, by name. They take ids, may run twice and hold no rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from arena.bots import bot_spec
from arena.live.ending import Retention
from arena.live.games import LiveGames
from arena.live.sheet import GameNotFound
from workers.settings import database_url, record_days


@cache
def live_games() -> LiveGames:
    """The live games, over one set of connections per process."""
    return LiveGames.open(database_url(), retention=Retention(record_s=86_400 * record_days() or None))


def choose(name: str, seat: int, turn: Mapping[str, Any], seed: int) -> str | None:
    """What house bot ``name`` does at a turn: a fresh bot, so that nothing but the turn decides."""
    return bot_spec(name).make(seed).choose(turn)


def play_house(game_id: str) -> int:
    """Let the house bots of a game move until somebody outside must decide; how many moves."""
    try:
        return live_games().play_house(game_id, choose)
    except GameNotFound:
        # Ended and expired while the job waited.
        return 0
