"""Who looks at a page: the session that the signed cookie of a browser names, and the protection of forms.

Only pages have sessions; the operations of the API take tokens.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final
from urllib.parse import urlencode

from flask import Flask, abort, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import generate_csrf, validate_csrf
from wtforms import ValidationError

from api.auth import client, viewer
from api.bodies import media_of, unsupported
from api.edge import PRINCIPAL
from api.errors import HttpError
from api.services import bodies, service_address, services
from arena.accounts.accounts import Principal
from arena.accounts.sessions import LINK_MS, SESSION_MS, Session
from arena.errors import ArenaError
from arena.live.header import ANYBODY, Viewer

_COOKIE: Final = "botequim"
_KEY: Final = "key"
_WITHOUT: Final = ("/v1/", "/static/", "/healthz", "/readyz", "/metrics")
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_MAX_PARTS: Final = 200


class _Cookies(SecureCookieSessionInterface):
    """Signed cookies for pages only. The key is in the store, so that all processes have the same one."""

    def open_session(self, app: Flask, request: Any) -> SecureCookieSession | None:
        if request.path.startswith(_WITHOUT):
            return self.make_null_session(app)
        if app.secret_key is None:
            try:
                app.secret_key = app.extensions["botequim"].store.web_key.get(secrets.token_hex(32))
            except ArenaError:
                return self.make_null_session(app)
        return super().open_session(app, request)

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def protect_pages(app: Flask) -> None:
    """Give the pages of the app sessions and forms."""
    app.session_interface = _Cookies()
    app.config.update(
        SESSION_COOKIE_NAME=_COOKIE,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=SESSION_MS // 1000,
        WTF_CSRF_TIME_LIMIT=None,
        MAX_FORM_PARTS=_MAX_PARTS,
        # Each form has its own limit; sources may be pasted.
        MAX_FORM_MEMORY_SIZE=None,
    )
    # Forms are checked by read_form: a hook would cost every request of the API.
    app.jinja_env.globals["csrf_token"] = generate_csrf


@dataclass(frozen=True)
class Visitor:
    """Who looks at a page. ``session``: None for somebody who has neither signed in nor sat down."""

    session: Session | None = None
    principal: Principal | None = None

    @property
    def owner(self) -> str:
        """The name of the owner who has signed in; empty for a guest."""
        return "" if self.principal is None else self.principal.owner

    @property
    def viewer(self) -> Viewer:
        """The viewer of games."""
        if self.session is None:
            return ANYBODY
        return Viewer(
            self.session.person, self.owner or None, self.principal is not None and self.principal.admin
        )


def visitor() -> Visitor:
    """The visitor of the present request."""
    if "visitor" not in g:
        g.visitor = _visitor()
    found: Visitor = g.visitor
    return found


def visitor_if_known() -> Visitor:
    """The same for pages of errors: nobody while sessions cannot be read."""
    try:
        return visitor()
    except ArenaError:
        g.visitor = Visitor()
        return visitor()


def _visitor() -> Visitor:
    key = session.get(_KEY)
    if not isinstance(key, str):
        return Visitor()
    sessions = services().sessions
    found = sessions.find(key)
    return Visitor() if found is None else Visitor(found, sessions.principal(found))


def page_viewer() -> Viewer:
    """The viewer of a page: the holder of the request's token, or the visitor."""
    principal: Principal | None = request.environ.get(PRINCIPAL)
    return visitor().viewer if principal is None else viewer(principal)


def session_key() -> str | None:
    """The key of the present session, which may have ended."""
    key: str | None = session.get(_KEY)
    return key


def begin(begun: tuple[str, Session]) -> Session:
    """Let the browser keep a session that has begun."""
    key, found = begun
    # A new session gets new forms.
    session.clear()
    session.permanent = True
    session[_KEY] = key
    g.pop("visitor", None)
    return found


def sign_out() -> None:
    """End the present session."""
    key = session_key()
    if key is not None:
        services().sessions.end(key)
    session.clear()
    g.pop("visitor", None)


def person() -> str:
    """Who the visitor is at tables. Begins the session of a guest if there is none; only for forms.

    Raises :class:`~arena.ops.limits.RateLimited`.
    """
    found = visitor().session
    if found is None:
        services().limits.spend("guests_per_address", client_address())
        found = begin(services().sessions.begin_guest())
    return found.person


def signed_in() -> Principal:
    """The owner who has signed in; anybody else is sent to the page to sign in."""
    principal = visitor().principal
    if principal is None:
        back = request.full_path.rstrip("?") if request.method == "GET" else None
        abort(redirect(url_for("pages.sign_in_page", next=back), 303))
    return principal


def sign_in_link(owner: str) -> tuple[str, int]:
    """A link that signs a browser in as the owner, and when it expires (Unix time in milliseconds)."""
    parts = services()
    code = parts.sessions.new_link(owner)
    address = f"{service_address() or ''}/sign-in?{urlencode({'code': code})}"
    return address, parts.store.clock().now_ms + LINK_MS


def client_address() -> str:
    """Whom the limits per address count."""
    return client(request.environ)


def read_form(most: int) -> None:
    """Read the form of the request, of at most ``most`` bytes, and check that a page of this service sent it.

    Raises :class:`~api.errors.HttpError`: as :meth:`~api.bodies.BodyIntake.read` does, or ``form_expired``.
    """
    if media_of(request.environ) not in _FORMS:
        raise unsupported(request.environ, " or ".join(_FORMS))
    data = bodies().read(request.environ, most)
    request.environ["wsgi.input"] = BytesIO(data)
    request.environ["CONTENT_LENGTH"] = str(len(data))
    try:
        validate_csrf(request.form.get("csrf_token"))
    except ValidationError:
        raise HttpError(
            "this form is not from this page, or too old",
            code="form_expired",
            expected="to load the page again, with cookies allowed",
        ) from None


__all__ = [
    "Visitor",
    "begin",
    "client_address",
    "page_viewer",
    "person",
    "protect_pages",
    "read_form",
    "session_key",
    "sign_in_link",
    "sign_out",
    "signed_in",
    "visitor",
    "visitor_if_known",
]
