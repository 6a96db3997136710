"""The visitor of a page: the session named by the browser's signed cookie, and the protection of forms.

Only pages have sessions; the operations of the API take tokens.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from urllib.parse import urlencode, urlsplit

from flask import Flask, Request, abort, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import Signer

from api.http.auth import client, viewer
from api.http.bodies import media_of, unsupported
from api.http.edge import PRINCIPAL
from api.http.errors import HttpError
from api.services import bodies, own_address, services
from arena.accounts.accounts import Principal
from arena.accounts.sessions import LINK_MS, SESSION_MS, Session
from arena.errors import ArenaError
from arena.live.header import ANYBODY, Viewer

_COOKIE: Final = "botequim"
_KEY: Final = "key"
_FORM_SECRET: Final = "form_secret"
_WITHOUT: Final = ("/v1/", "/static/", "/embed/", "/previews/", "/healthz", "/readyz", "/metrics")
"""The beginnings of the paths that have no cookies: the same for everybody, or for programs."""
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
_MAX_PARTS: Final = 200
_FORM_SECRET_BYTES: Final = 24


class _Cookies(SecureCookieSessionInterface):
    """Signed cookies, used for pages only. The signing key is in the store, so all processes share it."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if request.path.startswith(_WITHOUT):
            return self.make_null_session(app)
        if app.secret_key is None:
            try:
                app.secret_key = app.extensions["botequim"].store.identity.web_key(secrets.token_hex(32))
            except ArenaError:
                return self.make_null_session(app)
        return super().open_session(app, request)

    def get_cookie_name(self, app: Flask) -> str:
        """Return the name of the cookie. With its prefix, no other host of the domain can set the cookie."""
        return f"__Host-{_COOKIE}" if request.is_secure else _COOKIE

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def protect_pages(app: Flask) -> None:
    """Enable sessions and form protection for the pages of the app."""
    app.session_interface = _Cookies()
    app.config.update(
        SESSION_COOKIE_NAME=_COOKIE,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=SESSION_MS // 1000,
        MAX_FORM_PARTS=_MAX_PARTS,
        # Each form has a separate limit, since sources can be pasted.
        MAX_FORM_MEMORY_SIZE=None,
    )
    # read_form checks forms: a hook would slow down every request to the API.
    app.jinja_env.globals["csrf_token"] = _form_token


@dataclass(frozen=True)
class Visitor:
    """The person who views a page. ``session`` is None before signing in or sitting down at a table."""

    session: Session | None = None
    principal: Principal | None = None

    @property
    def owner(self) -> str:
        """The name of the signed-in owner; empty for a guest."""
        return "" if self.principal is None else self.principal.owner

    @property
    def name_in_views(self) -> str:
        """The name of the owner as shown in views, which is different if an admin hid it."""
        return self.owner and services().moderation.name("owner", self.owner)

    @property
    def viewer(self) -> Viewer:
        """The visitor as a viewer of games."""
        if self.session is None:
            return ANYBODY
        return Viewer(
            self.session.person, self.owner or None, self.principal is not None and self.principal.admin
        )


def visitor() -> Visitor:
    """Return the visitor who made the current request."""
    if "visitor" not in g:
        g.visitor = _visitor()
    found: Visitor = g.visitor
    return found


def forget_visitor() -> None:
    """Look up the visitor again at the next call of :func:`visitor`, after a request has waited."""
    g.pop("visitor", None)


def visitor_if_known() -> Visitor:
    """Return the visitor for error pages, or an anonymous visitor if sessions cannot be read."""
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
    if found is None:
        # The session has ended, and its forms with it.
        session.clear()
        return Visitor()
    return Visitor(found, sessions.principal(found))


def page_viewer() -> Viewer:
    """Return the viewer of a page: the holder of the request's token, or else the visitor."""
    principal: Principal | None = request.environ.get(PRINCIPAL)
    return visitor().viewer if principal is None else viewer(principal)


def session_key() -> str | None:
    """Return the key of the current session, which can already have ended."""
    key: str | None = session.get(_KEY)
    return key


def begin(begun: tuple[str, Session]) -> Session:
    """Store a new session in the browser's cookie, and return it."""
    key, found = begun
    # Forms on pages that were opened earlier belong to another session.
    session.clear()
    session.permanent = True
    session[_KEY] = key
    g.pop("visitor", None)
    return found


def sign_out() -> None:
    """End the current session."""
    key = session_key()
    if key is not None:
        services().sessions.end(key)
    session.clear()
    g.pop("visitor", None)


def person() -> str:
    """Return the visitor as a person at tables, beginning a guest session if there is none. Call this only
    when handling forms.

    Raises :class:`~arena.ops.rate_limits.RateLimited`.
    """
    found = visitor().session
    if found is None:
        services().limits.spend("guests_per_address", client_address())
        found = begin(services().sessions.begin_guest())
    return found.person


def signed_in() -> Principal:
    """Return the signed-in owner, or redirect anybody else to the sign-in page."""
    principal = visitor().principal
    if principal is None:
        back = request.full_path.rstrip("?") if request.method == "GET" else None
        abort(redirect(url_for("pages.sign_in_page", next=back), 303))
    return principal


def sign_in_link(owner: str) -> tuple[str, int]:
    """Return a link that signs a browser in as the owner, and its expiry time (Unix milliseconds). The link
    is a path if the address of the service is unknown.
    """
    parts = services()
    code = parts.sessions.new_link(owner)
    address = f"{own_address() or ''}/sign-in?{urlencode({'code': code})}"
    return address, parts.store.clock().now_ms + LINK_MS


def client_address() -> str:
    """Return the client to which per-address limits apply."""
    return client(request.environ)


def read_form(most: int) -> None:
    """Read the form of the request, of at most ``most`` bytes, and check that a page of this service sent it.

    Raises :class:`~api.http.errors.HttpError`: what :meth:`~api.http.bodies.BodyIntake.read` raises, or
    ``form_expired``.
    """
    if _is_from_elsewhere():
        raise _form_expired()
    if media_of(request.environ) not in _FORMS:
        raise unsupported(request.environ, " or ".join(_FORMS))
    data = bodies().read(request.environ, most)
    request.environ["wsgi.input"] = BytesIO(data)
    request.environ["CONTENT_LENGTH"] = str(len(data))
    visitor()
    sent = request.form.get("csrf_token", "")
    # Compare as strings, because itsdangerous considers signatures equal that differ only in unused bits of
    # Base64.
    if _FORM_SECRET not in session or not secrets.compare_digest(sent.encode(), _form_token().encode()):
        raise _form_expired()


def _form_token() -> str:
    """Return the token of all forms of this session: the signature of a secret in its cookie."""
    if _FORM_SECRET not in session:
        session[_FORM_SECRET] = secrets.token_urlsafe(_FORM_SECRET_BYTES)
    g.has_form = True
    key = current_app.secret_key
    assert key is not None
    return Signer(key, salt="forms of pages").get_signature(session[_FORM_SECRET]).decode()


def _is_from_elsewhere() -> bool:
    """Return whether the browser reports that a page of another site sent the request. Old browsers do not
    report it. For our pages, ``Origin`` can be ``null``, since they send no referrer.
    """
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        return True
    origin = request.headers.get("Origin", "null")
    hosts = {_host(f"//{request.headers.get('Host', '')}"), _host(services().settings.http.public_url)}
    return origin != "null" and _host(origin) not in hosts - {""}


def _host(url: str) -> str:
    """Return the host and port of a URL, or an empty string if it has none."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


def _form_expired() -> HttpError:
    return HttpError(
        "this form was not sent from a page of this service, or has expired",
        code="form_expired",
        expected="to reload the page, with cookies allowed",
    )
