"""Format 9: bots have ranks on leaderboards because their owners named them.

In format 8, every bot had a rank.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial

from arena.games import GAMES
from arena.records.archive.objects import ObjectStore
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

_RANKED = 3


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Name the three oldest bots of each owner for each game."""
    accounts = store.accounts
    names = accounts.bot_names(None, "", -1)
    stored = zip(names, accounts.bots(names), accounts.versions_of(names), strict=True)
    found = [
        shown_or_left_out(f"bot {name}", partial(_bot, row, versions))
        for name, row, versions in stored
        if row is not None and row.get("state") != "deleted"
    ]
    taken: Counter[tuple[str, str]] = Counter()
    for _, name, owner, games in sorted(bot for bot in found if bot is not None):
        places = [(owner, game) for game in games]
        is_ranked = all(taken[place] < _RANKED for place in places)
        taken.update(places if is_ranked else [])
        accounts.change_bot(name, {"ranked": str(int(is_ranked))})


def _bot(row: dict[str, str], versions: dict[str, str]) -> tuple[int, str, str, list[str]]:
    """Return when the bot was registered, its name, its owner, and its games."""
    values = json.loads(versions.get(row["version"], "[]"))
    games = values[9] if len(values) > 9 else list(GAMES)
    return int(row["created"]), row["name"], row["owner"], games
