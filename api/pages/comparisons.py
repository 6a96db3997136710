"""The page of a comparison, for the owner of the bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flask import Response

from api.http.sessions import page_viewer
from api.pages.site import blueprint, page, page_cursor
from api.services import services
from arena.events.tournament import OVER
from arena.games import GAMES

GROUPS_SHOWN: Final = 50

REFRESH_SECONDS: Final = 5


@blueprint.get("/comparisons/<comparison>")
def comparison_page(comparison: str) -> Response:
    """Show the state of the test, its estimates, and its groups with their games."""
    who = page_viewer()
    view = services().comparisons.view(comparison, who)
    cursor = page_cursor()
    groups = services().tournaments.groups(comparison, cursor=cursor, limit=GROUPS_SHOWN, viewer=who)
    return page(
        "comparison.html",
        one=view,
        title=GAMES[view["kind"]].title,
        refresh=None if view["state"] in OVER else REFRESH_SECONDS,
        bar=_bar(view["bounds"], view["llr"]),
        groups=groups.items,
        earlier=cursor,
        next=groups.cursor,
    )


def _bar(bounds: Sequence[float], present: float) -> dict[str, float]:
    """Return the start and width of the LLR's bar and the position of zero, in per cent of the distance
    between the bounds.
    """
    lower, upper = bounds

    def at(value: float) -> float:
        return round(float(100 * (min(upper, max(lower, value)) - lower) / (upper - lower)), 2)

    zero, llr = at(0.0), at(present)
    return {"zero": zero, "from": min(zero, llr), "width": round(abs(llr - zero), 2)}
