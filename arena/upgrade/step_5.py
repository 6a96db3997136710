"""Format 5: the lists of bots' groups contain ids, and the results of groups contain the scores.

In format 4, these lists contained rows with the players and outcomes of the games.
"""

from __future__ import annotations

import gzip
import json
from functools import partial

from arena.records.archive.objects import ObjectStore
from arena.store.format_4 import Scores
from arena.store.records import RecordStore
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Move the scores from the rows to the results, and replace the rows by ids."""
    for event in store.tournament_names():
        shown_or_left_out(f"tournament {event}", partial(_add_scores, store, event))
    store.former_bot_games.forget_parts()
    # This comes last: if the step is killed, it finds the scores again.
    store.former_bot_games.replace_rows()


def _add_scores(store: Store, event: str) -> None:
    (row,) = store.tournaments.load([event])
    if row is None:
        return
    bots = [entry["name"] for entry in json.loads(row.meta)["entries"]]
    scores: dict[str, Scores] = {
        former.group: former.scores for former in store.former_bot_games.rows(event, bots)
    }
    # Groups that are not on the lists yet.
    groups = store.tournaments.unreleased(event)
    for group, records in zip(groups, store.tournaments.records(event, groups), strict=True):
        if records is not None and not RecordStore.is_archived(records):
            played = map(json.loads, gzip.decompress(records).splitlines())
            scores[group] = [record["canonical"]["outcome"]["scores"] for record in played]
    store.former_bot_games.add_scores(event, scores)
