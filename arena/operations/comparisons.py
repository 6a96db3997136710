"""Comparisons: which of two versions of a bot is better."""

from __future__ import annotations

from arena.operations.operation import UNSEATABLE, Operation

create_comparison = Operation(
    "POST",
    "/v1/comparisons",
    """
    Compare two versions of a bot

    Workers play mirrored groups of two uploaded versions, which are not rated, until a sequential test has
    decided, as `botequim compare` does. They are taken from the owner's budget batch by batch.
    """,
    scopes=("owner", "admin"),
    status=201,
    errors=(
        "bot_not_found",
        "version_not_found",
        *UNSEATABLE,
        "game_not_played",
        "kind_not_found",
        "preset_not_found",
        "invalid_comparison",
        "budget_exceeded",
    ),
    limit="tournaments_per_owner",
    has_body=True,
    arguments=("bot", "new", "old", "kind"),
)

list_comparisons = Operation(
    "GET",
    "/v1/comparisons",
    """
    List your comparisons, newest first

    Those of your bots, whoever requested them.
    """,
    scopes=("owner",),
    errors=("invalid_cursor",),
    pages=("comparisons",),
    client="comparisons",
)

get_comparison = Operation(
    "GET",
    "/v1/comparisons/{comparison}",
    """
    Get a comparison

    Only the owner of the bot and admins see it. With `since` and `wait` it is a long poll, which returns as
    soon as the version differs from `since`.
    """,
    scopes=("owner", "admin"),
    also={204: "The version is still `since`."},
    errors=("comparison_not_found",),
    client="comparison",
)
