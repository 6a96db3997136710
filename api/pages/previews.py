"""Previews of links in messengers: the tags of pages, and the images that they name.

A preview shows what anybody may see, whoever opens the page: there is none of what is private.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson
from flask import Response, abort, request, url_for

from api.http.sessions import client_address
from api.pages.bars import Axis, axis_of
from api.pages.filters import minute, ranks, whole, words
from api.pages.site import blueprint
from api.services import service_address, services
from arena.accounts.accounts import BotNotFound
from arena.accounts.allowances import BudgetExceeded
from arena.errors import ArenaError
from arena.events.house_entries import house_source
from arena.events.tournament import TournamentNotFound
from arena.games import GAMES, game_of
from arena.games.pictures import UNSEEN
from arena.live.header import ANYBODY, GameSummary
from arena.live.service import RecordNotReady
from arena.play.board_names import BoardName, all_boards
from arena.previews.previews import Preview, welcome
from arena.previews.sketches import RowSketch, SeatSketch, Sketch, table_sketch
from arena.replays.live_table import LiveTable
from arena.replays.page import game_title

WAIT_SECONDS: Final = 4.0
"""How long a request waits for the image: messengers ask only once, and a worker can be busy with other
things for some seconds.
"""

SERVICE: Final = (
    "Brazilian Truco and Dutch Toepen against bots that people wrote, or bring your own. No account."
)

_FRESH_SECONDS: Final = 300
_EVENTS_AT_ONCE: Final = 500
_BEST: Final = 5
_NAMED: Final = 3
Places = Sequence[tuple[BoardName, Mapping[str, Any]]]
"""Boards, each with the row of one bot."""

_COUNTS: Final = ("", "one", "two", "three", "four", "five", "six", "seven", "eight")


blueprint.app_template_global()(service_address)


class PreviewTags(NamedTuple):
    """What the tags of a page say. ``image`` is the path of the image, and ``path`` that of the page,
    which is empty if the link to the page is secret.
    """

    title: str
    description: str
    image: str
    path: str = ""


# The front page


def home_preview() -> PreviewTags:
    """Return the preview of the front page."""
    return PreviewTags(
        "Botequim: sit down, the bots bluff", SERVICE, url_for("pages.service_image"), url_for("pages.home")
    )


@blueprint.get("/previews/botequim.png")
def service_image() -> Response:
    """Return the image of the service."""
    return _png(welcome(), "public, max-age=86400")


# Games


def live_preview(summary: GameSummary) -> PreviewTags | None:
    """Return the preview of a game in progress, which anybody may watch."""
    if summary["visibility"] != "public" or summary["state"] != "running":
        return None
    game, view = game_of(summary["kind"]), services().live.view(summary["game"])
    title = game_title(game, summary["rules"], LiveTable(summary).players)
    moves = 0 if view is None else view["version"]
    return _game_tags(
        summary["game"], title, f"A game of {game.kind.capitalize()}, live. Watch it.", str(moves)
    )


def replay_preview(game: str, title: str, facts: str) -> PreviewTags | None:
    """Return the preview of a finished game, or None if not everybody may see it."""
    try:
        services().tournaments.check_record(game, ANYBODY)
    except ArenaError:
        return None
    return _game_tags(game, title, facts, "over")


def _game_tags(game: str, title: str, description: str, state: str) -> PreviewTags:
    return PreviewTags(
        title,
        description,
        # Messengers keep an image by its address.
        url_for("pages.game_image", game=game, v=state),
        url_for("pages.game_page", game=game),
    )


@blueprint.get("/previews/games/<game>.png")
def game_image(game: str) -> Response:
    """Return the image of a game as anybody sees it: its table now, or the last trick and the score."""
    try:
        line = services().tournaments.record(game, ANYBODY)
    except RecordNotReady:
        summary = services().live.summary(game)
        if summary["state"] != "running":
            abort(404)
        return _image(Preview(f"game {game}", sketch=_live_sketch(summary)))
    return _image(Preview(f"game {game}", record=services().moderation.apply_to_record(orjson.loads(line))))


def _live_sketch(summary: GameSummary) -> Sketch:
    live, game = services().live, summary["game"]
    table, start = LiveTable(summary), 0
    while True:
        page = live.events(game, start=start, limit=_EVENTS_AT_ONCE)
        view = live.view(game)
        table.take(page["events"], [] if view is None else view["awaiting"])
        if page["next"] - start < _EVENTS_AT_ONCE:
            break
        start = page["next"]
    trick = f", trick {table.shown['trick']}" if table.shown["trick"] else ""
    return table_sketch(summary, table, f"hand {table.shown['hand']}{trick}", live=True)


# A seat for a friend


def seat_preview(kind: str, seats: int) -> PreviewTags:
    """Return the preview of a link to a seat, which names nobody."""
    return PreviewTags(
        "A seat for you",
        f"A friend asks you to a game of {_for_seats(kind, seats)}. No account, about five minutes.",
        url_for("pages.seat_image", kind=kind, seats=seats),
    )


@blueprint.get("/previews/seats/<kind>/<int:seats>.png")
def seat_image(kind: str, seats: int) -> Response:
    """Return the image of a link to a seat at a table of a game."""
    if kind not in GAMES or not 1 < seats < len(_COUNTS):
        abort(404)
    places: list[SeatSketch] = [{"name": f"seat {seat}", "card": UNSEEN} for seat in range(1, seats)]
    places[0]["name"] = "your friend"
    sketch: Sketch = {
        "title": "A seat for you",
        "lead": f"{_for_seats(kind, seats)} · no account, about five minutes",
        "foot": "open the link to sit down",
        "places": [*places, {"name": "your seat", "card": None, "acts": True}],
    }
    return _image(Preview(f"seats {kind} {seats}", sketch=sketch))


def _for_seats(kind: str, seats: int) -> str:
    return f"{kind.capitalize()} for {_COUNTS[seats]}"


# Leaderboards


def board_preview(name: BoardName, board: Mapping[str, Any] | None) -> PreviewTags | None:
    """Return the preview of a leaderboard, or None if it has no bots."""
    if board is None or not board["rows"]:
        return None
    where: dict[str, Any] = {
        "kind": name.kind,
        "division": name.division,
        "preset": None if name.is_first else name.preset,
    }
    best = ", ".join(f"{row['name']} {_figure(row)}" for row in board["rows"][:_NAMED])
    return PreviewTags(
        f"{name.preset_title}: the best bots",
        f"{best}. {_size(board)}.",
        url_for("pages.board_image", **where, v=_mark(_board(name, board))),
        url_for("pages.division_page", **where),
    )


@blueprint.get("/previews/leaderboards/<kind>/<division>.png")
def board_image(kind: str, division: str) -> Response:
    """Return the image of a leaderboard: its best bots."""
    asked = request.args.get("preset")
    for name in all_boards():
        if (name.kind, name.division) == (kind, division) and asked in (name.preset, None):
            board = services().boards.read(*name)
            return _image(None if board is None or not board["rows"] else _board(name, board))
    return _image(None)


def _board(name: BoardName, board: Mapping[str, Any]) -> Preview:
    rows = board["rows"][:_BEST]
    axis = axis_of(rows)
    sketch: Sketch = {
        "over": f"Leaderboard · {name.bots.lower()}",
        "title": name.preset_title,
        "lead": _size(board),
        "foot": "rating, and where it lies 19 times of 20",
        "rows": [_rating(axis, row, row["name"]) for row in rows],
    }
    return Preview(f"board {name.key}", sketch=sketch)


def _size(board: Mapping[str, Any]) -> str:
    return f"{_count(len(board['rows']), 'bot')}, {_count(board['groups'], 'group')}"


def _figure(row: Mapping[str, Any]) -> str:
    return "not rated yet" if row["provisional"] else whole(row["rating"])


def _rating(axis: Axis, row: Mapping[str, Any], name: str) -> RowSketch:
    if row["provisional"]:
        return {"rank": "–", "name": name, "figure": "–"}
    low, at, high = (axis.at(row[bound]) / 100 for bound in ("low", "rating", "high"))
    return {"rank": ranks(row), "name": name, "figure": whole(row["rating"]), "interval": (low, at, high)}


# Bots


def bot_preview(bot: str, places: Places) -> PreviewTags:
    """Return the preview of a bot that is on these boards."""
    standings = [
        f"Rank {ranks(row)} in {name.preset_title}, {whole(row['rating'])}"
        for name, row in places
        if row["rank"] is not None
    ]
    return PreviewTags(
        services().moderation.name("bot", bot),
        " ".join(f"{part}." for part in (_origin(bot), *standings[:_NAMED]) if part),
        url_for("pages.bot_image", bot=bot, v=_mark(_bot(bot, places))),
        url_for("pages.bot_page", bot=bot),
    )


@blueprint.get("/previews/bots/<bot>.png")
def bot_image(bot: str) -> Response:
    """Return the image of a bot: its boards."""
    boards = ((name, services().boards.read(*name)) for name in all_boards())
    places = [(name, row) for name, board in boards if board for row in board["rows"] if row["name"] == bot]
    return _image(_bot(bot, places) if places or _origin(bot) else None)


def _bot(bot: str, places: Places) -> Preview:
    axis = axis_of(row for _, row in places)
    sketch: Sketch = {
        "title": services().moderation.name("bot", bot),
        "lead": _origin(bot) or "A bot",
        "foot": "rank and rating" if places else "not rated yet",
        "rows": [_rating(axis, row, f"{name.preset_title} · {name.bots.lower()}") for name, row in places],
    }
    return Preview(f"bot {bot}", sketch=sketch)


def _origin(bot: str) -> str:
    """Return whose a bot is, with the name that everybody sees; empty if there is no such bot."""
    if house_source(bot) is not None:
        return "A bot of the house"
    try:
        account = services().moderation.account(services().accounts.bot(bot), ANYBODY)
    except BotNotFound:
        return ""
    return f"A bot by {account.owner}"


# Tournaments


def tournament_preview(tournament: str) -> PreviewTags | None:
    """Return the preview of a tournament, or None if it is hidden from some."""
    try:
        view = services().tournaments.view(tournament, ANYBODY)
    except TournamentNotFound:
        return None
    preview = _tournament(tournament, view)
    return PreviewTags(
        view["name"],
        f"{_what(view)}. {_how_far(view)}.",
        url_for("pages.tournament_image", tournament=tournament, v=_mark(preview)),
        url_for("pages.tournament_page", tournament=tournament),
    )


@blueprint.get("/previews/tournaments/<tournament>.png")
def tournament_image(tournament: str) -> Response:
    """Return the image of a tournament: its best bots, or those that have entered."""
    return _image(_tournament(tournament, services().tournaments.view(tournament, ANYBODY)))


def _tournament(tournament: str, view: Mapping[str, Any]) -> Preview:
    rows = services().tournaments.standings(tournament, ANYBODY).rows[:_BEST]
    sketch: Sketch = {
        "over": _what(view),
        "title": view["name"],
        "lead": _how_far(view),
        "foot": "points a group" if rows else "",
        "live": view["state"] == "running",
        "rows": [_standing(row) for row in rows],
    }
    return Preview(f"tournament {tournament}", sketch=sketch)


def _standing(row: Mapping[str, Any]) -> RowSketch:
    drawn: RowSketch = {
        "rank": "–" if row["place"] is None else str(row["place"]),
        "name": row["name"],
        "figure": f"{row['score']:.2f}",
    }
    if row["half_width"] is not None:
        score, half = row["score"], row["half_width"]
        drawn["interval"] = (max(0.0, score - half), score, min(1.0, score + half))
    return drawn


def _what(view: Mapping[str, Any]) -> str:
    return f"{view['kind'].capitalize()} tournament, {words(view['format'])}"


def _how_far(view: Mapping[str, Any]) -> str:
    bots, progress = _count(len(view["entries"]), "bot"), view["progress"]
    if view["state"] == "running":
        return f"{bots}, {progress['done']} of {_count(progress['planned'], 'group')} played"
    if view["state"] == "finished":
        return f"Won by {' and '.join(view['winners'])}, {bots}" if view["winners"] else f"Finished, {bots}"
    if view["state"] in ("announced", "entry"):
        return f"Entry until {minute(view['locks_ms'])} UTC, {bots} so far"
    return f"{words(view['state']).capitalize()}, {bots}"


# Pictures


def _count(number: int, of: str) -> str:
    return f"{number:,} {of}{'s' * (number != 1)}"


def _mark(preview: Preview) -> str:
    """Return what changes in the address of an image when the image does: messengers keep it by that."""
    return preview.state[:8]


def _image(preview: Preview | None) -> Response:
    """Return an image, or that of the service until a worker has drawn it, or 404 if there is nothing."""
    if preview is None:
        abort(404)
    payer = services().payers.of_address(client_address())
    try:
        image = services().previews.image(preview, payer, WAIT_SECONDS)
    except BudgetExceeded:
        image = None
    if image is None:
        return _png(welcome(), "no-store")
    return _png(image, f"public, max-age={_FRESH_SECONDS}", preview.state)


def _png(image: bytes, cache: str, state: str = "") -> Response:
    response = Response(image, content_type="image/png")
    response.headers["Cache-Control"] = cache
    if state:
        response.set_etag(state)
        response.make_conditional(request)
    return response
