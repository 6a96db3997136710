"""What the tests of the archive share: a hall in which much was played, and all that can be read there."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from arena.live.archiver import Archiver
from arena.live.header import GameNotFound, Viewer
from arena.live.retention import Retention
from arena.live.service import RecordNotReady
from arena.records.archive.archive import PRIVATE, PUBLIC, Archive
from arena.records.archive.segments import Member, members
from arena.store.games import events_key, game_key, log_key
from arena.store.records import RecordStore
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.live.playing import BOTS, new_game, play_out, quiet

HOUR = 3_600_000
ADMIN = Viewer(admin=True)
OLGA = Viewer(owner="olga")

MakeArena = Callable[..., Arena]


def play_in_hall(arena: Arena) -> None:
    """Play a local and a live tournament, and public and private games; hours ago."""
    arena.store.identity.check()
    arena.cup("toepen", "local")
    arena.run("local")
    arena.bot("ann", "able")
    arena.cup_in_entry(name="live", house=["rookie", "rookie+2"], groups=1)
    arena.tournaments.enter("live", "able")
    arena.skip_entry()
    arena.run("live", {"able": quiet})
    public = [new_game(arena.live, kind, created_by="olga") for kind in ("toepen", "truco")]
    private = new_game(arena.live, visibility="private", created_by="olga")
    play_out(arena.live, [*public, private], BOTS)
    arena.jobs.run_pending(arena.service)
    pass_hours(arena)


def pass_hours(arena: Arena, hours: int = 3) -> None:
    """Only the records of games that are over are left."""
    for game in all_games(arena):
        keys = [key(game) for key in (game_key, log_key, events_key)]
        arena.live.store._connection.run([("DEL", key) for key in keys])
    skip(arena.live, hours * HOUR)


def all_games(arena: Arena) -> list[str]:
    return [game["game"] for game in arena.live.list(limit=500, viewer=ADMIN).items]


def archiver(arena: Arena) -> Archiver:
    return arena.service.archiver()


def archive_now(arena: Arena) -> int:
    """Archive private records, too, without waiting."""
    made = archiver(arena)
    made._retention = Retention(live_s=-3600)
    return made.run()


def everything(arena: Arena) -> dict[str, Any]:
    """All that anybody can download or look at of finished games."""
    live = arena.live
    seen: dict[str, Any] = {}
    for kind in (None, "toepen", "truco"):
        rows = list(live.iter_records(kind=kind))
        seen[f"records {kind}"] = rows
        for cursor, _ in rows:
            seen[f"records {kind} {cursor}"] = list(live.iter_records(kind=kind, cursor=cursor))
    downloaded = [json.loads(line) for _, line in live.iter_records()]
    games = {record["canonical"]["game"] for record in downloaded} | set(all_games(arena))
    for game in sorted(games):
        seen[f"record {game}"] = attempt(partial(live.record, game))
        seen[f"record {game} olga"] = attempt(partial(live.record, game, OLGA))
        seen[f"game {game}"] = attempt(partial(live.view, game))
        seen[f"game {game} olga"] = attempt(partial(live.view, game, OLGA))
    for name in ("local", "live"):
        seen[f"tournament {name}"] = list(arena.tournaments.records(name))
        groups = arena.tournaments.groups(name).items
        seen[f"groups {name}"] = groups
        for group in groups:
            seen[f"group {name} {group['id']}"] = list(arena.tournaments.records(name, group["id"]))
    for viewer in (Viewer(), OLGA, ADMIN):
        seen[f"list {viewer}"] = live.list(limit=500, viewer=viewer).items
        seen[f"finished {viewer}"] = live.list(state="finished", bot="ann", limit=500, viewer=viewer).items
    return seen


def attempt(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except (GameNotFound, RecordNotReady) as error:
        return repr(error)


def left(arena: Arena) -> int:
    """The records that wait for the archive."""
    return sum(len(arena.store.records.pending(public, 0, 10**6)) for public in (True, False))


def copies(arena: Arena) -> int:
    """The released records that are still in the database."""
    records = arena.store.records
    keys = [key for public in (True, False) for _, key in archived(arena, public)]
    return sum(row is not None and not RecordStore.is_archived(row) for row in records.rows(keys))


def archived(arena: Arena, public: bool) -> list[tuple[int, str]]:
    """The numbers and keys of archived entries."""
    archive = arena.live.finished.opened()
    return [(member.number, member.key) for member in entries(archive, PUBLIC if public else PRIVATE)]


def entries(archive: Archive, collection: str) -> list[Member]:
    """The entries of a collection."""
    found: list[Member] = []
    for segment in archive.segments(collection):
        found += members(archive.objects.get(segment.name) or b"", segment.name)
    return found
