"""Published ratings, as tournaments use them."""

from __future__ import annotations

from typing import Any

import orjson

from arena.play.players import PlayerId
from arena.store.boards import BoardStore
from arena.store.rows import shown_or_left_out


def published(boards: BoardStore, kind: str, division: str) -> dict[PlayerId, dict[str, Any]]:
    """The rating of each version on the board (:class:`~arena.ratings.board.Rating` as JSON); empty if the
    board cannot be read.
    """
    board = f"{kind}/{division}"

    def read() -> dict[PlayerId, dict[str, Any]]:
        shown = boards.state(board).shown
        return {
            PlayerId(row["name"], version["version"]): version
            for row in ([] if shown is None else orjson.loads(shown)["rows"])
            for version in row["versions"]
        }

    return shown_or_left_out(f"ratings of board {board}", read) or {}
