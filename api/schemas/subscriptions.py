"""Webhooks that follow a tournament."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from marshmallow import fields, validate

from api.schemas.common import RequestSchema, ResponseSchema, described, optional
from api.schemas.fields import Moment, TypedLine, WholeNumber
from arena.webhook_messages.signing import SECRET_RULE
from arena.webhooks.addresses import MAX_URL, URL_RULE


class NewSubscriptionSchema(RequestSchema):
    """A URL to which announcements are posted."""

    url = TypedLine(
        MAX_URL,
        least=1,
        required=True,
        metadata={"description": f"The URL, which must answer a ping: {URL_RULE}."},
    )
    secret = optional(
        fields.String,
        f"The signing secret: {SECRET_RULE}. By default, a new one is generated.",
        validate=validate.Length(1, 200),
    )


class GivenSubscription(TypedDict):
    """The values loaded by :class:`NewSubscriptionSchema`."""

    url: str
    secret: NotRequired[str]


class SubscriptionSchema(ResponseSchema):
    """A URL to which announcements are posted."""

    id = described(fields.String, "The id of the subscription.")
    url = described(fields.String, "The URL.")
    created_ms = described(Moment, "When the subscription was created.")
    state = described(
        fields.String,
        "`active`: announcements are posted. `ended`: the tournament is over, and everything was posted. "
        "`failed`: too "
        "many posts failed in a row.",
        validate=validate.OneOf(("active", "ended", "failed")),
    )
    failures = described(WholeNumber, "The number of posts that have failed in a row.")
    error = described(fields.String, "The last failure; null if the last post succeeded.", allow_none=True)


class CreatedSubscriptionSchema(SubscriptionSchema):
    """A new subscription."""

    secret = described(fields.String, "The secret that signs posts, shown only once.")


class SubscriptionsSchema(ResponseSchema):
    """The subscriptions of an owner to a tournament."""

    subscriptions = fields.List(fields.Nested(SubscriptionSchema), required=True)
