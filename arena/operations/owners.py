"""Owners: sign-up, profile and tokens."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, Operation

sign_up = Operation(
    "POST",
    "/v1/owners",
    """
    Sign up as an owner

    Returns the owner's token, which is shown only once. Sign-ups are limited per address, except those with
    an invitation; a failed one counts. Only an admin can replace a lost token. `Idempotency-Key` has no
    effect here: a name is taken only once.
    """,
    scopes=(),
    status=201,
    errors=("name_taken", "invalid_name", "invalid_invitation"),
    has_body=True,
    arguments=("name", "invitation"),
    result="token",
)

get_me = Operation(
    "GET",
    "/v1/owners/me",
    """
    Get the owner of the token

    `admin` is true if the owner is an admin. `quotas` says how much its bots store and may store, `budgets`
    how much computation it started today and may start; admins have no budget. `invitations` says how many
    people it has invited and may invite. `bot_invitations`: the bots that it is invited to share.
    """,
    scopes=("owner",),
    client="me",
)

replace_owner_token = Operation(
    "POST",
    "/v1/owners/me/token",
    """
    Replace the owner's token

    The new token is shown only once. The old token expires within five seconds.
    """,
    scopes=("owner",),
    status=201,
    secret=("token",),
    result="token",
)

revoke_owner_token = Operation(
    "DELETE",
    "/v1/owners/me/token",
    """
    Revoke the owner's token

    The token expires within five seconds. Only an admin can issue another.
    """,
    scopes=("owner",),
    status=204,
)

create_sign_in_link = Operation(
    "POST",
    "/v1/owners/me/sign-in-links",
    """
    Create a link that signs a browser in

    The link works once, for five minutes, and ends with the token. Opening it changes nothing; the page
    that it shows asks before it signs in.
    """,
    scopes=("owner",),
    status=201,
    secret=("url",),
    limit="links_per_owner",
    client="sign_in_link",
    result="url",
)

export_owner = Operation(
    "GET",
    "/v1/owners/me/export",
    """
    Get everything that is stored about the owner

    Bots with their settings, versions, sources, qualifications and logs, the ids of their games, tournaments
    and entries. It has no tokens, of which the service has only hashes, and no signing secrets.
    """,
    scopes=("owner",),
    limit="exports_per_owner",
)

delete_owner = Operation(
    "DELETE",
    "/v1/owners/me",
    """
    Delete the owner and all its bots

    Entries and games end by the rules for leaving. Tokens, sessions, webhooks, sources, logs and
    qualifications are erased. Records stay, with the names of bots in the part that is hashed; everywhere
    else `deleted-` and an id are shown in place of the names, which nobody can take again. It cannot be
    undone.
    """,
    scopes=("owner",),
    errors=("not_confirmed", *ARCHIVED),
    arguments=("confirm",),
    result="shown",
)

get_owner = Operation(
    "GET",
    "/v1/owners/{owner}",
    """
    Get an owner

    Owners are public: their name, sign-up time and whether they are admins.
    """,
    scopes=(),
    errors=("owner_not_found",),
    client="owner",
)
