"""The search over bots, owners, tournaments and the manual."""

from __future__ import annotations

from typing import Final

from flask import Response, current_app, request

from api.http.sessions import page_viewer
from api.pages.search import LONGEST, search
from api.pages.site import blueprint, page
from api.services import services

SECTIONS_MOST: Final = 10
"""The maximum number of sections of the manual on the page."""


@blueprint.get("/search")
def find_page() -> Response:
    """Show the bots, owners, tournaments and sections of the manual that a query finds."""
    query = request.args.get("q", "")[:LONGEST].strip()
    sections = search(current_app, query)
    return page(
        "find.html",
        query=query,
        results=services().search.find(query, page_viewer()),
        sections=sections[:SECTIONS_MOST],
        count=len(sections),
    )
