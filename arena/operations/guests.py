"""Invitations to tournaments, and co-organisers."""

from __future__ import annotations

from arena.operations.operation import Operation

_ERRORS = ("tournament_not_found", "tournament_busy")
_SCOPES = ("owner", "admin")

list_guests = Operation(
    "GET",
    "/v1/tournaments/{tournament}/invitations",
    """
    List the invitations to a tournament

    Lists the owners who are invited by name or have accepted a link, those who are invited to organise, and
    the links without their codes. For organisers and admins.
    """,
    scopes=_SCOPES,
    errors=("tournament_not_found",),
    client="guests",
)

invite_owners = Operation(
    "POST",
    "/v1/tournaments/{tournament}/invitations",
    """
    Invite owners to a tournament

    Their bots can enter the tournament, and they can see it if it is hidden; it is in their lists after they
    have accepted or entered. Only for tournaments whose `who` is `invited`.
    """,
    scopes=_SCOPES,
    errors=(*_ERRORS, "owner_not_found", "invitations_off", "invalid_tournament", "quota_exceeded"),
    has_body=True,
    arguments=("owners",),
)

uninvite_owner = Operation(
    "DELETE",
    "/v1/tournaments/{tournament}/invitations/owners/{owner}",
    """
    Withdraw the invitation of an owner

    The owner's bots can no longer enter. Bots that have entered stay. Owners can decline their own.
    """,
    scopes=_SCOPES,
    also={204: "You have declined your own invitation."},
    errors=(*_ERRORS, "owner_not_found"),
)

create_invitation_link = Operation(
    "POST",
    "/v1/tournaments/{tournament}/invitations/links",
    """
    Create an invitation link for a tournament

    Every owner who has the code can accept the invitation until it expires or is revoked. The code is shown
    only once; only its hash is stored.
    """,
    scopes=_SCOPES,
    status=201,
    secret=("code", "url"),
    errors=(*_ERRORS, "invalid_tournament", "quota_exceeded"),
    has_body=True,
    arguments=("expires_ms",),
)

revoke_invitation_link = Operation(
    "DELETE",
    "/v1/tournaments/{tournament}/invitations/links/{link}",
    """
    Revoke an invitation link

    Owners who have already accepted it remain invited.
    """,
    scopes=_SCOPES,
    errors=(*_ERRORS, "link_not_found"),
)

accept_invitation = Operation(
    "POST",
    "/v1/tournaments/{tournament}/invitations/accept",
    """
    Accept an invitation

    With the `code` of a link, your bots can then enter the tournament. Without a code, you accept an
    invitation by name, and a hidden tournament is then in your lists. Accepting again has no effect.
    """,
    scopes=("owner",),
    errors=(*_ERRORS, "link_expired", "owner_not_found", "quota_exceeded"),
    has_body=True,
    arguments=("code",),
)

add_organiser = Operation(
    "PUT",
    "/v1/tournaments/{tournament}/organisers/{owner}",
    """
    Invite a co-organiser, or accept

    The owner becomes a co-organiser by accepting with the same request, and is named in public only then. A
    co-organiser can edit and cancel the tournament, invite owners and enter house bots, but cannot see
    tokens, logs or sources. Only the owner who announced the tournament, and admins, can invite.
    """,
    scopes=_SCOPES,
    errors=(*_ERRORS, "owner_not_found", "invitations_off", "quota_exceeded"),
)

remove_organiser = Operation(
    "DELETE",
    "/v1/tournaments/{tournament}/organisers/{owner}",
    """
    Remove a co-organiser

    Only for the owner who announced the tournament, and admins; co-organisers, and owners who are invited to
    organise, can also remove themselves. The owner who announced the tournament cannot be removed.
    """,
    scopes=_SCOPES,
    status=204,
    errors=(*_ERRORS, "owner_not_found"),
)
