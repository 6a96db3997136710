"""Published ratings, as tournaments use them."""

from __future__ import annotations

from typing import Any

import orjson

from arena.play.players import PlayerId
from arena.store.boards import BoardStore


def published(boards: BoardStore, kind: str, division: str) -> dict[PlayerId, dict[str, Any]]:
    """The rating of each version on the board (:class:`~arena.ratings.board.Rating` as JSON)."""
    shown = boards.state(f"{kind}/{division}").shown
    if shown is None:
        return {}
    return {
        PlayerId(row["name"], version["version"]): version
        for row in orjson.loads(shown)["rows"]
        for version in row["versions"]
    }
