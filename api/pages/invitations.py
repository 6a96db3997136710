"""Pages to create and print invitations, and to see who has signed up with them."""

from __future__ import annotations

from dataclasses import replace
from secrets import token_urlsafe
from typing import Any, Final

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.requests import load
from api.http.sessions import signed_in
from api.pages.fields import (
    Control,
    Words,
    body_of,
    controls,
    filled,
    of_form,
    status_of,
    time_value,
    with_error,
)
from api.pages.site import blueprint, form, page
from api.resources.invitations import MAX_BODY, shown_once
from api.schemas.invitations import NewInvitationsSchema
from api.services import service_address, services
from arena.accounts.invitations import DEFAULT_KEPT_MS
from arena.errors import ArenaError
from arena.inputs.roster import InvalidRoster, Person, parse_roster
from arena.text import csv_text

_NEW: Final = ("name", "handle", "email", "code", "url")
_DRAFT_BYTES: Final = 12
_SENT_MS: Final = 86_400_000
_OUTPUTS: Final = (("page", "a page to print"), ("csv", "a CSV file"))


def _controls() -> list[Control]:
    words = Words(
        {"roster": "Name of the roster", "count": "Number", "expires_ms": "Usable until"},
        {"count": "How many invitations to create that anybody can use, in place of a table."},
    )
    expires = time_value(services().store.clock().now_ms + DEFAULT_KEPT_MS)
    roster, count, until = controls(NewInvitationsSchema(), ("roster", "count", "expires_ms"), words)
    people = Control(
        "people",
        "People",
        "area",
        "A table in CSV format. The first line must have the column name, and optionally handle (the owner "
        "name to propose) "
        "and email; one line per person follows. Only you can see this",
    )
    output = Control("output", "Codes as", "choice", choices=_OUTPUTS, value="page", required=True)
    return [roster, people, count, replace(until, value=expires), output]


@blueprint.get("/account/invitations")
def invitations_page() -> Response:
    """Show the owner's invitations, and a form for new ones."""
    return _invitations(_controls())


def _invitations(found: list[Control], error: ArenaError | None = None) -> Response:
    who = signed_in()
    status = 200 if error is None else status_of(error)
    if error is not None:
        found, error = with_error(found, error)
    invitations = services().invitations
    return page(
        "invitations.html",
        status,
        controls=found,
        draft=token_urlsafe(_DRAFT_BYTES),
        error=error,
        invitations=invitations.list(who.owner),
        quota=invitations.allowance(who.owner),
    )


@form("/account/invitations", most=MAX_BODY)
def make_invitations() -> ResponseReturnValue:
    """Create invitations, and show their codes once."""
    who = signed_in()
    found = filled(_controls(), request.form.getlist)
    roster, people, count, until, output = found
    draft = request.form.get("draft", "")[:64]
    try:
        body = load(NewInvitationsSchema(), body_of([roster, count, until]))
        if bool(people.value.strip()) == ("count" in body):
            raise InvalidRoster(
                "either a table or a number is required", field="people", expected="one of them"
            )
        invited: list[Person] | int = body["count"] if "count" in body else parse_roster(people.value)
        if draft and not services().store.flags.first(f"invitations:{draft}", _SENT_MS):
            raise InvalidRoster(
                "this form has already been sent, and its codes were shown then",
                field="people",
                expected="to revoke the invitations below and make new ones if the codes were lost",
            )
        made = services().invitations.create(
            who.owner, invited, roster=body.get("roster", ""), expires_ms=body.get("expires_ms")
        )
    except ArenaError as error:
        return _invitations(found, of_form(error))
    shown = shown_once(made)
    if output.value == "csv":
        response = Response(
            csv_text(_NEW, [[one[column] for column in _NEW] for one in shown]),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="invitations.csv"'},
        )
    else:
        response = page(
            "new_invitations.html",
            invitations=shown,
            roster=body.get("roster", ""),
            address=service_address(),
        )
    response.headers["Cache-Control"] = "private, no-store"
    return response


@form("/account/invitations/revoke")
def revoke_invitations() -> ResponseReturnValue:
    """Revoke one invitation, or all open ones of a roster."""
    who, invitations = signed_in(), services().invitations
    one, roster = request.form.get("invitation", ""), request.form.get("roster")
    chosen: list[Any] = [one] if one else []
    if not one and roster is not None:
        listed = invitations.list(who.owner, roster)
        chosen = [each["id"] for each in listed if each["state"] == "open"]
    for each in chosen:
        invitations.revoke(who.owner, each)
    return redirect(url_for("pages.invitations_page"), 303)
