"""The table of operations, on which the API, its OpenAPI document, the client and the commands are based.

Each :class:`Operation` in a module here is implemented by a view of the same name in ``api/resources``, with
the schemas of its query, body and response.
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
