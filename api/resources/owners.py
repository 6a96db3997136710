"""Owners: sign-up, profile and tokens."""

from __future__ import annotations

from typing import Any

from flask import request

from api import submissions
from api.auth import client
from api.contract import ARCHIVED, Blueprint
from api.schemas.accounts import (
    NewOwnerSchema,
    OwnerSchema,
    OwnerWithTokenSchema,
    OwnOwnerSchema,
    SignInLinkSchema,
    TokenSchema,
)
from api.schemas.owners import DeletedSchema, DeletionQuery, ExportSchema
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
    errors=("name_taken", "invalid_name", "invalid_invitation"),
)
def sign_up(who: Principal | None, body: dict[str, Any]) -> dict[str, Any]:
    """Sign up as an owner

    Returns the owner's token, which is shown only once. Sign-ups are limited per address, except those with
    an invitation; a failed one counts. Only an admin can replace a lost token. `Idempotency-Key` has no
    effect here: a name is taken only once.
    """
    parts = services()
    name, code = body["name"], body.get("invitation", "")
    create = parts.invitations.sign_up if code else lambda name, _: parts.accounts.sign_up(name)
    owner, token = submissions.sign_up(client(request.environ), bool(code), lambda: create(name, code))
    return {"owner": owner, "token": token}


@blueprint.operation("/owners/me", scopes=("owner",), returns=OwnOwnerSchema)
def get_me(who: Principal) -> dict[str, Any]:
    """Get the owner of the token

    `admin` is true if the owner is an admin. `quotas` says how much its bots store and may store, `budgets`
    how much computation it started today and may start; admins have no budget. `invitations` says how many
    people it has invited and may invite. `bot_invitations`: the bots that it is invited to share.
    """
    accounts, budgets = services().accounts, services().budgets
    return {
        **vars(accounts.owner(who.name)),
        "quotas": accounts.quotas.of_owner(who.name),
        "budgets": budgets.of_owner(who.name),
        "invitations": services().invitations.allowance(who.name),
        "bot_invitations": services().co_owners.invitations(who.name),
    }


@blueprint.operation(
    "/owners/me/token", "POST", scopes=("owner",), status=201, returns=TokenSchema, secret=("token",)
)
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
    secret=("url",),
    limit="links_per_owner",
)
def create_sign_in_link(who: Principal) -> dict[str, Any]:
    """Create a link that signs a browser in

    The link works once, for five minutes, and ends with the token. Opening it changes nothing; the page
    that it shows asks before it signs in.
    """
    url, expires_ms = sign_in_link(who.name)
    return {"url": url, "expires_ms": expires_ms}


@blueprint.operation("/owners/me/export", scopes=("owner",), returns=ExportSchema, limit="exports_per_owner")
def export_owner(who: Principal) -> dict[str, Any]:
    """Get everything that is stored about the owner

    Bots with their settings, versions, sources, qualifications and logs, the ids of their games, tournaments
    and entries. It has no tokens, of which the service has only hashes, and no signing secrets.
    """
    return services().account_data.export(who.name)


@blueprint.operation(
    "/owners/me",
    "DELETE",
    scopes=("owner",),
    query=DeletionQuery,
    returns=DeletedSchema,
    errors=("not_confirmed", *ARCHIVED),
)
def delete_owner(who: Principal, query: dict[str, Any]) -> dict[str, Any]:
    """Delete the owner and all its bots

    Entries and games end by the rules for leaving. Tokens, sessions, webhooks, sources, logs and
    qualifications are erased. Records stay, with the names of bots in the part that is hashed; everywhere
    else `deleted-` and an id are shown in place of the names, which nobody can take again. It cannot be
    undone.
    """
    shown = services().account_data.delete(who.name, query["confirm"])
    return {"shown": shown}


@blueprint.operation("/owners/<owner>", scopes=(), returns=OwnerSchema, errors=("owner_not_found",))
def get_owner(who: Principal | None, owner: str) -> Owner:
    """Get an owner

    Owners are public: their name, sign-up time and whether they are admins.
    """
    return services().accounts.owner(owner)
