"""Upgrades the data of a service to the format of this program.

The database stores the number of its format (:mod:`arena.store.identity`). A change to the stored data
increments :data:`~arena.store.rows.FORMAT` and adds a step with its test. A step is a module
``step_<number>.py`` in this folder with a function ``upgrade(store, objects)`` that converts all data from
the previous format to that number. If the function is killed, running it again must complete the upgrade.
``objects`` is the object store of the archive, or None if there is no archive.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from arena.records.archive.objects import ObjectStore
from arena.store.identity import UnknownFormat
from arena.store.repositories import Store
from arena.store.rows import FORMAT
from arena.upgrade import step_2, step_3, step_4, step_5, step_6, step_7, step_8, step_9

log = logging.getLogger(__name__)

Step = Callable[[Store, ObjectStore | None], None]

STEPS: Final[Mapping[int, Step]] = MappingProxyType(
    {
        number: step.upgrade
        for number, step in enumerate(
            (step_2, step_3, step_4, step_5, step_6, step_7, step_8, step_9), start=2
        )
    }
)
"""The upgrade steps, keyed by the format that they produce."""


def upgrade(store: Store, objects: ObjectStore | None) -> list[int]:
    """Upgrade the data to the format of this program, and return the numbers of the steps that were
    performed. An empty database is only marked with the format. No other process may use the database
    meanwhile. An interrupted step is repeated. ``objects`` is the archive, or None if the service has none.

    Raises :class:`~arena.store.identity.UnknownFormat`, or :class:`~arena.store.identity.StoreReplaced` if
    the database is being restored.
    """
    found = store.identity.format()
    if found is None:
        store.identity.register()
        return []
    check_upgradable(found)
    numbers = list(range(found + 1, FORMAT + 1))
    for number in numbers:
        log.info("upgrading the data to format %d", number)
        STEPS[number](store, objects)
        store.identity.set_format(number)
    return numbers


def check_upgradable(found: int) -> None:
    """Check that data of this format are already current or can be upgraded. Raises
    :class:`~arena.store.identity.UnknownFormat`.
    """
    if found > FORMAT:
        raise UnknownFormat.of(found)
    if missing := [number for number in range(found + 1, FORMAT + 1) if number not in STEPS]:
        oldest = max(missing)
        raise UnknownFormat(
            f"the data have format {found}, but this program can only upgrade formats {oldest} to {FORMAT}",
            expected=f"to upgrade to format {oldest} or newer with an older version of this program first",
        )


__all__ = ["STEPS", "Step", "check_upgradable", "upgrade"]
