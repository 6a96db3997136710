"""Tournaments: announcing, entering, watching, standings, groups and records."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, EVENT_STREAM, JSON_LINES, TEXTS, UNSEATABLE, Operation

_SEEN = ("tournament_not_found",)
_CHANGED = (*_SEEN, "tournament_busy")
_SETTINGS = (
    "kind_not_found",
    "invalid_option",
    "invalid_tournament",
    "too_few_entrants",
    "already_entered",
    "not_invited",
    "tournament_full",
)

create_tournament = Operation(
    "POST",
    "/v1/tournaments",
    """
    Announce a tournament

    The tournament runs automatically: entry opens and is locked, groups are played, standings are
    published. The response contains the commitment to its seed.
    """,
    scopes=("owner", "admin"),
    status=201,
    errors=(*_SETTINGS, "budget_exceeded"),
    limit="tournaments_per_owner",
    has_body=True,
)

plan_tournament = Operation(
    "POST",
    "/v1/tournament-dry-runs",
    """
    Check a tournament without announcing it

    Checks everything that announcing it checks, and says how many games it would have and how long it would
    take. Stores nothing, and uses no budget.
    """,
    scopes=("owner", "admin"),
    errors=_SETTINGS,
    has_body=True,
    in_query=("entrants",),
    arguments=("entrants",),
)

list_tournaments = Operation(
    "GET",
    "/v1/tournaments",
    """
    List tournaments, newest first

    Lists all tournaments, or those in one state, of one kind of game or of one bot; hidden ones for those who
    see them.
    """,
    scopes=(),
    errors=("invalid_cursor",),
    pages=("tournaments",),
    client="tournaments",
    by_hand=True,
)

get_tournament = Operation(
    "GET",
    "/v1/tournaments/{tournament}",
    """
    Get a tournament

    Returns its settings, entries and progress. With `since` and `wait` it is a long poll, which returns as
    soon as the version differs from `since`.
    """,
    scopes=(),
    also={204: "The version is still `since`."},
    errors=_SEEN,
    client="tournament",
)

edit_tournament = Operation(
    "PATCH",
    "/v1/tournaments/{tournament}",
    """
    Edit a tournament

    Before the first entry of a bot, house bots apart, all settings can be changed; afterwards only `name`,
    `description`, `link`, a later `locks_ms` and a larger `max_entries`; after the lock only the first three.
    What was changed is public in `edits`. For organisers and admins.
    """,
    scopes=("owner", "admin"),
    errors=(*_CHANGED, *_SETTINGS, "preset_not_found", "not_editable", "quota_exceeded"),
    has_body=True,
)

clone_tournament = Operation(
    "POST",
    "/v1/tournaments/{tournament}/clone",
    """
    Announce a tournament like an earlier one

    The new tournament has the same settings and house bots, the given dates, and a seed of its own. For
    organisers of the earlier one, and admins.
    """,
    scopes=("owner", "admin"),
    status=201,
    errors=(*_SEEN, *_SETTINGS, "budget_exceeded"),
    limit="tournaments_per_owner",
    has_body=True,
    arguments=("locks_ms",),
)

stream_tournament = Operation(
    "GET",
    "/v1/tournaments/{tournament}/events",
    """
    Stream the progress of a tournament

    A stream of server-sent events: `tournament` is the tournament after a change, with its version as the
    id; `reconnect` is sent when the service ends the stream. The stream ends when the tournament is over.
    """,
    scopes=(),
    media=EVENT_STREAM,
    errors=(*_SEEN, "invalid_cursor"),
)

enter_tournament = Operation(
    "POST",
    "/v1/tournaments/{tournament}/entries",
    """
    Enter a bot in a tournament

    Enters the current version, or the given one. A version that has not qualified, in the game or for the
    preset that the rules count as, first plays a group against the house bot `rookie`; `status` shows the
    progress. Entering again changes the version and the nonce. House bots are entered by the owner that
    announced the tournament.
    """,
    scopes=("owner", "bot", "admin"),
    errors=(
        *_CHANGED,
        "bot_not_found",
        "version_not_found",
        *UNSEATABLE,
        "game_not_played",
        "not_invited",
        "wrong_division",
        "too_many_of_owner",
        "tournament_full",
        "entry_closed",
        "budget_exceeded",
    ),
    has_body=True,
    arguments=("bot", "nonce", "version"),
)

leave_tournament = Operation(
    "DELETE",
    "/v1/tournaments/{tournament}/entries/{entry}",
    """
    Withdraw a bot from a tournament

    Once play has begun, the bot finishes its current round.
    """,
    scopes=("owner", "bot", "admin"),
    errors=(*_CHANGED, "entry_not_found", "tournament_over"),
    by_hand=True,
)

cancel_tournament = Operation(
    "POST",
    "/v1/tournaments/{tournament}/cancel",
    """
    Cancel a tournament

    Only organisers and admins can cancel it. Groups already played remain; no more are
    played.
    """,
    scopes=("owner", "admin"),
    errors=(*_CHANGED, "tournament_over"),
    has_body=True,
    arguments=("reason",),
)

get_standings = Operation(
    "GET",
    "/v1/tournaments/{tournament}/standings",
    """
    Get the standings and crosstable

    Final with the hash of the records they are computed from; while the tournament runs, as a worker computed
    them a few seconds ago.
    """,
    scopes=(),
    texts=TEXTS,
    errors=(*_SEEN, "invalid_cursor"),
    pages=("rows", "crosstable"),
    client="standings",
    by_hand=True,
)

get_results = Operation(
    "GET",
    "/v1/tournaments/{tournament}/results.csv",
    """
    Get the results per owner as CSV

    A line per entry, by owner and place: its status, what the standings have of it, and the reason if the bot
    is out. Baseline bots have no place. House bots, which have no owner, come last. A text that a spreadsheet
    would read as a formula is prefixed with an apostrophe.
    """,
    scopes=(),
    media="text/csv",
    errors=_SEEN,
    client="results",
)

list_groups = Operation(
    "GET",
    "/v1/tournaments/{tournament}/groups",
    """
    List the groups of a tournament

    The groups are in the order planned, with their scores and the ids of their games. With `bot` or `against`
    a page may be short although more follow: check `cursor`.
    """,
    scopes=(),
    errors=(*_SEEN, "invalid_cursor"),
    pages=("groups",),
    client="groups",
)

download_tournament_records = Operation(
    "GET",
    "/v1/tournaments/{tournament}/records",
    """
    Download the records of a tournament

    Returns JSON lines: the records of all groups that are over, or of one of them.
    """,
    scopes=(),
    media=JSON_LINES,
    errors=(*_SEEN, *ARCHIVED),
    client="tournament_records",
    by_hand=True,
)
