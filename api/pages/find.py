"""The search over bots, owners, tournaments, pages and the manual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from flask import Response, current_app, request, url_for

from api.http.sessions import page_viewer
from api.pages.search import LONGEST, search
from api.pages.site import blueprint, page
from api.services import services
from arena.events.house_entries import house_source
from arena.games import GAMES
from arena.play.board_names import all_boards
from arena.store.search import SearchIndex

SECTIONS_MOST: Final = 10
"""The maximum number of sections of the manual on the page."""

_PAGES: Final = (
    ("pages.tournaments_page", "Tournaments", "events knockout swiss"),
    ("pages.play_page", "Play", "table game person"),
    ("pages.watch_page", "Watch", "live tables games"),
    ("pages.bring_page", "Bring your bot", "upload submit"),
    ("pages.download_page", "Download", "install starters"),
    ("pages.manual_overview", "Docs", "manual help"),
    ("pages.reference_page", "API reference", "http"),
)
"""Endpoints with the titles of their pages, and more words by which they are found."""

_PAGES_OF_GAMES: Final = (
    ("pages.leaderboard_page", "{} leaderboard", "ranks ratings board"),
    ("pages.guide_page", "{} in one minute", "rules learn guide"),
)


class FoundPage(NamedTuple):
    """A page of the site."""

    address: str
    title: str


@blueprint.get("/search")
def find_page() -> Response:
    """Show the bots, owners, tournaments, pages and sections of the manual that a query finds."""
    query = request.args.get("q", "")[:LONGEST].strip()
    sections = search(current_app, query)
    results = services().search.find(query, page_viewer())
    if _is_copy_on_a_board(query.casefold()):
        results = results._replace(bots={query.casefold(): (), **results.bots})
    near = [] if any(results) else services().search.near(query, page_viewer())
    return page(
        "find.html",
        query=query,
        results=results,
        near=near,
        pages=_pages(query),
        sections=sections[:SECTIONS_MOST],
        count=len(sections),
    )


def _is_copy_on_a_board(name: str) -> bool:
    """Return whether this is the name of a copy of a house bot, such as ``rookie+2``, with a rank."""
    if "+" not in name or house_source(name) is None:
        return False
    boards = (services().boards.read(*board) for board in all_boards())
    return any(row["name"] == name for board in boards if board for row in board["rows"])


def _pages(query: str) -> Sequence[FoundPage]:
    """Return the pages with titles or other words that begin with the words of a query."""
    pages = [
        (FoundPage(url_for(endpoint, kind=kind), title.format(kind.capitalize())), words)
        for kind in GAMES
        for endpoint, title, words in _PAGES_OF_GAMES
    ]
    pages += [(FoundPage(url_for(endpoint), title), words) for endpoint, title, words in _PAGES]
    return [found for found, words in pages if SearchIndex.finds(query, f"{found.title} {words}")]
