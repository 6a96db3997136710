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
    """A person to invite. Only the organiser can see these details."""

    name = TypedLine(MAX_PERSON, least=1, required=True, metadata={"description": "The person's name."})
    handle = optional(
        fields.String,
        f"The owner name to propose to the person: {NAME_RULE}.",
        validate=validate.Regexp(NAME_PATTERN.replace("$", r"\Z"), error=f"Must be {NAME_RULE}."),
        metadata={"pattern": NAME_PATTERN},
    )
    email = TypedLine(
        MAX_EMAIL,
        metadata={
            "description": "The person's email address, for the organiser's use; nothing is sent to it."
        },
    )


class NewInvitationsSchema(RequestSchema):
    """Invitations to create: for `people`, or a `count` of invitations for anybody."""

    count = optional(
        WholeNumber, "The number of invitations for anybody.", validate=validate.Range(1, MAX_PEOPLE)
    )
    people = fields.List(
        fields.Nested(PersonSchema),
        validate=validate.Length(1, MAX_PEOPLE),
        metadata={"description": "The people to invite; each gets one invitation."},
    )
    roster = TypedLine(
        MAX_PERSON,
        metadata={
            "description": "A name for all these invitations, such as the name of a class.",
            "default": "",
        },
    )
    expires_ms = GivenMoment(
        "The time until which they can be used. By default in 30 days; at most in 366 days."
    )


class GivenPerson(TypedDict):
    """The values loaded by :class:`PersonSchema`."""

    name: str
    handle: NotRequired[str]
    email: NotRequired[str]


class GivenInvitations(TypedDict):
    """The values loaded by :class:`NewInvitationsSchema`."""

    count: NotRequired[int]
    people: NotRequired[list[GivenPerson]]
    roster: NotRequired[str]
    expires_ms: NotRequired[int]


class InvitationSchema(ResponseSchema):
    """An invitation, as shown to its organiser."""

    id = described(fields.String, "The id of the invitation, which is different from its code.")
    roster = described(
        fields.String, "The name of the roster, shared by invitations that were created together."
    )
    number = described(fields.Integer, "The invitation's position in the roster, from 1.")
    name = described(fields.String, "The name of the person; null if it is for anybody.", allow_none=True)
    handle = described(fields.String, "The proposed owner name; null if there is none.", allow_none=True)
    email = described(fields.String, "The person's email address; null if there is none.", allow_none=True)
    state = described(
        fields.String,
        "`open`, `used`, `revoked` or `expired`.",
        metadata={"enum": ["open", "used", "revoked", "expired"]},
    )
    owner = described(fields.String, "The owner that signed up with it; null if unused.", allow_none=True)
    created_ms = described(Moment, "When the invitation was created.")
    expires_ms = described(Moment, "The time until which it can be used.")
    used_ms = described(Moment, "When the invitation was used; null if unused.", allow_none=True)


class NewInvitationSchema(InvitationSchema):
    """An invitation with its code."""

    code = described(fields.String, "The code. It is shown only once; the service stores only its hash.")
    url = described(fields.String, "The URL of the page to sign up with the invitation.", allow_none=True)


class NewInvitationListSchema(ResponseSchema):
    """Invitations that were created together."""

    invitations = fields.List(fields.Nested(NewInvitationSchema), required=True)


class InvitationsQuery(PageQuery):
    """Filters for invitations."""

    roster = TypedLine(
        MAX_PERSON,
        load_default=absent,
        metadata={"description": "Only invitations of this roster."},
    )


class GivenInvitationsPage(GivenPage):
    """The values loaded by :class:`InvitationsQuery`."""

    roster: str | None


class InvitationPageSchema(ResponseSchema):
    """A page of invitations."""

    invitations = fields.List(fields.Nested(InvitationSchema), required=True)
    cursor = described(fields.String, "The next page's cursor; null on the last page.", allow_none=True)


class AllowanceSchema(RequestSchema):
    """The number of invitations that an owner can create."""

    most = described(
        WholeNumber,
        "The total number, not counting revoked invitations.",
        validate=validate.Range(0, MOST_OF_OWNER),
    )


class GivenAllowance(TypedDict):
    """The values loaded by :class:`AllowanceSchema`."""

    most: int


class InvitationQuotaSchema(ResponseSchema):
    """The invitations of an owner."""

    used = described(fields.Integer, "The number of invitations created, not counting revoked ones.")
    most = described(fields.Integer, "The maximum number of invitations.")
    left = described(fields.Integer, "The number of invitations that the owner can still create.")
