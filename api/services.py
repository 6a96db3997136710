"""What the views work on: made once per app, kept nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from flask import current_app

from api.config import Config
from api.limits import Limits
from api.queues import HouseQueue, PlannerQueue
from arena.bots import HOUSE_BOTS
from arena.live.accounts import Accounts
from arena.live.boards import Boards
from arena.live.ending import Retention
from arena.live.games import LIVE_SCRIPTS, LiveGames
from arena.live.schedules import Schedules
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_limits import LIMIT_SCRIPTS, LimitStore
from arena.live.store_stats import LiveStats, live_stats
from arena.live.store_webhooks import WEBHOOK_SCRIPTS, WebhookStore
from arena.live.store_wire import connect
from arena.live.tournaments import TOURNAMENT_SCRIPTS, Tournaments
from arena.webhooks.registry import Webhooks


@dataclass(frozen=True)
class Services:
    """The parts of the arena that one app uses."""

    config: Config
    accounts: Accounts
    limits: Limits
    live: LiveGames
    tournaments: Tournaments
    schedules: Schedules
    boards: Boards
    webhooks: Webhooks
    ping: Callable[[], object]
    stats: Callable[[], LiveStats]


def make_services(config: Config) -> Services:
    """All services of one process, over one set of connections to the store."""
    scripts = (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *LIMIT_SCRIPTS, *TOURNAMENT_SCRIPTS, *WEBHOOK_SCRIPTS)
    wire = connect(config.redis_url, scripts, max_connections=config.pool)
    accounts = Accounts(AccountStore(wire), config.admin_token, HOUSE_BOTS)
    live = LiveGames(
        wire,
        retention=Retention(record_s=86_400 * config.record_days or None),
        on_house=HouseQueue(config.queue_url),
        on_finished=lambda game, summary: tournaments.finished(game, summary),
    )
    tournaments = Tournaments(wire, live, accounts, on_due=PlannerQueue(config.queue_url))
    clock = live.store.clock
    return Services(
        config=config,
        accounts=accounts,
        limits=Limits(LimitStore(wire), config.limits),
        live=live,
        tournaments=tournaments,
        schedules=Schedules(tournaments.store, tournaments, clock),
        boards=Boards(tournaments.store, clock),
        webhooks=Webhooks(WebhookStore(wire), clock, config.webhooks),
        ping=lambda: wire.run([("PING",)]),
        stats=lambda: live_stats(wire),
    )


def start_sweeper(services: Services) -> None:
    """Serve the games' clocks from this process too, if it is to."""
    if services.config.sweep:
        sweeper = services.live.sweeper()
        threading.Thread(target=sweeper.run, args=(threading.Event(),), name="sweeper", daemon=True).start()


def services() -> Services:
    """The services of the app that handles the present request."""
    return cast(Services, current_app.extensions["botequim"])
