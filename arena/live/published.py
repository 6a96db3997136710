"""The published boards, as those who make tournaments read them."""

from __future__ import annotations

from typing import Any

import orjson

from arena.live.store_tournaments import TournamentStore
from arena.ratings.results import Player


def published(store: TournamentStore, kind: str, division: str) -> dict[Player, dict[str, Any]]:
    """What the board says of every version on it (:class:`~arena.ratings.board.Rating` as JSON)."""
    shown = store.board_state(f"{kind}/{division}").shown
    if shown is None:
        return {}
    return {
        Player(row["name"], version["version"]): version
        for row in orjson.loads(shown)["rows"]
        for version in row["versions"]
    }
