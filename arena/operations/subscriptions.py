"""Webhooks that follow a tournament."""

from __future__ import annotations

from arena.operations.operation import Operation

_SEEN = ("tournament_not_found",)

subscribe_to_tournament = Operation(
    "POST",
    "/v1/tournaments/{tournament}/subscriptions",
    """
    Follow a tournament by a webhook

    What is announced from now on is posted to the URL: `tournament.opened`, `tournament.edited`,
    `tournament.locked`, `tournament.finished` or `tournament.cancelled`, signed like turns of webhook bots. A
    post that fails is repeated with growing pauses; after the eighth failure in a row nothing more is posted
    until the URL answers a ping of `pingSubscription`.
    """,
    scopes=("owner",),
    status=201,
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
    has_body=True,
    client="subscribe",
    arguments=("url", "secret"),
)

list_subscriptions = Operation(
    "GET",
    "/v1/tournaments/{tournament}/subscriptions",
    """
    List your subscriptions to a tournament

    Without their secrets.
    """,
    scopes=("owner",),
    errors=_SEEN,
    client="subscriptions",
    result="subscriptions",
)

delete_subscription = Operation(
    "DELETE",
    "/v1/tournaments/{tournament}/subscriptions/{subscription}",
    """
    Delete a subscription

    Nothing more is posted to its URL.
    """,
    scopes=("owner",),
    status=204,
    errors=(*_SEEN, "subscription_not_found"),
    client="unsubscribe",
)

ping_subscription = Operation(
    "POST",
    "/v1/tournaments/{tournament}/subscriptions/{subscription}/ping",
    """
    Post a test to the URL of a subscription

    A signed ping, as when it was made. If the URL answers it, a subscription that had failed goes on with
    what was not posted.
    """,
    scopes=("owner",),
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
