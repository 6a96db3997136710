"""The owners of a bot: those who share it, and those who are invited to share it."""

from __future__ import annotations

from arena.operations.operation import Operation

_ERRORS = ("bot_not_found", "not_co_owner", "forbidden")

list_bot_owners = Operation(
    "GET",
    "/v1/bots/{bot}/owners",
    """
    List the owners of a bot

    Its owner, the co-owners, and the owners who are invited to share it; for these and admins. Owner and
    co-owners are public in the bot.
    """,
    scopes=("owner", "admin"),
    errors=("bot_not_found",),
    client="bot_owners",
)

add_bot_owner = Operation(
    "PUT",
    "/v1/bots/{bot}/owners/{owner}",
    """
    Invite an owner to share a bot, or accept that

    The bot's owner invites; the owner who is invited accepts with the same operation and its own token, and
    is a co-owner then. Co-owners add versions, read sources and logs, request qualifications, and enter the
    bot. They do not see or replace its token, change its settings, publish its sources, delete it, or remove
    others. The bot then counts in their quotas too, and all bots that share an owner count as one owner's in
    tournaments.
    """,
    scopes=("owner",),
    errors=(*_ERRORS, "owner_not_found", "quota_exceeded"),
)

remove_bot_owner = Operation(
    "DELETE",
    "/v1/bots/{bot}/owners/{owner}",
    """
    Remove a co-owner of a bot, or an invitation

    By the bot's owner or an admin; co-owners leave, and owners who are invited decline, with their own name.
    The owner stays. Entries in tournaments stay.
    """,
    scopes=("owner", "admin"),
    status=204,
    errors=_ERRORS,
)
