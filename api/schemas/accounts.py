"""Owners, bots, tokens and the audit log."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import Reply, Request, name, told
from api.schemas.fields import Moment, Truth
from arena.live.accounts import LABEL_PATTERN, LABEL_RULE, TRANSPORTS
from arena.webhooks.addresses import MAX_URL, URL_RULE
from arena.webhooks.signing import SECRET_RULE

_SECRET: Final = (
    "The signing secret of the webhook, if it was made just now; else null. It is shown this once."
)
_TOKEN: Final = "The token. It is shown this once; the service keeps no more than its hash."


def _label(**options: object) -> fields.String:
    return fields.String(
        validate=validate.Regexp(LABEL_PATTERN.replace("$", r"\Z"), error=f"Must be {LABEL_RULE}."),
        metadata={"description": f"The version's label: {LABEL_RULE}.", "pattern": LABEL_PATTERN},
        **options,  # type: ignore[arg-type]
    )


def _transport() -> fields.String:
    return fields.String(
        load_default="remote",
        validate=validate.OneOf(TRANSPORTS),
        metadata={
            "description": "How the bot is reached. `remote`: it asks for its turns over HTTP. `webhook`: "
            "they are posted to its `url`, which must answer a ping first."
        },
    )


def _url() -> fields.String:
    return fields.String(
        validate=validate.Length(1, MAX_URL),
        metadata={"description": f"`webhook`: where its turns are posted, {URL_RULE}."},
    )


def _rights() -> Truth:
    return Truth(
        metadata={"description": "`webhook`: whether optional turns are posted too.", "default": False},
    )


def _secret(description: str) -> fields.String:
    return fields.String(
        validate=validate.Length(1, 200), metadata={"description": f"{description}: {SECRET_RULE}."}
    )


def _description() -> fields.String:
    return fields.String(
        validate=validate.Length(0, 500),
        metadata={"description": "A few words about the bot, shown to everybody."},
    )


class NewOwnerSchema(Request):
    """Who signs up."""

    name = name("The owner's name")


class OwnerSchema(Reply):
    """An owner of bots."""

    name = told(fields.String, "The owner's name.")
    created_ms = told(Moment, "When the owner signed up.")
    admin = told(fields.Boolean, "Whether the owner is an admin of this service.")


class TokenSchema(Reply):
    """A new token."""

    token = told(fields.String, _TOKEN)


class OwnerWithTokenSchema(Reply):
    """A new owner and its token."""

    owner = fields.Nested(OwnerSchema, required=True)
    token = told(fields.String, _TOKEN)


class NewBotSchema(Request):
    """A bot to register."""

    name = name("The bot's name")
    version = _label(load_default="1")
    transport = _transport()
    url = _url()
    rights = _rights()
    secret = _secret("`webhook`: a signing secret of your own; without it one is made")
    description = _description()


class ChangedBotSchema(Request):
    """What to change; what is left out stays."""

    state = fields.String(
        validate=validate.OneOf(("active", "withdrawn")),
        metadata={"description": "`withdrawn`: the bot gets no new games; games it has go on."},
    )
    description = _description()


class NewVersionSchema(Request):
    """A version to add. It never changes; new games are played with the newest."""

    label = _label(required=True)
    transport = _transport()
    url = _url()
    rights = _rights()
    secret = _secret(
        "`webhook`: a signing secret of your own, if the bot has none yet; without it one is made"
    )


class VersionSchema(Reply):
    """One version of a bot."""

    label = told(fields.String, "The version's label.")
    transport = told(fields.String, "How the bot is reached.")
    created_ms = told(Moment, "When it was added.")


class AddedVersionSchema(VersionSchema):
    """A version that was just added."""

    webhook_secret = told(fields.String, _SECRET, allow_none=True)


class WebhookSchema(Reply):
    """How the webhook of a bot does: for its owner and admins."""

    url = told(fields.String, "Where the turns of new games are posted.")
    rights = told(fields.Boolean, "Whether optional turns are posted too.")
    circuit = told(
        fields.String,
        "`closed`: all is well. `open`: after failures in a row nothing is posted before `open_until_ms`. "
        "`half_open`: the next post tries it.",
        validate=validate.OneOf(("closed", "open", "half_open")),
    )
    failures = told(fields.Integer, "Failures in a row.")
    open_until_ms = told(
        Moment, "Until when nothing is posted; null if the circuit is closed.", allow_none=True
    )
    last_error = told(fields.String, "What went wrong last, ever; null if nothing did.", allow_none=True)
    last_error_ms = told(Moment, "When that was.", allow_none=True)
    last_ok_ms = told(Moment, "When it replied last; null if it never did.", allow_none=True)


class NewSecretSchema(Request):
    """A signing secret in place of the present one."""

    secret = _secret("A secret of your own; without it one is made")


class SecretSchema(Reply):
    """A new signing secret."""

    secret = told(fields.String, "The signing secret. It is shown this once.")
    previous_until_ms = told(
        Moment,
        "Until when posts are signed with the secret before too; null if it was the same.",
        allow_none=True,
    )


class BotSummarySchema(Reply):
    """A bot, in a list."""

    name = told(fields.String, "The bot's name.")
    owner = told(fields.String, "Whose it is.")
    state = told(
        fields.String, "Whether it gets new games.", validate=validate.OneOf(("active", "withdrawn"))
    )
    version = told(fields.String, "The label of the version that new games are played with.")
    description = told(fields.String, "What its owner says about it.")
    created_ms = told(Moment, "When it was registered.")


class BotSchema(BotSummarySchema):
    """A bot with all its versions."""

    versions = fields.List(
        fields.Nested(VersionSchema), required=True, metadata={"description": "The oldest first."}
    )
    webhook = fields.Nested(WebhookSchema, required=True, allow_none=True)


class BotWithTokenSchema(Reply):
    """A new bot and its token."""

    bot = fields.Nested(BotSchema, required=True)
    token = told(fields.String, _TOKEN)
    webhook_secret = told(fields.String, _SECRET, allow_none=True)


class BotPageSchema(Reply):
    """A page of bots, by name."""

    bots = fields.List(fields.Nested(BotSummarySchema), required=True)
    cursor = told(fields.String, "Gets the next page; null on the last.", allow_none=True)


class AdminRightSchema(Request):
    """Whether an owner is an admin."""

    admin = Truth(required=True, metadata={"description": "True to make the owner an admin."})


class AuditEntrySchema(Reply):
    """One action of an admin."""

    id = told(fields.String, "The entry's id; ids sort by time.")
    at_ms = told(Moment, "When.")
    admin = told(fields.String, "Which admin: an owner's name, or `admin` for the token of the environment.")
    action = told(fields.String, "What was done.")
    subject = told(fields.String, "To whom or what.")
    detail = told(fields.String, "With which values.")


class AuditPageSchema(Reply):
    """A page of the audit log, the newest first."""

    entries = fields.List(fields.Nested(AuditEntrySchema), required=True)
    cursor = told(fields.String, "Gets the next page; null on the last.", allow_none=True)
