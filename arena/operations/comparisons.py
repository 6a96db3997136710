"""Comparisons: which of two versions of a bot is better."""

from __future__ import annotations

from arena.operations.operation import UNSEATABLE, Operation

create_comparison = Operation(
    "POST",
    "/v1/comparisons",
    """
    Compare two versions of a bot

    Workers play unrated mirrored groups between two uploaded versions until a sequential test decides, like
    `botequim compare`. The groups are charged to the owner's budget batch by batch.
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

    Lists the comparisons of your bots, whoever requested them.
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

    Only for the bot's owner and admins. With `since` and `wait`, this is a long poll that returns as soon as
    the version differs from `since`.
    """,
    scopes=("owner", "admin"),
    also={204: "The version is still `since`."},
    errors=("comparison_not_found",),
    client="comparison",
)
