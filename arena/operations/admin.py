"""Operations for admins. Every action is written to the audit log before it is performed."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, Operation

issue_owner_token = Operation(
    "POST",
    "/v1/admin/owners/{owner}/token",
    """
    Issue a new token for an owner

    For an owner who has lost the old token and has no recovery code. A linked identity is removed. The
    old token expires within five seconds, and the recovery code at once.
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

    An admin's token has the scope `admin` in addition to `owner`.
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

    Sets the total number of invitations that the owner can create; 0 means none.
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

    Every action is logged before it is performed.
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

    The whole group of the game stops counting, and standings and leaderboards are recomputed. Its records
    remain and state the reason. `game` can also be the id of a group, as in its records.
    """,
    scopes=("admin",),
    errors=("game_not_found", "group_not_over", *ARCHIVED),
    has_body=True,
    arguments=("reason",),
)

annul_between = Operation(
    "POST",
    "/v1/admin/annulments",
    """
    Annul all games between two owners

    All rated groups that are over, and in which bots of both owners play, stop counting, as if each had been
    annulled. The owners of a bot are those when the entry of the tournament was locked. A request lasts some
    seconds; if there is more to do, it returns a `cursor` for the next one. If it is interrupted, repeat it.
    """,
    scopes=("admin",),
    errors=("invalid_cursor", *ARCHIVED),
    has_body=True,
    arguments=("owners", "reason"),
)

list_suspicions = Operation(
    "GET",
    "/v1/admin/suspicions",
    """
    List suspected collusion

    Lists the suspicions of one leaderboard with the evidence, least likely to be chance first. In `dumping`,
    a version gains far more from the bots of other owners than its strength explains, or more in one
    tournament than in others. In `signalling`, two versions gain far more from the other players than their
    strengths explain. People should review each case: in an honest field, about one report in a hundred names
    anybody. `copies` lists uploads, in all games, that are shared by bots of different owners.
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

    A group in which two workers hung or crashed is stopped. If both were calling the same uploaded bot, that
    bot is suspended, otherwise all uploaded bots in the group. A bot is also suspended if two workers hung or
    crashed within a day while calling it. A suspended bot is not seated in games, qualifications and
    tournaments, and its groups in running tournaments are void.
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

    The bot can be seated again from now on. Groups that were stopped or voided meanwhile remain so.
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

    Within five seconds, its tokens and those of its bots are refused with `owner_suspended` and the reason,
    and nobody can sign in as the owner. Its bots are not seated or entered, and run out of time on their open
    turns. Games that it created and in which no bots of other owners sit are cancelled.
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

    Its tokens become valid again, and its bots can be seated.
    """,
    scopes=("admin",),
    status=204,
    errors=("owner_not_found", "suspension_not_found"),
)

cancel_games = Operation(
    "POST",
    "/v1/admin/owners/{owner}/games/cancel",
    """
    Cancel the unfinished games that an owner created

    Not those of tournaments. Running games become void.
    """,
    scopes=("admin",),
    errors=("owner_not_found",),
    has_body=True,
    arguments=("reason",),
    result="games",
)

list_hidden_texts = Operation(
    "GET",
    "/v1/admin/hidden-texts",
    """
    List hidden texts

    Lists the texts that admins have hidden, with the reasons.
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

    Within five seconds, a name is replaced by `hidden-` and an id, and a description is left blank. Records
    do not change. Hidden texts of owners, bots and tournaments remain stored, and reappear when they are no
    longer hidden.
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
    Unhide a text

    The text reappears within five seconds.
    """,
    scopes=("admin",),
    status=204,
    errors=("text_not_hidden",),
    arguments=("of", "id", "text"),
)
