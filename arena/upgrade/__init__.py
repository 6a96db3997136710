"""Brings the data of a service to the format of this program.

The database stores the number of its format (:mod:`arena.store.identity`). A change of what is stored raises
:data:`~arena.store.rows.FORMAT` by one and adds a step: a module ``step_<number>.py`` in this folder with a
function ``upgrade(store, objects)``, which brings all data of the format before to that number and may be
repeated after it was killed; and its test. ``objects``: where the archive is, None if there is none.
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
from arena.upgrade import step_2

log = logging.getLogger(__name__)

Step = Callable[[Store, ObjectStore | None], None]

STEPS: Final[Mapping[int, Step]] = MappingProxyType({2: step_2.upgrade})
"""The steps by the format to which they bring the data."""


def upgrade(store: Store, objects: ObjectStore | None) -> list[int]:
    """Bring the data to the format of this program, and return the numbers of the steps that were taken. An
    empty database is marked with that format. No other process may use the database; a step that was
    interrupted is repeated. ``objects`` is the archive, or None if the service has none.

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
    """Check that data of this format are in this program's format, or that there are steps from there. Raises
    :class:`~arena.store.identity.UnknownFormat`.
    """
    if found > FORMAT:
        raise UnknownFormat.of(found)
    if missing := [number for number in range(found + 1, FORMAT + 1) if number not in STEPS]:
        oldest = max(missing)
        raise UnknownFormat(
            f"the data have format {found}, and this program upgrades formats {oldest} to {FORMAT}",
            expected=f"an upgrade by an older version of this program, to format {oldest} at least",
        )


__all__ = ["STEPS", "Step", "check_upgradable", "upgrade"]
