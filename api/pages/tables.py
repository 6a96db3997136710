"""The page of a game: its replay when it is over, its table while it goes on."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, url_for
from markupsafe import Markup

from api.pages.site import blueprint, page
from api.services import services
from api.sessions import page_viewer
from api.streams import table_stream
from api.watching import LiveTable, Watching
from arena.games import game_of
from arena.live.service import RecordNotReady
from arena.records.record import parse_record
from arena.replays.page import embedded_json, game_title, page_parts, static, table_layout


@blueprint.get("/games/<game>")
def game_page(game: str) -> Response:
    """A game to step through or, while it goes on, to watch."""
    try:
        line = services().tournaments.record(game, page_viewer())
    except RecordNotReady:
        return _table_page(game)
    parts = page_parts(parse_record(line), source=f"{game}.json")
    return page("replay.html", game=game, title=parts.title, replay=Markup(parts.html), sprite=_sprite())


@blueprint.get("/games/<game>/table")
def stream_table(game: str) -> Response:
    """Stream the table of a game in progress: ``table`` and ``moves``, see :mod:`api.watching`."""
    watching: Watching = current_app.extensions["botequim-watching"]
    return table_stream(watching, game)


def _table_page(game: str) -> Response:
    summary = services().live.summary(game)
    table = LiveTable(summary)
    game_rules, rules = game_of(summary["kind"]), summary["rules"]
    data: dict[str, Any] = {
        **table_layout(game_rules, rules, table.form),
        "stream": url_for("pages.stream_table", game=game),
        "picture": table.shown,
    }
    return page(
        "watch.html",
        one=summary,
        title=game_title(game_rules, rules, table.players),
        data=Markup(embedded_json(data)),
        sprite=_sprite(),
    )


def _sprite() -> Markup:
    return Markup(static("sprite.html"))
