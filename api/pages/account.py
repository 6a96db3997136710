"""Signing in and out, and the page of the owner who has signed in."""

from __future__ import annotations

import re
from typing import Any, Final

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from api.pages.site import blueprint, form, page
from api.services import services
from api.sessions import begin, session_key, sign_out, signed_in
from arena.errors import ArenaError

_LOCAL: Final = re.compile(r"/(?!/)[A-Za-z0-9._~/?=&%+-]*\Z").match
"""Addresses of this service, to which a visitor returns after signing in."""


@blueprint.get("/sign-in")
def sign_in_page() -> Response:
    """Sign in with a token, or with the code of a link; nothing changes before the form is sent."""
    code = request.args.get("code", "")
    owner = services().sessions.linked_owner(code) if code else ""
    return _sign_in(owner=owner, code=code, back=request.args.get("next", ""))


@form("/sign-in")
def sign_in() -> ResponseReturnValue:
    """Begin a session."""
    code, token = request.form.get("code", ""), request.form.get("token", "").strip()
    back = request.form.get("next", "")
    sessions = services().sessions
    try:
        begin(
            sessions.sign_in_by_link(code, session_key()) if code else sessions.sign_in(token, session_key())
        )
    except ArenaError as error:
        return _sign_in(back=back, error=error, status=422)
    return redirect(back if _LOCAL(back) else url_for("pages.account_page"), 303)


def _sign_in(**values: Any) -> Response:
    status = values.pop("status", 200)
    response = page("sign_in.html", status, **{"owner": "", "code": "", "error": None, **values})
    response.headers["Cache-Control"] = "private, no-store"
    return response


@form("/sign-out")
def end_session() -> ResponseReturnValue:
    """End the session."""
    sign_out()
    return redirect(url_for("pages.home"), 303)


@blueprint.get("/account")
def account_page() -> Response:
    """The owner's bots, quotas and budgets."""
    who = signed_in()
    accounts = services().accounts
    bots, cursor = accounts.bots(who.owner)
    return page(
        "account.html",
        owner=accounts.owner(who.owner),
        bots=bots,
        more=cursor is not None,
        quotas=accounts.quotas.of_owner(who.owner),
        budgets=services().budgets.of_owner(who.owner),
    )
