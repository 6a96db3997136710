"""Series: season tables over tournaments."""

from __future__ import annotations

from arena.operations.operation import TEXTS, Operation

_SEEN = ("series_not_found",)
_SETTINGS = ("invalid_series", "tournament_not_found")

create_series = Operation(
    "POST",
    "/v1/series",
    """
    Create a series

    A series is a season table over tournaments, with points by place; optionally, only the best results
    count. Its owner can change it until it is done. Everyone who can see all of its tournaments can see the
    series.
    """,
    scopes=("owner",),
    status=201,
    errors=(*_SETTINGS, "quota_exceeded"),
    limit="tournaments_per_owner",
    has_body=True,
)

list_series = Operation(
    "GET",
    "/v1/series",
    """
    List the series, newest first

    Lists all series that you can see, or those of one owner.
    """,
    scopes=(),
    errors=("invalid_cursor",),
    pages=("series",),
    client="series_list",
    arguments=("owner",),
)

get_series = Operation(
    "GET",
    "/v1/series/{series}",
    """
    Get a series

    Returns its settings and the ids of its tournaments.
    """,
    scopes=(),
    errors=_SEEN,
    client="series",
)

change_series = Operation(
    "PATCH",
    "/v1/series/{series}",
    """
    Change a series

    Only for its owner and admins. `done` ends the series permanently, and its table no longer changes.
    """,
    scopes=("owner", "admin"),
    errors=(*_SEEN, *_SETTINGS, "series_done"),
    has_body=True,
)

delete_series = Operation(
    "DELETE",
    "/v1/series/{series}",
    """
    Delete a series

    Its tournaments remain.
    """,
    scopes=("owner", "admin"),
    status=204,
    errors=_SEEN,
)

get_series_table = Operation(
    "GET",
    "/v1/series/{series}/table",
    """
    Get the table of a series

    Returns the table after the finished tournaments. The JSON contains all data behind the table, so that
    anybody can recompute it (`botequim series verify`).
    """,
    scopes=(),
    texts=TEXTS,
    errors=_SEEN,
    client="series_table",
    by_hand=True,
)
