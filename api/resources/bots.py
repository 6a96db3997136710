"""Bots: registration, changes, versions, logs and tokens."""

from __future__ import annotations

from base64 import b64decode, b64encode
from contextlib import suppress
from typing import Any

from flask import Response
from marshmallow import Schema, fields, validate

from api.contract import UNSEATABLE, Blueprint, RawBody, json_response
from api.errors import HttpError
from api.schemas.accounts import (
    AddedVersionSchema,
    BotPageSchema,
    BotSchema,
    BotWithTokenSchema,
    ChangedBotSchema,
    ChangedVersionSchema,
    GameLogSchema,
    NewBotFileQuery,
    NewBotSchema,
    NewSecretSchema,
    NewVersionFileQuery,
    NewVersionSchema,
    QualificationSchema,
    QualificationsSchema,
    QualifySchema,
    SecretSchema,
    SourceSchema,
    TokenSchema,
    UploadQuery,
    UploadSchema,
    UploadsSchema,
    VersionSchema,
)
from api.schemas.common import PageQuery, absent
from api.services import services
from arena.accounts.accounts import BotNotFound, Forbidden, Principal
from arena.accounts.received import refusal
from arena.accounts.uploads import InvalidSource, ReceivedUpload, Upload, component_upload, python_upload
from arena.accounts.versions import BotAccount, Version, VersionNotFound
from arena.bots.transports import transport_of
from arena.sandbox.limits import DEFAULT_LIMITS
from arena.webhooks.addresses import URL_RULE
from arena.webhooks.errors import InvalidUrl
from arena.webhooks.registry import NoWebhook, checked_secret
from arena.webhooks.signing import InvalidSecret

blueprint = Blueprint("bots", __name__, description="Bots, their versions and their tokens.")

_MAX_JSON = 1_000_000
_UPLOADED = {"transport": "uploaded"}
_FILES = (
    RawBody(
        media="text/x-python",
        field="source",
        most=DEFAULT_LIMITS.source_bytes,
        description="Python source in UTF-8. The other fields are query parameters.",
        example="def choose(turn):\n    return turn['legal_actions'][0]\n",
        fields=_UPLOADED,
    ),
    RawBody(
        media="application/wasm",
        field="component",
        most=DEFAULT_LIMITS.component_bytes,
        description="A WebAssembly component. The other fields are query parameters.",
        fields=_UPLOADED,
    ),
)


class BotsQuery(PageQuery):
    """Filters for bots."""

    owner = fields.String(
        load_default=absent,
        validate=validate.Length(1, 64),
        metadata={"description": "Only bots of this owner."},
    )


def _check_owner(who: Principal, name: str) -> None:
    """Raise :class:`Forbidden` unless ``who`` owns the bot."""
    if services().accounts.bot(name).owner != who.name or who.scope != "owner":
        raise Forbidden(f"{name} is not your bot", field="bot", expected="one of your own bots")


def _check_owner_or_admin(who: Principal, name: str, action: str, detail: str = "") -> None:
    """Raise :class:`Forbidden` unless ``who`` owns the bot or is an admin, whose action is audited."""
    try:
        _check_owner(who, name)
    except Forbidden:
        if not who.admin:
            raise
        services().accounts.audit(who, action, f"bot {name}", detail)


def _bot_view(who: Principal | None, bot: BotAccount) -> dict[str, Any]:
    """The bot, with its webhook and its suspension if ``who`` may see them."""
    is_shown = who is not None and (who.owner == bot.owner or who.admin)
    # It may be one that this process cannot read.
    current = next((version for version in bot.versions if version.label == bot.version), None)
    webhook = None
    if current is not None and current.url and is_shown:
        circuit = services().webhooks.circuit(bot.name)
        webhook = {
            **vars(circuit),
            "circuit": circuit.state,
            "url": current.url,
            "rights": current.rights,
        }
    shown = {"webhook": webhook, "suspended": bot.suspended if is_shown else None}
    return {**vars(bot), "tournaments": bot.takes_part, **shown}


def _take_upload(body: dict[str, Any]) -> Upload | None:
    """Remove the upload from ``body``, which is kept while the request waits; None for other transports."""
    given = [key for key in ("source", "component") if key in body]
    if transport_of(body["transport"]).takes_upload != (len(given) == 1):
        raise InvalidSource(
            "an uploaded bot needs either a source or a component; other bots have neither",
            field=given[0] if given else "source",
            expected='either source or component, with the transport "uploaded"',
        )
    if not given:
        return None
    if "source" in body:
        return python_upload(body.pop("source"))
    component = body.pop("component")
    if isinstance(component, str):
        try:
            component = b64decode(component, validate=True)
        except ValueError:
            raise InvalidSource(
                "the component is not valid base64", field="component", expected="base64"
            ) from None
    return component_upload(component)


def _outcome(upload: ReceivedUpload) -> ReceivedUpload:
    """The upload when its checks are over, or after a while. Raises
    :class:`~arena.accounts.received.UploadRefused`.
    """
    settings = services().settings.http
    upload = services().uploads.wait(upload, min(settings.upload_wait, settings.max_wait))
    if upload.state == "refused":
        raise refusal(upload)
    return upload


def _upload_view(upload: ReceivedUpload) -> dict[str, Any]:
    """The upload, with the qualifications of the version that it became."""
    found: list[dict[str, Any]] = []
    if upload.state == "added":
        with suppress(VersionNotFound, BotNotFound):
            found = services().tournaments.qualifications(upload.bot, upload.label)
    return {**vars(upload), "qualifications": found}


def _still_checked(schema: type[Schema], value: Any, upload: ReceivedUpload) -> Response:
    response = json_response(schema().dump(value), 202)
    response.headers["Location"] = f"/v1/bots/{upload.bot}/uploads/{upload.id}"
    return response


def _checked_webhook(who: Principal, body: dict[str, Any], secrets: list[str]) -> dict[str, Any]:
    """The ``url`` and ``rights`` in ``body``, after a ping was answered; empty for other transports."""
    given = [key for key in ("url", "rights", "secret") if key in body]
    if not transport_of(body["transport"]).needs_url:
        if given:
            raise InvalidUrl(
                f"{given[0]!r} is for webhooks only", field=given[0], expected="transport webhook"
            )
        return {}
    if "url" not in body:
        raise InvalidUrl("a webhook needs a URL", field="url", expected=URL_RULE)
    services().limits.spend("webhook_checks_per_owner", who.owner)
    services().webhooks.check(body["url"], secrets)
    return {"url": body["url"], "rights": body.get("rights", False)}


_OF_UPLOADS = ("invalid_source", "compile_failed", "load_failed", "upload_not_checked", "upload_not_found")
_OF_WEBHOOKS = ("invalid_webhook_url", "invalid_webhook_secret", "webhook_address", "webhook_failed")


@blueprint.operation(
    "/bots",
    "POST",
    scopes=("owner",),
    body=NewBotSchema,
    status=201,
    returns=BotWithTokenSchema,
    accepted=BotWithTokenSchema,
    errors=(
        "name_taken",
        "quota_exceeded",
        "invalid_name",
        *_OF_WEBHOOKS,
        *_OF_UPLOADS,
        "version_exists",
        "bot_not_found",
    ),
    limit="bots_per_owner",
    max_body=_MAX_JSON,
    raw=_FILES,
    raw_query=NewBotFileQuery,
)
def register_bot(who: Principal, body: dict[str, Any]) -> dict[str, Any] | Response:
    """Register a bot

    Returns the bot's token, which is shown only once. Names are unique forever: the name of a deleted bot
    stays taken. The service first sends a webhook a signed ping; if it does not answer, the bot is not
    registered. An upload may also be sent as a file in place of JSON.

    An upload is compiled and loaded before it becomes the bot's first version. The request waits up to 10
    seconds for that; then the response is 202, and `Location` is where the upload can be read. If it is
    refused, the bot is not registered, and its name is free again.
    """
    parts = services()
    if transport_of(body["transport"]).takes_upload:
        parts.limits.spend("uploads_per_owner", who.owner)
    upload = _take_upload(body)
    description = body.get("description", "")
    if upload is not None:
        bot, token, received = parts.uploads.register(
            who.name, body["name"], body["version"], description, upload, body.get("tournaments")
        )
        del upload
        received = _outcome(received)
        bot = parts.accounts.bot(bot.name)
        shown = {"webhook_secret": None, "upload": _upload_view(received)}
        value = {"bot": _bot_view(who, bot), "token": token, **shown}
        return value if received.is_settled else _still_checked(BotWithTokenSchema, value, received)
    secret = checked_secret(body.get("secret"))
    webhook = _checked_webhook(who, body, [secret])
    if webhook:
        webhook["secret"] = secret
    bot, token = parts.accounts.register_bot(
        who.name,
        body["name"],
        body["version"],
        body["transport"],
        description,
        tournaments=body.get("tournaments"),
        **webhook,
    )
    view = _bot_view(who, bot)
    return {"bot": view, "token": token, "webhook_secret": webhook.get("secret"), "upload": None}


@blueprint.operation("/bots", scopes=(), query=BotsQuery, returns=BotPageSchema)
def list_bots(who: Principal | None, query: dict[str, Any]) -> dict[str, Any]:
    """List bots by name

    Lists all bots, or those of one owner, including withdrawn ones.
    """
    bots, cursor = services().accounts.bots(query["owner"], query["cursor"] or "", query["limit"])
    return {"bots": bots, "cursor": cursor}


@blueprint.operation("/bots/<bot>", scopes=(), returns=BotSchema, errors=("bot_not_found",))
def get_bot(who: Principal | None, bot: str) -> dict[str, Any]:
    """Get a bot and its versions

    Its owner and admins also see the state of its webhook, if it has one, and whether it is suspended.
    """
    return _bot_view(who, services().accounts.bot(bot))


@blueprint.operation(
    "/bots/<bot>",
    "PATCH",
    scopes=("owner", "admin"),
    body=ChangedBotSchema,
    returns=BotSchema,
    errors=("bot_not_found",),
)
def change_bot(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any]:
    """Change a bot

    Changes its state, its description, whether it takes part in scheduled tournaments, or whether people may
    play with it. A withdrawn bot gets no new games but finishes its current ones. Omitted
    fields keep their values.
    """
    changes = " ".join(f"{key}={value}" for key, value in body.items())
    _check_owner_or_admin(who, bot, "change bot", changes)
    return _bot_view(who, services().accounts.change_bot(bot, **body))


@blueprint.operation(
    "/bots/<bot>", "DELETE", scopes=("owner", "admin"), status=204, errors=("bot_not_found",)
)
def delete_bot(who: Principal, bot: str) -> None:
    """Delete a bot

    Only its name and version remain, in past records, and the name stays taken. Its token expires within
    five seconds. In its current games the bot is late for every turn from then on.
    """
    _check_owner_or_admin(who, bot, "delete bot")
    services().accounts.delete_bot(bot)
    services().tournaments.journals.forget(bot)
    services().webhooks.close_circuit(bot)


@blueprint.operation(
    "/bots/<bot>/versions",
    "POST",
    scopes=("owner",),
    body=NewVersionSchema,
    status=201,
    returns=AddedVersionSchema,
    accepted=UploadSchema,
    existing="The bot has this version already; it was made the current one.",
    errors=(
        "bot_not_found",
        "version_exists",
        "quota_exceeded",
        "invalid_name",
        *_OF_WEBHOOKS,
        *_OF_UPLOADS,
    ),
    limit="uploads_per_owner",
    max_body=_MAX_JSON,
    raw=_FILES,
    raw_query=NewVersionFileQuery,
)
def add_version(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any] | Response:
    """Add a version of a bot

    Versions never change. New games use the newest version, and each version is rated separately. The
    service first sends a webhook a signed ping; if it does not answer, the version is not added. An upload
    may also be sent as a file in place of JSON.

    An upload is compiled and loaded before it becomes a version. The request waits up to 10 seconds for that;
    then the response is 202, and `Location` is where the upload can be read. It takes its label and counts in
    the quotas from the start; if it is refused, it frees both.

    The same bytes are the same version: if the bot has the upload already, no version is added. The response
    is 200 with that version, under its own label and with `added` false, and new games use it.
    """
    _check_owner(who, bot)
    upload = _take_upload(body)
    accounts = services().accounts
    if upload is not None:
        same = services().uploads.same_version(bot, upload)
        if same is not None:
            known = {**vars(same), "webhook_secret": None, "added": False}
            return json_response(AddedVersionSchema().dump(known))
        received = services().uploads.receive(bot, body["label"], upload)
        del upload
        received = _outcome(received)
        if not received.is_settled:
            return _still_checked(UploadSchema, received, received)
        return {**vars(accounts.bot(bot).find(received.label)), "webhook_secret": None, "added": True}
    secrets = accounts.signing_secrets(bot)
    if secrets and "secret" in body:
        raise InvalidSecret(
            "the bot already has a signing secret",
            field="secret",
            expected="no secret; replace it separately",
        )
    made = None if secrets else checked_secret(body.get("secret"))
    webhook = _checked_webhook(who, body, secrets or [made or ""])
    if not webhook:
        made = None
    secret = made or ""
    version = accounts.add_version(bot, body["label"], body["transport"], secret=secret, **webhook)
    if webhook:
        services().webhooks.close_circuit(bot)
    return {**vars(version), "webhook_secret": made, "added": True}


@blueprint.operation(
    "/bots/<bot>/uploads", scopes=("owner", "admin"), returns=UploadsSchema, errors=("bot_not_found",)
)
def list_uploads(who: Principal, bot: str) -> dict[str, Any]:
    """List the uploads of a bot that are being checked

    Oldest first. An upload that is a version or refused is not listed.
    """
    _check_owner_or_admin(who, bot, "read uploads")
    return {"uploads": services().uploads.unsettled(bot)}


@blueprint.operation(
    "/bots/<bot>/uploads/<upload>",
    scopes=("owner", "admin"),
    query=UploadQuery,
    returns=UploadSchema,
    errors=("upload_not_found",),
)
def get_upload(who: Principal, query: dict[str, Any], bot: str, upload: str) -> dict[str, Any]:
    """Get an upload

    Returns what became of an upload, for a week after that is known. With `wait` it is a long poll, which
    returns as soon as the upload is a version or refused. An upload that no worker has checked within a day
    is refused. A version qualifies by itself in every game; `qualifications` shows how that goes.
    """
    found = services().uploads.find(bot, upload)
    if found.owner != who.name or who.scope != "owner":
        if not who.admin:
            raise Forbidden(f"the upload of {bot} is not yours", field="upload", expected="one of your own")
        services().accounts.audit(who, "read upload", f"bot {bot}", upload)
    return _upload_view(services().uploads.wait(found, query["wait"]))


@blueprint.operation(
    "/bots/<bot>/versions/<version>",
    "PATCH",
    scopes=("owner",),
    body=ChangedVersionSchema,
    returns=VersionSchema,
    errors=("bot_not_found", "version_not_found", "no_source"),
)
def publish_version(who: Principal, body: dict[str, Any], bot: str, version: str) -> Version:
    """Publish or hide the source of an uploaded version

    With `published` true the source is public; with `published` false only the owner and admins can read
    it.
    """
    _check_owner(who, bot)
    return services().accounts.publish(bot, version, body["published"])


@blueprint.operation(
    "/bots/<bot>/versions/<version>/source",
    scopes=(),
    returns=SourceSchema,
    errors=("forbidden", "bot_not_found", "version_not_found", "no_source"),
)
def get_source(who: Principal | None, bot: str, version: str) -> dict[str, Any]:
    """Get the source of an uploaded version

    Available to the bot's owner and admins, and to everyone once it is published.
    """
    if not services().accounts.bot(bot).find(version).published:
        if who is None:
            raise Forbidden(
                f"the source of {bot} is not published", field="version", expected="the owner's token"
            )
        _check_owner_or_admin(who, bot, "read source", version)
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
    errors=("bot_not_found", "version_not_found", *UNSEATABLE, "budget_exceeded"),
    limit="qualifications_per_owner",
)
def qualify(who: Principal, body: dict[str, Any], bot: str, version: str) -> dict[str, Any]:
    """Start the qualification of a version

    The version plays a group against the house bot `rookie`. A bot with the transport `remote` or
    `webhook` must be running.
    """
    _check_owner(who, bot)
    return services().tournaments.qualify(body["kind"], bot, version)


@blueprint.operation(
    "/bots/<bot>/versions/<version>/qualifications",
    scopes=("owner", "admin"),
    returns=QualificationsSchema,
    errors=("bot_not_found", "version_not_found"),
)
def list_qualifications(who: Principal, bot: str, version: str) -> dict[str, Any]:
    """List the qualifications of a version

    If an uploaded bot failed, `detail` contains the error and its line.
    """
    _check_owner_or_admin(who, bot, "read qualifications", version)
    return {"qualifications": services().tournaments.qualifications(bot, version)}


@blueprint.operation(
    "/bots/<bot>/games/<game>/log",
    scopes=("owner", "admin"),
    returns=GameLogSchema,
    errors=("bot_not_found", "log_not_found"),
)
def get_log(who: Principal, bot: str, game: str) -> dict[str, Any]:
    """Get the log of an uploaded bot for one game

    The log has the bot's output with tracebacks, the thinking time of each decision, and faults. Logs are
    kept for seven days, and for the last 500 games only.
    """
    _check_owner_or_admin(who, bot, "read log", game)
    seats = services().tournaments.journals.find(bot, game)
    if seats is None:
        raise HttpError(f"there is no log of {bot} for game {game}", code="log_not_found", field="game")
    return {"game": game, "seats": seats}


@blueprint.operation(
    "/bots/<bot>/webhook/secret",
    "POST",
    scopes=("owner",),
    body=NewSecretSchema,
    status=201,
    returns=SecretSchema,
    errors=("bot_not_found", "invalid_webhook_secret", "no_webhook"),
)
def replace_webhook_secret(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any]:
    """Replace the signing secret of a webhook

    The new secret is shown only once. For one day, posts are signed with both the old and the new secret.
    """
    _check_owner(who, bot)
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
    errors=("bot_not_found",),
)
def replace_bot_token(who: Principal, bot: str) -> dict[str, str]:
    """Replace a bot's token

    The new token is shown only once. The old token expires within five seconds.
    """
    _check_owner(who, bot)
    return {"token": services().accounts.new_bot_token(bot)}


@blueprint.operation(
    "/bots/<bot>/token",
    "DELETE",
    scopes=("owner", "admin"),
    status=204,
    errors=("bot_not_found",),
)
def revoke_bot_token(who: Principal, bot: str) -> None:
    """Revoke a bot's token

    The token expires within five seconds.
    """
    _check_owner_or_admin(who, bot, "revoke bot token")
    services().accounts.revoke_bot_token(bot)
