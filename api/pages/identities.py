"""Pages to sign in at the OpenID Connect provider, and to link and unlink an identity there."""

from __future__ import annotations

from secrets import token_urlsafe
from typing import Final, cast

from flask import Response, abort, redirect, request, session, url_for
from flask.typing import ResponseReturnValue

from api.http.sessions import begin, client_address, session_key, signed_in, visitor
from api.pages.account import DRAFT_BYTES, LOCAL, sign_in_form, sign_up_controls, sign_up_form
from api.pages.fields import filled, of_form, status_of
from api.pages.site import blueprint, form, page
from api.provider import BegunSignIn, Provider, SignInRefused
from api.services import provider, services
from arena.accounts.identities import IdentityInUse, ProviderIdentity
from arena.errors import ArenaError

_BEGUN: Final = "provider"
_SHOWN: Final = ("provider_unavailable", "invalid_token", "owner_suspended")
"""Errors that the sign-in page shows besides those of forms."""


@blueprint.get("/sign-in/provider")
def begin_sign_in() -> ResponseReturnValue:
    """Send the browser to the provider."""
    back = request.args.get("next", "")
    try:
        services().limits.spend("provider_sign_ins_per_address", client_address())
        url, session[_BEGUN] = _provider().begin(back if LOCAL(back) else "")
    except ArenaError as error:
        return _failed(error, back)
    return redirect(url, 303)


@blueprint.get("/sign-in/provider/callback")
def finish_sign_in() -> ResponseReturnValue:
    """Sign in the owner of the identity that the provider confirms. An unknown identity gets the form to sign
    up, or, if an owner is signed in, the form to link it.
    """
    begun = cast("BegunSignIn | None", session.pop(_BEGUN, None))
    back = "" if begun is None else begun["back"]
    try:
        services().limits.spend("provider_sign_ins_per_address", client_address())
        if begun is None:
            raise SignInRefused(
                "the sign-in failed: it did not begin in this browser",
                expected="to sign in again, with cookies allowed",
            )
        identity = _provider().finish(begun, request.args)
        return _confirmed(identity, back)
    except ArenaError as error:
        return _failed(error, back)


def _confirmed(identity: ProviderIdentity, back: str) -> ResponseReturnValue:
    identities, who = services().identities, visitor().principal
    owner = identities.owner_of(identity)
    if who is not None and owner not in (None, who.owner):
        raise IdentityInUse("this identity is linked to another owner", expected="to sign out first")
    if owner is not None:
        begin(services().sessions.sign_in_by_identity(owner, session_key()))
        identities.note_sign_in(owner, identity)
        return redirect(back or url_for("pages.account_page"), 303)
    code = identities.prove(identity)
    if who is not None:
        response = page("link_identity.html", identity=identity, code=code)
        response.headers["Cache-Control"] = "private, no-store"
        return response
    values = {"name": [identity.handle], "invitation": [""]}
    found = filled(sign_up_controls(), values.__getitem__)
    return sign_up_form(found, token_urlsafe(DRAFT_BYTES), back, identity=code)


def _failed(error: ArenaError, back: str) -> Response:
    return sign_in_form(status_of(of_form(error, *_SHOWN)), back=back, error=error)


def _provider() -> Provider:
    return provider() or abort(404)


@form("/account/identity")
def link_identity() -> ResponseReturnValue:
    """Link the identity that the provider has confirmed to the signed-in owner."""
    who, parts = signed_in(), services()
    try:
        identity = parts.identities.proven(request.form.get("code", ""))
        parts.identities.link(who.owner, identity, parts.store.clock().now_ms)
    except ArenaError as error:
        return page("link_identity.html", status_of(of_form(error)), identity=None, error=error)
    return redirect(url_for("pages.account_page"), 303)


@form("/account/identity/remove")
def unlink_identity() -> ResponseReturnValue:
    """Unlink the identity of the signed-in owner."""
    services().identities.unlink(signed_in().owner)
    return redirect(url_for("pages.account_page"), 303)
