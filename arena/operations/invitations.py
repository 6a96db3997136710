"""Invitations: codes with which people sign up."""

from __future__ import annotations

from arena.operations.operation import Operation

create_invitations = Operation(
    "POST",
    "/v1/invitations",
    """
    Make invitations to sign up

    One for each of the `people`, or a `count` for anybody. Each makes one owner, once, and sign-ups with one
    do not count against the limit per address. The codes are shown only once. Owners may make as many as an
    admin has allowed them. Only their organiser sees the names, and who signed up with which.
    """,
    scopes=("owner",),
    status=201,
    secret=("invitations",),
    errors=("invalid_roster", "invalid_invitation", "quota_exceeded"),
    has_body=True,
    client="invite",
    result="invitations",
)

list_invitations = Operation(
    "GET",
    "/v1/invitations",
    """
    List your invitations

    The latest first, without their codes. Nobody else sees them, nor who signed up with them.
    """,
    scopes=("owner",),
    errors=("invalid_cursor",),
    pages=("invitations",),
    client="invitations",
    arguments=("roster",),
)

revoke_invitation = Operation(
    "DELETE",
    "/v1/invitations/{invitation}",
    """
    Revoke an invitation

    It cannot be used any more, and does not count against your quota. Of one that was used nothing changes:
    the owner stays.
    """,
    scopes=("owner",),
    errors=("invitation_not_found",),
)
