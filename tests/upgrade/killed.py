"""Upgrades in processes that are killed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.upgrade import upgrade
from tests.dying import counted_to, kills_at_each_step
from tests.live.arenas import Arena


def kills_at_each_command(url: str) -> Iterator[int]:
    """Upgrade the data at ``url`` in processes of which each is killed at the next command to the database,
    until one comes to its end. Yields the number of the command.
    """

    def upgrade_until(command: int) -> None:
        arena = Arena(url)
        connection: Any = arena.store._connection
        connection.run = counted_to(command)(connection.run)
        upgrade(arena.store, None)

    return kills_at_each_step(upgrade_until)
