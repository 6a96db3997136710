"""Operations for admins. Every action is recorded in the audit log before it is carried out."""

from __future__ import annotations

from collections.abc import Mapping

from api.http.contract import Blueprint
from api.schemas.accounts import (
    AdminRightSchema,
    AuditPageSchema,
    GivenAdminRight,
    OwnerSchema,
    TokenSchema,
)
from api.schemas.common import GivenPage, PageQuery
from api.schemas.games import CancelledGamesSchema
from api.schemas.invitations import AllowanceSchema, GivenAllowance, InvitationQuotaSchema
from api.schemas.leaderboards import BoardQuery, GivenBoard, SuspicionListSchema
from api.schemas.owners import (
    GivenHiddenText,
    GivenText,
    HiddenTextListSchema,
    HiddenTextQuery,
    HiddenTextSchema,
    NewHiddenTextSchema,
    SuspendedOwnerSchema,
    SuspensionListSchema,
)
from api.schemas.tournaments import (
    AnnulledPairSchema,
    AnnulmentSchema,
    GivenOwnerPair,
    GivenReason,
    OwnerPairSchema,
    ReasonSchema,
)
from api.services import services
from arena.accounts.accounts import Owner, Principal
from arena.events.moderation import HiddenText
from arena.integrity.report import integrity_report

blueprint = Blueprint("admin", __name__, description="Operations for the admins of the service.")


@blueprint.operation(returns=TokenSchema)
def issue_owner_token(who: Principal, owner: str) -> dict[str, str]:
    services().accounts.audit(who, "issue owner token", f"owner {owner}")
    token = services().accounts.new_owner_token(owner)
    # Whoever stole the old token can have linked an identity.
    services().identities.forget(owner)
    return {"token": token}


@blueprint.operation(body=AdminRightSchema, returns=OwnerSchema)
def set_admin(who: Principal, body: GivenAdminRight, owner: str) -> Owner:
    services().accounts.audit(who, "set admin", f"owner {owner}", str(body["admin"]).lower())
    return services().accounts.set_admin(owner, body["admin"])


@blueprint.operation(body=AllowanceSchema, returns=InvitationQuotaSchema)
def allow_invitations(who: Principal, body: GivenAllowance, owner: str) -> dict[str, int]:
    services().accounts.audit(who, "allow invitations", f"owner {owner}", str(body["most"]))
    services().invitations.allow(owner, body["most"])
    return services().invitations.allowance(owner)


@blueprint.operation(query=PageQuery, returns=AuditPageSchema)
def list_audit(who: Principal, query: GivenPage) -> Mapping[str, object]:
    entries, cursor = services().accounts.audited(query["cursor"] or "", query["limit"])
    return {"entries": entries, "cursor": cursor}


@blueprint.operation(body=ReasonSchema, returns=AnnulmentSchema)
def annul_game(who: Principal, body: GivenReason, game: str) -> Mapping[str, object]:
    services().accounts.audit(who, "annul game", f"game {game}", body["reason"])
    return services().tournaments.annul(game, by=who.name, reason=body["reason"])


@blueprint.operation(body=OwnerPairSchema, returns=AnnulledPairSchema)
def annul_between(who: Principal, body: GivenOwnerPair) -> Mapping[str, object]:
    owners, reason = body["owners"], body["reason"]
    services().accounts.audit(who, "annul games", f"owners {' '.join(owners)}", reason)
    count, cursor = services().tournaments.annul_between(owners, who.name, reason, body.get("cursor"))
    return {"annulled": count, "cursor": cursor}


@blueprint.operation(query=BoardQuery, returns=SuspicionListSchema)
def list_suspicions(who: Principal, query: GivenBoard) -> Mapping[str, object]:
    parts = services()
    return integrity_report(parts.boards, parts.accounts, parts.store.accounts, **query)


@blueprint.operation(returns=SuspensionListSchema)
def list_suspensions(who: Principal) -> Mapping[str, object]:
    suspensions = services().suspensions
    return {"bots": suspensions.bots(), "owners": suspensions.owners()}


@blueprint.operation()
def lift_suspension(who: Principal, bot: str) -> None:
    services().accounts.audit(who, "lift suspension", f"bot {bot}")
    services().suspensions.lift(bot)


@blueprint.operation(body=ReasonSchema, returns=SuspendedOwnerSchema)
def suspend_owner(who: Principal, body: GivenReason, owner: str) -> Owner:
    services().accounts.audit(who, "suspend owner", f"owner {owner}", body["reason"])
    now_ms = services().store.clock().now_ms
    return services().suspensions.suspend_owner(owner, body["reason"], who.name, now_ms)


@blueprint.operation()
def unsuspend_owner(who: Principal, owner: str) -> None:
    services().accounts.audit(who, "lift suspension", f"owner {owner}")
    services().suspensions.lift_of_owner(owner)


@blueprint.operation(body=ReasonSchema, returns=CancelledGamesSchema)
def cancel_games(who: Principal, body: GivenReason, owner: str) -> Mapping[str, object]:
    return {"games": services().game_cancellation.cancel_all(owner, who, body["reason"])}


@blueprint.operation(returns=HiddenTextListSchema)
def list_hidden_texts(who: Principal) -> Mapping[str, object]:
    return {"texts": services().moderation.all()}


@blueprint.operation(body=NewHiddenTextSchema, returns=HiddenTextSchema)
def hide_text(who: Principal, body: GivenHiddenText) -> HiddenText:
    services().accounts.audit(who, f"hide {body['text']}", f"{body['of']} {body['id']}", body["reason"])
    return services().moderation.hide(**body, by=who.name)


@blueprint.operation(query=HiddenTextQuery)
def show_text(who: Principal, query: GivenText) -> None:
    services().accounts.audit(who, f"show {query['text']}", f"{query['of']} {query['id']}")
    services().moderation.show(**query)
