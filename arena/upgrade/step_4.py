"""Format 4: the unfinished games of each owner are on a list."""

from __future__ import annotations

import json
from functools import partial
from typing import Final

from arena.records.archive.objects import ObjectStore
from arena.store.game_index import GameList
from arena.store.paging import Cursor
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

_AT_ONCE: Final = 500


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Add all unfinished games that belong to no tournament to the lists of their creators."""
    index = store.game_index
    for state in ("waiting", "running"):
        before: Cursor | None = None
        while members := index.page(GameList(state=state), before, _AT_ONCE):
            before = members[-1]
            headers = index.headers([member.name for member in members])
            for member, data in zip(members, headers, strict=True):
                header = shown_or_left_out(f"game {member.name}", partial(json.loads, data or b"{}"))
                if header and header.get("created_by") and header.get("group") is None:
                    index.note_creator(member.name, header["created_by"], member.score)
