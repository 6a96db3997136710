"""The process that posts turns to webhook bots."""

from __future__ import annotations

import signal

from workers.jobs import service


def drive() -> None:
    """Post the turns of all webhook bots until SIGTERM or SIGINT; several processes may run.

    Raises :class:`~arena.errors.ArenaError` if there is no database, or a setting is invalid. If the database
    goes away later, the process waits for it.
    """
    service().store.identity.register()
    driver = service().webhook_driver()

    def stop(*_: object) -> None:
        driver.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    driver.run()
