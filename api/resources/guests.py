"""Invitations to tournaments, and co-organisers."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from flask import Response

from api.auth import viewer
from api.contract import Blueprint, json_response
from api.schemas.guests import (
    CodeSchema,
    CreatedLinkSchema,
    GuestsSchema,
    InviteSchema,
    NewLinkSchema,
)
from api.schemas.tournaments import MAX_SETTINGS, MAX_SETTINGS_VALUES, TournamentSchema
from api.services import service_address, services
from arena.accounts.accounts import Principal

blueprint = Blueprint("guests", __name__, description="Who organises a tournament, and who is invited to it.")

_ERRORS = ("tournament_not_found", "tournament_busy")
_SCOPES = ("owner", "admin")


def invitation_url(tournament: str, code: str) -> str:
    """The address of the page on which an owner accepts an invitation."""
    return f"{service_address() or ''}/tournaments/{tournament}/invitation?{urlencode({'code': code})}"


@blueprint.operation(
    "/tournaments/<tournament>/invitations",
    scopes=_SCOPES,
    returns=GuestsSchema,
    errors=("tournament_not_found",),
)
def list_guests(who: Principal, tournament: str) -> dict[str, Any]:
    """List who is invited to a tournament

    The owners who are invited by name or have accepted a link, and the links without their codes. For
    organisers and admins.
    """
    return services().tournaments.invitations.view(tournament, who)


@blueprint.operation(
    "/tournaments/<tournament>/invitations",
    "POST",
    scopes=_SCOPES,
    body=InviteSchema,
    returns=GuestsSchema,
    errors=(*_ERRORS, "owner_not_found", "invalid_tournament", "quota_exceeded"),
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
)
def invite_owners(who: Principal, body: dict[str, Any], tournament: str) -> dict[str, Any]:
    """Invite owners to a tournament

    Their bots may enter, and they see a hidden tournament. Only for tournaments with `who` `invited`.
    """
    invitations = services().tournaments.invitations
    invitations.invite(tournament, body["owners"], who)
    return invitations.view(tournament, who)


@blueprint.operation(
    "/tournaments/<tournament>/invitations/owners/<owner>",
    "DELETE",
    scopes=_SCOPES,
    returns=GuestsSchema,
    errors=(*_ERRORS, "owner_not_found"),
)
def uninvite_owner(who: Principal, tournament: str, owner: str) -> dict[str, Any]:
    """Take back the invitation of an owner

    Its bots cannot enter any more. Those that have entered stay.
    """
    invitations = services().tournaments.invitations
    invitations.uninvite(tournament, owner, who)
    return invitations.view(tournament, who)


@blueprint.operation(
    "/tournaments/<tournament>/invitations/links",
    "POST",
    scopes=_SCOPES,
    body=NewLinkSchema,
    status=201,
    returns=CreatedLinkSchema,
    errors=(*_ERRORS, "invalid_tournament", "quota_exceeded"),
    secret=("code", "url"),
)
def create_invitation_link(who: Principal, body: dict[str, Any], tournament: str) -> dict[str, Any]:
    """Make a link that invites to a tournament

    Every owner who has the code can accept it, until it expires or is revoked. The code is shown only once;
    only its hash is stored.
    """
    made = services().tournaments.invitations.add_link(tournament, body.get("expires_ms"), who)
    return {**made, "url": invitation_url(tournament, made["code"])}


@blueprint.operation(
    "/tournaments/<tournament>/invitations/links/<link>",
    "DELETE",
    scopes=_SCOPES,
    returns=GuestsSchema,
    errors=(*_ERRORS, "link_not_found"),
)
def revoke_invitation_link(who: Principal, tournament: str, link: str) -> dict[str, Any]:
    """Revoke a link

    Owners who have accepted it stay invited.
    """
    invitations = services().tournaments.invitations
    invitations.revoke_link(tournament, link, who)
    return invitations.view(tournament, who)


@blueprint.operation(
    "/tournaments/<tournament>/invitations/accept",
    "POST",
    scopes=("owner",),
    body=CodeSchema,
    returns=TournamentSchema,
    errors=(*_ERRORS, "link_expired", "quota_exceeded"),
)
def accept_invitation(who: Principal, body: dict[str, Any], tournament: str) -> Response:
    """Accept an invitation by its code

    Your bots may then enter the tournament. Repeating it changes nothing.
    """
    arena = services().tournaments
    arena.invitations.accept(tournament, body["code"], who)
    return json_response(arena.view(tournament, viewer(who)))


@blueprint.operation(
    "/tournaments/<tournament>/organisers/<owner>",
    "PUT",
    scopes=_SCOPES,
    returns=TournamentSchema,
    errors=(*_ERRORS, "owner_not_found", "quota_exceeded"),
)
def add_organiser(who: Principal, tournament: str, owner: str) -> Response:
    """Add a co-organiser

    A co-organiser can edit and cancel the tournament, invite owners and enter house bots, and sees no tokens,
    logs or sources. Only for whoever announced the tournament, and admins.
    """
    arena = services().tournaments
    arena.invitations.add_organiser(tournament, owner, who)
    return json_response(arena.view(tournament, viewer(who)))


@blueprint.operation(
    "/tournaments/<tournament>/organisers/<owner>",
    "DELETE",
    scopes=_SCOPES,
    status=204,
    errors=(*_ERRORS, "owner_not_found"),
)
def remove_organiser(who: Principal, tournament: str, owner: str) -> None:
    """Remove a co-organiser

    Only for whoever announced the tournament, and admins; co-organisers may remove themselves. The owner that
    announced it cannot be removed.
    """
    services().tournaments.invitations.remove_organiser(tournament, owner, who)
