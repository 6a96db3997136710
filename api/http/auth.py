"""Authentication: the token in the ``Authorization`` header and its scopes."""

from __future__ import annotations

from collections.abc import Callable, Collection

from api.http.connections import client_of
from api.http.edge import PRINCIPAL, Environ
from api.http.errors import MissingToken
from arena.accounts.accounts import Forbidden, InvalidToken, OwnerSuspended, Principal
from arena.events.rights import viewer_of
from arena.live.header import ANYBODY, Viewer
from arena.ops.service import Service


def authenticate(environ: Environ, services: Service) -> Principal | None:
    """Return the principal of the request's token, or None, and count the request against its rate limit.

    Raises :class:`~arena.accounts.accounts.InvalidToken` or :class:`~arena.ops.rate_limits.RateLimited`.
    """
    try:
        token = _token(environ)
        principal = None if token is None else services.accounts.check(token)
    except (InvalidToken, OwnerSuspended):
        services.limits.spend("requests_per_address", client(environ))
        raise
    if principal is None:
        services.limits.spend("requests_per_address", client(environ))
        return None
    environ[PRINCIPAL] = principal
    services.limits.spend("requests_per_token", f"{principal.scope}:{principal.name}")
    return principal


def viewer(who: Principal | None) -> Viewer:
    """Return the principal as a viewer; see :func:`~arena.events.rights.viewer_of`."""
    return viewer_of(who) or ANYBODY


def client(environ: Environ) -> str:
    """Return the client to which per-address limits apply: the address, or its /64 network for IPv6."""
    return client_of(environ.get("REMOTE_ADDR") or "")


def require(scopes: Collection[str], environ: Environ, services: Service) -> Principal:
    """Return the principal, which must have one of ``scopes`` (an owner who is an admin also has ``admin``).

    Raises what :func:`authenticate` does, :class:`~api.http.errors.MissingToken` or
    :class:`~arena.accounts.accounts.Forbidden`.
    """
    return permitted(authenticate(environ, services), scopes)


def permitted(principal: Principal | None, scopes: Collection[str]) -> Principal:
    """Return the principal of a request if it has one of ``scopes``; otherwise raise what :func:`require`
    raises.
    """
    if principal is None:
        raise MissingToken(
            "this operation requires a token", field="Authorization", expected="Bearer <token>"
        )
    if principal.scope not in scopes and not (principal.admin and "admin" in scopes):
        raise Forbidden(
            f"a token with scope {principal.scope} does not permit this operation",
            field="Authorization",
            expected="a token with scope " + " or ".join(sorted(scopes)),
        )
    return principal


def token_holder(authorization: str | None, services: Service) -> Principal | None:
    """Return the holder of the token in the header ``Authorization``, or None without the header. Raises
    :class:`~arena.accounts.accounts.InvalidToken` or :class:`~arena.accounts.accounts.OwnerSuspended`.
    """
    token = _token({} if authorization is None else {"HTTP_AUTHORIZATION": authorization})
    return None if token is None else services.accounts.check(token)


def still_valid(environ: Environ, services: Service) -> Callable[[], None]:
    """Return a function, for streams and requests that wait, that checks before each message that the
    request's token still gives the same rights.

    It raises the errors of :meth:`~arena.accounts.accounts.Accounts.check`, or
    :class:`~arena.accounts.accounts.Forbidden`.
    """
    token = _token(environ)
    accounts, before = services.accounts, environ.get(PRINCIPAL)

    def check() -> None:
        if token is not None and accounts.check(token) != before and before is not None:
            raise Forbidden(
                "the rights of this token have changed", field="Authorization", expected="to send it again"
            )

    return check


def check_now(environ: Environ, services: Service) -> None:
    """Check that the request's token is valid at this moment, also if this process remembers it. Otherwise a
    token that was just replaced elsewhere could still issue secrets of its owner.

    Raises the errors of :meth:`~arena.accounts.accounts.Accounts.check`.
    """
    token = _token(environ)
    if token is not None:
        services.accounts.check_now(token)


def holder(environ: Environ, services: Service) -> Principal | None:
    """Return the holder of the request's token with the rights that it has now. Raises the errors of
    :meth:`~arena.accounts.accounts.Accounts.check`.
    """
    token = _token(environ)
    if token is not None:
        environ[PRINCIPAL] = services.accounts.check(token)
    return environ.get(PRINCIPAL)


def _token(environ: Environ) -> str | None:
    header: str | None = environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise InvalidToken("the header has no bearer token", field="Authorization", expected="Bearer <token>")
    return token
