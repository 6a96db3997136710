"""The driver process of bots with a webhook."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Mapping
from typing import Any

from arena.bots import HOUSE_BOTS
from arena.live.accounts import Accounts
from arena.live.ending import Retention
from arena.live.games import LIVE_SCRIPTS, LiveGames
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_webhooks import WEBHOOK_SCRIPTS, WebhookStore
from arena.live.store_wire import connect
from arena.webhooks.addresses import Policy
from arena.webhooks.driver import Driver
from workers import jobs
from workers.asking import enqueue_house
from workers.settings import database_url, record_days


def drive() -> None:
    """Play for all bots with a webhook until SIGTERM or SIGINT; several processes may.

    Raises :class:`~arena.errors.ArenaError` if there is no database, or a setting cannot be used. One that
    goes away later is waited for.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    policy = Policy.from_environment(os.environ)
    wire = connect(database_url(), (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *WEBHOOK_SCRIPTS))
    wire.look()
    retention = Retention(record_s=86_400 * record_days() or None)
    live = LiveGames(wire, retention=retention, on_house=enqueue_house, on_finished=_finished)
    accounts = Accounts(AccountStore(wire), reserved=HOUSE_BOTS)
    driver = Driver(live, accounts, WebhookStore(wire), policy)

    def stop(*_: object) -> None:
        driver.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    driver.run()


def _finished(game_id: str, summary: Mapping[str, Any]) -> None:
    jobs.tournaments().finished(game_id, summary)
