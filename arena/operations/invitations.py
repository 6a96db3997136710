"""Invitations: codes for signing up."""

from __future__ import annotations

from arena.operations.operation import Operation

create_invitations = Operation(
    "POST",
    "/v1/invitations",
    """
    Create invitations to sign up

    Creates one for each of the `people`, or `count` invitations for anybody. Each can be used for one
    sign-up, which does not count against the limit per address. The codes are shown only once. An admin sets
    how many invitations an owner can create. Only the owner who created them sees the names and who signed up
    with which invitation.
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

    Lists the newest first, without their codes. Nobody else sees them or who signed up with them.
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

    The invitation can no longer be used, and no longer counts against your quota. Revoking a used invitation
    has no effect: the owner remains.
    """,
    scopes=("owner",),
    errors=("invitation_not_found",),
)
