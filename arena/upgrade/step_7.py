"""Format 7: tournaments are in lists of their states, owners and bots (:mod:`arena.store.tournament_lists`),
and public games that are not over in lists of their own.

In format 6, only one list of all tournaments and one of the games in each state were stored.
"""

from __future__ import annotations

from functools import partial

from arena.events.listing import own_lists, place
from arena.events.tournament import Tournament
from arena.records.archive.objects import ObjectStore
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out
from arena.upgrade.unfinished import unfinished_games


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Put each tournament and each unfinished public game into its lists."""
    for game in unfinished_games(store):
        if game.header.get("visibility") == "public":
            store.game_index.note_public(game.state, game.name, game.score)
    for event in store.tournament_names():
        shown_or_left_out(f"tournament {event}", partial(_list, store, event))


def _list(store: Store, event: str) -> None:
    (row,) = store.tournaments.load([event])
    if row is not None:
        tournament = Tournament.loads(row.meta)
        place(store.tournament_lists, tournament, row.version)
        store.tournament_lists.note(event, tournament.created_ms, own_lists(tournament))
