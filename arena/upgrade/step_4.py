"""Format 4: the unfinished games of each owner are on a list."""

from __future__ import annotations

from arena.records.archive.objects import ObjectStore
from arena.store.repositories import Store
from arena.upgrade.unfinished import unfinished_games


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Add all unfinished games that belong to no tournament to the lists of their creators."""
    for game in unfinished_games(store):
        creator = game.header.get("created_by")
        if creator and game.header.get("group") is None:
            store.game_index.note_creator(game.name, creator, game.score)
