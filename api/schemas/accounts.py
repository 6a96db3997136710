"""Owners, bots, tokens and the audit log."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import Reply, Request, name, told
from api.schemas.fields import Moment, Truth
from arena.live.accounts import LABEL_PATTERN, LABEL_RULE, TRANSPORTS

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
        metadata={"description": "How the bot is reached. `remote`: it asks for its turns over HTTP."},
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


class VersionSchema(Reply):
    """One version of a bot."""

    label = told(fields.String, "The version's label.")
    transport = told(fields.String, "How the bot is reached.")
    created_ms = told(Moment, "When it was added.")


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


class BotWithTokenSchema(Reply):
    """A new bot and its token."""

    bot = fields.Nested(BotSchema, required=True)
    token = told(fields.String, _TOKEN)


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
