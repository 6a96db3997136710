"""Owners of bots."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import ArenaError


class OwnerNotFound(ArenaError):
    """The owner does not exist."""

    code = "owner_not_found"


class InvitationsOff(ArenaError):
    """The owner accepts no invitations of others."""

    code = "invitations_off"


class OwnerSuspended(ArenaError):
    """The owner is suspended."""

    code = "owner_suspended"


@dataclass(frozen=True)
class OwnerSuspension:
    """The suspension of an owner: its reason, the admin who imposed it, and when (Unix milliseconds)."""

    reason: str
    by: str
    at_ms: int


@dataclass(frozen=True)
class Owner:
    """An owner. ``created_ms`` is in Unix milliseconds. While ``suspended`` is set, the owner's tokens are
    rejected and its bots are not seated. ``invitable`` is whether others may invite the owner to share bots,
    and to enter and organise tournaments. ``recovery_ms`` is when the owner's recovery code was made, or None
    without one.
    """

    name: str
    created_ms: int
    admin: bool = False
    suspended: OwnerSuspension | None = None
    invitable: bool = True
    recovery_ms: int | None = None
