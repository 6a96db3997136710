"""What only admins may do. Every action is noted in the audit log before it is done."""

from __future__ import annotations

from typing import Any

from api.contract import Blueprint
from api.schemas.accounts import AdminRightSchema, AuditPageSchema, OwnerSchema, TokenSchema
from api.schemas.common import PageQuery
from api.schemas.leaderboards import BoardQuery, SuspicionListSchema
from api.schemas.tournaments import AnnulmentSchema, ReasonSchema
from api.services import services
from arena.live.accounts import Owner, Principal
from arena.ratings.collusion import suspicious_pairs

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


@blueprint.operation(
    "/admin/games/<game>/annul",
    "POST",
    scopes=("admin",),
    body=ReasonSchema,
    returns=AnnulmentSchema,
    errors=("game_not_found", "group_not_over"),
)
def annul_game(who: Principal, body: dict[str, Any], game: str) -> dict[str, Any]:
    """Annul a game of a tournament

    Its whole group counts for nobody from then on: standings and leaderboards are made anew. Its records
    stay, and say why. `game` may also be the id of a group, as records have it.
    """
    services().accounts.audit(who, "annul game", f"game {game}", body["reason"])
    return services().tournaments.annul(game, by=who.name, reason=body["reason"])


@blueprint.operation("/admin/suspicions", scopes=("admin",), query=BoardQuery, returns=SuspicionListSchema)
def list_suspicions(who: Principal, query: dict[str, Any]) -> dict[str, Any]:
    """List pairs of bots whose results look arranged

    Of one leaderboard, with the evidence, the strangest first: one gains far more from the other
    (`dumping`), or two gain far more from the others together (`signalling`), than all other results
    predict. It is for people to look into: no more than one report in a hundred names anybody in an honest
    field.
    """
    groups = services().boards.groups(query["kind"], query["division"])
    return {"suspicions": [one.as_json() for one in suspicious_pairs(groups)]}
