"""The pages of tournaments."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from api.pages.crosstable import cells
from api.pages.own_tournaments import own_part
from api.pages.rounds import Met, rounds
from api.pages.site import blueprint, page, page_cursor
from api.services import services
from api.sessions import page_viewer
from arena.errors import ArenaError
from arena.games import GAMES
from arena.live.service import Viewer

CROSSTABLE_MOST: Final = 40
"""Maximum bots in a crosstable on a page."""

WHISKERS_MOST: Final = 16
"""Maximum bots in a crosstable whose cells show intervals."""

ROWS_MOST: Final = 100
"""Maximum rows of the standings, and entries, on the page of a tournament."""

ROUNDS_MOST_GROUPS: Final = 500
"""Maximum groups of a tournament whose rounds are listed on its page."""

GROUPS_AT_ONCE: Final = 100
TOURNAMENTS_AT_ONCE: Final = 50


@blueprint.get("/tournaments")
def tournaments_page() -> Response:
    """The tournaments, current ones first."""
    cursor = page_cursor()
    earlier = services().tournaments.list(state="over", cursor=cursor, limit=TOURNAMENTS_AT_ONCE)
    present = [] if cursor else services().tournaments.present()
    schedules = [] if cursor else coming()
    return page(
        "tournaments.html",
        now=present,
        schedules=schedules,
        past=earlier.items,
        next=earlier.cursor,
        cursor=cursor,
    )


@blueprint.get("/tournaments/<tournament>")
def tournament_page(tournament: str) -> Response:
    """One tournament: its progress, standings, crosstable and groups."""
    return tournament_view(tournament, page_cursor())


def tournament_view(
    tournament: str, cursor: str | None, error: ArenaError | None = None, status: int = 200
) -> Response:
    """The page of a tournament, with an error of a form that was sent from it."""
    arena = services().tournaments
    who = page_viewer()
    view = arena.view(tournament, who)
    groups = arena.groups(tournament, cursor=cursor, limit=GROUPS_AT_ONCE, viewer=who)
    standings = arena.standings(tournament, who)
    shown = standings.shown(ROWS_MOST, CROSSTABLE_MOST)
    return page(
        "tournament.html",
        status,
        one=view,
        own=own_part(view),
        error=error,
        defaults=GAMES[view["kind"]].options.complete({}),
        standings=shown,
        crosstable=cells(shown["crosstable"] or ()),
        whiskers=len(standings.rows) <= WHISKERS_MOST,
        count=len(standings.rows),
        most_rows=ROWS_MOST,
        standings_state=standings.state,
        computed_ms=standings.computed_ms,
        most_columns=CROSSTABLE_MOST,
        rounds=_rounds(view, who),
        groups=groups.items,
        earlier=cursor,
        next=groups.cursor,
    )


def _rounds(view: dict[str, Any], who: Viewer | None) -> list[tuple[int, list[Met]]]:
    """The rounds of a Swiss or knockout tournament; empty for others, and with too many groups."""
    if view["format"] not in ("swiss", "knockout"):
        return []
    found = services().tournaments.groups(view["id"], limit=ROUNDS_MOST_GROUPS, viewer=who)
    return rounds(found.items) if found.cursor is None else []


def coming() -> list[dict[str, Any]]:
    """The schedules that will fire, the next one first."""
    found = [one for one in services().schedules.list() if one["enabled"] and one["next_ms"] is not None]
    return sorted(found, key=lambda one: (one["next_ms"], one["id"]))
