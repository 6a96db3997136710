"""Invitations to sign up."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from marshmallow import fields, validate

from api.schemas.common import (
    GivenPage,
    PageQuery,
    RequestSchema,
    ResponseSchema,
    absent,
    described,
    optional,
)
from api.schemas.fields import GivenMoment, Moment, TypedLine, WholeNumber
from arena.accounts.invitations import MOST_OF_OWNER
from arena.inputs.names import NAME_PATTERN, NAME_RULE
from arena.inputs.roster import MAX_EMAIL, MAX_PEOPLE, MAX_PERSON


class PersonSchema(RequestSchema):
    """Somebody to invite. Only the organiser sees what is said here."""

    name = TypedLine(MAX_PERSON, least=1, required=True, metadata={"description": "The person's name."})
    handle = optional(
        fields.String,
        f"The owner's name that is proposed to the person: {NAME_RULE}.",
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z"), error=f"Must be {NAME_RULE}."),
        metadata={"pattern": NAME_PATTERN},
    )
    email = TypedLine(
        MAX_EMAIL,
        metadata={"description": "An address, for the organiser: nothing is sent there."},
    )


class NewInvitationsSchema(RequestSchema):
    """Invitations to make: `people`, or a `count` for anybody."""

    count = optional(WholeNumber, "How many, for anybody.", validate=validate.Range(1, MAX_PEOPLE))
    people = fields.List(
        fields.Nested(PersonSchema),
        validate=validate.Length(1, MAX_PEOPLE),
        metadata={"description": "One for each of these people."},
    )
    roster = TypedLine(
        MAX_PERSON,
        metadata={"description": "A name for all of them, such as that of a class.", "default": ""},
    )
    expires_ms = GivenMoment("Until when they can be used. By default 30 days; at most 366 days.")


class GivenPerson(TypedDict):
    """What :class:`PersonSchema` loads."""

    name: str
    handle: NotRequired[str]
    email: NotRequired[str]


class GivenInvitations(TypedDict):
    """What :class:`NewInvitationsSchema` loads."""

    count: NotRequired[int]
    people: NotRequired[list[GivenPerson]]
    roster: NotRequired[str]
    expires_ms: NotRequired[int]


class InvitationSchema(ResponseSchema):
    """An invitation, as its organiser sees it."""

    id = described(fields.String, "The id, which is not the code.")
    roster = described(fields.String, "The name of those that were made together.")
    number = described(fields.Integer, "Its place among these, from 1.")
    name = described(fields.String, "The name of the person, null for anybody.", allow_none=True)
    handle = described(fields.String, "The owner's name that is proposed; null for none.", allow_none=True)
    email = described(fields.String, "The person's address, null for none.", allow_none=True)
    state = described(
        fields.String,
        "`open`, `used`, `revoked` or `expired`.",
        metadata={"enum": ["open", "used", "revoked", "expired"]},
    )
    owner = described(fields.String, "The owner that signed up with it; null for none.", allow_none=True)
    created_ms = described(Moment, "When it was made.")
    expires_ms = described(Moment, "Until when it can be used.")
    used_ms = described(Moment, "When it was used, null for never.", allow_none=True)


class NewInvitationSchema(InvitationSchema):
    """An invitation with its code."""

    code = described(fields.String, "The code. It is shown only once; the service stores only its hash.")
    url = described(fields.String, "The page to sign up with it.", allow_none=True)


class NewInvitationListSchema(ResponseSchema):
    """Invitations that were made together."""

    invitations = fields.List(fields.Nested(NewInvitationSchema), required=True)


class InvitationsQuery(PageQuery):
    """Which invitations."""

    roster = TypedLine(
        MAX_PERSON,
        load_default=absent,
        metadata={"description": "Only those of this roster."},
    )


class GivenInvitationsPage(GivenPage):
    """What :class:`InvitationsQuery` loads."""

    roster: str | None


class InvitationPageSchema(ResponseSchema):
    """A page of invitations."""

    invitations = fields.List(fields.Nested(InvitationSchema), required=True)
    cursor = described(fields.String, "The cursor of the next page; null on the last.", allow_none=True)


class AllowanceSchema(RequestSchema):
    """How many invitations an owner may make."""

    most = described(
        WholeNumber, "How many in all, without revoked ones.", validate=validate.Range(0, MOST_OF_OWNER)
    )


class GivenAllowance(TypedDict):
    """What :class:`AllowanceSchema` loads."""

    most: int


class InvitationQuotaSchema(ResponseSchema):
    """The invitations of an owner."""

    used = described(fields.Integer, "How many the owner has made, without revoked ones.")
    most = described(fields.Integer, "How many the owner may make.")
    left = described(fields.Integer, "How many more the owner may make.")
