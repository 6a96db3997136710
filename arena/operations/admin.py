"""Operations for admins. Every action is written to the audit log before it is carried out."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, Operation

issue_owner_token = Operation(
    "POST",
    "/v1/admin/owners/{owner}/token",
    """
    Issue a new token for an owner

    For an owner that lost the old token, which expires within five seconds.
    """,
    scopes=("admin",),
    status=201,
    secret=("token",),
    errors=("owner_not_found",),
    result="token",
)

set_admin = Operation(
    "PUT",
    "/v1/admin/owners/{owner}/admin",
    """
    Grant or revoke the admin right of an owner

    The token of an admin has the scope `admin` in addition to `owner`.
    """,
    scopes=("admin",),
    errors=("owner_not_found",),
    has_body=True,
    arguments=("admin",),
)

allow_invitations = Operation(
    "PUT",
    "/v1/admin/owners/{owner}/invitations",
    """
    Allow an owner to invite people

    Sets how many invitations the owner may make in all; 0 for none.
    """,
    scopes=("admin",),
    errors=("owner_not_found",),
    has_body=True,
    arguments=("most",),
)

list_audit = Operation(
    "GET",
    "/v1/admin/audit",
    """
    List the actions of admins, newest first

    Every action is logged before it is carried out.
    """,
    scopes=("admin",),
    errors=("invalid_cursor",),
    pages=("entries",),
    client="audit",
)

annul_game = Operation(
    "POST",
    "/v1/admin/games/{game}/annul",
    """
    Annul a game of a tournament

    The whole group of the game no longer counts: standings and leaderboards are computed again. Its
    records remain and state the reason. `game` may also be the id of a group, as in its records.
    """,
    scopes=("admin",),
    errors=("game_not_found", "group_not_over", *ARCHIVED),
    has_body=True,
    arguments=("reason",),
)

list_suspicions = Operation(
    "GET",
    "/v1/admin/suspicions",
    """
    List what looks arranged

    The suspicions of one leaderboard, with the evidence, the smallest chance first: a version gains far more
    from the bots of other owners than its strength explains, or more in one tournament than in others
    (`dumping`), or two gain far more from the other players than theirs explain (`signalling`). People
    should review each: in an honest field, about one report in a hundred names anybody. `copies` are the
    uploads, of all games, that bots of different owners have.
    """,
    scopes=("admin",),
    errors=("preset_not_found",),
    client="suspicions",
    arguments=("kind", "division"),
)

list_suspensions = Operation(
    "GET",
    "/v1/admin/suspensions",
    """
    List suspended bots and owners

    A group during which two workers hung or crashed is stopped. If a call of the same uploaded bot was
    running both times, that bot is suspended, otherwise all uploaded bots in the group; so is a bot during
    whose calls two workers hung or crashed within a day. A suspended bot is not seated in games,
    qualifications and tournaments, and its groups in running tournaments are void.
    """,
    scopes=("admin",),
    client="suspensions",
    result="bots",
)

lift_suspension = Operation(
    "DELETE",
    "/v1/admin/suspensions/{bot}",
    """
    Lift the suspension of a bot

    It may be seated again from now on. Groups that were stopped or void meanwhile stay so.
    """,
    scopes=("admin",),
    status=204,
    errors=("bot_not_found", "suspension_not_found"),
)

suspend_owner = Operation(
    "PUT",
    "/v1/admin/owners/{owner}/suspension",
    """
    Suspend an owner

    Within five seconds its tokens and those of its bots are refused with `owner_suspended`, which has the
    reason, and nobody can sign in as it. Its bots are not seated or entered, and are late for the turns that
    they have.
    """,
    scopes=("admin",),
    errors=("owner_not_found",),
    has_body=True,
    arguments=("reason",),
)

unsuspend_owner = Operation(
    "DELETE",
    "/v1/admin/owners/{owner}/suspension",
    """
    Lift the suspension of an owner

    Its tokens are valid again, and its bots may be seated.
    """,
    scopes=("admin",),
    status=204,
    errors=("owner_not_found", "suspension_not_found"),
)

list_hidden_texts = Operation(
    "GET",
    "/v1/admin/hidden-texts",
    """
    List hidden texts

    Those that admins hid, with the reasons.
    """,
    scopes=("admin",),
    client="hidden_texts",
    result="texts",
)

hide_text = Operation(
    "POST",
    "/v1/admin/hidden-texts",
    """
    Hide a text

    In place of a name, `hidden-` and an id are shown within five seconds, in place of a description nothing.
    Records stay as they are. The texts of an owner, a bot or a tournament stay stored, and are shown again
    when the text is no longer hidden.
    """,
    scopes=("admin",),
    status=201,
    errors=("text_not_found", "owner_not_found", "bot_not_found", "tournament_not_found"),
    has_body=True,
    arguments=("of", "id", "text", "reason"),
)

show_text = Operation(
    "DELETE",
    "/v1/admin/hidden-texts",
    """
    Show a hidden text again

    Within five seconds it is shown as it is.
    """,
    scopes=("admin",),
    status=204,
    errors=("text_not_hidden",),
    arguments=("of", "id", "text"),
)
