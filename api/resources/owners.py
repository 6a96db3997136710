"""Owners: sign-up, profile and tokens."""

from __future__ import annotations

from typing import Any

from api.contract import Blueprint
from api.schemas.accounts import (
    NewOwnerSchema,
    OwnerSchema,
    OwnerWithTokenSchema,
    OwnOwnerSchema,
    SignInLinkSchema,
    TokenSchema,
)
from api.services import services
from api.sessions import sign_in_link
from arena.accounts.accounts import Owner, Principal

blueprint = Blueprint("owners", __name__, description="Owners of bots, and their tokens.")


@blueprint.operation(
    "/owners",
    "POST",
    scopes=(),
    body=NewOwnerSchema,
    status=201,
    returns=OwnerWithTokenSchema,
    errors=("name_taken", "invalid_name"),
    limit="sign_ups_per_address",
)
def sign_up(who: Principal | None, body: dict[str, Any]) -> dict[str, Any]:
    """Sign up as an owner

    Returns the owner's token, which is shown only once. Sign-ups are limited per address. Only an admin can
    replace a lost token.
    """
    owner, token = services().accounts.sign_up(body["name"])
    return {"owner": owner, "token": token}


@blueprint.operation("/owners/me", scopes=("owner",), returns=OwnOwnerSchema)
def get_me(who: Principal) -> dict[str, Any]:
    """Get the owner of the token

    `admin` is true if the owner is an admin. `quotas` says how much its bots store and may store, `budgets`
    how much computation it started today and may start; admins have no budget.
    """
    accounts, budgets = services().accounts, services().budgets
    return {
        **vars(accounts.owner(who.name)),
        "quotas": accounts.quotas.of_owner(who.name),
        "budgets": budgets.of_owner(who.name),
    }


@blueprint.operation("/owners/me/token", "POST", scopes=("owner",), status=201, returns=TokenSchema)
def replace_owner_token(who: Principal) -> dict[str, str]:
    """Replace the owner's token

    The new token is shown only once. The old token expires within five seconds.
    """
    return {"token": services().accounts.new_owner_token(who.name)}


@blueprint.operation("/owners/me/token", "DELETE", scopes=("owner",), status=204)
def revoke_owner_token(who: Principal) -> None:
    """Revoke the owner's token

    The token expires within five seconds. Only an admin can issue another.
    """
    services().accounts.revoke_owner_token(who.name)


@blueprint.operation(
    "/owners/me/sign-in-links",
    "POST",
    scopes=("owner",),
    status=201,
    returns=SignInLinkSchema,
    limit="links_per_owner",
)
def create_sign_in_link(who: Principal) -> dict[str, Any]:
    """Create a link that signs a browser in

    The link works once, for five minutes, and ends with the token. Opening it changes nothing; the page
    that it shows asks before it signs in.
    """
    url, expires_ms = sign_in_link(who.name)
    return {"url": url, "expires_ms": expires_ms}


@blueprint.operation("/owners/<owner>", scopes=(), returns=OwnerSchema, errors=("owner_not_found",))
def get_owner(who: Principal | None, owner: str) -> Owner:
    """Get an owner

    Owners are public: their name, sign-up time and whether they are admins.
    """
    return services().accounts.owner(owner)
