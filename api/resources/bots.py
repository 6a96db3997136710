"""Bots: register, list, change, delete; their versions and tokens."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from api.contract import Blueprint
from api.schemas.accounts import (
    AddedVersionSchema,
    BotPageSchema,
    BotSchema,
    BotWithTokenSchema,
    ChangedBotSchema,
    NewBotSchema,
    NewSecretSchema,
    NewVersionSchema,
    SecretSchema,
    TokenSchema,
)
from api.schemas.common import PageQuery, absent
from api.services import services
from arena.live.accounts import BotAccount, Forbidden, Principal
from arena.webhooks.addresses import URL_RULE, InvalidUrl
from arena.webhooks.registry import NoWebhook, checked_secret
from arena.webhooks.signing import InvalidSecret

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


def _shown(who: Principal | None, bot: BotAccount) -> dict[str, Any]:
    """The bot, with its webhook for whoever may see that."""
    current = next(version for version in bot.versions if version.label == bot.version)
    webhook = None
    if current.url and who is not None and (who.owner == bot.owner or who.admin):
        circuit = services().webhooks.circuit(bot.name)
        webhook = {
            **vars(circuit),
            "circuit": circuit.state,
            "url": current.url,
            "rights": current.rights,
        }
    return {**vars(bot), "webhook": webhook}


def _checked_webhook(who: Principal, body: dict[str, Any], secrets: list[str]) -> dict[str, Any]:
    """The ``url`` and ``rights`` in ``body``, once that has answered a ping; nothing for another bot."""
    given = [key for key in ("url", "rights", "secret") if key in body]
    if body["transport"] != "webhook":
        if given:
            raise InvalidUrl(f"only a webhook has {given[0]!r}", field=given[0], expected="transport webhook")
        return {}
    if "url" not in body:
        raise InvalidUrl("a webhook needs a URL", field="url", expected=URL_RULE)
    services().limits.spend("webhook_checks_per_owner", who.owner)
    services().webhooks.check(body["url"], secrets)
    return {"url": body["url"], "rights": body.get("rights", False)}


_OF_WEBHOOKS = ("invalid_webhook_url", "invalid_webhook_secret", "webhook_address", "webhook_failed")


@blueprint.operation(
    "/bots",
    "POST",
    scopes=("owner",),
    body=NewBotSchema,
    status=201,
    returns=BotWithTokenSchema,
    errors=("name_taken", "too_many", "invalid_name", *_OF_WEBHOOKS),
    limit="bots_per_owner",
)
def register_bot(who: Principal, body: dict[str, Any]) -> dict[str, Any]:
    """Register a bot

    Returns the bot's token, this once. Names are unique for good: that of a deleted bot stays taken. A
    webhook is sent a signed ping first, and if it does not answer, nothing is registered.
    """
    secret = checked_secret(body.get("secret"))
    webhook = _checked_webhook(who, body, [secret])
    if webhook:
        webhook["secret"] = secret
    bot, token = services().accounts.register_bot(
        who.name, body["name"], body["version"], body["transport"], body.get("description", ""), **webhook
    )
    return {"bot": _shown(who, bot), "token": token, "webhook_secret": webhook.get("secret")}


@blueprint.operation("/bots", scopes=(), query=BotsQuery, returns=BotPageSchema)
def list_bots(who: Principal | None, query: dict[str, Any]) -> dict[str, Any]:
    """List bots by name"""
    bots, cursor = services().accounts.bots(query["owner"], query["cursor"] or "", query["limit"])
    return {"bots": bots, "cursor": cursor}


@blueprint.operation("/bots/<bot>", scopes=(), returns=BotSchema, errors=("unknown_bot",))
def get_bot(who: Principal | None, bot: str) -> dict[str, Any]:
    """Show a bot and its versions

    Its owner and admins see how its webhook does, if it has one.
    """
    return _shown(who, services().accounts.bot(bot))


@blueprint.operation(
    "/bots/<bot>",
    "PATCH",
    scopes=("owner", "admin"),
    body=ChangedBotSchema,
    returns=BotSchema,
    errors=("unknown_bot",),
)
def change_bot(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any]:
    """Withdraw a bot from new games, put it back, or describe it anew"""
    changes = " ".join(f"{key}={value}" for key, value in body.items())
    _own_or_admin(who, bot, "change bot", changes)
    return _shown(who, services().accounts.change_bot(bot, body.get("state"), body.get("description")))


@blueprint.operation("/bots/<bot>", "DELETE", scopes=("owner", "admin"), status=204, errors=("unknown_bot",))
def delete_bot(who: Principal, bot: str) -> None:
    """Delete a bot

    Its past records keep its name and version, nothing else is kept, and the name stays taken. Its
    token ends within five seconds; in games under way it is late from then on.
    """
    _own_or_admin(who, bot, "delete bot")
    services().accounts.delete_bot(bot)
    services().webhooks.begin_anew(bot)


@blueprint.operation(
    "/bots/<bot>/versions",
    "POST",
    scopes=("owner",),
    body=NewVersionSchema,
    status=201,
    returns=AddedVersionSchema,
    errors=("unknown_bot", "version_exists", "too_many", "invalid_name", *_OF_WEBHOOKS),
)
def add_version(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any]:
    """Add a version of a bot

    A version never changes. New games are played with the newest; each version is rated on its own. A
    webhook is sent a signed ping first, and if it does not answer, nothing is added.
    """
    _own(who, bot)
    accounts = services().accounts
    secrets = accounts.signing_secrets(bot)
    if secrets and "secret" in body:
        raise InvalidSecret("the bot has a signing secret", field="secret", expected="to replace it first")
    made = None if secrets else checked_secret(body.get("secret"))
    webhook = _checked_webhook(who, body, secrets or [made or ""])
    if not webhook:
        made = None
    if made is not None:
        accounts.set_signing_secret(bot, made)
    version = accounts.add_version(bot, body["label"], body["transport"], **webhook)
    if webhook:
        services().webhooks.begin_anew(bot)
    return {**vars(version), "webhook_secret": made}


@blueprint.operation(
    "/bots/<bot>/webhook/secret",
    "POST",
    scopes=("owner",),
    body=NewSecretSchema,
    status=201,
    returns=SecretSchema,
    errors=("unknown_bot", "invalid_webhook_secret", "no_webhook"),
)
def replace_webhook_secret(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any]:
    """Replace the signing secret of a webhook

    The new secret is shown this once. For a day posts are signed with both.
    """
    _own(who, bot)
    accounts = services().accounts
    if not accounts.signing_secrets(bot):
        raise NoWebhook(f"{bot} has no webhook", field="bot", expected="a bot with a webhook")
    secret = checked_secret(body.get("secret"))
    return {"secret": secret, "previous_until_ms": accounts.set_signing_secret(bot, secret)}


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
