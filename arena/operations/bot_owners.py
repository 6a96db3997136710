"""The owners of a bot: those who share it, and those invited to share it."""

from __future__ import annotations

from arena.operations.operation import Operation

_ERRORS = ("bot_not_found", "not_co_owner", "forbidden")

list_bot_owners = Operation(
    "GET",
    "/v1/bots/{bot}/owners",
    """
    List the owners of a bot

    Lists its owner, co-owners, and owners invited to share it. Only for them and admins; the bot's public
    data include its owner and co-owners.
    """,
    scopes=("owner", "admin"),
    errors=("bot_not_found",),
    client="bot_owners",
)

add_bot_owner = Operation(
    "PUT",
    "/v1/bots/{bot}/owners/{owner}",
    """
    Invite an owner to share a bot, or accept an invitation

    The bot's owner calls this to invite; the invited owner calls it with their own token to accept, and
    becomes a co-owner. Co-owners can add versions, read sources and logs, request qualifications, and enter
    the bot. They cannot see or replace its token, change its settings, publish its sources, delete it, or
    remove others. The bot also counts towards their quotas. In tournaments, all bots that share an owner
    count as one owner's.
    """,
    scopes=("owner",),
    errors=(*_ERRORS, "owner_not_found", "invitations_off", "quota_exceeded"),
)

remove_bot_owner = Operation(
    "DELETE",
    "/v1/bots/{bot}/owners/{owner}",
    """
    Remove a co-owner of a bot, or an invitation

    For the bot's owner and admins. Co-owners can leave, and invited owners can decline, by passing their own
    name. The owner cannot be removed. Tournament entries remain.
    """,
    scopes=("owner", "admin"),
    status=204,
    errors=_ERRORS,
)
