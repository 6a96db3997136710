"""The page with the tables that anybody can watch now."""

from __future__ import annotations

from flask import Response, current_app, request, url_for
from markupsafe import Markup

from api.http.streams import felt_stream, stream_pause
from api.pages.site import blueprint, page
from api.pages.watched_tables import WatchedTables
from api.services import services
from arena.games import game_of
from arena.replays.page import static

_LONGEST_ID = 24


@blueprint.get("/watch")
def watch_page() -> Response:
    """Show the exhibition games with their logs, and small tables of the other games in progress."""
    kind = request.args.get("game") or None
    if kind is not None:
        game_of(kind)
    tables: WatchedTables = current_app.extensions["botequim-tables"]
    last, shown = tables.shown()
    return page(
        "watch_tables.html",
        kind=kind,
        large=[html for felt, html in shown if felt.is_large and kind in (None, felt.kind)],
        small=[html for felt, html in shown if not felt.is_large and kind in (None, felt.kind)],
        has_exhibition=services().settings.exhibition_ms > 0,
        stream=url_for("pages.stream_tables", after=last),
        sprite=Markup(static("sprite.html")),
    )


@blueprint.get("/watch/tables")
def stream_tables() -> Response:
    """Stream the tables of the page, as ``felts`` events; see :mod:`api.pages.watched_tables`."""
    tables: WatchedTables = current_app.extensions["botequim-tables"]
    after = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return felt_stream(tables.messages(stream_pause(), after[:_LONGEST_ID]))
