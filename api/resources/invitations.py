"""Invitations: codes with which people sign up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from api.http.contract import Blueprint
from api.schemas.invitations import (
    GivenInvitations,
    GivenInvitationsPage,
    InvitationPageSchema,
    InvitationSchema,
    InvitationsQuery,
    NewInvitationListSchema,
    NewInvitationsSchema,
)
from api.services import service_address, services
from arena.accounts.accounts import Principal
from arena.accounts.invitations import NewInvitation, as_json
from arena.inputs.roster import MAX_PEOPLE, InvalidRoster, Person
from arena.store.paging import parse_number

blueprint = Blueprint("invitations", __name__, description="Invitations: codes with which people sign up.")

MAX_BODY: Final = 256 << 10
"""The maximum size of a roster, in bytes."""

_MAX_VALUES: Final = 5 * MAX_PEOPLE


@blueprint.operation(
    body=NewInvitationsSchema, max_body=MAX_BODY, max_values=_MAX_VALUES, returns=NewInvitationListSchema
)
def create_invitations(who: Principal, body: GivenInvitations) -> Mapping[str, object]:
    people, count = body.get("people"), body.get("count")
    if (people is None) == (count is None):
        raise InvalidRoster(
            "people and count cannot be used together", field="people", expected="one of them"
        )
    invited: Any = count if people is None else [Person(**person) for person in people]
    made = services().invitations.create(
        who.name, invited, roster=body.get("roster", ""), expires_ms=body.get("expires_ms")
    )
    return {"invitations": shown_once(made)}


def shown_once(made: Iterable[NewInvitation]) -> list[dict[str, str | int | None]]:
    """Return new invitations with their codes and the URLs of their sign-up pages."""
    address, now_ms = service_address(), services().store.clock().now_ms
    return [
        {
            **as_json(one.invitation, now_ms),
            "code": one.code,
            "url": address and f"{address}/sign-up?{urlencode({'invitation': one.code})}",
        }
        for one in made
    ]


@blueprint.operation(query=InvitationsQuery, returns=InvitationPageSchema)
def list_invitations(who: Principal, query: GivenInvitationsPage) -> Mapping[str, object]:
    start, limit = parse_number(query["cursor"], 9), query["limit"]
    found = services().invitations.list(who.name, query["roster"])
    end = start + limit
    return {"invitations": found[start:end], "cursor": str(end) if end < len(found) else None}


@blueprint.operation(returns=InvitationSchema)
def revoke_invitation(who: Principal, invitation: str) -> Mapping[str, object]:
    return services().invitations.revoke(who.name, invitation)
