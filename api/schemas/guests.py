"""Invitations to tournaments, and co-organisers."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, described, listed, optional
from api.schemas.fields import GivenMoment, Moment, WholeNumber
from arena.tournaments.settings import MAX_GUESTS


class InviteSchema(RequestSchema):
    """Owners to invite."""

    owners = listed(
        fields.String(validate=validate.Length(1, 80)),
        "The names of the owners.",
        validate=validate.Length(1, MAX_GUESTS),
    )


class GivenGuests(TypedDict):
    """The values loaded by :class:`InviteSchema`."""

    owners: list[str]


class NewLinkSchema(RequestSchema):
    """An invitation link to create."""

    expires_ms = GivenMoment("When the link expires; by default, when entry is locked, or after a day.")


class GivenLink(TypedDict):
    """The values loaded by :class:`NewLinkSchema`."""

    expires_ms: NotRequired[int]


class CodeSchema(RequestSchema):
    """The code of a link."""

    code = optional(
        fields.String,
        "The code of the link. By default, the invitation of the owner by name is accepted.",
        validate=validate.Length(1, 200),
    )


class GivenCode(TypedDict):
    """The values loaded by :class:`CodeSchema`."""

    code: NotRequired[str]


class _Link(ResponseSchema):
    id = described(fields.String, "The id of the link.")
    expires_ms = described(Moment, "When it expires.")


class LinkSchema(_Link):
    """A link that invites any owner who has it, as shown to organisers."""

    created_by = described(fields.String, "Who created the link: an owner, or `admin`.")
    created_ms = described(Moment, "When the link was created.")
    accepted = described(WholeNumber, "The number of owners who have accepted it.")


class CreatedLinkSchema(_Link):
    """A new link."""

    code = described(fields.String, "The code, shown only once.")
    url = described(fields.String, "The URL of the page on which an owner accepts the invitation.")


class GuestsSchema(ResponseSchema):
    """The owners invited to a tournament."""

    owners = listed(fields.String(), "The invited owners, oldest first.")
    organisers = listed(fields.String(), "The owners who are invited to organise and have not accepted.")
    links = listed(LinkSchema, "The links that have not been revoked.")
