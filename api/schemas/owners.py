"""Owners: exports of stored data, deletions, suspensions, and hidden texts."""

from __future__ import annotations

from typing import Any, TypedDict

from marshmallow import fields, validate

from api.schemas.accounts import IDENTITY, IdentitySchema, OwnerSchema, SuspendedBotSchema
from api.schemas.common import RequestSchema, ResponseSchema, described, listed, nested
from api.schemas.fields import Moment, TypedLine
from arena.events.account_data import FORMAT
from arena.inputs.names import OF, TEXTS, Of, Text


def _objects(description: str) -> fields.List[dict[object, object]]:
    return listed(fields.Dict(), description)


class ExportSchema(ResponseSchema):
    """All data stored about an owner, without secrets."""

    format = described(fields.String, "The version of the export format.", validate=validate.OneOf((FORMAT,)))
    exported_ms = described(Moment, "When the export was created.")
    owner = fields.Nested(OwnerSchema, required=True)
    bots = _objects(
        "The bots with their settings; `versions` with `source` or, in base64, `module`, and their "
        "qualifications; `games`, the ids of games that are still available, newest first; `logs`; and "
        "`notes` "
        "on moves."
    )
    shared_bots = listed(fields.String(), "The bots of other owners that the owner shares.")
    bot_invitations = listed(fields.String(), "The bots that the owner is invited to share.")
    tournaments = _objects("The tournaments that the owner announced, with their settings.")
    entries = _objects("The entries of the bots in tournaments and qualifications.")
    series = _objects("The series that the owner created.")
    identity = nested(IdentitySchema, IDENTITY, allow_none=True)
    visits = described(
        fields.Dict,
        "The owner's visits to the account page: the times of the last look (`seen_ms`) and of the visit "
        "before (`since_ms`), and the version, rating, rank, groups and faults of each bot on each board at "
        "both (`figures`, `before`); null before the first one.",
        allow_none=True,
    )
    invitations = _objects("The invitations that the owner created, without codes.")
    schedules = _objects("The schedules that the owner created.")
    comparisons = _objects("The comparisons of the owner's bots, with their settings and results.")
    subscriptions = _objects("The webhooks of the owner that follow tournaments, without their secrets.")


class ExportStateSchema(ResponseSchema):
    """An export that a worker is writing."""

    state = described(fields.String, "`preparing`.", validate=validate.OneOf(("preparing",)))


class DeletionQuery(RequestSchema):
    """The confirmation of a deletion."""

    confirm = described(fields.String, "The name of the account, to prevent accidental deletion.")


class GivenDeletion(TypedDict):
    """The values loaded by :class:`DeletionQuery`."""

    confirm: str


class DeletedSchema(ResponseSchema):
    """A deleted account."""

    shown = described(fields.String, "The text shown in place of the owner's name from now on.")


class OwnerSuspensionSchema(ResponseSchema):
    """The reason why an owner is suspended."""

    reason = described(fields.String, "The reason.")
    by = described(fields.String, "The admin who suspended the owner: an owner's name, or `admin`.")
    at_ms = described(Moment, "Since when.")


class SuspendedOwnerSchema(OwnerSchema):
    """A suspended owner."""

    suspended = fields.Nested(OwnerSuspensionSchema, required=True)


class SuspensionListSchema(ResponseSchema):
    """All suspended bots and owners."""

    bots = listed(SuspendedBotSchema, "The bots, sorted by name.")
    owners = listed(SuspendedOwnerSchema, "The owners, sorted by name.")


def _of() -> dict[str, Any]:
    return {"validate": validate.OneOf(OF), "metadata": {"description": "The type of the text's subject."}}


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

    reason = TypedLine(
        200, least=1, required=True, metadata={"description": "The reason, which only admins see."}
    )


class GivenText(TypedDict):
    """The values loaded by :class:`HiddenTextQuery`."""

    of: Of
    id: str
    text: Text


class GivenHiddenText(GivenText):
    """The values loaded by :class:`NewHiddenTextSchema`."""

    reason: str


class HiddenTextSchema(ResponseSchema):
    """A hidden text."""

    of = fields.String(required=True, **_of())
    id = described(fields.String, "The name of the owner or bot, or the id of the tournament.")
    text = fields.String(required=True, **_text())
    shown = described(fields.String, "The text shown in its place; empty for a description.")
    reason = described(fields.String, "Why.")
    by = described(fields.String, "The admin who hid the text: an owner's name, or `admin`.")
    at_ms = described(Moment, "When.")


class HiddenTextListSchema(ResponseSchema):
    """All hidden texts."""

    texts = listed(HiddenTextSchema, "The texts, sorted by subject.")
