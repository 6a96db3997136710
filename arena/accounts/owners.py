"""Owners of bots."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import ArenaError


class OwnerNotFound(ArenaError):
    """The owner does not exist."""

    code = "owner_not_found"


class OwnerSuspended(ArenaError):
    """The owner is suspended."""

    code = "owner_suspended"


@dataclass(frozen=True)
class OwnerSuspension:
    """Why an owner is suspended, by which admin, and since when (Unix time in milliseconds)."""

    reason: str
    by: str
    at_ms: int


@dataclass(frozen=True)
class Owner:
    """An owner. ``created_ms``: Unix time in milliseconds. ``suspended``: while it is set, its tokens are
    refused and its bots are not seated.
    """

    name: str
    created_ms: int
    admin: bool = False
    suspended: OwnerSuspension | None = None
