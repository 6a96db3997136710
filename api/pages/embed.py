"""A game in a frame on another site: small, without forms, and the same for everybody."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response, abort, render_template, url_for
from markupsafe import Markup

from api.pages.replays import asked_sheet, present
from api.pages.site import blueprint, content_policy
from api.services import services
from arena.games import game_of
from arena.live.header import ANYBODY, GameSummary
from arena.live.service import RecordNotReady
from arena.replays.live_table import LiveTable
from arena.replays.page import embedded_json, game_title, static
from arena.replays.sheets import table_layout


@blueprint.get("/embed/<game>")
def embedded_game(game: str) -> Response:
    """Show a game that anybody may see: its table while it is in progress, and then its replay."""
    try:
        services().tournaments.check_record(game, ANYBODY)
    except RecordNotReady:
        return _live(services().live.summary(game))
    record = partial(services().tournaments.record, game, ANYBODY)
    replay, error = present(game, services().replays.find(game), record)
    data = None
    if replay.hands:
        data = services().replays.data(game, replay, asked_sheet(replay))
    return _framed(
        game=game,
        title=replay.frame.title,
        facts=replay.frame.facts,
        failed=replay.failed or (error.message if error else ""),
        data=None if data is None else Markup(data),
    )


def _live(summary: GameSummary) -> Response:
    game, rules = game_of(summary["kind"]), summary["rules"]
    table = LiveTable(summary)
    data: dict[str, Any] | None = None
    if summary["state"] == "running":
        stream = url_for("pages.stream_table", game=summary["game"])
        data = {**table_layout(game, rules, table.form), "stream": stream, "picture": table.shown}
    elif summary["state"] != "finished" or not summary["released"]:
        abort(404)
    return _framed(
        game=summary["game"],
        title=game_title(game, rules, table.players),
        facts=game.title,
        failed="",
        data=None if data is None else Markup(embedded_json(data)),
        live=data is not None,
    )


def _framed(**values: object) -> Response:
    html = render_template("embed.html", sprite=Markup(static("sprite.html")), **values)
    response = Response(html, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = content_policy(forms="'none'", frames="*")
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return response
