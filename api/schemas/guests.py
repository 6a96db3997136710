"""Invitations to tournaments, and co-organisers."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, described, listed
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
    """What :class:`InviteSchema` loads."""

    owners: list[str]


class NewLinkSchema(RequestSchema):
    """A link to make."""

    expires_ms = GivenMoment("When it expires; by default when entry is locked, or after a day.")


class GivenLink(TypedDict):
    """What :class:`NewLinkSchema` loads."""

    expires_ms: NotRequired[int]


class CodeSchema(RequestSchema):
    """The code of a link."""

    code = described(fields.String, "The code of the link.", validate=validate.Length(1, 200))


class GivenCode(TypedDict):
    """What :class:`CodeSchema` loads."""

    code: str


class _Link(ResponseSchema):
    id = described(fields.String, "The id of the link.")
    expires_ms = described(Moment, "When it expires.")


class LinkSchema(_Link):
    """A link that invites whoever has it, as organisers see it."""

    created_by = described(fields.String, "Who made it: an owner, or `admin`.")
    created_ms = described(Moment, "When it was made.")
    accepted = described(WholeNumber, "How many owners it has invited.")


class CreatedLinkSchema(_Link):
    """A new link."""

    code = described(fields.String, "The code, shown only once.")
    url = described(fields.String, "The address of the page that takes the code.")


class GuestsSchema(ResponseSchema):
    """The owners invited to a tournament."""

    owners = listed(fields.String(), "The invited owners, oldest first.")
    links = listed(LinkSchema, "The links that are not revoked.")
