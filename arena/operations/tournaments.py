"""Tournaments: announcing, entering, watching, standings, groups and records."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, EVENT_STREAM, JSON_LINES, TEXTS, UNSEATABLE, Operation

_SEEN = ("tournament_not_found",)
_CHANGED = (*_SEEN, "tournament_busy")
_SETTINGS = (
    "kind_not_found",
    "invalid_option",
    "game_too_long",
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

    The tournament then runs automatically: entries open and lock, groups are played, standings are published.
    The response contains the commitment to its seed.
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

    Performs the same checks as announcing the tournament, and returns how many games it would have and how
    long it would take. Stores nothing, and uses no budget.
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

    Lists all tournaments, or those in one state, of one kind of game or of one bot. Hidden tournaments are
    listed only for those who can see them.
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

    Returns its settings, entries and progress. With `since` and `wait`, this is a long poll that returns as
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

    Until a bot other than a house bot enters, all settings can be changed. After that, only `name`,
    `description`, `link`, a later `locks_ms` and a larger `max_entries` can be set; after the lock, only the
    first three. Changes are public in `edits`. For organisers and admins.
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

    The new tournament has the same settings and house bots, the given dates, and a new seed. For organisers
    of the earlier tournament, and admins.
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

    Enters the current version, or the given one. A version that has not qualified for the game or preset
    first plays a group against the house bot `rookie`; `status` shows the progress. Entering again changes
    the version and the nonce. House bots are entered by the tournament's owner.
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

    If play has begun, the bot finishes its current round.
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

    For organisers and admins. Groups already played remain; no more are played.
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

    Final standings include the hash of the records they are computed from. While the tournament runs, a
    worker updates the standings every few seconds.
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

    Returns one line per entry, by owner and place, with its status, its figures in the standings, and the
    reason if the bot is out. Baseline bots have no place. House bots come last. A text that a spreadsheet
    would read as a formula begins with an apostrophe.
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

    Lists the groups in their planned order, with their scores and the ids of their games. With `bot` or
    `against`, a page can be short even if more groups follow; check `cursor`.
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

    Returns the records of all finished groups, or of one of them, as JSON lines.
    """,
    scopes=(),
    media=JSON_LINES,
    errors=(*_SEEN, *ARCHIVED),
    client="tournament_records",
    by_hand=True,
)
