"""Webhooks that follow a tournament."""

from __future__ import annotations

from typing import Any

from api.contract import Blueprint
from api.schemas.subscriptions import (
    CreatedSubscriptionSchema,
    NewSubscriptionSchema,
    SubscriptionSchema,
    SubscriptionsSchema,
)
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint("subscriptions", __name__, description="Webhooks that follow a tournament.")

_SEEN = ("tournament_not_found",)


@blueprint.operation(
    "/tournaments/<tournament>/subscriptions",
    "POST",
    scopes=("owner",),
    body=NewSubscriptionSchema,
    status=201,
    returns=CreatedSubscriptionSchema,
    secret=("secret",),
    errors=(
        *_SEEN,
        "invalid_webhook_url",
        "webhook_address",
        "webhook_failed",
        "invalid_webhook_secret",
        "quota_exceeded",
    ),
    limit="webhook_checks_per_owner",
)
def subscribe_to_tournament(who: Principal, body: dict[str, Any], tournament: str) -> dict[str, Any]:
    """Follow a tournament by a webhook

    What is announced from now on is posted to the URL: `tournament.opened`, `tournament.edited`,
    `tournament.locked`, `tournament.finished` or `tournament.cancelled`, signed like turns of webhook bots. A
    post that fails is repeated with growing pauses; after the eighth failure in a row nothing more is posted
    until the URL answers a ping of `pingSubscription`.
    """
    return services().subscriptions.subscribe(tournament, who, body["url"], body.get("secret"))


@blueprint.operation(
    "/tournaments/<tournament>/subscriptions",
    scopes=("owner",),
    returns=SubscriptionsSchema,
    errors=_SEEN,
)
def list_subscriptions(who: Principal, tournament: str) -> dict[str, Any]:
    """List your subscriptions to a tournament

    Without their secrets.
    """
    return {"subscriptions": services().subscriptions.of(tournament, who)}


@blueprint.operation(
    "/tournaments/<tournament>/subscriptions/<subscription>",
    "DELETE",
    scopes=("owner",),
    status=204,
    errors=(*_SEEN, "subscription_not_found"),
)
def delete_subscription(who: Principal, tournament: str, subscription: str) -> None:
    """Delete a subscription

    Nothing more is posted to its URL.
    """
    services().subscriptions.unsubscribe(tournament, subscription, who)


@blueprint.operation(
    "/tournaments/<tournament>/subscriptions/<subscription>/ping",
    "POST",
    scopes=("owner",),
    returns=SubscriptionSchema,
    errors=(
        *_SEEN,
        "subscription_not_found",
        "invalid_webhook_url",
        "webhook_address",
        "webhook_failed",
        "quota_exceeded",
    ),
    limit="webhook_checks_per_owner",
)
def ping_subscription(who: Principal, tournament: str, subscription: str) -> dict[str, Any]:
    """Post a test to the URL of a subscription

    A signed ping, as when it was made. If the URL answers it, a subscription that had failed goes on with
    what was not posted.
    """
    return services().subscriptions.ping(tournament, subscription, who)
