"""Owners: sign-up, profile and tokens."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, Operation

sign_up = Operation(
    "POST",
    "/v1/owners",
    """
    Sign up as an owner

    Returns the owner's token and a recovery code, with which the owner gets a new token once. Both are shown
    only once. Sign-ups are limited per address, except those with an invitation; failed attempts count.
    `Idempotency-Key` has no effect here, because a name can be taken only once.
    """,
    scopes=(),
    status=201,
    errors=("name_taken", "invalid_name", "invalid_invitation"),
    has_body=True,
    arguments=("name", "invitation"),
    result="token",
)

recover_owner = Operation(
    "POST",
    "/v1/recoveries",
    """
    Replace a lost token

    Returns a new token and a new recovery code. The old token and all sessions of the owner end within
    five seconds, and the recovery code at once, and a linked identity is removed. A code that is
    unknown, was used or was replaced is refused with `invalid_recovery_code`, and so is one of an owner
    who does not exist. Attempts are limited per address.
    """,
    scopes=(),
    status=201,
    errors=("invalid_recovery_code",),
    has_body=True,
    limit="recoveries_per_address",
    arguments=("recovery_code",),
)

get_me = Operation(
    "GET",
    "/v1/owners/me",
    """
    Get the token's owner

    `admin` is true if the owner is an admin. `quotas` has the storage used and allowed for its bots,
    `budgets` the computation started and allowed today; admins have no budget. `invitations` has the number
    of people it has invited and can invite. `bot_invitations` lists the bots that it is invited to share,
    and `tournament_invitations` the newest 20 invitations to tournaments, without texts of those who invite.
    `identity` is that at the OpenID Connect provider of the service with which the owner can sign in.
    """,
    scopes=("owner",),
    client="me",
)

change_me = Operation(
    "PATCH",
    "/v1/owners/me",
    """
    Accept or refuse invitations

    While `invitable` is false, nobody can invite the owner to share a bot, or to enter or organise a
    tournament, and earlier invitations to tournaments are not listed. Links can still be accepted.
    """,
    scopes=("owner",),
    has_body=True,
    client="change_me",
    arguments=("invitable",),
)

replace_owner_token = Operation(
    "POST",
    "/v1/owners/me/token",
    """
    Replace the owner's token

    The new token and the new recovery code are shown only once. The old token expires within five seconds,
    and the old recovery code at once.
    """,
    scopes=("owner",),
    status=201,
    secret=("token", "recovery_code"),
    result="token",
)

replace_recovery_code = Operation(
    "POST",
    "/v1/owners/me/recovery-code",
    """
    Replace the owner's recovery code

    The new code is shown only once. The old code ends; the token stays. The code ends when it is used, and
    when the token is replaced or revoked.
    """,
    scopes=("owner",),
    status=201,
    secret=("recovery_code",),
    result="recovery_code",
)

unlink_identity = Operation(
    "DELETE",
    "/v1/owners/me/identity",
    """
    Unlink the owner's identity

    From then on, nobody signs in as the owner at the OpenID Connect provider of the service. Does nothing if
    no identity is linked. An owner who is signed in links one on the account page.
    """,
    scopes=("owner",),
    status=204,
)

revoke_owner_token = Operation(
    "DELETE",
    "/v1/owners/me/token",
    """
    Revoke the owner's token

    The token expires within five seconds, and the recovery code at once. Only an admin can issue another
    token.
    """,
    scopes=("owner",),
    status=204,
)

create_sign_in_link = Operation(
    "POST",
    "/v1/owners/me/sign-in-links",
    """
    Create a link that signs a browser in

    The link works once, within five minutes, and only as long as the token is valid. Opening it changes
    nothing: the page asks before it signs the browser in.
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
    Export everything that is stored about the owner

    Returns bots with their settings, versions, sources, qualifications and logs, the ids of their games,
    tournaments and entries. Tokens, which the service stores only as hashes, and signing secrets are not
    included. A worker writes the export, which is kept for an hour or until it has been read once. Until it
    is there, the response is 202; ask again after `Retry-After` seconds.
    """,
    scopes=("owner",),
    errors=("export_too_large", "export_gone", "budget_exceeded"),
    limit="exports_per_owner",
    by_hand=True,
)

delete_owner = Operation(
    "DELETE",
    "/v1/owners/me",
    """
    Delete the owner and all its bots

    Entries and games end as if the bots had left. Tokens, sessions, webhooks, sources, logs and
    qualifications are erased. Records remain, with the names of bots in the part that is hashed; everywhere
    else, `deleted-` and an id replace the names, which nobody can take again. This cannot be undone.
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

    The name and sign-up time of owners, and whether they are admins, are public.
    """,
    scopes=(),
    errors=("owner_not_found",),
    client="owner",
)
