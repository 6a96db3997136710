"""Owners, bots, tokens and the audit log."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from api.schemas.common import Reply, Request, name, told
from api.schemas.fields import Moment, Truth
from arena.games import GAMES
from arena.live.accounts import LABEL_PATTERN, LABEL_RULE, TRANSPORTS
from arena.sandbox.limits import DEFAULT_LIMITS
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
            "they are posted to its `url`, which must answer a ping first. `uploaded`: the arena "
            "runs its `source` or `component` in a sandbox; it needs no token."
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


def _source() -> fields.String:
    return fields.String(
        metadata={
            "description": "`uploaded`: Python source of at most "
            f"{DEFAULT_LIMITS.source_bytes} bytes in UTF-8."
        }
    )


def _component() -> fields.String:
    return fields.String(
        metadata={
            "description": "`uploaded`: instead of `source` a WebAssembly component of at most "
            f"{DEFAULT_LIMITS.component_bytes} bytes, in base64.",
            "contentEncoding": "base64",
        }
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
    source = _source()
    component = _component()
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
    source = _source()
    component = _component()


class ChangedVersionSchema(Request):
    """What may change of a version: not what it is."""

    published = Truth(required=True, metadata={"description": "True: everybody may read its source."})


class VersionSchema(Reply):
    """One version of a bot."""

    label = told(fields.String, "The version's label.")
    transport = told(fields.String, "How the bot is reached.")
    created_ms = told(Moment, "When it was added.")
    language = told(
        fields.String,
        "`python` or `component` if it was uploaded, else null.",
        validate=validate.OneOf(("python", "component", None)),
        allow_none=True,
    )
    digest = told(fields.String, "The SHA-256 of what was uploaded, else null.", allow_none=True)
    published = told(fields.Boolean, "Whether everybody may read its source.")


class SourceSchema(Reply):
    """What was uploaded for a version."""

    language = told(fields.String, "What it is.", validate=validate.OneOf(("python", "component")))
    digest = told(fields.String, "Its SHA-256.")
    source = told(fields.String, "The Python source; null for a component.", allow_none=True)
    component = told(fields.String, "The component in base64; null for Python.", allow_none=True)


class QualifySchema(Request):
    """In which game."""

    kind = fields.String(
        required=True, validate=validate.OneOf(tuple(GAMES)), metadata={"description": "The kind of game."}
    )


class QualificationSchema(Reply):
    """What became of the qualification of a version in one game."""

    kind = told(fields.String, "The kind of game.")
    state = told(
        fields.String, "How far it is.", validate=validate.OneOf(("qualifying", "qualified", "failed"))
    )
    tournament = told(fields.String, "The id of the tournament of one group in which it plays or played.")
    reason = told(fields.String, "Why it failed, as everybody may read it; else null.", allow_none=True)
    detail = told(
        fields.String,
        "What an uploaded bot did wrong at last, with the line of the error; for the owner only.",
        allow_none=True,
    )
    at_ms = told(Moment, "When that was.")


class QualificationsSchema(Reply):
    """The qualifications of a version."""

    qualifications = fields.List(fields.Nested(QualificationSchema), required=True)


class DecisionSchema(Reply):
    """One decision of an uploaded bot."""

    turn = told(fields.String, "The id of the turn.")
    ms = told(fields.Float, "Thinking, in milliseconds of fuel.")
    fault = fields.String(metadata={"description": "What went wrong, if something did."})
    detail = fields.String(metadata={"description": "How."})


class SeatFaultSchema(Reply):
    """A fault of a seat."""

    type = told(fields.String, "The fault.")
    after = told(fields.Integer, "After how many actions of the game.")
    detail = told(fields.String, "What the bot did.")


class SeatLogSchema(Reply):
    """What a bot printed and did on one seat."""

    seat = told(fields.Integer, "The seat.")
    version = told(fields.String, "The label of the version.")
    output = told(fields.String, "What it printed, tracebacks included.")
    cut = told(fields.Boolean, "Whether it printed more than is kept.")
    load_ms = told(fields.Float, "What loading it took, in milliseconds of fuel.")
    decisions = fields.List(fields.Nested(DecisionSchema), required=True)
    faults = fields.List(fields.Nested(SeatFaultSchema), required=True)


class GameLogSchema(Reply):
    """The log of an uploaded bot for one game."""

    game = told(fields.String, "The id of the game.")
    seats = fields.List(fields.Nested(SeatLogSchema), required=True)


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
