"""Owners: everything that is stored about one, suspensions, and hidden texts."""

from __future__ import annotations

from typing import Any, TypedDict

from marshmallow import fields, validate

from api.schemas.accounts import OwnerSchema, SuspendedBotSchema
from api.schemas.common import RequestSchema, ResponseSchema, described, listed
from api.schemas.fields import Moment, TypedLine
from arena.events.account_data import FORMAT
from arena.inputs.names import OF, TEXTS, Of, Text


def _objects(description: str) -> fields.List[dict[object, object]]:
    return listed(fields.Dict(), description)


class ExportSchema(ResponseSchema):
    """Everything that is stored about an owner, without secrets."""

    format = described(fields.String, "The version of this document.", validate=validate.OneOf((FORMAT,)))
    exported_ms = described(Moment, "When it was made.")
    owner = fields.Nested(OwnerSchema, required=True)
    bots = _objects(
        "The bots with their settings; `versions` with `source` or, in base64, `component`, and their "
        "qualifications; `games`, the ids of games that are still listed, newest first; `logs`; and `notes` "
        "on moves."
    )
    shared_bots = listed(fields.String(), "The bots of others that it shares.")
    bot_invitations = listed(fields.String(), "The bots that it is invited to share.")
    tournaments = _objects("The tournaments that the owner announced, with their settings.")
    entries = _objects("The entries of the bots in tournaments and qualifications.")
    series = _objects("The series that the owner keeps.")
    invitations = _objects("The invitations that the owner made, without codes.")
    schedules = _objects("The schedules that the owner created.")
    comparisons = _objects("The comparisons of the owner's bots, with their settings and results.")
    subscriptions = _objects("The webhooks of the owner that follow tournaments, without their secrets.")


class DeletionQuery(RequestSchema):
    """The confirmation of a deletion."""

    confirm = described(fields.String, "The name of the account, so that nothing is deleted by mistake.")


class GivenDeletion(TypedDict):
    """What :class:`DeletionQuery` loads."""

    confirm: str


class DeletedSchema(ResponseSchema):
    """A deleted account."""

    shown = described(fields.String, "What is shown in place of the name of the owner from now on.")


class OwnerSuspensionSchema(ResponseSchema):
    """Why an owner is suspended."""

    reason = described(fields.String, "The reason.")
    by = described(fields.String, "The admin who suspended it: an owner's name, or `admin`.")
    at_ms = described(Moment, "Since when.")


class SuspendedOwnerSchema(OwnerSchema):
    """A suspended owner."""

    suspended = fields.Nested(OwnerSuspensionSchema, required=True)


class SuspensionListSchema(ResponseSchema):
    """All suspended bots and owners."""

    bots = listed(SuspendedBotSchema, "The bots, by name.")
    owners = listed(SuspendedOwnerSchema, "The owners, by name.")


def _of() -> dict[str, Any]:
    return {"validate": validate.OneOf(OF), "metadata": {"description": "Whose text it is."}}


def _text() -> dict[str, Any]:
    return {"validate": validate.OneOf(TEXTS), "metadata": {"description": "Which text."}}


class HiddenTextQuery(RequestSchema):
    """A text of an owner, a bot or a tournament."""

    of = fields.String(required=True, **_of())
    id = described(
        fields.String,
        "The name of the owner or bot, or the id of the tournament.",
        validate=validate.Length(1, 80),
    )
    text = fields.String(required=True, **_text())


class NewHiddenTextSchema(HiddenTextQuery):
    """A text to hide."""

    reason = TypedLine(200, least=1, required=True, metadata={"description": "Why, for other admins."})


class GivenText(TypedDict):
    """What :class:`HiddenTextQuery` loads."""

    of: Of
    id: str
    text: Text


class GivenHiddenText(GivenText):
    """What :class:`NewHiddenTextSchema` loads."""

    reason: str


class HiddenTextSchema(ResponseSchema):
    """A hidden text."""

    of = fields.String(required=True, **_of())
    id = described(fields.String, "The name of the owner or bot, or the id of the tournament.")
    text = fields.String(required=True, **_text())
    shown = described(fields.String, "What is shown in its place; empty for a description.")
    reason = described(fields.String, "Why.")
    by = described(fields.String, "The admin who hid it: an owner's name, or `admin`.")
    at_ms = described(Moment, "When.")


class HiddenTextListSchema(ResponseSchema):
    """All hidden texts."""

    texts = listed(HiddenTextSchema, "The texts, by whose they are.")
