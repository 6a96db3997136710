"""Bots: registration, changes, versions, logs and tokens."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from flask import Response, request
from marshmallow import Schema, fields, validate

from api.http.auth import client, viewer
from api.http.contract import Blueprint, RawBody, json_response
from api.http.errors import HttpError
from api.notes import change_notes, read_notes
from api.schemas.accounts import (
    AddedVersionSchema,
    BotPageSchema,
    BotSchema,
    BotWithTokenSchema,
    ChangedBotSchema,
    ChangedVersionSchema,
    GivenBotChange,
    GivenQualification,
    GivenSecret,
    GivenVersionChange,
    GivenWait,
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
from api.schemas.bot_games import BotGamesQuery, BotGamesSchema, GivenBotGames
from api.schemas.common import GivenPage, PageQuery, absent, optional
from api.schemas.logs import GameLogSchema
from api.schemas.notes import ChangedNotesSchema, GameNotesSchema, GivenNotesChange
from api.services import services
from arena.accounts.accounts import Forbidden, Principal
from arena.accounts.rights import check_owner, check_owner_or_admin, check_upload
from arena.accounts.upload_intake import refusal
from arena.accounts.uploads import ReceivedUpload
from arena.accounts.versions import BotAccount, Version
from arena.operations.bots import FILES
from arena.sandbox.limits import DEFAULT_LIMITS

blueprint = Blueprint("bots", __name__, description="Bots, their versions and their tokens.")

_MAX_JSON = 1_000_000
_UPLOADED = {"transport": "uploaded"}
_FILES = (
    RawBody(
        media=FILES["source"],
        field="source",
        most=DEFAULT_LIMITS.source_bytes,
        description="Python in UTF-8, or in the encoding that it declares. The other fields of all files are "
        "query parameters.",
        example="def choose(turn):\n    return turn['legal_actions'][0]\n",
        fields=_UPLOADED,
    ),
    RawBody(
        media=FILES["javascript"],
        field="javascript",
        most=DEFAULT_LIMITS.source_bytes,
        description="JavaScript in UTF-8.",
        example="export const choose = (turn) => turn.legal_actions[0];\n",
        fields=_UPLOADED,
    ),
    RawBody(
        media=FILES["module"],
        field="module",
        most=DEFAULT_LIMITS.module_bytes,
        description="A WebAssembly module.",
        fields=_UPLOADED,
    ),
)


class BotsQuery(PageQuery):
    """Filters for bots."""

    owner = optional(
        fields.String, "Only bots of this owner.", load_default=absent, validate=validate.Length(1, 64)
    )


class GivenBotsPage(GivenPage):
    """The values loaded by :class:`BotsQuery`."""

    owner: str | None


def _bot_view(who: Principal | None, bot: BotAccount) -> Mapping[str, object]:
    """Return the bot, with its webhook and its suspension if ``who`` is allowed to see them."""
    seen = viewer(who)
    is_itself = seen.bot == bot.name
    is_shown = seen.owner in bot.owners or seen.admin or is_itself
    # The URL can contain a secret, which is not shown to co-owners.
    is_own = seen.owner == bot.owner or seen.admin or is_itself
    # The suspension can be unreadable for this process.
    current = next((version for version in bot.versions if version.label == bot.version), None)
    webhook = None
    if current is not None and current.url and is_own:
        circuit = services().webhooks.circuit(bot.name)
        webhook = {
            **vars(circuit),
            "circuit": circuit.state,
            "url": current.url,
            "rights": current.rights,
        }
    shown = {"webhook": webhook, "suspended": bot.suspended if is_shown else None}
    return {
        **vars(services().moderation.account(bot, seen)),
        "tournaments": bot.takes_part,
        "ranked_since_ms": bot.ranked_since_ms or None,
        **shown,
    }


def _outcome(upload: ReceivedUpload) -> ReceivedUpload:
    """Return the upload once its checks are over, or after a timeout. Raises
    :class:`~arena.accounts.upload_intake.UploadRefused`.
    """
    settings = services().settings.http
    upload = services().uploads.wait(upload, min(settings.upload_wait, settings.max_wait))
    if upload.state == "refused":
        raise refusal(upload)
    return upload


def _still_checked(schema: type[Schema], value: object, upload: ReceivedUpload) -> Response:
    response = json_response(schema().dump(value), 202)
    response.headers["Location"] = f"/v1/bots/{upload.bot}/uploads/{upload.id}"
    return response


@blueprint.operation(
    body=NewBotSchema,
    returns=BotWithTokenSchema,
    accepted=BotWithTokenSchema,
    max_body=_MAX_JSON,
    raw=_FILES,
    raw_query=NewBotFileQuery,
)
def register_bot(who: Principal, body: dict[str, Any]) -> Mapping[str, object] | Response:
    address = services().payers.of_address(client(request.environ))
    made = services().registration.register(who, body, address)
    bot, upload = made.bot, made.upload
    if upload is not None:
        upload = _outcome(upload)
        bot = services().accounts.bot(bot.name)
    value = {
        "bot": _bot_view(who, bot),
        "token": made.token,
        "webhook_secret": made.webhook_secret,
        "upload": None if upload is None else services().tournaments.upload_view(upload),
    }
    if upload is None or upload.is_settled:
        return value
    return _still_checked(BotWithTokenSchema, value, upload)


@blueprint.operation(query=BotsQuery, returns=BotPageSchema)
def list_bots(who: Principal | None, query: GivenBotsPage) -> Mapping[str, object]:
    bots, cursor = services().accounts.bots(query["owner"], query["cursor"] or "", query["limit"])
    moderation = services().moderation
    return {"bots": [moderation.account(bot, viewer(who)) for bot in bots], "cursor": cursor}


@blueprint.operation(returns=BotSchema)
def get_bot(who: Principal | None, bot: str) -> Mapping[str, object]:
    return _bot_view(who, services().accounts.bot(bot))


@blueprint.operation(query=BotGamesQuery, returns=BotGamesSchema)
def list_bot_games(who: Principal | None, query: GivenBotGames, bot: str) -> Mapping[str, object]:
    return {"games": services().bot_games.list(bot, **query, viewer=viewer(who))}


@blueprint.operation(body=ChangedBotSchema, returns=BotSchema)
def change_bot(who: Principal, body: GivenBotChange, bot: str) -> Mapping[str, object]:
    changes = " ".join(f"{key}={value}" for key, value in body.items())
    check_owner_or_admin(services().accounts, who, bot, "change bot", changes)
    return _bot_view(who, services().accounts.change_bot(bot, **body))


@blueprint.operation(returns=BotSchema)
def delete_bot(who: Principal, bot: str) -> Mapping[str, object] | Response:
    listed = services().bot_deletion.delete(bot, by=who)
    return json_response(None, 204) if listed is None else _bot_view(who, listed)


@blueprint.operation(
    body=NewVersionSchema,
    returns=AddedVersionSchema,
    accepted=UploadSchema,
    max_body=_MAX_JSON,
    raw=_FILES,
    raw_query=NewVersionFileQuery,
)
def add_version(who: Principal, body: dict[str, Any], bot: str) -> Mapping[str, object] | Response:
    made = services().registration.add_version(who, bot, body)
    version = made.version
    if made.upload is not None:
        upload = _outcome(made.upload)
        if not upload.is_settled:
            return _still_checked(UploadSchema, upload, upload)
        version = services().accounts.bot(bot).find(upload.label)
    value = {**vars(version), "webhook_secret": made.webhook_secret, "added": made.added}
    return value if made.added else json_response(AddedVersionSchema().dump(value))


@blueprint.operation(returns=UploadsSchema)
def list_uploads(who: Principal, bot: str) -> Mapping[str, object]:
    check_owner_or_admin(services().accounts, who, bot, "read uploads", shared=True)
    return {"uploads": services().uploads.unsettled(bot)}


@blueprint.operation(query=UploadQuery, returns=UploadSchema)
def get_upload(who: Principal, query: GivenWait, bot: str, upload: str) -> Mapping[str, object]:
    found = services().uploads.find(bot, upload)
    try:
        check_upload(services().accounts, who, found)
    except Forbidden:
        if not who.admin:
            raise
        services().accounts.audit(who, "read upload", f"bot {bot}", upload)
    found = services().uploads.wait(found, query["wait"])
    if not who.admin:
        # The owner can have removed this co-owner meanwhile.
        check_upload(services().accounts, who, found)
    return services().tournaments.upload_view(found)


@blueprint.operation(body=ChangedVersionSchema, returns=VersionSchema)
def publish_version(who: Principal, body: GivenVersionChange, bot: str, version: str) -> Version:
    check_owner(services().accounts, who, bot)
    return services().accounts.publish(bot, version, body["published"])


@blueprint.operation(returns=SourceSchema)
def get_source(who: Principal | None, bot: str, version: str) -> Mapping[str, object]:
    if not services().accounts.bot(bot).find(version).published:
        if who is None:
            raise Forbidden(
                f"the source of {bot} is not published", field="version", expected="the owner's token"
            )
        check_owner_or_admin(services().accounts, who, bot, "read source", version, shared=True)
    upload = services().accounts.upload_of(bot, version)
    return {
        "language": upload.language,
        "digest": upload.digest,
        "source": upload.text if upload.is_text else None,
        "module": None if upload.is_text else b64encode(upload.data).decode(),
    }


@blueprint.operation(body=QualifySchema, returns=QualificationSchema)
def qualify(who: Principal, body: GivenQualification, bot: str, version: str) -> Mapping[str, object]:
    check_owner(services().accounts, who, bot, shared=True)
    return services().tournaments.qualify(body["kind"], bot, version, body["preset"])


@blueprint.operation(returns=QualificationsSchema)
def list_qualifications(who: Principal, bot: str, version: str) -> Mapping[str, object]:
    check_owner_or_admin(services().accounts, who, bot, "read qualifications", version, shared=True)
    return {"qualifications": services().tournaments.qualifications(bot, version)}


@blueprint.operation(returns=GameLogSchema)
def get_log(who: Principal, bot: str, game: str) -> Mapping[str, object]:
    check_owner_or_admin(services().accounts, who, bot, "read log", game, shared=True)
    seats = services().tournaments.journals.find(bot, game)
    if seats is None:
        raise HttpError(f"there is no log of {bot} for game {game}", code="log_not_found", field="game")
    return {"game": game, "seats": seats}


@blueprint.operation(returns=GameNotesSchema)
def get_notes(who: Principal | None, bot: str, game: str) -> Mapping[str, object]:
    return read_notes(who, bot, game)


@blueprint.operation(body=ChangedNotesSchema, returns=GameNotesSchema)
def publish_notes(who: Principal, body: GivenNotesChange, bot: str, game: str) -> Mapping[str, object]:
    if body["published"]:
        check_owner(services().accounts, who, bot)
    else:
        check_owner_or_admin(services().accounts, who, bot, "hide notes", game)
    return change_notes(who, bot, game, body["published"])


@blueprint.operation(body=NewSecretSchema, returns=SecretSchema)
def replace_webhook_secret(who: Principal, body: GivenSecret, bot: str) -> Mapping[str, object]:
    check_owner(services().accounts, who, bot)
    secret, until_ms = services().registration.replace_secret(bot, body.get("secret"))
    return {"secret": secret, "previous_until_ms": until_ms}


@blueprint.operation(returns=TokenSchema)
def replace_bot_token(who: Principal, bot: str) -> dict[str, str]:
    check_owner(services().accounts, who, bot)
    return {"token": services().accounts.new_bot_token(bot)}


@blueprint.operation()
def revoke_bot_token(who: Principal, bot: str) -> None:
    check_owner_or_admin(services().accounts, who, bot, "revoke bot token")
    services().accounts.revoke_bot_token(bot)
