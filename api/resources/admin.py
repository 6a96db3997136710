"""Operations for admins. Every action is written to the audit log before it is carried out."""

from __future__ import annotations

from typing import Any

from api.contract import ARCHIVED, Blueprint
from api.schemas.accounts import (
    AdminRightSchema,
    AuditPageSchema,
    OwnerSchema,
    SuspendedBotListSchema,
    TokenSchema,
)
from api.schemas.common import PageQuery
from api.schemas.leaderboards import BoardQuery, SuspicionListSchema
from api.schemas.tournaments import AnnulmentSchema, ReasonSchema
from api.services import services
from arena.accounts.accounts import Owner, Principal
from arena.events.suspicions import arranged

blueprint = Blueprint("admin", __name__, description="Operations for the admins of the service.")


@blueprint.operation(
    "/admin/owners/<owner>/token",
    "POST",
    scopes=("admin",),
    status=201,
    returns=TokenSchema,
    errors=("owner_not_found",),
)
def issue_owner_token(who: Principal, owner: str) -> dict[str, str]:
    """Issue a new token for an owner

    For an owner that lost the old token, which expires within five seconds.
    """
    services().accounts.audit(who, "issue owner token", f"owner {owner}")
    return {"token": services().accounts.new_owner_token(owner)}


@blueprint.operation(
    "/admin/owners/<owner>/admin",
    "PUT",
    scopes=("admin",),
    body=AdminRightSchema,
    returns=OwnerSchema,
    errors=("owner_not_found",),
)
def set_admin(who: Principal, body: dict[str, Any], owner: str) -> Owner:
    """Grant or revoke the admin right of an owner

    The token of an admin has the scope `admin` in addition to `owner`.
    """
    services().accounts.audit(who, "set admin", f"owner {owner}", str(body["admin"]).lower())
    return services().accounts.set_admin(owner, body["admin"])


@blueprint.operation(
    "/admin/audit", scopes=("admin",), query=PageQuery, returns=AuditPageSchema, errors=("invalid_cursor",)
)
def list_audit(who: Principal, query: dict[str, Any]) -> dict[str, Any]:
    """List the actions of admins, newest first

    Every action is logged before it is carried out.
    """
    entries, cursor = services().accounts.audited(query["cursor"] or "", query["limit"])
    return {"entries": entries, "cursor": cursor}


@blueprint.operation(
    "/admin/games/<game>/annul",
    "POST",
    scopes=("admin",),
    body=ReasonSchema,
    returns=AnnulmentSchema,
    errors=("game_not_found", "group_not_over", *ARCHIVED),
)
def annul_game(who: Principal, body: dict[str, Any], game: str) -> dict[str, Any]:
    """Annul a game of a tournament

    The whole group of the game no longer counts: standings and leaderboards are computed again. Its
    records remain and state the reason. `game` may also be the id of a group, as in its records.
    """
    services().accounts.audit(who, "annul game", f"game {game}", body["reason"])
    return services().tournaments.annul(game, by=who.name, reason=body["reason"])


@blueprint.operation(
    "/admin/suspicions",
    scopes=("admin",),
    query=BoardQuery,
    returns=SuspicionListSchema,
    errors=("preset_not_found",),
)
def list_suspicions(who: Principal, query: dict[str, Any]) -> dict[str, Any]:
    """List what looks arranged

    The suspicions of one leaderboard, with the evidence, the smallest chance first: a version gains far more
    from the bots of other owners than its strength explains, or more in one tournament than in others
    (`dumping`), or two gain far more from the other players than theirs explain (`signalling`). People
    should review each: in an honest field, about one report in a hundred names anybody. `copies` are the
    uploads, of all games, that bots of different owners have.
    """
    parts = services()
    return arranged(parts.boards, parts.accounts, parts.store.accounts, **query)


@blueprint.operation("/admin/suspensions", scopes=("admin",), returns=SuspendedBotListSchema)
def list_suspensions(who: Principal) -> dict[str, Any]:
    """List suspended bots

    A group during which two workers hung or crashed is stopped. If a call of the same uploaded bot was
    running both times, that bot is suspended, otherwise all uploaded bots in the group; so is a bot during
    whose calls two workers hung or crashed within a day. A suspended bot is not seated in games,
    qualifications and tournaments, and its groups in running tournaments are void.
    """
    return {"bots": services().suspensions.bots()}


@blueprint.operation(
    "/admin/suspensions/<bot>",
    "DELETE",
    scopes=("admin",),
    status=204,
    errors=("bot_not_found", "suspension_not_found"),
)
def lift_suspension(who: Principal, bot: str) -> None:
    """Lift the suspension of a bot

    It may be seated again from now on. Groups that were stopped or void meanwhile stay so.
    """
    services().accounts.audit(who, "lift suspension", f"bot {bot}")
    services().suspensions.lift(bot)
