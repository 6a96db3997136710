"""The page of a finished game: its replay, which a worker prepares when somebody first asks for it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from html import unescape
from typing import Any, Final

from flask import Response, request
from markupsafe import Markup

from api.http.sessions import client_address, visitor
from api.notes import notes_on
from api.notes import remarks as note_remarks
from api.pages.bot_output import Seats, log_remarks
from api.pages.fields import status_of
from api.pages.links import with_bot_links
from api.pages.previews import replay_preview
from api.pages.site import page
from api.services import services
from arena.accounts.allowances import BudgetExceeded
from arena.events.house_entries import house_source
from arena.live.header import GameNotFound, Viewer
from arena.people.coach import WORLDS, dearest
from arena.people.replays import Replay, sheet_number
from arena.people.seat_table import ending
from arena.people.tables import other_levels
from arena.play.game_ids import place_of
from arena.replays.live_table import LiveTable
from arena.replays.page import static
from arena.store.notes import GameNotes

WAIT_SECONDS: Final = 1.0
"""How long a request waits for the page, so that most visitors need not load it twice."""

_DIGITS: Final = 9
_NAME: Final = 64
_PLAYER: Final = re.compile(r'(<th scope="row">)([^<]*)').sub


def replay_page(game: str, who: Viewer, replay: Replay | None, line: bytes | None) -> Response:
    """Show the replay of a finished game that ``who`` may see, or a page that reloads itself until the replay
    is prepared. ``replay`` is what the cache holds; if that is nothing, ``line`` is the record of the game.
    """
    replay, error = present(game, replay, partial(services().tournaments.record, game, who), line)
    own = _own_game(game, visitor().viewer.bot)
    notes = notes_on(game, replay.players, who)
    logs = _own_logs(game, replay)
    title, facts = replay.frame.title, replay.frame.facts
    bots = _bots(replay)
    replay = _with_links(replay, bots)
    around = services().bot_games.around(game, request.args.get("of", "")[:_NAME] or None)
    return page(
        "replay.html",
        status_of(error),
        game=game,
        around=around,
        bots=bots,
        title=replay.frame.title,
        frame=replay.frame,
        replay=shown_sheet(game, replay, _remarks(own, notes, logs)),
        failed=replay.failed or (error.message if error else ""),
        sprite=Markup(static("sprite.html")),
        preview=replay_preview(game, title, facts),
        logs=logs,
        notes=_own_notes(notes),
        **own,
    )


def _with_links(replay: Replay, bots: Collection[str]) -> Replay:
    """Return the page with links from the names of ``bots`` in its title, facts and table of players."""
    frame = replay.frame
    values = {
        **frame.values,
        "title": with_bot_links(frame.title, bots),
        "facts": with_bot_links(frame.facts, bots),
        "players": _PLAYER(
            lambda found: f"{found[1]}{with_bot_links(unescape(found[2]), bots)}", frame.values["players"]
        ),
    }
    return dataclasses.replace(replay, frame=dataclasses.replace(frame, values=values))


def present(
    game: str, replay: Replay | None, read: Callable[[], bytes], line: bytes | None = None
) -> tuple[Replay, BudgetExceeded | None]:
    """Return what there is of a page now, and why its preparation was refused, if it was. ``replay`` is what
    the cache holds. ``read`` returns the record of the game, unless ``line`` is it.
    """
    if replay is not None and (replay.hands or replay.failed):
        return replay, None
    try:
        return requested(game, read, line), None
    except BudgetExceeded as error:
        return replay or services().replays.draft(line or read()), error


def requested(game: str, read: Callable[[], bytes], line: bytes | None) -> Replay:
    """Request the preparation of a page, wait a moment for it, and return what is there. ``read`` returns the
    record of the game, unless ``line`` is it.

    Raises :class:`~arena.accounts.allowances.BudgetExceeded`.
    """
    replays = services().replays
    draft = None
    if line is not None or not replays.repeat(game):
        line = line or read()
        draft = replays.draft(line)
        payer = visitor().owner or services().payers.of_address(client_address())
        replays.request(game, line, draft, payer)
    return replays.wait(game, WAIT_SECONDS) or draft or replays.draft(read())


def _remarks(
    own: Mapping[str, Any], notes: Mapping[str, GameNotes], logs: Mapping[str, Seats]
) -> Mapping[int, str]:
    review = own.get("review")
    remarks = {} if review is None else {int(number): text for number, text in review.remarks.items()}
    found = {**remarks, **note_remarks(notes)}
    for after, text in log_remarks(logs).items():
        found[after] = f"{found[after]} · {text}" if after in found else text
    return found


def shown_sheet(game: str, replay: Replay, remarks: Mapping[int, str]) -> Markup | None:
    """Return the sheet that the request asks for, or None until the page is prepared."""
    if not replay.hands:
        return None
    html = services().replays.html(game, replay, asked_sheet(replay), remarks)
    return None if html is None else Markup(html)


def asked_sheet(replay: Replay) -> int:
    """Return the number of the sheet that the request asks for."""
    return sheet_number(replay, _number("hand"), _number("move"))


def _number(name: str) -> int | None:
    text = request.args.get(name, "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _DIGITS else None


def _bots(replay: Replay) -> list[str]:
    """Return the displayed names of the players that are bots, each once, in the order of their seats."""
    shown = dict(zip(replay.players, replay.shown, strict=True))
    known = {bot.name for bot in services().accounts.listed(sorted(shown))}
    return [shown[name] for name in shown if name in known or house_source(name) is not None]


def _own_bots(replay: Replay) -> list[str]:
    """Return the players that are bots of the signed-in owner."""
    owner = visitor().owner
    if not owner:
        return []
    return [
        bot.name for bot in services().accounts.listed(sorted(set(replay.players))) if owner in bot.owners
    ]


def _own_logs(game: str, replay: Replay) -> Mapping[str, Seats]:
    """Return the output that bots of the signed-in owner printed, by bot and seat."""
    logs = ((name, services().tournaments.journals.find(name, game)) for name in _own_bots(replay))
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
    review = services().reviews.find(game, seats[0])
    return {
        "seat": seats[0],
        "public": header.visibility == "public",
        "agreed": header.seats[seats[0]].agrees,
        "end": ending(summary, LiveTable(summary, you=seats[0]).form, seats[0]),
        "levels": other_levels(header, seats[0]),
        "review": review,
        "practice": header.practice,
        "challenge": services().challenges.code_of_play(header, seats[0]),
        "dearest": [] if review is None else dearest(review.costs),
        "worlds": WORLDS,
    }
