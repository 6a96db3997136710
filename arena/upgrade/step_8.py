"""Format 8: the groups that the arena played are listed by bot and day, and bots, owners and tournaments are
found by the words of their names.

In format 7, only the most recent groups of each bot were listed, and there was no index of names.
"""

from __future__ import annotations

from functools import partial

from arena.events.bot_games import listed_group
from arena.events.group_results import read_results
from arena.events.listing import is_found
from arena.events.tournament import Tournament
from arena.records.archive.objects import ObjectStore
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Add the groups of each tournament that has been played in the days that are kept to the lists of its
    bots, and all names to the index.
    """
    names = store.former_names
    names.add("owner", (name for name in names.owners() if store.accounts.owner(name)))
    names.add("bot", store.accounts.bot_names(None, "", -1))
    # The newest tournament comes last, because only the last one with a name is found.
    for event in reversed(list(store.tournament_names())):
        shown_or_left_out(f"tournament {event}", partial(_list, store, event))


def _list(store: Store, event: str) -> None:
    (row,) = store.tournaments.load([event])
    if row is None:
        return
    tournament = Tournament.loads(row.meta)
    if is_found(tournament):
        store.tournament_lists.note_name(event, tournament.spec.name, tournament.created_ms)
    oldest_ms = store.bot_games.oldest_ms(store.clock().now_ms)
    if tournament.purpose or (tournament.finished_ms or oldest_ms) < oldest_ms:
        return
    results = read_results(event, store.tournaments.all_results(event))
    groups = [listed_group(result) for result in results if result.mirrored]
    store.bot_games.add_to_days(groups, private=not tournament.is_public)
