"""The pages of tournaments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response, abort, request, url_for

from api.http.requests import read_query
from api.http.sessions import page_viewer
from api.pages.bracket import BracketDrawing, bracket
from api.pages.coming import coming
from api.pages.crosstable import cells, drawn
from api.pages.own_tournaments import may_enter, own_part
from api.pages.podium import places, watched
from api.pages.previews import tournament_preview
from api.pages.rounds import Met, rounds
from api.pages.site import blueprint, page
from api.schemas.tournaments import TABS, TournamentPageQuery, TournamentsPageQuery
from api.services import services
from arena.errors import ArenaError
from arena.events.views import is_rating
from arena.games import GAMES
from arena.live.service import Viewer
from arena.play.board_names import DIVISION_TITLES
from arena.store.paging import Page

CROSSTABLE_MOST: Final = 36
"""The maximum number of bots in a crosstable on a page, so that it takes less than 15 ms of CPU time."""

WHISKERS_MOST: Final = 16
"""The maximum number of bots in a crosstable whose cells show intervals."""

ROWS_MOST: Final = 100
"""The maximum number of rows of the standings, and of entries, on the page of a tournament."""

ROUNDS_MOST_GROUPS: Final = 500
"""The maximum number of groups of a tournament whose rounds are listed on its page."""

REFRESH_SECONDS: Final = {"announced": 30, "entry": 30, "running": 5}
"""The interval, in seconds, at which pages request updates, by the tournament's state; otherwise never."""

RATINGS_MOST: Final = 5
"""The maximum number of the arena's ratings that are over, on the page of all tournaments."""

PODIUM_MOST: Final = 3
GROUPS_AT_ONCE: Final = 50
TOURNAMENTS_AT_ONCE: Final = 50

_QUERY: Final = TournamentPageQuery()
_PAGES: Final = TournamentsPageQuery()


@blueprint.get("/tournaments")
def tournaments_page() -> Response:
    """Show the cups, current ones first, and apart from them the ratings of the arena."""
    query, who = read_query(_PAGES, request.environ, services().settings.http), page_viewer()
    cursor, later, ratings = query["cursor"], query["later"], query["of"] == "ratings"
    arena, empty = services().tournaments, Page[dict[str, Any]]([], None)
    present = empty if cursor else arena.present(who, cursor=later, limit=TOURNAMENTS_AT_ONCE)
    over = empty
    if not later:
        over = arena.list(state="over", ratings=ratings, cursor=cursor, limit=TOURNAMENTS_AT_ONCE, viewer=who)
    now = [one for one in present.items if is_rating(one) == ratings]
    is_first = not (cursor or later or ratings)
    return page(
        "tournaments.html",
        ratings=ratings,
        now=now,
        enterable=may_enter(now),
        later=present.cursor,
        coming=coming(TOURNAMENTS_AT_ONCE) if is_first else None,
        past=None if later else over.items,
        rating=_ratings(present.items, who) if is_first else [],
        next=over.cursor,
        cursor=cursor,
    )


def _ratings(present: Sequence[dict[str, Any]], who: Viewer) -> list[dict[str, Any]]:
    """Return the tournaments of the arena's ratings that are not over, and the newest that are."""
    over = services().tournaments.list(state="over", ratings=True, limit=RATINGS_MOST, viewer=who)
    return [*filter(is_rating, present), *over.items]


@blueprint.get("/tournaments/<tournament>")
def tournament_page(tournament: str) -> Response:
    """Show one tournament: who won, its progress, and a tab for each of standings with rounds, crosstable,
    groups, entries and rules.
    """
    return tournament_view(tournament, read_query(_QUERY, request.environ, services().settings.http))


def tournament_view(
    tournament: str, query: Mapping[str, Any], error: ArenaError | None = None, status: int = 200
) -> Response:
    """Show the page of a tournament, with the error, if any, in a form that was sent from it."""
    cursor = query.get("cursor")
    arena = services().tournaments
    who = page_viewer()
    view = arena.view(tournament, who)
    pair = [name for name in (query.get("bot"), query.get("against")) if name is not None]
    groups = arena.groups(tournament, cursor=cursor, limit=GROUPS_AT_ONCE, viewer=who, bots=pair)
    standings = arena.standings(tournament, who)
    shown = standings.shown(ROWS_MOST, CROSSTABLE_MOST)
    played = _rounds(tournament, view["format"], who)
    chosen = _chosen_round(view["format"], query.get("round"), played)
    rows = places(standings.rows, view["entries"])
    tabs = _tabs(view, bool(rows), bool(shown["groups"]))
    return page(
        "tournament.html",
        status,
        one=view,
        divisions=DIVISION_TITLES,
        refresh=REFRESH_SECONDS.get(view["state"]),
        own=own_part(view),
        tabs=tabs,
        tab=_tab(tabs, query),
        places=rows[:ROWS_MOST],
        podium=[one for one in rows if one.label][:PODIUM_MOST] if view["state"] == "finished" else [],
        mine=[one for one in rows if one.mine],
        watch=watched(groups.items, who),
        error=error,
        changed=GAMES[view["kind"]].options.changed(view["rules"]),
        standings=shown,
        crosstable=drawn(
            cells(shown["crosstable"] or ()),
            [row["name"] for row in shown["rows"]],
            len(standings.rows) <= WHISKERS_MOST,
            url_for("pages.tournament_page", tournament=tournament),
        ),
        count=len(standings.rows),
        most_rows=ROWS_MOST,
        standings_state=standings.state,
        computed_ms=standings.computed_ms,
        most_columns=CROSSTABLE_MOST,
        bracket=_bracket(view, played),
        rounds=played if chosen is None else [one for one in played if one[0] == chosen],
        numbers=[] if chosen is None else [number for number, _ in played],
        chosen=chosen,
        alone=_alone(standings.rows, dict(played)[chosen]) if chosen else [],
        groups=groups.items,
        pair=pair,
        filter=query,
        preview=tournament_preview(tournament),
        earlier=cursor,
        next=groups.cursor,
    )


def _tabs(view: Mapping[str, Any], has_rows: bool, has_groups: bool) -> list[str]:
    """Return the tabs that have contents. Before the first group, there are none: all is on one page."""
    if not (has_rows or has_groups or view["progress"]["done"] or view["state"] == "running"):
        return []
    return [tab for tab in TABS if has_groups or tab != "crosstable"]


def _tab(tabs: Sequence[str], query: Mapping[str, Any]) -> str | None:
    """Return the tab to show, or None without tabs. A filter of groups leads to them."""
    asked = query.get("tab")
    if asked is None and any(query.get(name) for name in ("bot", "against", "cursor")):
        asked = "groups"
    return asked if asked in tabs else next(iter(tabs), None)


def _rounds(tournament: str, format: str, who: Viewer | None) -> list[tuple[int, list[Met]]]:
    """Return the rounds of a Swiss or knockout tournament. The result is empty for other formats and if there
    are too many groups.
    """
    if format not in ("swiss", "knockout"):
        return []
    found = services().tournaments.groups(tournament, limit=ROUNDS_MOST_GROUPS, viewer=who)
    return rounds(found.items) if found.cursor is None else []


def _chosen_round(format: str, asked: int | None, played: Sequence[tuple[int, object]]) -> int | None:
    """Return the round of a Swiss tournament to show: as requested, or the latest. None means all rounds."""
    numbers = [number for number, _ in played]
    if asked is not None and asked not in numbers:
        abort(404)
    if format != "swiss" or not numbers:
        return asked
    return numbers[-1] if asked is None else asked


def _alone(rows: Sequence[Mapping[str, Any]], pairings: Sequence[Met]) -> list[tuple[str, bool]]:
    """Return the players without a pairing in a round, and whether this is certainly a bye: there is only one
    such player, who has had a bye.
    """
    met = {name for one in pairings for name in one.points}
    without = [row for row in rows if row["name"] not in met]
    return [(row["name"], len(without) == 1 and row["byes"] > 0) for row in without]


def _bracket(view: dict[str, Any], played: Sequence[tuple[int, Sequence[Met]]]) -> BracketDrawing | None:
    if view["format"] != "knockout":
        return None
    entrants = sum(entry["status"] == "qualified" for entry in view["entries"])
    places = {one["name"]: one["place"] for one in view["places"] or ()}
    return bracket(played, entrants, places, running=view["state"] == "running")
