"""Pages to sign up, in and out, and the page of the signed-in owner."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from secrets import token_urlsafe
from typing import Final

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.http.contract import streamed
from api.http.requests import load
from api.http.sessions import begin, client_address, session_key, sign_in_link, sign_out, signed_in, visitor
from api.pages.fields import (
    Control,
    Words,
    body_of,
    controls,
    filled,
    of_form,
    status_of,
    with_error,
)
from api.pages.site import blueprint, form, page
from api.schemas.accounts import NewOwnerSchema, RecoverySchema
from api.services import provider, services
from arena.accounts.identities import IdentityInUse
from arena.accounts.invitations import InvalidInvitation
from arena.accounts.recovery import OwnerKeys
from arena.errors import ArenaError
from arena.events.account_data import NotConfirmed
from arena.inputs.text import clean
from arena.live.header import Viewer

LOCAL: Final = re.compile(r"/(?!/)[A-Za-z0-9._~/?=&%+-]*\Z").match
"""Matches local paths, to which a visitor returns after signing in."""

TOURNAMENTS_MOST: Final = 50
"""The maximum number of tournaments shown, latest first."""

EXPORT_SECONDS: Final = 1.0
"""How long a request waits for an export, so that most visitors need not load the page twice."""

COMPARISONS_MOST: Final = 20
"""The maximum number of comparisons shown, latest first."""

DRAFT_BYTES: Final = 24
_LONGEST_CODE: Final = 200


@blueprint.get("/sign-in")
def sign_in_page() -> Response:
    """Show the form to sign in with a token or the code of a link. Nothing changes until it is sent."""
    code = request.args.get("code", "")
    owner = services().sessions.linked_owner(code) if code else ""
    return sign_in_form(owner=owner, code=code, back=request.args.get("next", ""))


@form("/sign-in")
def sign_in() -> ResponseReturnValue:
    """Begin a session."""
    code, token = request.form.get("code", ""), clean(request.form.get("token", ""))
    back = request.form.get("next", "")
    sessions = services().sessions
    try:
        begin(
            sessions.sign_in_by_link(code, session_key()) if code else sessions.sign_in(token, session_key())
        )
    except ArenaError as error:
        return sign_in_form(back=back, error=error, status=422)
    return redirect(back if LOCAL(back) else url_for("pages.account_page"), 303)


def sign_in_form(status: int = 200, **values: object) -> Response:
    """Return the page to sign in. ``values`` are those of the template that are not empty."""
    shown = {"owner": "", "code": "", "back": "", "error": None, **values}
    response = page("sign_in.html", status, provider=provider(), **shown)
    response.headers["Cache-Control"] = "private, no-store"
    return response


@form("/sign-out")
def end_session() -> ResponseReturnValue:
    """End the session."""
    sign_out()
    return redirect(url_for("pages.home"), 303)


@blueprint.get("/sign-up")
def sign_up_page() -> Response:
    """Show the form to sign up as an owner, with the name that an invitation in the URL proposes."""
    found, code = sign_up_controls(), request.args.get("invitation", "")[:_LONGEST_CODE]
    back = request.args.get("next", "")
    if not code:
        return sign_up_form(found, token_urlsafe(DRAFT_BYTES), back)
    try:
        proposed = services().invitations.find(code).handle
    except InvalidInvitation as error:
        return sign_up_form(found, token_urlsafe(DRAFT_BYTES), back, error)
    values = {"name": [proposed], "invitation": [code]}
    return sign_up_form(filled(found, values.__getitem__), token_urlsafe(DRAFT_BYTES), back)


def sign_up_controls() -> list[Control]:
    """Return the controls of the form to sign up: the name and the invitation."""
    words = Words(
        {"name": "Name", "invitation": "Invitation"},
        {"invitation": "The code, if you have been invited."},
    )
    return controls(NewOwnerSchema(), ("name", "invitation"), words)


def sign_up_form(
    found: list[Control], draft: str, back: str, error: ArenaError | None = None, identity: str = ""
) -> Response:
    """Return the page to sign up. ``identity`` is the code of a proven identity that the new owner gets, or
    empty.
    """
    found, error = with_error(found, error)
    response = page(
        "sign_up.html",
        status_of(error),
        controls=found,
        draft=draft,
        back=back,
        error=error,
        identity=identity,
        provider=provider(),
    )
    response.headers["Cache-Control"] = "private, no-store"
    return response


@form("/sign-up")
def sign_up() -> ResponseReturnValue:
    """Create an owner, sign in, and show the token once."""
    found = filled(sign_up_controls(), request.form.getlist)
    draft = request.form.get("draft", "")[:64]
    back = request.form.get("next", "")
    code, identity = found[1].value, request.form.get("identity", "")[:_LONGEST_CODE]
    identities = services().identities

    def create() -> OwnerKeys:
        proven = identities.proven(identity) if identity else None
        body = load(NewOwnerSchema(), body_of(found))
        keys = services().sessions.sign_up(body["name"], body.get("invitation", ""), draft)
        if proven is not None:
            # If somebody else linked it meanwhile, the new owner has the token.
            with suppress(IdentityInUse):
                identities.link(keys.owner.name, proven, services().store.clock().now_ms)
        return keys

    try:
        keys = services().limits.sign_up(client_address(), bool(code), create)
    except ArenaError as error:
        return sign_up_form(found, draft, back, of_form(error), identity)
    return _new_keys(keys, f"Welcome, {keys.owner.name}", back)


def _new_keys(keys: OwnerKeys, title: str, back: str = "") -> ResponseReturnValue:
    """Sign the browser in with a new token, and show it once, with the recovery code."""
    begin(services().sessions.sign_in(keys.token, session_key()))
    return page(
        "secrets.html",
        bot=None,
        secrets=_secrets(keys),
        back=back if LOCAL(back) else None,
        title=title,
        note="You are signed in on this browser. Programs and other browsers need the token. If you lose it, "
        "the recovery code replaces it, once. Nobody can send you either again.",
    )


def _still_linked(owner: str) -> str:
    """Return a hint for an owner whose token was stolen: the thief can have linked an identity."""
    identity = services().identities.of(owner)
    if identity is None:
        return ""
    return f" {identity['name'] or identity['subject']} at {identity['issuer']} can still sign in as you."


def _secrets(keys: OwnerKeys) -> dict[str, str]:
    return {"Your token": keys.token, "Your recovery code": keys.recovery_code}


@blueprint.get("/recover")
def recover_page() -> Response:
    """Show the form to replace a lost token with a recovery code."""
    return _recover(_recover_controls())


def _recover_controls() -> list[Control]:
    return controls(RecoverySchema(), ("recovery_code",), Words())


def _recover(found: list[Control], error: ArenaError | None = None) -> Response:
    found, error = with_error(found, error)
    response = page("recover.html", status_of(error), controls=found, error=error)
    response.headers["Cache-Control"] = "private, no-store"
    return response


@form("/recover")
def recover() -> ResponseReturnValue:
    """Replace a lost token, sign in, and show the new token once."""
    found = filled(_recover_controls(), request.form.getlist)
    try:
        services().limits.spend("recoveries_per_address", client_address())
        keys = services().recovery.recover(load(RecoverySchema(), body_of(found))["recovery_code"])
    except ArenaError as error:
        return _recover(found, of_form(error, "owner_suspended"))
    return _new_keys(keys, f"New token of {keys.owner.name}")


@blueprint.get("/account")
def account_page() -> Response:
    """Show what happened since the last visit, and the owner's bots, tournaments, quotas and budgets."""
    who = signed_in()
    accounts = services().accounts
    bots, cursor = accounts.bots(who.owner)
    return page(
        "account.html",
        owner=accounts.owner(who.owner),
        identity=services().identities.of(who.owner),
        provider=provider(),
        proven_ms=accounts.proven_from(who.owner),
        now_ms=services().store.clock().now_ms,
        bots=bots,
        news=services().visits.look(who.owner, [bot.name for bot in bots if not bot.deleted]),
        invited_to=services().co_owners.invitations(who.owner),
        more=cursor is not None,
        asked_to=services().moderation.apply(services().tournaments.invitations.of(who.owner)),
        tournaments=_tournaments(who.owner),
        quotas=accounts.quotas.of_owner(who.owner),
        announced=services().tournaments.announced.of_owner(who.owner),
        budgets=services().budgets.of_owner(who.owner),
        schedules=[one for one in services().schedules.list() if one["created_by"] == who.owner],
        comparisons=services().comparisons.list(who.owner, limit=COMPARISONS_MOST).items,
        subscriptions=services().subscriptions.exported(who.owner),
        invitations=services().invitations.allowance(who.owner),
    )


def _tournaments(owner: str) -> Sequence[Mapping[str, object]]:
    """Return the newest tournaments that the owner organises, and current ones that only guests can see."""
    arena, name = services().tournaments, visitor().name_in_views
    organised = [
        one
        for one in arena.organised_by(owner, TOURNAMENTS_MOST)
        if name in (one["created_by"], *one["organisers"])
    ]
    hidden = arena.present_hidden(Viewer(owner=owner), TOURNAMENTS_MOST)
    found = {one["id"]: one for one in (*organised, *hidden)}
    return sorted(found.values(), key=lambda one: one["created_ms"], reverse=True)


@form("/account/invitable")
def change_me() -> ResponseReturnValue:
    """Accept or refuse the invitations of others."""
    services().accounts.set_invitable(signed_in().owner, request.form.get("invitable") == "yes")
    return redirect(url_for("pages.account_page"), 303)


@form("/account/token")
def replace_own_token() -> ResponseReturnValue:
    """Replace the owner's token and recovery code, and show them once."""
    who, key = signed_in(), session_key()
    assert key is not None
    keys = services().sessions.replace_token(key)
    return page(
        "secrets.html",
        bot=None,
        secrets=_secrets(keys),
        title=f"New token of {who.owner}",
        note="The old token and the old recovery code are no longer valid, and all other sessions have "
        "ended. This browser stays signed in." + _still_linked(who.owner),
    )


@form("/account/recovery-code")
def replace_recovery_code() -> ResponseReturnValue:
    """Replace the owner's recovery code, and show it once."""
    who = signed_in()
    return page(
        "secrets.html",
        bot=None,
        secrets={"Your recovery code": services().recovery.new_code(who.owner)},
        title=f"New recovery code of {who.owner}",
        note="The old recovery code is no longer valid; your token is. The code replaces a lost token, once.",
    )


@blueprint.get("/account/export")
def export_account() -> Response:
    """Show whether the file with all data stored about the owner is there. A worker writes it."""
    owner, exports = signed_in().owner, services().exports
    if not exports.is_requested(owner):
        services().limits.spend("exports_per_owner", owner)
    exports.request(owner)
    return page("export.html", ready=exports.wait(owner, EXPORT_SECONDS))


@blueprint.get("/account/export/file")
def export_file() -> ResponseReturnValue:
    """Return all data stored about the owner, as a file."""
    owner, exports = signed_in().owner, services().exports
    if not (exports.is_requested(owner) and exports.wait(owner, 0)):
        return redirect(url_for("pages.export_account"), 303)
    services().limits.spend("exports_per_owner", owner)
    response = streamed(exports.read(owner))
    response.headers["Content-Disposition"] = f'attachment; filename="botequim-{owner}.json"'
    return response


@blueprint.get("/account/delete")
def delete_account_page() -> Response:
    """Ask for confirmation before an account is deleted."""
    return page("delete_account.html", owner=signed_in().owner, error=None)


@form("/account/delete")
def delete_account() -> ResponseReturnValue:
    """Delete the account and all its bots."""
    who = signed_in()
    try:
        shown = services().account_data.delete(who.owner, request.form.get("confirm", "").strip())
    except NotConfirmed as error:
        return page("delete_account.html", 422, owner=who.owner, error=error)
    sign_out()
    return page("deleted_account.html", shown=shown)


@form("/account/link")
def link_elsewhere() -> ResponseReturnValue:
    """Create a link that signs another browser in, and show it once."""
    who = signed_in()
    services().limits.spend("links_per_owner", who.owner)
    url, _ = sign_in_link(who.owner)
    return page(
        "secrets.html",
        bot=None,
        secrets={"Link": url},
        title="Sign in elsewhere",
        note="Open the link in the other browser. It works once, within five minutes.",
    )
