"""The step to format 2: an archive of format 1 is written anew, and nobody notices; kills lose nothing."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from arena.events.compaction import Compaction
from arena.live.header import Viewer
from arena.records.archive.archive import PRIVATE, PUBLIC, ArchiveMismatch
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import FolderStore
from arena.records.archive.segments import ArchiveEntry
from arena.store.chunks import from_chunk, to_chunk
from arena.store.embedded import EmbeddedStore
from arena.store.games import record_key
from arena.upgrade import upgrade
from arena.upgrade.step_2 import ArchiveNeeded
from tests.dying import counted_to, kills_at_each_step
from tests.live.archived import (
    ADMIN,
    HOUR,
    archive_now,
    archiver,
    attempt,
    copies,
    entries,
    left,
    play_in_hall,
)
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.live.playing import BOTS, new_game, play_out


def write_former(
    folder: Path, service: str, collections: dict[str, Sequence[Sequence[ArchiveEntry]]]
) -> None:
    """Write an archive as format 1 has it; of each collection several segments."""
    objects = FolderStore(folder)
    rows: list[dict[str, Any]] = []
    for collection, segments in collections.items():
        for own in segments:
            name = f"{collection}-{own[0].number:017d}-0000000{len(rows)}"
            frames = [own[: len(own) // 2], own[len(own) // 2 :]]
            packed = [
                gzip.compress(b"".join(line + b"\n" for entry in frame for line in entry.lines))
                for frame in frames
                if frame
            ]
            index = {
                "frames": [[len(frame), 0] for frame in packed],
                "keys": [entry.key for entry in own],
                "numbers": [entry.number for entry in own],
                "kinds": [entry.kind for entry in own],
                "at_ms": [0 for _ in own],
                "lines": [len(entry.lines) for entry in own],
            }
            objects.put(f"segments/{name}.jsonl.gz", b"".join(packed))
            objects.put(f"segments/{name}.index.gz", gzip.compress(json.dumps(index).encode()))
            rows.append({"name": name, "collection": collection, "first": own[0].number})
    change = {"group": "local-r1-p1-g1", "info": {"annulled": "they shared a screen"}}
    head = {"format": 1, "generation": 7, "service": service, "segments": len(rows), "changes": 1}
    lines = [json.dumps(row).encode() + b"\n" for row in (head, *rows, change)]
    objects.put("manifest/0000000006.json", b"of before")
    objects.put("manifest/0000000007.json", b"".join(lines))


def to_former(arena: Arena, folder: Path) -> None:
    """Let data of this format be as those of format 1 are: some of what is archived, other records not."""
    connection: Any = arena.store._connection
    archive = arena.live.finished.opened()
    collections: dict[str, list[list[ArchiveEntry]]] = {}
    for collection in (PUBLIC, PRIVATE):
        own = [ArchiveEntry(*member[:3], member.lines()) for member in entries(archive, collection)]
        # Their numbers are mixed.
        collections[collection] = [part for part in (own[0::2], own[1::2]) if part]
    games = []
    archived = [entry for segments in collections.values() for own in segments for entry in own]
    for entry in archived:
        version, header = connection.run([("HMGET", record_key(entry.key), "v", "m")])[0]
        if header is not None:
            row = b'{"version":%d,"header":%b}' % (int(version), header)
            games.append(entry._replace(lines=[row]))
            connection.run([("DEL", record_key(entry.key))])
    collections["games"] = [sorted(games, key=lambda entry: entry.number)]
    for key in connection.keys("{t:*}:chunks"):
        for number, data in zip(*[iter(connection.run([("HGETALL", key)])[0])] * 2, strict=True):
            connection.run([("HSET", key, number, former_chunk(data))])
    for key in connection.keys("{t:*}:records"):
        for group, row in zip(*[iter(connection.run([("HGETALL", key)])[0])] * 2, strict=True):
            if not row.startswith(b"\x1f\x8b"):
                connection.run([("HDEL", key, group)])
        if connection.run([("EXISTS", key)]) == [1]:
            connection.run([("RENAME", key, key.replace(b":records", b":packs"))])
    for key in ("{live:records}", "{live:records}:-private"):
        reply = connection.run([("ZRANGE", key, 0, -1, "WITHSCORES")])[0]
        for name, score in zip(reply[::2], reply[1::2], strict=True):
            event, separator, group = name.partition(b"-r1-")
            if separator and b"-" in group and name.count(b"-") == 3:
                connection.run([("ZADD", key, score, b"@%b/r1-%b" % (event, group)), ("ZREM", key, name)])
        if key == "{live:records}":
            connection.run([("ZUNIONSTORE", f"{key}:{kind}", 1, key) for kind in ("truco", "toepen")])
    connection.run([("DEL", key) for key in connection.keys("{live:records}:segments:*")])
    connection.run([("DEL", "{live:records}:archived"), ("DEL", "{live:records}:annulled")])
    connection.run([("DEL", "{arena}:archive"), ("HSET", "{arena}:archive", "changes", 3)])
    write_former(folder, arena.store.identity.id(), collections)
    arena.store.identity.set_format(1)


def former_chunk(data: bytes) -> bytes:
    """A chunk as format 1 has it."""
    groups = [group._replace(records=None) for group in from_chunk(data)]
    whole = to_chunk(groups)
    end = 4 + 32 * int.from_bytes(whole[:4], "big")
    # The column of records has no digests.
    text = zlib.decompress(whole[end:])
    cut = text[: text.rindex(b",[")] + b"]"
    assert orjson.loads(cut.replace(b"\x01", b"0"))
    return whole[:end] + zlib.compress(cut, 9)


def publish(arena: Arena) -> None:
    for kind in ("toepen", "truco"):
        for division in ("sealed", "open"):
            arena.boards.publish(kind, division)


def seen(arena: Arena) -> dict[str, Any]:
    """What can be read of finished games."""
    live = arena.live
    games = live.list(limit=500, viewer=ADMIN).items
    found: dict[str, Any] = {
        "records": list(live.iter_records()),
        "truco": list(live.iter_records(kind="truco")),
        "games": games,
        "able": live.list(bot="able", limit=500, viewer=ADMIN).items,
    }
    for name in ("local", "live", "later"):
        found[name] = list(arena.tournaments.records(name)), arena.tournaments.groups(name).items
        found[f"standings {name}"] = orjson.dumps(arena.tournaments.standings(name).page(None, 200))
    for game in games:
        found[game["game"]] = [
            attempt(partial(read, game["game"], viewer))
            # A running game shows how time passes.
            for read in (live.record, live.view if game["state"] == "finished" else live.record)
            for viewer in (Viewer(), ADMIN)
        ]
    return found


class Made:
    """A service of format 1, and what could be read there."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        first = Arena(url, archive=str(folder / "first"))
        play_in_hall(first)
        first.tournaments.annul("local-r1-p1-g1", "admin", "they shared a screen")
        publish(first)
        archive_now(first)
        Compaction(first.store, -1000).run(60)
        # What follows waits for the archive, or goes on.
        first.cup("truco", "later", groups=1)
        first.run("later")
        self.over = new_game(first.live, created_by="olga")
        play_out(first.live, [self.over], BOTS)
        first.cup("toepen", "running")
        first.lock("running")
        self.game = new_game(first.live, created_by="olga")
        self.before = seen(first)
        to_former(first, folder / "archive")
        first.live.close()

    def arena(self) -> Arena:
        opened = Arena(self.url, archive=str(self.folder / "archive"))
        skip(opened.live, 6 * HOUR)
        return opened


@pytest.fixture
def made(clean_store: EmbeddedStore, tmp_path: Path) -> Made:
    return Made(clean_store.url, tmp_path)


def check(made: Made) -> None:
    """Everything reads as before, whatever of it is archived, and what runs goes on."""
    arena = made.arena()
    assert seen(arena) == made.before
    assert check_archive(arena.live.finished.opened()).problems == []
    objects = FolderStore(made.folder / "archive")
    assert not objects.list("manifest")
    assert not objects.list("segments")
    archiver(arena).run()
    assert (left(arena), copies(arena)) == (0, 0)
    assert seen(arena) == made.before
    play_out(arena.live, [made.game], BOTS)
    arena.run("running")
    records = list(arena.live.iter_records())
    numbers = [int(number) for number, _ in records]
    assert numbers == sorted(set(numbers))
    assert records[: len(made.before["records"])] == made.before["records"]
    assert len(records) == len(made.before["records"]) + 1 + 12
    archive_now(arena)
    assert list(arena.live.iter_records()) == records
    assert check_archive(arena.live.finished.opened()).problems == []
    publish(arena)
    assert Compaction(arena.store, -1000).run(60) > 0
    assert seen(arena)["local"] == made.before["local"]
    arena.live.close()


def test_nobody_notices_an_upgrade(made: Made) -> None:
    arena = made.arena()
    assert upgrade(arena.store, FolderStore(made.folder / "archive")) == [2, 3, 4, 5, 6, 7, 8, 9]
    arena.live.close()
    check(made)


def test_the_archive_is_needed(made: Made, tmp_path: Path) -> None:
    arena = made.arena()
    for objects in (None, FolderStore(tmp_path / "nothing")):
        with pytest.raises(ArchiveNeeded):
            upgrade(arena.store, objects)
    write_former(tmp_path / "other", "another one", {})
    with pytest.raises(ArchiveMismatch, match="belongs to the service another one"):
        upgrade(arena.store, FolderStore(tmp_path / "other"))
    assert arena.store.identity.format() == 1
    arena.live.close()


STEPS = ("open", "fsync", "link", "unlink", "scandir")


def upgrade_and_die(made: Made, step: int) -> None:
    counted = counted_to(step)
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    arena = Arena(made.url)
    connection: Any = arena.store._connection
    connection.run = counted(connection.run)
    upgrade(arena.store, FolderStore(made.folder / "archive"))


@pytest.mark.nightly("kills")
def test_an_upgrade_that_is_killed_at_any_step_is_repeated(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins again after each kill and gets one step further each time."""
    monkeypatch.setattr("arena.upgrade.step_2._AT_ONCE", 7)
    steps = list(kills_at_each_step(partial(upgrade_and_die, made)))
    assert len(steps) > 40, "there are steps to be killed at"
    check(made)
