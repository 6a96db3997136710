"""Owners: sign-up, profile and tokens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from flask import Response, request

from api.http.auth import check_now, client
from api.http.contract import Blueprint, json_response, streamed
from api.http.sessions import sign_in_link
from api.schemas.accounts import (
    ChangedOwnerSchema,
    GivenOwner,
    GivenOwnerChange,
    GivenRecovery,
    NewOwnerSchema,
    OwnerSchema,
    OwnerWithTokenSchema,
    OwnOwnerSchema,
    RecoveryCodeSchema,
    RecoverySchema,
    SignInLinkSchema,
)
from api.schemas.owners import (
    DeletedSchema,
    DeletionQuery,
    ExportSchema,
    ExportStateSchema,
    GivenDeletion,
)
from api.services import services
from arena.accounts.accounts import Owner, Principal

RETRY_SECONDS: Final = 5
"""The pause between two requests for an export that is being written."""

blueprint = Blueprint("owners", __name__, description="Owners of bots, and their tokens.")


@blueprint.operation(body=NewOwnerSchema, returns=OwnerWithTokenSchema)
def sign_up(who: Principal | None, body: GivenOwner) -> Mapping[str, object]:
    name, code = body["name"], body.get("invitation", "")
    create = partial(services().sessions.sign_up, name, code)
    return services().limits.sign_up(client(request.environ), bool(code), create)._asdict()


@blueprint.operation(body=RecoverySchema, returns=OwnerWithTokenSchema)
def recover_owner(who: Principal | None, body: GivenRecovery) -> Mapping[str, object]:
    return services().recovery.recover(body["recovery_code"])._asdict()


@blueprint.operation(body=ChangedOwnerSchema, returns=OwnOwnerSchema)
def change_me(who: Principal, body: GivenOwnerChange) -> Mapping[str, object]:
    services().accounts.set_invitable(who.name, body["invitable"])
    return _me(who)


@blueprint.operation(returns=OwnOwnerSchema)
def get_me(who: Principal) -> Mapping[str, object]:
    return _me(who)


def _me(who: Principal) -> Mapping[str, object]:
    accounts, budgets = services().accounts, services().budgets
    return {
        **vars(accounts.owner(who.name)),
        "quotas": {
            **accounts.quotas.of_owner(who.name),
            "tournaments": services().tournaments.announced.of_owner(who.name),
        },
        "budgets": budgets.of_owner(who.name),
        "identity": services().identities.of(who.name),
        "proven_ms": accounts.proven_from(who.name),
        "invitations": services().invitations.allowance(who.name),
        "bot_invitations": services().co_owners.invitations(who.name),
        "tournament_invitations": services().moderation.apply(
            services().tournaments.invitations.of(who.name)
        ),
    }


@blueprint.operation(returns=OwnerWithTokenSchema)
def replace_owner_token(who: Principal) -> Mapping[str, object]:
    check_now(request.environ, services())
    return services().recovery.replace_keys(who.name)._asdict()


@blueprint.operation()
def revoke_owner_token(who: Principal) -> None:
    check_now(request.environ, services())
    services().accounts.revoke_owner_token(who.name)


@blueprint.operation(returns=RecoveryCodeSchema)
def replace_recovery_code(who: Principal) -> dict[str, str]:
    check_now(request.environ, services())
    return {"recovery_code": services().recovery.new_code(who.name)}


@blueprint.operation()
def unlink_identity(who: Principal) -> None:
    check_now(request.environ, services())
    services().identities.unlink(who.name)


@blueprint.operation(returns=SignInLinkSchema)
def create_sign_in_link(who: Principal) -> Mapping[str, object]:
    check_now(request.environ, services())
    url, expires_ms = sign_in_link(who.name)
    return {"url": url, "expires_ms": expires_ms}


@blueprint.operation(returns=ExportSchema, accepted=ExportStateSchema)
def export_owner(who: Principal) -> Response:
    exports, http = services().exports, services().settings.http
    exports.request(who.name)
    if exports.wait(who.name, min(http.upload_wait, http.max_wait)):
        return streamed(exports.read(who.name))
    response = json_response(ExportStateSchema().dump({"state": "preparing"}), 202)
    response.headers["Location"] = "/v1/owners/me/export"
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


@blueprint.operation(query=DeletionQuery, returns=DeletedSchema)
def delete_owner(who: Principal, query: GivenDeletion) -> dict[str, str]:
    shown = services().account_data.delete(who.name, query["confirm"])
    return {"shown": shown}


@blueprint.operation(returns=OwnerSchema)
def get_owner(who: Principal | None, owner: str) -> Owner:
    return services().accounts.owner(owner)
