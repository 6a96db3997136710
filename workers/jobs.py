"""The jobs, by name. They take ids, may run twice and hold no rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from arena.bots import HOUSE_BOTS, bot_spec
from arena.live.accounts import Accounts
from arena.live.boards import Boards
from arena.live.ending import Retention
from arena.live.event import TournamentNotFound
from arena.live.games import LIVE_SCRIPTS, LiveGames
from arena.live.sandboxed import SandboxedBots
from arena.live.schedules import Schedules
from arena.live.sheet import GameNotFound
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_wire import Wire, connect
from arena.live.tournaments import TOURNAMENT_SCRIPTS, Tournaments
from workers.asking import enqueue_advance, enqueue_house, enqueue_once, enqueue_play
from workers.settings import PLANNER_QUEUE, TICK_SECONDS, database_url, record_days

PLAY_SECONDS: Final = 2.0
"""How long one job plays: others wait for it so long."""

TICK_MS: Final = 1000 * TICK_SECONDS
LEASE_MS: Final = 5_000
"""A tournament that was due and was not looked at is due again after that."""

TOURNAMENTS_AT_ONCE: Final = 100


@cache
def wire() -> Wire:
    """One set of connections per process."""
    return connect(database_url(), (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *TOURNAMENT_SCRIPTS))


def _retention() -> Retention:
    return Retention(record_s=86_400 * record_days() or None)


@cache
def live_games() -> LiveGames:
    """The live games for the job that lets house bots move: it goes on until nobody of the house must."""
    return LiveGames(wire(), retention=_retention(), on_finished=_finished)


def _finished(game_id: str, summary: Mapping[str, Any]) -> None:
    tournaments().finished(game_id, summary)


@cache
def tournaments() -> Tournaments:
    """The tournaments."""
    live = LiveGames(wire(), retention=_retention(), on_house=enqueue_house, on_finished=_finished)
    accounts = Accounts(AccountStore(wire()), reserved=HOUSE_BOTS)
    return Tournaments(wire(), live, accounts, on_due=enqueue_advance, sandbox=SandboxedBots(accounts))


@cache
def boards() -> Boards:
    """The leaderboards."""
    return Boards(tournaments().store, live_games().store.clock)


@cache
def schedules() -> Schedules:
    """The schedules."""
    return Schedules(tournaments().store, tournaments(), live_games().store.clock)


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
        tournaments().store.settle(tournament_id, None)
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


def publish_board(kind: str, division: str) -> None:
    """Publish a leaderboard with what was released since the last time."""
    boards().publish(kind, division)


def tick() -> None:
    """Look after everything: what is due in schedules, tournaments and leaderboards.

    Schedulers may be several, and ticks may have piled up while no worker was there: one at a time is
    enough.
    """
    store = tournaments().store
    if not store.first("tick", TICK_MS // 2):
        return
    schedules().fire()
    now_ms = live_games().store.clock().now_ms
    while due := store.claim_due(now_ms, now_ms + LEASE_MS, TOURNAMENTS_AT_ONCE):
        for tournament_id in due:
            enqueue_advance(tournament_id)
    for kind, division in boards().due():
        job_id = f"publish-{kind}-{division}"
        enqueue_once(PLANNER_QUEUE, "publish_board", kind, division, job_id=job_id)
