"""The co-owners of a bot, and the owners invited to share it."""

from __future__ import annotations

from api.http.contract import Blueprint
from api.schemas.accounts import BotOwnersSchema
from api.services import services
from arena.accounts.accounts import Forbidden, Principal
from arena.accounts.co_owners import BotOwners

blueprint = Blueprint("bot_owners", __name__, description="The owners who share a bot.")


@blueprint.operation(returns=BotOwnersSchema)
def list_bot_owners(who: Principal, bot: str) -> BotOwners:
    view = services().co_owners.of(bot)
    if not who.admin and who.name not in (view["owner"], *view["co_owners"], *view["invited"]):
        raise Forbidden(f"{bot} is not your bot", field="bot", expected="one of your bots")
    return view


@blueprint.operation(returns=BotOwnersSchema)
def add_bot_owner(who: Principal, bot: str, owner: str) -> BotOwners:
    services().co_owners.add(who, bot, owner)
    return services().co_owners.of(bot)


@blueprint.operation()
def remove_bot_owner(who: Principal, bot: str, owner: str) -> None:
    services().co_owners.remove(who, bot, owner)
