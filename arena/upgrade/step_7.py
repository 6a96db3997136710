"""Format 7: tournaments are in lists of their states, owners and bots (:mod:`arena.store.tournament_lists`),
and public games that are not over in lists of their own.

In format 6, only one list of all tournaments and one of the games in each state were stored.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Final

from arena.events.listing import own_lists, place
from arena.events.tournament import Tournament
from arena.records.archive.objects import ObjectStore
from arena.store.game_index import GameList
from arena.store.paging import Cursor
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

_AT_ONCE: Final = 500


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Put each tournament and each unfinished public game into its lists."""
    index = store.game_index
    for state in ("waiting", "running"):
        before: Cursor | None = None
        while members := index.page(GameList(state=state), before, _AT_ONCE):
            before = members[-1]
            headers = index.headers([member.name for member in members])
            for member, data in zip(members, headers, strict=True):
                header = shown_or_left_out(f"game {member.name}", partial(json.loads, data or b"{}"))
                if header and header.get("visibility") == "public":
                    index.note_public(state, member.name, member.score)
    for event in store.tournament_names():
        shown_or_left_out(f"tournament {event}", partial(_list, store, event))


def _list(store: Store, event: str) -> None:
    (row,) = store.tournaments.load([event])
    if row is not None:
        tournament = Tournament.loads(row.meta)
        place(store.tournament_lists, tournament, row.version)
        store.tournament_lists.note(event, tournament.created_ms, own_lists(tournament))
