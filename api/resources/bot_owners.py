"""The owners of a bot: who shares it, and who is invited to."""

from __future__ import annotations

from typing import Any

from api import submissions
from api.contract import Blueprint
from api.schemas.accounts import BotOwnersSchema
from arena.accounts.accounts import Forbidden, Principal

blueprint = Blueprint("bot_owners", __name__, description="Who owns a bot together.")

_ERRORS = ("bot_not_found", "not_co_owner", "forbidden")


@blueprint.operation(
    "/bots/<bot>/owners", scopes=("owner", "admin"), returns=BotOwnersSchema, errors=("bot_not_found",)
)
def list_bot_owners(who: Principal, bot: str) -> dict[str, Any]:
    """List the owners of a bot

    Its owner, the co-owners, and the owners who are invited to share it; for these and admins. Owner and
    co-owners are public in the bot.
    """
    view = submissions.owners_view(bot)
    if not who.admin and who.name not in (view["owner"], *view["co_owners"], *view["invited"]):
        raise Forbidden(f"{bot} is not your bot", field="bot", expected="one of your own bots")
    return view


@blueprint.operation(
    "/bots/<bot>/owners/<owner>",
    "PUT",
    scopes=("owner",),
    returns=BotOwnersSchema,
    errors=(*_ERRORS, "owner_not_found", "quota_exceeded"),
)
def add_bot_owner(who: Principal, bot: str, owner: str) -> dict[str, Any]:
    """Invite an owner to share a bot, or accept that

    The bot's owner invites; the owner who is invited accepts with the same operation and its own token, and
    is a co-owner then. Co-owners add versions, read sources and logs, request qualifications, and enter the
    bot. They do not see or replace its token, change its settings, publish its sources, delete it, or remove
    others. The bot then counts in their quotas too, and all bots that share an owner count as one owner's in
    tournaments.
    """
    submissions.add_owner(who, bot, owner)
    return submissions.owners_view(bot)


@blueprint.operation(
    "/bots/<bot>/owners/<owner>", "DELETE", scopes=("owner", "admin"), status=204, errors=_ERRORS
)
def remove_bot_owner(who: Principal, bot: str, owner: str) -> None:
    """Remove a co-owner of a bot, or an invitation

    By the bot's owner or an admin; co-owners leave, and owners who are invited decline, with their own name.
    The owner stays. Entries in tournaments stay.
    """
    submissions.remove_owner(who, bot, owner)
