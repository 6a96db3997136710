"""The page of a game: its table while the game is in progress, and its replay when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from api.http.requests import load
from api.http.sessions import page_viewer, signed_in, visitor
from api.http.streams import table_stream
from api.notes import notes_on
from api.notes import remarks as note_remarks
from api.pages.site import blueprint, form, page
from api.schemas.games import CancelQuery
from api.services import services
from api.watching import Watching
from arena.games import game_of
from arena.live.finalizer import ENDED
from arena.live.header import GameNotFound, GameSummary
from arena.live.service import RecordNotReady
from arena.people.seat_table import ending
from arena.play.game_ids import place_of
from arena.records.record import Record, parse_record
from arena.replays.live_table import LiveTable
from arena.replays.page import embedded_json, game_title, page_parts, static, table_layout
from arena.store.notes import GameNotes


@blueprint.get("/games/<game>")
def game_page(game: str) -> ResponseReturnValue:
    """Show a game: a replay to step through if it is over, otherwise the table, to watch or, for people who
    sit at it, to play.
    """
    who = page_viewer()
    try:
        line = services().tournaments.record(game, who)
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
    own = _own_game(game, visitor().viewer.bot)
    review = own.get("review")
    remarks = {} if review is None else {int(number): text for number, text in review.remarks.items()}
    record = parse_record(line)
    notes = notes_on(record, who)
    remarks |= note_remarks(notes)
    parts = page_parts(services().moderation.apply_to_record(record), source=f"{game}.json", remarks=remarks)
    return page(
        "replay.html",
        game=game,
        title=parts.title,
        replay=Markup(parts.html),
        sprite=_sprite(),
        logs=_own_logs(game, record),
        notes=_own_notes(notes),
        **own,
    )


def _own_logs(game: str, record: Record) -> Mapping[str, object]:
    """Return the output that bots of the signed-in owner printed, by bot and seat."""
    owner = visitor().owner
    if not owner:
        return {}
    names = {player["name"] for player in record["canonical"]["players"]}
    own = [bot.name for bot in services().accounts.listed(sorted(names)) if owner in bot.owners]
    logs = ((name, services().tournaments.journals.find(name, game)) for name in own)
    return {name: seats for name, seats in logs if seats is not None}


def _own_notes(notes: Mapping[str, GameNotes]) -> dict[str, bool]:
    """Return the bots of the signed-in owner that made notes, and whether their notes are public."""
    owner = visitor().owner
    own = [bot.name for bot in services().accounts.listed(sorted(notes)) if owner and bot.owner == owner]
    return {name: notes[name].published for name in own}


def _own_game(game: str, person: str | None) -> dict[str, Any]:
    """Return the values that the page shows only to a person who played the game, or empty values."""
    if person is None or place_of(game) is not None:
        return {}
    try:
        header = services().people.header(game)
    except GameNotFound:
        # Only the record of the game is left.
        return {}
    seats = header.seats_of(person)
    if not seats:
        return {}
    summary = services().live.summary_of(header)
    return {
        "seat": seats[0],
        "public": header.visibility == "public",
        "agreed": header.seats[seats[0]].agrees,
        "end": ending(summary, LiveTable(summary, you=seats[0]).form, seats[0]),
        "review": services().reviews.find(game, seats[0]),
    }


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
    return page(
        "watch.html",
        one=summary,
        is_watched=summary["state"] == "running" and summary["visibility"] == "public",
        title=game_title(game_rules, rules, table.players),
        data=Markup(embedded_json(data)),
        sprite=_sprite(),
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
