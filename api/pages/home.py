"""The front page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from flask import Response, current_app, url_for
from markupsafe import Markup

from api.http.sessions import visitor
from api.pages.bars import axis_of
from api.pages.coming import coming
from api.pages.front_table import FrontTable, FrontTables
from api.pages.previews import home_preview
from api.pages.site import blueprint, page
from api.pages.small_table import small_table
from api.services import services
from api.watching import Watching
from arena.cli.languages import LANGUAGE_TABLE
from arena.games import GAMES
from arena.live.header import GameSummary
from arena.people.tables import FRIEND, playable
from arena.play.board_names import all_boards
from arena.replays.page import embedded_json, static

BEST: Final = 5
"""The maximum number of rows of each leaderboard on the front page."""

TOURNAMENTS_MOST: Final = 8
"""The maximum number of tournaments on the front page, and of those that schedules announce."""

BOARDS_MOST: Final = 4
"""The maximum number of leaderboards on the front page."""


class Start(NamedTuple):
    """A button that opens a table with the defaults of a preset; house bots take the seats but those of
    ``friends``.
    """

    kind: str
    preset: str
    note: str
    title: str = ""
    friends: tuple[str, ...] = ()


_STARTS: Final = (
    Start("truco", "paulista@1", "you and a partner against two"),
    Start("toepen", "table-4@1", "everybody for themselves"),
    Start("truco", "paulista-2@1", "just you and a bot"),
    Start("truco", "paulista-2@1", "get a link to send", "With a friend", ("seat1",)),
)


@blueprint.get("/")
def home() -> Response:
    """Show the front page: games to sit down to, a table to watch, the best bots of the most active boards,
    tournaments, and how to enter.
    """
    boards = [
        (name, board)
        for name in all_boards()
        if (board := services().boards.read(*name)) is not None and board["rows"]
    ]
    boards.sort(key=lambda one: -one[1]["groups"])
    del boards[BOARDS_MOST:]
    watching: Watching = current_app.extensions["botequim-watching"]
    # The table of the page can be an exhibition game.
    watching.counts.look()
    tables: FrontTables = current_app.extensions["botequim-front"]
    table = tables.table()
    return page(
        "home.html",
        boards=boards,
        axis=axis_of(row for _, board in boards for row in board["rows"][:BEST]),
        most=BEST,
        starts=[one for one in _STARTS if one.kind in playable()],
        kinds=GAMES,
        friend=FRIEND,
        current=_current_game(),
        tournaments=services().tournaments.present(limit=TOURNAMENTS_MOST).items,
        coming=coming(TOURNAMENTS_MOST),
        languages=LANGUAGE_TABLE,
        table=table,
        drawn=table and small_table(table),
        data=table and Markup(embedded_json(_table_data(table))),
        sprite=Markup(static("sprite.html")),
        preview=home_preview(),
    )


def _current_game() -> GameSummary | None:
    """Return the newest game that the visitor plays now or waits for, or None."""
    me = visitor().viewer.bot
    games = services().people.games_of(me) if me else []
    return next((one for one in games if one["state"] in ("running", "waiting")), None)


def _table_data(table: FrontTable) -> Mapping[str, object]:
    """Return the data for the script: the layout, and the stream or the last moves of the game."""
    return {
        **table.layout,
        "game": table.game,
        "stream": url_for("pages.stream_table", game=table.game) if table.live else None,
        "picture": table.picture,
        "start": table.start,
        "steps": table.steps,
    }
