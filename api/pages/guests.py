"""Pages for a tournament's invitations and organisers, and for owners who follow an invitation link."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.requests import load
from api.http.sessions import page_viewer, signed_in, visitor
from api.pages.fields import of_form, split_names, status_of
from api.pages.site import blueprint, form, page
from api.resources.guests import invitation_url
from api.schemas.guests import InviteSchema
from api.services import services
from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.events.guests import Guests


@blueprint.get("/tournaments/<tournament>/invitations")
def guests_page(tournament: str) -> Response:
    """Show the invited owners, the links and the co-organisers."""
    return _shown(tournament)


def _shown(tournament: str, error: ArenaError | None = None, link: str = "") -> Response:
    who, arena = signed_in(), services().tournaments
    view = arena.view(tournament, page_viewer())
    return page(
        "guests.html",
        200 if error is None else status_of(error),
        one=view,
        found=arena.invitations.view(tournament, who),
        owns=who.admin or visitor().name_in_views == view["created_by"],
        error=error,
        invitation=link,
    )


def _act(tournament: str, act: Callable[[Guests, Principal], object]) -> ResponseReturnValue:
    try:
        act(services().tournaments.invitations, signed_in())
    except ArenaError as error:
        return _shown(tournament, of_form(error, "owner_not_found"))
    return redirect(url_for("pages.guests_page", tournament=tournament), 303)


def _owner() -> str:
    return request.form.get("owner", "").strip()[:80]


@form("/tournaments/<tournament>/invitations")
def invite_owners(tournament: str) -> ResponseReturnValue:
    """Invite owners."""
    owners = split_names(request.form.get("owners", ""))
    return _act(
        tournament,
        lambda parts, who: parts.invite(tournament, load(InviteSchema(), {"owners": owners})["owners"], who),
    )


@form("/tournaments/<tournament>/invitations/remove")
def uninvite_owner(tournament: str) -> ResponseReturnValue:
    """Withdraw an invitation, or decline one's own."""
    who, owner = signed_in(), _owner()
    if owner == who.owner:
        services().tournaments.invitations.uninvite(tournament, owner, who)
        return redirect(url_for("pages.account_page"), 303)
    return _act(tournament, lambda parts, who: parts.uninvite(tournament, owner, who))


@form("/tournaments/<tournament>/invitations/link")
def create_invitation_link(tournament: str) -> ResponseReturnValue:
    """Create a link, and show it once."""
    try:
        made = services().tournaments.invitations.add_link(tournament, None, signed_in())
    except ArenaError as error:
        return _shown(tournament, of_form(error))
    return _shown(tournament, link=invitation_url(tournament, made["code"]))


@form("/tournaments/<tournament>/invitations/revoke")
def revoke_invitation_link(tournament: str) -> ResponseReturnValue:
    """Revoke a link."""
    link = request.form.get("link", "")
    return _act(tournament, lambda parts, who: parts.revoke_link(tournament, link, who))


@form("/tournaments/<tournament>/organisers")
def add_organiser(tournament: str) -> ResponseReturnValue:
    """Invite a co-organiser, or accept to be one."""
    return _act(tournament, lambda parts, who: parts.add_organiser(tournament, _owner(), who))


@form("/tournaments/<tournament>/organisers/remove")
def remove_organiser(tournament: str) -> ResponseReturnValue:
    """Remove a co-organiser."""
    who, owner = signed_in(), _owner()
    services().tournaments.invitations.remove_organiser(tournament, owner, who)
    there = "pages.account_page" if owner == who.owner else "pages.guests_page"
    return redirect(url_for(there, tournament=tournament if owner != who.owner else None), 303)


@blueprint.get("/tournaments/<tournament>/invitation")
def invitation_page(tournament: str) -> Response:
    """Show the tournament to which a link invites. Nothing changes until the form is sent."""
    who, code = signed_in(), request.args.get("code", "")
    name = services().tournaments.invitations.name_of(tournament, code, who)
    return page("invitation.html", tournament=tournament, name=name, code=code)


@form("/tournaments/<tournament>/invitation")
def accept_invitation(tournament: str) -> ResponseReturnValue:
    """Accept the invitation in a link, or the one by name."""
    who, code = signed_in(), request.form.get("code")
    services().tournaments.invitations.accept(tournament, code, who)
    return redirect(url_for("pages.tournament_page", tournament=tournament), 303)
