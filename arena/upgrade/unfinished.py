"""The games that are not over, as several steps read them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from arena.store.game_index import GameList
from arena.store.paging import Cursor
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

_AT_ONCE: Final = 500


class UnfinishedGame(NamedTuple):
    """A game in the list of the games with its state, by ``score``, and its header as stored."""

    state: str
    name: str
    score: int
    header: dict[str, Any]


def unfinished_games(store: Store) -> Iterator[UnfinishedGame]:
    """Yield the games that wait for players or are running, except those whose headers cannot be read."""
    index = store.game_index
    for state in ("waiting", "running"):
        before: Cursor | None = None
        while members := index.page(GameList(state=state), before, _AT_ONCE):
            before = members[-1]
            headers = index.headers([member.name for member in members])
            for member, data in zip(members, headers, strict=True):
                header = shown_or_left_out(f"game {member.name}", partial(json.loads, data or b"{}"))
                if header:
                    yield UnfinishedGame(state, member.name, member.score, header)
