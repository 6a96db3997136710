"""Bots: register, list, change, delete; their versions and tokens."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from marshmallow import fields, validate

from api.contract import Blueprint
from api.errors import Problem
from api.schemas.accounts import (
    AddedVersionSchema,
    BotPageSchema,
    BotSchema,
    BotWithTokenSchema,
    ChangedBotSchema,
    ChangedVersionSchema,
    GameLogSchema,
    NewBotSchema,
    NewSecretSchema,
    NewVersionSchema,
    QualificationSchema,
    QualificationsSchema,
    QualifySchema,
    SecretSchema,
    SourceSchema,
    TokenSchema,
    VersionSchema,
)
from api.schemas.common import PageQuery, absent
from api.services import services
from arena.live.accounts import BotWithdrawn, Forbidden, Principal
from arena.live.uploads import InvalidSource, component_upload, python_upload
from arena.live.versions import UPLOADED, BotAccount, Version
from arena.sandbox.limits import DEFAULT_LIMITS
from arena.webhooks.addresses import URL_RULE, InvalidUrl
from arena.webhooks.registry import NoWebhook, checked_secret
from arena.webhooks.signing import InvalidSecret

blueprint = Blueprint("bots", __name__, description="Bots, their versions and their tokens.")

_MAX_UPLOAD = 4 * DEFAULT_LIMITS.component_bytes // 3 + 1_000_000


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


def _sent(who: Principal, body: dict[str, Any]) -> dict[str, Any]:
    """What was uploaded with ``body``, as the accounts take it; nothing for another bot."""
    given = [key for key in ("source", "component") if key in body]
    if (body["transport"] == UPLOADED) != (len(given) == 1):
        raise InvalidSource(
            "an uploaded bot has either a source or a component, and no other bot has one",
            field=given[0] if given else "source",
            expected='either source or component, with the transport "uploaded"',
        )
    if not given:
        return {}
    services().limits.spend("uploads_per_owner", who.owner)
    if "source" in body:
        return {"upload": python_upload(body["source"])}
    try:
        data = b64decode(body["component"], validate=True)
    except ValueError:
        raise InvalidSource("the component is not in base64", field="component", expected="base64") from None
    return {"upload": component_upload(data)}


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
    errors=("name_taken", "too_many", "invalid_name", *_OF_WEBHOOKS, "invalid_source"),
    limit="bots_per_owner",
    max_body=_MAX_UPLOAD,
)
def register_bot(who: Principal, body: dict[str, Any]) -> dict[str, Any]:
    """Register a bot

    Returns the bot's token, this once. Names are unique for good: that of a deleted bot stays taken. A
    webhook is sent a signed ping first, and if it does not answer, nothing is registered. What is uploaded
    must be Python, or a component; how the bot does is seen when it qualifies.
    """
    upload = _sent(who, body)
    secret = checked_secret(body.get("secret"))
    webhook = _checked_webhook(who, body, [secret])
    if webhook:
        webhook["secret"] = secret
    description = body.get("description", "")
    bot, token = services().accounts.register_bot(
        who.name, body["name"], body["version"], body["transport"], description, **webhook, **upload
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
    services().tournaments.journals.forget(bot)
    services().webhooks.begin_anew(bot)


@blueprint.operation(
    "/bots/<bot>/versions",
    "POST",
    scopes=("owner",),
    body=NewVersionSchema,
    status=201,
    returns=AddedVersionSchema,
    errors=("unknown_bot", "version_exists", "too_many", "invalid_name", *_OF_WEBHOOKS, "invalid_source"),
    max_body=_MAX_UPLOAD,
)
def add_version(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any]:
    """Add a version of a bot

    A version never changes. New games are played with the newest; each version is rated on its own. A
    webhook is sent a signed ping first, and if it does not answer, nothing is added.
    """
    _own(who, bot)
    upload = _sent(who, body)
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
    version = accounts.add_version(bot, body["label"], body["transport"], **webhook, **upload)
    if webhook:
        services().webhooks.begin_anew(bot)
    return {**vars(version), "webhook_secret": made}


@blueprint.operation(
    "/bots/<bot>/versions/<version>",
    "PATCH",
    scopes=("owner",),
    body=ChangedVersionSchema,
    returns=VersionSchema,
    errors=("unknown_bot", "version_not_found", "no_source"),
)
def publish_version(who: Principal, body: dict[str, Any], bot: str, version: str) -> Version:
    """Publish the source of an uploaded version, or no longer"""
    _own(who, bot)
    return services().accounts.publish(bot, version, body["published"])


@blueprint.operation(
    "/bots/<bot>/versions/<version>/source",
    scopes=(),
    returns=SourceSchema,
    errors=("forbidden", "unknown_bot", "version_not_found", "no_source"),
)
def get_source(who: Principal | None, bot: str, version: str) -> dict[str, Any]:
    """Get what was uploaded for a version

    It is for the owner of the bot and for admins, and for everybody once it is published.
    """
    if not services().accounts.bot(bot).find(version).published:
        if who is None:
            raise Forbidden(
                f"the source of {bot} is not published", field="version", expected="the owner's token"
            )
        _own_or_admin(who, bot, "read source", version)
    upload = services().accounts.upload_of(bot, version)
    python = upload.language == "python"
    return {
        "language": upload.language,
        "digest": upload.digest,
        "source": upload.data.decode() if python else None,
        "component": None if python else b64encode(upload.data).decode(),
    }


@blueprint.operation(
    "/bots/<bot>/versions/<version>/qualifications",
    "POST",
    scopes=("owner",),
    body=QualifySchema,
    returns=QualificationSchema,
    errors=("unknown_bot", "version_not_found", "bot_withdrawn"),
    limit="qualifications_per_owner",
)
def qualify(who: Principal, body: dict[str, Any], bot: str, version: str) -> dict[str, Any]:
    """Let a version qualify in a game

    It plays a group against the house bot `rookie`. A bot that runs elsewhere must be running for that.
    """
    _own(who, bot)
    if services().accounts.bot(bot).state == "withdrawn":
        raise BotWithdrawn(f"{bot} is withdrawn from new games", field="bot", expected="an active bot")
    return services().tournaments.qualify(body["kind"], bot, version)


@blueprint.operation(
    "/bots/<bot>/versions/<version>/qualifications",
    scopes=("owner", "admin"),
    returns=QualificationsSchema,
    errors=("unknown_bot", "version_not_found"),
)
def list_qualifications(who: Principal, bot: str, version: str) -> dict[str, Any]:
    """How the qualifications of a version went

    Of an uploaded bot that failed `detail` tells the error and its line.
    """
    _own_or_admin(who, bot, "read qualifications", version)
    return {"qualifications": services().tournaments.qualifications(bot, version)}


@blueprint.operation(
    "/bots/<bot>/games/<game>/log",
    scopes=("owner", "admin"),
    returns=GameLogSchema,
    errors=("unknown_bot", "log_not_found"),
)
def get_log(who: Principal, bot: str, game: str) -> dict[str, Any]:
    """Get the log of an uploaded bot for one game

    What it printed, tracebacks, thinking per decision, and faults. Logs are kept for seven days, and those
    of the last 500 games.
    """
    _own_or_admin(who, bot, "read log", game)
    seats = services().tournaments.journals.find(bot, game)
    if seats is None:
        raise Problem(f"there is no log of {bot} for game {game}", code="log_not_found", field="game")
    return {"game": game, "seats": seats}


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
