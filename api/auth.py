"""Who asks: the token in the ``Authorization`` header, and what it is good for."""

from __future__ import annotations

from collections.abc import Callable, Collection

from api.edge import PRINCIPAL, Environ
from api.errors import MissingToken
from api.services import Services
from arena.live.accounts import Forbidden, InvalidToken, Principal


def authenticate(environ: Environ, services: Services) -> Principal | None:
    """Whom the request's token speaks for, None if it has none; counts the request against its limit.

    Raises :class:`~arena.live.accounts.InvalidToken` or :class:`~api.limits.RateLimited`.
    """
    token = _token(environ)
    if token is None:
        services.limits.spend("requests_per_address", environ.get("REMOTE_ADDR", ""))
        return None
    try:
        principal = services.accounts.check(token)
    except InvalidToken:
        services.limits.spend("requests_per_address", environ.get("REMOTE_ADDR", ""))
        raise
    environ[PRINCIPAL] = principal
    services.limits.spend("requests_per_token", f"{principal.scope}:{principal.name}")
    return principal


def require(scopes: Collection[str], environ: Environ, services: Services) -> Principal:
    """The principal, which must have one of ``scopes`` (an owner that is an admin has ``admin`` too).

    Raises what :func:`authenticate` does, :class:`~api.errors.MissingToken` or
    :class:`~arena.live.accounts.Forbidden`.
    """
    principal = authenticate(environ, services)
    if principal is None:
        raise MissingToken("this needs a token", field="Authorization", expected="Bearer <token>")
    if principal.scope not in scopes and not (principal.admin and "admin" in scopes):
        raise Forbidden(
            f"a token of scope {principal.scope} is not for this",
            field="Authorization",
            expected="a token of scope " + " or ".join(sorted(scopes)),
        )
    return principal


def still_valid(environ: Environ, services: Services) -> Callable[[], None]:
    """A check, for those who wait, that the request's token has not been revoked meanwhile.

    It raises :class:`~arena.live.accounts.InvalidToken`.
    """
    token = _token(environ)
    accounts = services.accounts

    def check() -> None:
        if token is not None:
            accounts.check(token)

    return check


def _token(environ: Environ) -> str | None:
    header: str | None = environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise InvalidToken(
            "the header is not a bearer token", field="Authorization", expected="Bearer <token>"
        )
    return token
