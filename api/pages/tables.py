"""The page of a game: its table while the game is in progress, and its replay when it is over."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from api.http.requests import load
from api.http.sessions import page_viewer, signed_in, visitor
from api.http.streams import table_stream
from api.pages.previews import live_preview
from api.pages.replays import replay_page
from api.pages.site import blueprint, form, page
from api.schemas.games import CancelQuery
from api.services import services
from api.watching import Watching
from arena.games import game_of
from arena.live.finalizer import ENDED
from arena.live.header import GameSummary
from arena.live.service import RecordNotReady
from arena.people.seat_table import ending
from arena.play.game_ids import tournament_of
from arena.replays.live_table import LiveTable
from arena.replays.page import embedded_json, game_title, static
from arena.replays.sheets import table_layout


@blueprint.get("/games/<game>")
def game_page(game: str) -> ResponseReturnValue:
    """Show a game: a replay to step through if it is over, otherwise the table, to watch or, for people who
    sit at it, to play.
    """
    who = page_viewer()
    line = None
    try:
        found = services().replays.find(game)
        if found is None:
            line = services().tournaments.record(game, who)
        else:
            services().tournaments.check_record(game, who)
    except RecordNotReady:
        summary = services().live.summary(game, who)
        if summary["state"] == "finished":
            return _table_page(summary)
        if who.bot is not None and services().people.header(game).seats_of(who.bot):
            return redirect(url_for("pages.table_page", game=game), 303)
        if summary["visibility"] == "private":
            # Only its creator and admins are here, and there is no stream for them.
            return _table_page(summary)
        return _table_page(services().live.summary(game))
    return replay_page(game, who, found, line)


@blueprint.get("/games/<game>/table")
def stream_table(game: str) -> Response:
    """Stream the table of a game in progress, as ``table`` and ``moves`` events; see :mod:`api.watching`."""
    watching: Watching = current_app.extensions["botequim-watching"]
    return table_stream(watching, game)


def _table_page(summary: GameSummary) -> Response:
    table = LiveTable(summary)
    game_rules, rules = game_of(summary["kind"]), summary["rules"]
    data: dict[str, Any] = {
        **table_layout(game_rules, rules, table.form),
        "stream": url_for("pages.stream_table", game=summary["game"]),
        "picture": table.shown,
    }
    group = summary["group"]
    event = None if group is None else tournament_of(group["id"])
    bots = [seat["name"] or "" for seat in summary["seats"] if seat["type"] in ("bot", "house")]
    title = game_title(game_rules, rules, table.players)
    return page(
        "watch.html",
        one=summary,
        bots=list(dict.fromkeys(bots)),
        # The title of a larger table says only how many sit there.
        has_names=any(bot in title for bot in bots),
        rules_title=game_rules.title_of(rules),
        is_exhibition=summary["game"] in services().exhibition.games().values(),
        tournament=next(iter(services().tournaments.listed([event] if event else [], page_viewer())), None),
        is_watched=summary["state"] == "running" and summary["visibility"] == "public",
        title=title,
        data=Markup(embedded_json(data)),
        sprite=_sprite(),
        preview=live_preview(summary),
        end=ending(summary, table.form) if summary["state"] in ENDED else None,
        may_cancel=services().game_cancellation.may_cancel(summary["game"], visitor().principal),
    )


@form("/games/<game>/cancel")
def cancel_game(game: str) -> ResponseReturnValue:
    """Cancel a game."""
    sent = load(CancelQuery(), {"reason": request.form.get("reason", "").strip()})
    services().game_cancellation.cancel(game, signed_in(), sent["reason"])
    return redirect(url_for("pages.game_page", game=game), 303)


def _sprite() -> Markup:
    return Markup(static("sprite.html"))
