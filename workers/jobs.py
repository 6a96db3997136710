"""The jobs, by name. They take ids, may run twice and hold no rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from arena.bots import HOUSE_BOTS, bot_spec
from arena.live.accounts import Accounts
from arena.live.ending import Retention
from arena.live.event import TournamentNotFound
from arena.live.games import LIVE_SCRIPTS, LiveGames
from arena.live.sheet import GameNotFound
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_wire import Wire, connect
from arena.live.tournaments import TOURNAMENT_SCRIPTS, Tournaments
from workers.asking import enqueue_advance, enqueue_play
from workers.settings import database_url, record_days

PLAY_SECONDS: Final = 2.0
"""How long one job plays: others wait for it so long."""


@cache
def wire() -> Wire:
    """One set of connections per process."""
    return connect(database_url(), (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *TOURNAMENT_SCRIPTS))


@cache
def live_games() -> LiveGames:
    """The live games."""
    return LiveGames(wire(), retention=Retention(record_s=86_400 * record_days() or None))


@cache
def tournaments() -> Tournaments:
    """The tournaments."""
    accounts = Accounts(AccountStore(wire()), reserved=HOUSE_BOTS)
    return Tournaments(wire(), live_games(), accounts, on_due=enqueue_advance)


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


def advance(tournament_id: str) -> None:
    """Do what is due in a tournament, and ask for what the house has to play."""
    try:
        advanced = tournaments().advance(tournament_id)
    except TournamentNotFound:
        return
    if advanced.house:
        enqueue_play(tournament_id, advanced.house)


def play(tournament_id: str, slot: int) -> None:
    """Play groups of a tournament for a while, and ask for more of that, or for the next round."""
    played = tournaments().play_house(tournament_id, PLAY_SECONDS)
    if played.done:
        advance(tournament_id)
    elif played.more:
        enqueue_play(tournament_id, 1, slot)
