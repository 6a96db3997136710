"""The front page."""

from __future__ import annotations

from typing import Final

from flask import Response

from api.pages.bars import axis_of
from api.pages.site import blueprint, page
from api.pages.tournaments import coming
from api.services import service_address, services
from arena.play.board_names import all_boards

BEST: Final = 5
"""Maximum rows of each leaderboard on the front page."""

BOARDS_MOST: Final = 4
"""Maximum leaderboards on the front page."""


@blueprint.get("/")
def home() -> Response:
    """The front page: the best bots of the most active leaderboards, the next tournaments, how to enter."""
    boards = [
        (name, board)
        for name in all_boards()
        if (board := services().boards.read(*name)) is not None and board["rows"]
    ]
    boards.sort(key=lambda one: -one[1]["groups"])
    del boards[BOARDS_MOST:]
    address = service_address() or "ADDRESS"
    return page(
        "home.html",
        boards=boards,
        axis=axis_of(row for _, board in boards for row in board["rows"][:BEST]),
        most=BEST,
        tournaments=services().tournaments.present(),
        schedules=coming(),
        address=address,
    )
