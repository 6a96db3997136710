"""Invitations: codes with which people sign up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlencode

from api.contract import Blueprint
from api.schemas.invitations import (
    InvitationPageSchema,
    InvitationSchema,
    InvitationsQuery,
    NewInvitationListSchema,
    NewInvitationsSchema,
)
from api.services import service_address, services
from arena.accounts.accounts import Principal
from arena.accounts.invitations import NewInvitation, as_json
from arena.accounts.roster import MAX_PEOPLE, InvalidRoster, Person
from arena.store.paging import parse_number

blueprint = Blueprint("invitations", __name__, description="Invitations: codes with which people sign up.")

MAX_BODY: Final = 256 << 10
"""The maximum size of a roster, in bytes."""

_MAX_VALUES: Final = 5 * MAX_PEOPLE


@blueprint.operation(
    "/invitations",
    "POST",
    scopes=("owner",),
    body=NewInvitationsSchema,
    max_body=MAX_BODY,
    max_values=_MAX_VALUES,
    status=201,
    returns=NewInvitationListSchema,
    secret=("invitations",),
    errors=("invalid_roster", "invalid_invitation", "quota_exceeded"),
)
def create_invitations(who: Principal, body: dict[str, Any]) -> dict[str, Any]:
    """Make invitations to sign up

    One for each of the `people`, or a `count` for anybody. Each makes one owner, once, and sign-ups with one
    do not count against the limit per address. The codes are shown only once. Owners may make as many as an
    admin has allowed them. Only their organiser sees the names, and who signed up with which.
    """
    people, count = body.get("people"), body.get("count")
    if (people is None) == (count is None):
        raise InvalidRoster("people and count are two ways", field="people", expected="one of the two")
    invited: Any = count if people is None else [Person(**person) for person in people]
    made = services().invitations.create(
        who.name, invited, roster=body.get("roster", ""), expires_ms=body.get("expires_ms")
    )
    return {"invitations": shown_once(made)}


def shown_once(made: Iterable[NewInvitation]) -> list[dict[str, Any]]:
    """New invitations with their codes, and the pages to sign up with them."""
    address, now_ms = service_address(), services().store.clock().now_ms
    return [
        {
            **as_json(one.invitation, now_ms),
            "code": one.code,
            "url": address and f"{address}/sign-up?{urlencode({'invitation': one.code})}",
        }
        for one in made
    ]


@blueprint.operation(
    "/invitations",
    scopes=("owner",),
    query=InvitationsQuery,
    returns=InvitationPageSchema,
    errors=("invalid_cursor",),
)
def list_invitations(who: Principal, query: dict[str, Any]) -> dict[str, Any]:
    """List your invitations

    The latest first, without their codes. Nobody else sees them, nor who signed up with them.
    """
    start, limit = parse_number(query["cursor"], 9), query["limit"]
    found = services().invitations.list(who.name, query["roster"])
    end = start + limit
    return {"invitations": found[start:end], "cursor": str(end) if end < len(found) else None}


@blueprint.operation(
    "/invitations/<invitation>",
    "DELETE",
    scopes=("owner",),
    returns=InvitationSchema,
    errors=("invitation_not_found",),
)
def revoke_invitation(who: Principal, invitation: str) -> dict[str, Any]:
    """Revoke an invitation

    It cannot be used any more, and does not count against your quota. Of one that was used nothing changes:
    the owner stays.
    """
    return services().invitations.revoke(who.name, invitation)
