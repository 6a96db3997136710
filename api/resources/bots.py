"""Bots: registration, changes, versions, logs and tokens."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from flask import Response
from marshmallow import Schema, fields, validate

from api import submissions
from api.auth import viewer
from api.contract import ARCHIVED, UNSEATABLE, Blueprint, RawBody, json_response
from api.errors import HttpError
from api.notes import RECORD_ERRORS, change_notes, read_notes
from api.schemas.accounts import (
    AddedVersionSchema,
    BotPageSchema,
    BotSchema,
    BotWithTokenSchema,
    ChangedBotSchema,
    ChangedVersionSchema,
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
from api.schemas.bot_games import BotGamesQuery, BotGamesSchema
from api.schemas.common import PageQuery, absent
from api.schemas.logs import GameLogSchema
from api.schemas.notes import ChangedNotesSchema, GameNotesSchema
from api.services import services
from arena.accounts.accounts import Forbidden, Principal
from arena.accounts.received import refusal
from arena.accounts.uploads import ReceivedUpload
from arena.accounts.versions import BotAccount, Version
from arena.sandbox.limits import DEFAULT_LIMITS

blueprint = Blueprint("bots", __name__, description="Bots, their versions and their tokens.")

_MAX_JSON = 1_000_000
_UPLOADED = {"transport": "uploaded"}
_FILES = (
    RawBody(
        media="text/x-python",
        field="source",
        most=DEFAULT_LIMITS.source_bytes,
        description="Python source in UTF-8, or in the encoding that it declares. "
        "The other fields are query parameters.",
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


def _check_owner_or_admin(
    who: Principal, name: str, action: str, detail: str = "", *, shared: bool = False
) -> None:
    """Raise :class:`Forbidden` unless ``who`` owns the bot, or, if ``shared``, shares it, or is an admin,
    whose action is audited.
    """
    try:
        submissions.check_owner(who, name, shared=shared)
    except Forbidden:
        if not who.admin:
            raise
        services().accounts.audit(who, action, f"bot {name}", detail)


def _bot_view(who: Principal | None, bot: BotAccount) -> dict[str, Any]:
    """The bot, with its webhook and its suspension if ``who`` may see them."""
    is_shown = who is not None and (who.owner in bot.owners or who.admin)
    # The URL may hold a secret, which co-owners do not get.
    is_own = who is not None and (who.owner == bot.owner or who.admin)
    # It may be one that this process cannot read.
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
    return {**vars(bot), "tournaments": bot.takes_part, **shown}


def _outcome(upload: ReceivedUpload) -> ReceivedUpload:
    """The upload when its checks are over, or after a while. Raises
    :class:`~arena.accounts.received.UploadRefused`.
    """
    settings = services().settings.http
    upload = services().uploads.wait(upload, min(settings.upload_wait, settings.max_wait))
    if upload.state == "refused":
        raise refusal(upload)
    return upload


def _still_checked(schema: type[Schema], value: Any, upload: ReceivedUpload) -> Response:
    response = json_response(schema().dump(value), 202)
    response.headers["Location"] = f"/v1/bots/{upload.bot}/uploads/{upload.id}"
    return response


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
    secret=("token",),
    rotate="/v1/bots/{name}/token",
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
    made = submissions.register(who, body)
    bot, upload = made.bot, made.upload
    if upload is not None:
        upload = _outcome(upload)
        bot = services().accounts.bot(bot.name)
    value = {
        "bot": _bot_view(who, bot),
        "token": made.token,
        "webhook_secret": made.webhook_secret,
        "upload": None if upload is None else submissions.upload_view(upload),
    }
    if upload is None or upload.is_settled:
        return value
    return _still_checked(BotWithTokenSchema, value, upload)


@blueprint.operation("/bots", scopes=(), query=BotsQuery, returns=BotPageSchema)
def list_bots(who: Principal | None, query: dict[str, Any]) -> dict[str, Any]:
    """List bots by name

    Lists all bots, or those of one owner or co-owner, including withdrawn ones.
    """
    bots, cursor = services().accounts.bots(query["owner"], query["cursor"] or "", query["limit"])
    return {"bots": bots, "cursor": cursor}


@blueprint.operation("/bots/<bot>", scopes=(), returns=BotSchema, errors=("bot_not_found",))
def get_bot(who: Principal | None, bot: str) -> dict[str, Any]:
    """Get a bot and its versions

    Its owners and admins also see the state of its webhook, if it has one, and whether it is suspended.
    """
    return _bot_view(who, services().accounts.bot(bot))


@blueprint.operation(
    "/bots/<bot>/games",
    scopes=(),
    query=BotGamesQuery,
    returns=BotGamesSchema,
    errors=("bot_not_found", *ARCHIVED),
)
def list_bot_games(who: Principal | None, query: dict[str, Any], bot: str) -> dict[str, Any]:
    """List the last games of a bot, newest first

    Lists games of tournaments that the arena played itself, of the bot's last 100 groups that are over, and
    its last 100 games over HTTP; private ones for those who can see them. Also for house bots.
    """
    return {"games": services().bot_games.list(bot, **query, viewer=viewer(who))}


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

    Changes its state, its description, whether it takes part in scheduled tournaments, whether people may
    play with it, whether its decisions may be in data sets, or which language model it is. A withdrawn bot
    gets no new games but finishes its current ones. Omitted fields keep their values.
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
    submissions.delete(bot)


@blueprint.operation(
    "/bots/<bot>/versions",
    "POST",
    scopes=("owner",),
    body=NewVersionSchema,
    status=201,
    returns=AddedVersionSchema,
    accepted=UploadSchema,
    secret=("webhook_secret",),
    rotate="/v1/bots/{bot}/webhook/secret",
    also={200: "The bot has this version already; it was made the current one."},
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
    may also be sent as a file in place of JSON. Co-owners can add versions, but none with a webhook.

    An upload is compiled and loaded before it becomes a version. The request waits up to 10 seconds for that;
    then the response is 202, and `Location` is where the upload can be read. It takes its label and counts in
    the quotas from the start; if it is refused, it frees both.

    The same bytes are the same version: if the bot has the upload already, no version is added. The response
    is 200 with that version, under its own label and with `added` false, and new games use it.
    """
    made = submissions.add_version(who, bot, body)
    version = made.version
    if made.upload is not None:
        upload = _outcome(made.upload)
        if not upload.is_settled:
            return _still_checked(UploadSchema, upload, upload)
        version = services().accounts.bot(bot).find(upload.label)
    value = {**vars(version), "webhook_secret": made.webhook_secret, "added": made.added}
    return value if made.added else json_response(AddedVersionSchema().dump(value))


@blueprint.operation(
    "/bots/<bot>/uploads", scopes=("owner", "admin"), returns=UploadsSchema, errors=("bot_not_found",)
)
def list_uploads(who: Principal, bot: str) -> dict[str, Any]:
    """List the uploads of a bot that are being checked

    Oldest first. An upload that is a version or refused is not listed.
    """
    _check_owner_or_admin(who, bot, "read uploads", shared=True)
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
    is refused. A version qualifies by itself in the games that it plays, but not for presets;
    `qualifications` shows how that goes.
    """
    found = services().uploads.find(bot, upload)
    try:
        submissions.check_upload(who, found)
    except Forbidden:
        if not who.admin:
            raise
        services().accounts.audit(who, "read upload", f"bot {bot}", upload)
    return submissions.upload_view(services().uploads.wait(found, query["wait"]))


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
    submissions.check_owner(who, bot)
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
        _check_owner_or_admin(who, bot, "read source", version, shared=True)
    upload = services().accounts.upload_of(bot, version)
    python = upload.language == "python"
    return {
        "language": upload.language,
        "digest": upload.digest,
        "source": upload.text if python else None,
        "component": None if python else b64encode(upload.data).decode(),
    }


@blueprint.operation(
    "/bots/<bot>/versions/<version>/qualifications",
    "POST",
    scopes=("owner",),
    body=QualifySchema,
    returns=QualificationSchema,
    keyed=True,
    errors=(
        *("bot_not_found", "version_not_found", "preset_not_found", *UNSEATABLE),
        *("game_not_played", "budget_exceeded"),
    ),
    limit="qualifications_per_owner",
)
def qualify(who: Principal, body: dict[str, Any], bot: str, version: str) -> dict[str, Any]:
    """Start the qualification of a version

    The version plays a group against the house bot `rookie`, by the rules of the game or of a `preset` for
    which bots qualify separately. A bot with the transport `remote` or `webhook` must be running. A version
    that names its `games` qualifies in these only.
    """
    submissions.check_owner(who, bot, shared=True)
    return services().tournaments.qualify(body["kind"], bot, version, body["preset"])


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
    _check_owner_or_admin(who, bot, "read qualifications", version, shared=True)
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
    _check_owner_or_admin(who, bot, "read log", game, shared=True)
    seats = services().tournaments.journals.find(bot, game)
    if seats is None:
        raise HttpError(f"there is no log of {bot} for game {game}", code="log_not_found", field="game")
    return {"game": game, "seats": seats}


@blueprint.operation(
    "/bots/<bot>/games/<game>/notes",
    scopes=(),
    returns=GameNotesSchema,
    errors=(*RECORD_ERRORS, "notes_not_found"),
)
def get_notes(who: Principal | None, bot: str, game: str) -> dict[str, Any]:
    """Get the notes of a bot on its moves in a finished game

    Available to the bot's owner, and to everyone who can read the record once they are published. Notes are
    kept for 90 days: at most 64 KiB on a game and 1 MiB of a bot, where the oldest games give way.
    """
    return read_notes(who, bot, game)


@blueprint.operation(
    "/bots/<bot>/games/<game>/notes",
    "PATCH",
    scopes=("owner", "admin"),
    body=ChangedNotesSchema,
    returns=GameNotesSchema,
    errors=(*RECORD_ERRORS, "bot_not_found", "notes_not_found"),
)
def publish_notes(who: Principal, body: dict[str, Any], bot: str, game: str) -> dict[str, Any]:
    """Publish or hide the notes of a bot on its moves in a finished game

    Only the owner can publish them. An admin can hide what is published.
    """
    if body["published"]:
        submissions.check_owner(who, bot)
    else:
        _check_owner_or_admin(who, bot, "hide notes", game)
    return change_notes(who, bot, game, body["published"])


@blueprint.operation(
    "/bots/<bot>/webhook/secret",
    "POST",
    scopes=("owner",),
    body=NewSecretSchema,
    status=201,
    returns=SecretSchema,
    secret=("secret",),
    errors=("bot_not_found", "invalid_webhook_secret", "no_webhook"),
)
def replace_webhook_secret(who: Principal, body: dict[str, Any], bot: str) -> dict[str, Any]:
    """Replace the signing secret of a webhook

    The new secret is shown only once. For one day, posts are signed with both the old and the new secret.
    """
    submissions.check_owner(who, bot)
    secret, until_ms = submissions.replace_secret(bot, body.get("secret"))
    return {"secret": secret, "previous_until_ms": until_ms}


@blueprint.operation(
    "/bots/<bot>/token",
    "POST",
    scopes=("owner",),
    status=201,
    returns=TokenSchema,
    secret=("token",),
    errors=("bot_not_found",),
)
def replace_bot_token(who: Principal, bot: str) -> dict[str, str]:
    """Replace a bot's token

    The new token is shown only once. The old token expires within five seconds.
    """
    submissions.check_owner(who, bot)
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
