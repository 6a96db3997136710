"""What only admins may do. Every action is noted in the audit log before it is done."""

from __future__ import annotations

from typing import Any

from api.contract import Blueprint
from api.schemas.accounts import AdminRightSchema, AuditPageSchema, OwnerSchema, TokenSchema
from api.schemas.common import PageQuery
from api.services import services
from arena.live.accounts import Owner, Principal

blueprint = Blueprint("admin", __name__, description="For the admins of the service.")


@blueprint.operation(
    "/admin/owners/<owner>/token",
    "POST",
    scopes=("admin",),
    status=201,
    returns=TokenSchema,
    errors=("unknown_owner",),
)
def issue_owner_token(who: Principal, owner: str) -> dict[str, str]:
    """Issue a new token to an owner that lost the old one

    The old token ends within five seconds.
    """
    services().accounts.audit(who, "issue owner token", f"owner {owner}")
    return {"token": services().accounts.new_owner_token(owner)}


@blueprint.operation(
    "/admin/owners/<owner>/admin",
    "PUT",
    scopes=("admin",),
    body=AdminRightSchema,
    returns=OwnerSchema,
    errors=("unknown_owner",),
)
def set_admin(who: Principal, body: dict[str, Any], owner: str) -> Owner:
    """Make an owner an admin, or no longer"""
    services().accounts.audit(who, "set admin", f"owner {owner}", str(body["admin"]).lower())
    return services().accounts.set_admin(owner, body["admin"])


@blueprint.operation(
    "/admin/audit", scopes=("admin",), query=PageQuery, returns=AuditPageSchema, errors=("invalid_cursor",)
)
def list_audit(who: Principal, query: dict[str, Any]) -> dict[str, Any]:
    """List what admins did, the newest first"""
    entries, cursor = services().accounts.audited(query["cursor"] or "", query["limit"])
    return {"entries": entries, "cursor": cursor}
