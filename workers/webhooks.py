"""The process that posts turns to webhook bots."""

from __future__ import annotations

from arena.ops.signals import stop_on_signals
from workers.jobs import service


def drive() -> None:
    """Post the turns of all webhook bots until SIGTERM or SIGINT. Several such processes can run.

    Raises :class:`~arena.errors.ArenaError` if the database is unavailable or a setting is invalid. If the
    database becomes unavailable later, the process waits for it.
    """
    service().store.identity.register()
    driver = service().webhook_driver()
    stop_on_signals(driver.stop)
    driver.run()
