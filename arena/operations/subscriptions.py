"""Webhook subscriptions to tournaments."""

from __future__ import annotations

from arena.operations.operation import Operation

_SEEN = ("tournament_not_found",)

subscribe_to_tournament = Operation(
    "POST",
    "/v1/tournaments/{tournament}/subscriptions",
    """
    Subscribe a webhook to a tournament

    Posts `tournament.opened`, `tournament.edited`, `tournament.locked`, `tournament.finished` and
    `tournament.cancelled` to the URL, signed like turns for webhook bots. A failed post is retried. After
    eight failures in a row, nothing more is posted until the URL answers a ping from `pingSubscription`.
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

    Lists them without their secrets.
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

    Nothing more is posted to the subscription's URL.
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
    Post a test message to the URL of a subscription

    Posts a signed ping, as when the subscription was created. If the URL answers it, a failed subscription
    resumes with the announcements not yet posted.
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
