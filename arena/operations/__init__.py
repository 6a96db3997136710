"""The table of operations: what the API, its document, the client and the commands know about each.

A variable of a module here is an operation. A view of that name in ``api/resources`` carries it out, with the
schemas of its query, body and response.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from arena.operations import (
    admin,
    bot_owners,
    bots,
    comparisons,
    games,
    guests,
    health,
    invitations,
    leaderboards,
    owners,
    records,
    schedules,
    series,
    subscriptions,
    tournaments,
    turns,
)
from arena.operations.operation import Operation

_RESOURCES: Final = (
    owners,
    invitations,
    bots,
    bot_owners,
    games,
    turns,
    tournaments,
    guests,
    subscriptions,
    comparisons,
    series,
    schedules,
    leaderboards,
    records,
    admin,
    health,
)

OPERATIONS: Final[Mapping[str, Operation]] = {
    name: value
    for resource in _RESOURCES
    for name, value in vars(resource).items()
    if isinstance(value, Operation)
}
"""All operations by name."""
