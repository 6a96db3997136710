"""Operations for admins. Every action is written to the audit log before it is carried out."""

from __future__ import annotations

from typing import Any

from api.contract import ARCHIVED, Blueprint
from api.schemas.accounts import (
    AdminRightSchema,
    AuditPageSchema,
    OwnerSchema,
    TokenSchema,
)
from api.schemas.common import PageQuery
from api.schemas.invitations import AllowanceSchema, InvitationQuotaSchema
from api.schemas.leaderboards import BoardQuery, SuspicionListSchema
from api.schemas.owners import (
    HiddenTextListSchema,
    HiddenTextQuery,
    HiddenTextSchema,
    NewHiddenTextSchema,
    SuspendedOwnerSchema,
    SuspensionListSchema,
)
from api.schemas.tournaments import AnnulmentSchema, ReasonSchema
from api.services import services
from arena.accounts.accounts import Owner, Principal
from arena.accounts.shown import HiddenText
from arena.events.suspicions import arranged

blueprint = Blueprint("admin", __name__, description="Operations for the admins of the service.")


@blueprint.operation(
    "/admin/owners/<owner>/token",
    "POST",
    scopes=("admin",),
    status=201,
    returns=TokenSchema,
    secret=("token",),
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
    "/admin/owners/<owner>/invitations",
    "PUT",
    scopes=("admin",),
    body=AllowanceSchema,
    returns=InvitationQuotaSchema,
    errors=("owner_not_found",),
)
def allow_invitations(who: Principal, body: dict[str, Any], owner: str) -> dict[str, int]:
    """Allow an owner to invite people

    Sets how many invitations the owner may make in all; 0 for none.
    """
    services().accounts.audit(who, "allow invitations", f"owner {owner}", str(body["most"]))
    services().invitations.allow(owner, body["most"])
    return services().invitations.allowance(owner)


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


@blueprint.operation("/admin/suspensions", scopes=("admin",), returns=SuspensionListSchema)
def list_suspensions(who: Principal) -> dict[str, Any]:
    """List suspended bots and owners

    A group during which two workers hung or crashed is stopped. If a call of the same uploaded bot was
    running both times, that bot is suspended, otherwise all uploaded bots in the group; so is a bot during
    whose calls two workers hung or crashed within a day. A suspended bot is not seated in games,
    qualifications and tournaments, and its groups in running tournaments are void.
    """
    suspensions = services().suspensions
    return {"bots": suspensions.bots(), "owners": suspensions.owners()}


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


@blueprint.operation(
    "/admin/owners/<owner>/suspension",
    "PUT",
    scopes=("admin",),
    body=ReasonSchema,
    returns=SuspendedOwnerSchema,
    errors=("owner_not_found",),
)
def suspend_owner(who: Principal, body: dict[str, Any], owner: str) -> Owner:
    """Suspend an owner

    Within five seconds its tokens and those of its bots are refused with `owner_suspended`, which has the
    reason, and nobody can sign in as it. Its bots are not seated or entered, and are late for the turns that
    they have.
    """
    services().accounts.audit(who, "suspend owner", f"owner {owner}", body["reason"])
    now_ms = services().store.clock().now_ms
    return services().suspensions.suspend_owner(owner, body["reason"], who.name, now_ms)


@blueprint.operation(
    "/admin/owners/<owner>/suspension",
    "DELETE",
    scopes=("admin",),
    status=204,
    errors=("owner_not_found", "suspension_not_found"),
)
def unsuspend_owner(who: Principal, owner: str) -> None:
    """Lift the suspension of an owner

    Its tokens are valid again, and its bots may be seated.
    """
    services().accounts.audit(who, "lift suspension", f"owner {owner}")
    services().suspensions.lift_of_owner(owner)


@blueprint.operation("/admin/hidden-texts", scopes=("admin",), returns=HiddenTextListSchema)
def list_hidden_texts(who: Principal) -> dict[str, Any]:
    """List hidden texts

    Those that admins hid, with the reasons.
    """
    return {"texts": services().shown.all()}


@blueprint.operation(
    "/admin/hidden-texts",
    "POST",
    scopes=("admin",),
    body=NewHiddenTextSchema,
    status=201,
    returns=HiddenTextSchema,
    errors=("text_not_found", "owner_not_found", "bot_not_found", "tournament_not_found"),
)
def hide_text(who: Principal, body: dict[str, Any]) -> HiddenText:
    """Hide a text

    In place of a name, `hidden-` and an id are shown within five seconds, in place of a description nothing.
    Records stay as they are. The texts of an owner, a bot or a tournament stay stored, and are shown again
    when the text is no longer hidden.
    """
    services().accounts.audit(who, f"hide {body['text']}", f"{body['of']} {body['id']}", body["reason"])
    return services().moderation.hide(**body, by=who.name)


@blueprint.operation(
    "/admin/hidden-texts",
    "DELETE",
    scopes=("admin",),
    query=HiddenTextQuery,
    status=204,
    errors=("text_not_hidden",),
)
def show_text(who: Principal, query: dict[str, Any]) -> None:
    """Show a hidden text again

    Within five seconds it is shown as it is.
    """
    services().accounts.audit(who, f"show {query['text']}", f"{query['of']} {query['id']}")
    services().moderation.show(**query)
