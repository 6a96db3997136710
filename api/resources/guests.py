"""Invitations to tournaments, and co-organisers."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from flask import Response

from api.http.auth import viewer
from api.http.contract import Blueprint, json_response
from api.schemas.guests import (
    CodeSchema,
    CreatedLinkSchema,
    GivenCode,
    GivenGuests,
    GivenLink,
    GuestsSchema,
    InviteSchema,
    NewLinkSchema,
)
from api.schemas.tournaments import MAX_SETTINGS, MAX_SETTINGS_VALUES, TournamentSchema
from api.services import service_address, services
from arena.accounts.accounts import Principal

blueprint = Blueprint(
    "guests", __name__, description="The organisers of a tournament, and the owners invited to it."
)


def invitation_url(tournament: str, code: str) -> str:
    """Return the URL of the page on which an owner accepts an invitation."""
    return f"{service_address() or ''}/tournaments/{tournament}/invitation?{urlencode({'code': code})}"


@blueprint.operation(returns=GuestsSchema)
def list_guests(who: Principal, tournament: str) -> Mapping[str, object]:
    return services().tournaments.invitations.view(tournament, who)


@blueprint.operation(
    body=InviteSchema, returns=GuestsSchema, max_body=MAX_SETTINGS, max_values=MAX_SETTINGS_VALUES
)
def invite_owners(who: Principal, body: GivenGuests, tournament: str) -> Mapping[str, object]:
    invitations = services().tournaments.invitations
    invitations.invite(tournament, body["owners"], who)
    return invitations.view(tournament, who)


@blueprint.operation(returns=GuestsSchema)
def uninvite_owner(who: Principal, tournament: str, owner: str) -> Mapping[str, object] | Response:
    arena = services().tournaments
    arena.invitations.uninvite(tournament, owner, who)
    if not arena.organising.powers(tournament, who).edits:
        return json_response(None, 204)
    return arena.invitations.view(tournament, who)


@blueprint.operation(body=NewLinkSchema, returns=CreatedLinkSchema)
def create_invitation_link(who: Principal, body: GivenLink, tournament: str) -> Mapping[str, object]:
    made = services().tournaments.invitations.add_link(tournament, body.get("expires_ms"), who)
    return {**made, "url": invitation_url(tournament, made["code"])}


@blueprint.operation(returns=GuestsSchema)
def revoke_invitation_link(who: Principal, tournament: str, link: str) -> Mapping[str, object]:
    invitations = services().tournaments.invitations
    invitations.revoke_link(tournament, link, who)
    return invitations.view(tournament, who)


@blueprint.operation(body=CodeSchema, returns=TournamentSchema)
def accept_invitation(who: Principal, body: GivenCode, tournament: str) -> Response:
    arena = services().tournaments
    arena.invitations.accept(tournament, body.get("code"), who)
    return json_response(arena.view(tournament, viewer(who)))


@blueprint.operation(returns=TournamentSchema)
def add_organiser(who: Principal, tournament: str, owner: str) -> Response:
    arena = services().tournaments
    arena.invitations.add_organiser(tournament, owner, who)
    return json_response(arena.view(tournament, viewer(who)))


@blueprint.operation()
def remove_organiser(who: Principal, tournament: str, owner: str) -> None:
    services().tournaments.invitations.remove_organiser(tournament, owner, who)
