"""Webhooks that follow a tournament."""

from __future__ import annotations

from collections.abc import Mapping

from api.http.contract import Blueprint
from api.schemas.subscriptions import (
    CreatedSubscriptionSchema,
    GivenSubscription,
    NewSubscriptionSchema,
    SubscriptionSchema,
    SubscriptionsSchema,
)
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint("subscriptions", __name__, description="Webhooks that follow a tournament.")


@blueprint.operation(body=NewSubscriptionSchema, returns=CreatedSubscriptionSchema)
def subscribe_to_tournament(who: Principal, body: GivenSubscription, tournament: str) -> Mapping[str, object]:
    return services().subscriptions.subscribe(tournament, who, body["url"], body.get("secret"))


@blueprint.operation(returns=SubscriptionsSchema)
def list_subscriptions(who: Principal, tournament: str) -> Mapping[str, object]:
    return {"subscriptions": services().subscriptions.of(tournament, who)}


@blueprint.operation()
def delete_subscription(who: Principal, tournament: str, subscription: str) -> None:
    services().subscriptions.unsubscribe(tournament, subscription, who)


@blueprint.operation(returns=SubscriptionSchema)
def ping_subscription(who: Principal, tournament: str, subscription: str) -> Mapping[str, object]:
    return services().subscriptions.ping(tournament, subscription, who)
