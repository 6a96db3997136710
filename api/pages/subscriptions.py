"""Pages for webhooks that follow a tournament. Each owner who can see the tournament has one page for it."""

from __future__ import annotations

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.requests import load
from api.http.sessions import page_viewer, signed_in
from api.pages.fields import Control, Words, body_of, controls, filled, of_form, status_of, with_error
from api.pages.site import blueprint, form, page
from api.schemas.subscriptions import NewSubscriptionSchema
from api.services import services
from arena.errors import ArenaError


def _controls() -> list[Control]:
    words = Words(
        {"url": "URL", "secret": "Signing secret"},
        {"secret": "If empty, a new secret is generated and shown once."},
    )
    return controls(NewSubscriptionSchema(), ("url", "secret"), words)


@blueprint.get("/tournaments/<tournament>/subscriptions")
def subscriptions_page(tournament: str) -> Response:
    """Show the owner's webhooks that follow a tournament, their latest results, and a form for a new one."""
    return _shown(tournament, _controls())


@form("/tournaments/<tournament>/subscriptions")
def subscribe(tournament: str) -> ResponseReturnValue:
    """Create a webhook that follows a tournament, and show its secret once."""
    who, found = signed_in(), filled(_controls(), request.form.getlist)
    parts = services()
    try:
        body = load(NewSubscriptionSchema(), body_of(found))
        parts.limits.spend("webhook_checks_per_owner", who.owner)
        made = parts.subscriptions.subscribe(tournament, who, body["url"], body.get("secret"))
    except ArenaError as error:
        return _shown(tournament, found, of_form(error))
    return _shown(tournament, _controls(), secret="" if "secret" in body else made["secret"])


@form("/tournaments/<tournament>/unsubscribe")
def unsubscribe(tournament: str) -> ResponseReturnValue:
    """Delete a subscription."""
    services().subscriptions.unsubscribe(tournament, request.form.get("subscription", ""), signed_in())
    return redirect(url_for("pages.subscriptions_page", tournament=tournament), 303)


@form("/tournaments/<tournament>/ping")
def ping_subscription(tournament: str) -> ResponseReturnValue:
    """Post a test to the URL of a subscription, and report the outcome."""
    who, parts = signed_in(), services()
    try:
        parts.limits.spend("webhook_checks_per_owner", who.owner)
        pinged = parts.subscriptions.ping(tournament, request.form.get("subscription", ""), who)
    except ArenaError as error:
        of_form(error)
        # The error is not about the URL in the form.
        shown = ArenaError(error.message, code=error.code, expected=error.expected)
        return _shown(tournament, _controls(), shown)
    return _shown(tournament, _controls(), answered=pinged["url"])


def _shown(
    tournament: str,
    found: list[Control],
    error: ArenaError | None = None,
    secret: str = "",
    answered: str = "",
) -> Response:
    who, parts = signed_in(), services()
    view = parts.tournaments.view(tournament, page_viewer())
    found, error = with_error(found, error)
    return page(
        "subscriptions.html",
        status_of(error),
        one=view,
        subscriptions=parts.subscriptions.of(tournament, who),
        controls=found,
        error=error,
        secret=secret,
        answered=answered,
    )
