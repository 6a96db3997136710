"""Bots: register, list, change, delete; their versions and tokens."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from api.contract import Blueprint
from api.schemas.accounts import (
    BotPageSchema,
    BotSchema,
    BotWithTokenSchema,
    ChangedBotSchema,
    NewBotSchema,
    NewVersionSchema,
    TokenSchema,
    VersionSchema,
)
from api.schemas.common import PageQuery, absent
from api.services import services
from arena.live.accounts import BotAccount, Forbidden, Principal, Version

blueprint = Blueprint("bots", __name__, description="Bots, their versions and their tokens.")


class BotsQuery(PageQuery):
    """Which bots to list."""

    owner = fields.String(
        load_default=absent,
        validate=validate.Length(1, 64),
        metadata={"description": "Only this owner's bots."},
    )


def _own(who: Principal, name: str) -> None:
    """Refuse unless the bot is the owner's."""
    if services().accounts.bot(name).owner != who.name or who.scope != "owner":
        raise Forbidden(f"{name} is not your bot", field="bot", expected="a bot of your own")


def _own_or_admin(who: Principal, name: str, action: str, detail: str = "") -> None:
    """Refuse unless the bot is the owner's, or an admin asks, who leaves a note."""
    try:
        _own(who, name)
    except Forbidden:
        if not who.admin:
            raise
        services().accounts.audit(who, action, f"bot {name}", detail)


@blueprint.operation(
    "/bots",
    "POST",
    scopes=("owner",),
    body=NewBotSchema,
    status=201,
    returns=BotWithTokenSchema,
    errors=("name_taken", "too_many", "invalid_name"),
    limit="bots_per_owner",
)
def register_bot(who: Principal, body: dict[str, Any]) -> dict[str, Any]:
    """Register a bot

    Returns the bot's token, this once. Names are unique for good: that of a deleted bot stays taken.
    """
    bot, token = services().accounts.register_bot(
        who.name, body["name"], body["version"], body["transport"], body.get("description", "")
    )
    return {"bot": bot, "token": token}


@blueprint.operation("/bots", scopes=(), query=BotsQuery, returns=BotPageSchema)
def list_bots(who: Principal | None, query: dict[str, Any]) -> dict[str, Any]:
    """List bots by name"""
    bots, cursor = services().accounts.bots(query["owner"], query["cursor"] or "", query["limit"])
    return {"bots": bots, "cursor": cursor}


@blueprint.operation("/bots/<bot>", scopes=(), returns=BotSchema, errors=("unknown_bot",))
def get_bot(who: Principal | None, bot: str) -> BotAccount:
    """Show a bot and its versions"""
    return services().accounts.bot(bot)


@blueprint.operation(
    "/bots/<bot>",
    "PATCH",
    scopes=("owner", "admin"),
    body=ChangedBotSchema,
    returns=BotSchema,
    errors=("unknown_bot",),
)
def change_bot(who: Principal, body: dict[str, Any], bot: str) -> BotAccount:
    """Withdraw a bot from new games, put it back, or describe it anew"""
    changes = " ".join(f"{key}={value}" for key, value in body.items())
    _own_or_admin(who, bot, "change bot", changes)
    return services().accounts.change_bot(bot, body.get("state"), body.get("description"))


@blueprint.operation("/bots/<bot>", "DELETE", scopes=("owner", "admin"), status=204, errors=("unknown_bot",))
def delete_bot(who: Principal, bot: str) -> None:
    """Delete a bot

    Its past records keep its name and version, nothing else is kept, and the name stays taken. Its
    token ends within five seconds; in games under way it is late from then on.
    """
    _own_or_admin(who, bot, "delete bot")
    services().accounts.delete_bot(bot)


@blueprint.operation(
    "/bots/<bot>/versions",
    "POST",
    scopes=("owner",),
    body=NewVersionSchema,
    status=201,
    returns=VersionSchema,
    errors=("unknown_bot", "version_exists", "too_many", "invalid_name"),
)
def add_version(who: Principal, body: dict[str, Any], bot: str) -> Version:
    """Add a version of a bot

    A version never changes. New games are played with the newest; each version is rated on its own.
    """
    _own(who, bot)
    return services().accounts.add_version(bot, body["label"], body["transport"])


@blueprint.operation(
    "/bots/<bot>/token",
    "POST",
    scopes=("owner",),
    status=201,
    returns=TokenSchema,
    errors=("unknown_bot",),
)
def replace_bot_token(who: Principal, bot: str) -> dict[str, str]:
    """Replace a bot's token

    The new token is shown this once. The old one ends within five seconds.
    """
    _own(who, bot)
    return {"token": services().accounts.new_bot_token(bot)}


@blueprint.operation(
    "/bots/<bot>/token",
    "DELETE",
    scopes=("owner", "admin"),
    status=204,
    errors=("unknown_bot",),
)
def revoke_bot_token(who: Principal, bot: str) -> None:
    """Revoke a bot's token

    It ends within five seconds.
    """
    _own_or_admin(who, bot, "revoke bot token")
    services().accounts.revoke_bot_token(bot)
