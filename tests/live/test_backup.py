"""Backups hold the data of one moment, and a database of an hour ago goes on beside the archive of now."""

from __future__ import annotations

import json
import re
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hiredis import Reader

from arena.errors import ArenaError
from arena.games import GAMES as KINDS
from arena.ops.backup import InvalidBackup, make_backup, read_backup, restore_backup
from arena.ops.settings import InvalidSetting
from arena.play.players import DIVISIONS
from arena.records.archive.archive import ROWS, Archive, ArchiveMismatch
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import FolderStore
from arena.store.backup import DumpedStore, StoreNotEmpty, check_empty, dump
from arena.store.connection import ClusterRedis, SingleRedis, StoreUnavailable, connect
from arena.store.embedded import EmbeddedStore
from arena.store.identity import StoreReplaced
from tests.dying import KILLED, counted_to, in_child, status_of
from tests.live.archived import (
    ADMIN,
    HOUR,
    MakeArena,
    archiver,
    entries,
    everything,
    left,
    pass_hours,
    play_in_hall,
)
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.live.playing import BOTS, new_game, play_out, quiet
from tests.live.snapshots import play_once
from tests.waiting import wait_until


@pytest.fixture(autouse=True)
def settings(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the commands."""
    monkeypatch.setenv("REDIS_URL", url)
    # For the cluster; nobody asks for a job.
    monkeypatch.setenv("BOTEQUIM_JOBS_URL", "redis://127.0.0.1:1")
    monkeypatch.setenv("BOTEQUIM_ARCHIVE", str(tmp_path / "archive"))


def flush(url: str) -> None:
    nodes = connect(url, ())
    if nodes.is_cluster:
        nodes._redis.flushall(target_nodes="primaries")  # type: ignore[attr-defined]
    else:
        nodes.run([("FLUSHALL",)])
    nodes.close()


def contents(url: str) -> tuple[DumpedStore, list[Any]]:
    """The commands of a dump in the order of their keys, without times that pass."""
    reader = Reader()
    found = dump(url, reader.feed)
    commands = []
    while (command := reader.gets()) is not False:
        if command[0] in (b"HSET", b"SADD"):
            step = 2 if command[0] == b"HSET" else 1
            items = [command[at : at + step] for at in range(2, len(command), step)]
            commands += [[*command[:2], item] for item in items]
        elif command[0] == b"PEXPIREAT":
            commands.append(command[:2])
        else:
            commands.append(command)
    return found, sorted(commands, key=repr)


def test_all_data_are_the_same_in_another_database(url: str, make_arena: MakeArena, tmp_path: Path) -> None:
    arena = make_arena()
    play_once(arena, play_in_hall)
    new_game(arena.live)
    arena.cup_in_entry(name="next")
    arena.store._connection.run([("XADD", "audit", "*", "who", "olga")])
    arena.store._connection.run([("SADD", "{t:next}:unreleased", "r1", "r2")])
    before, data = contents(url)
    assert {command[0] for command in data} >= {
        b"SET",
        b"HSET",
        b"ZADD",
        b"RPUSH",
        b"SADD",
        b"XADD",
        b"PEXPIREAT",
    }
    with EmbeddedStore(tmp_path / "other") as other, pytest.MonkeyPatch.context() as patch:
        make_backup(url, tmp_path / "first")
        assert read_backup(tmp_path / "first").store.id == before.id
        patch.setenv("REDIS_URL", other.url)
        restore_backup(tmp_path / "first", tmp_path)
        moved, same = contents(other.url)
        assert same == data
        assert moved._replace(at_ms=0, paused_s=0) == before._replace(at_ms=0, paused_s=0)
        make_backup(other.url, tmp_path / "second")
    flush(url)
    restore_backup(tmp_path / "second", tmp_path)
    assert contents(url)[1] == data
    assert (tmp_path / "first").stat().st_mode & 0o77 == 0


# Kills and refusals


def restore_and_die(folder: Path, data: Path, step: int) -> None:
    """Restore in this process, which dies right before its exchange number ``step`` with the database."""
    for kind in (SingleRedis, ClusterRedis):
        kind.run = counted_to(step)(kind.run)  # type: ignore[method-assign]
    restore_backup(folder, data)


@pytest.mark.nightly("kills")
def test_a_restore_that_is_killed_at_any_step_is_served_by_nobody(
    url: str, make_arena: MakeArena, tmp_path: Path
) -> None:
    arena = make_arena()
    play_once(arena, play_in_hall)
    make_backup(url, tmp_path / "backup")
    archiver(arena).run()
    files = downloads(arena)
    flush(url)
    step, status = 0, KILLED
    served = []
    while status == KILLED:
        step += 1
        status = status_of(in_child(partial(restore_and_die, tmp_path / "backup", tmp_path, step)))
        connection = connect(url, ())
        (fields,) = connection.run([("HGETALL", "{arena}:store")])
        connection.close()
        if fields and status == KILLED:
            with pytest.raises(StoreReplaced, match="is being restored"):
                make_arena().store.check_ready()
            with pytest.raises(StoreReplaced, match="is being restored"):
                make_arena().store.identity.register()
            with pytest.raises(ArenaError, match="an earlier restore into this database has not finished"):
                dump(url, served.append)
    assert status == 0
    assert step > 10, "there are steps to be killed at"
    other = make_arena()
    other.store.check_ready()
    skip(other.live, 3 * HOUR)
    assert downloads(other) == files


def writes(arena: Arena) -> bool:
    with suppress(StoreUnavailable):
        new_game(arena.live)
        return True
    return False


def test_a_backup_that_was_interrupted_is_none(url: str, make_arena: MakeArena, tmp_path: Path) -> None:
    arena = make_arena()
    play_once(arena, play_in_hall)

    def back_up_and_die(step: int) -> None:
        SingleRedis.run = counted_to(step)(SingleRedis.run)  # type: ignore[method-assign]
        make_backup(url, tmp_path / "backup")

    for step in (2, 6):
        assert status_of(in_child(partial(back_up_and_die, step))) == KILLED
        with pytest.raises(InvalidBackup, match="there is no complete backup in"):
            read_backup(tmp_path / "backup")
    # Writes go on after the pause that the killed process has left behind, and it can be made again.
    wait_until(lambda: writes(arena))
    made = make_backup(url, tmp_path / "backup")
    assert read_backup(tmp_path / "backup") == made
    with pytest.raises(InvalidBackup, match="is not empty"):
        make_backup(url, tmp_path / "backup")


def test_what_is_not_right_is_refused_and_changes_nothing(
    url: str, make_arena: MakeArena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena = make_arena()
    play_once(arena, play_in_hall)
    archiver(arena).run()
    folder = tmp_path / "backup"
    made = make_backup(url, folder)
    _, data = contents(url)
    with pytest.raises(StoreNotEmpty, match=f"already holds data of the service {made.store.id}"):
        restore_backup(folder, tmp_path)
    assert contents(url)[1] == data
    flush(url)
    connection = connect(url, ())
    connection.run([("SET", "somebody", "else")])
    with pytest.raises(StoreNotEmpty, match="already holds data that belong to no service"):
        restore_backup(folder, tmp_path)
    with pytest.raises(ArenaError, match="does not belong to a service"):
        make_backup(url, tmp_path / "of somebody else")
    assert connection.run([("GET", "somebody")]) == [b"else"]
    connection.run([("DEL", "somebody")])
    Archive(FolderStore(tmp_path / "foreign")).claim("another one")
    for place, message in (
        (str(tmp_path / "foreign"), "holds the archive of the service another one"),
        (str(tmp_path / "none"), "whose archive is not in "),
        ("", "no archive is configured"),
    ):
        monkeypatch.setenv("BOTEQUIM_ARCHIVE", place)
        with pytest.raises((ArchiveMismatch, InvalidSetting), match=message):
            restore_backup(folder, tmp_path)
    whole = (folder / "data.resp").read_bytes()
    # In the head of a command too, which can then not be parsed.
    for place in (0, len(whole) // 2):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        (folder / "data.resp").write_bytes(damaged)
        with pytest.raises(InvalidBackup, match="is damaged"):
            restore_backup(folder, tmp_path)
    check_empty(url)
    connection.close()


KEYS = 2000


def test_a_backup_holds_one_moment(url: str, make_arena: MakeArena) -> None:
    """While keys are written one after the other, round after round, all of them are of two rounds."""
    make_arena().store.identity.check()
    stop = threading.Event()
    rounds = 0

    def write() -> None:
        nonlocal rounds
        connection = connect(url, ())
        while not stop.is_set():
            rounds += 1
            for start in range(0, KEYS, 50):
                connection.run([("SET", f"key-{key:04}", rounds) for key in range(start, start + 50)])
                if connection.is_cluster:
                    continue
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            seen = rounds
            while rounds < seen + 3:
                stop.wait(0.01)
            _, commands = contents(url)
            values = [int(command[2]) for command in commands if command[0] == b"SET"]
            assert len(values) == KEYS
            assert max(values) - min(values) <= 1
    finally:
        stop.set()
        writer.join()


def standing(arena: Arena) -> dict[str, Any]:
    """The leaderboards, without the times at which groups were played."""
    boards = {}
    for kind in KINDS:
        for division in DIVISIONS:
            while arena.boards.publish(kind, division):
                pass
            board = arena.boards.read(kind, division)
            boards[kind, division] = board and re.sub(r'_ms": \d+', '_ms": 0', json.dumps(board))
    return boards


def forbidden(turn: Any) -> str:
    raise AssertionError("nothing is to be played again")


def downloads(arena: Arena) -> list[Any]:
    return list(arena.live.iter_records())


def games_in(archive: Archive) -> int:
    """The live games whose headers are in an archive."""
    rows = [json.loads(line) for member in entries(archive, ROWS) for line in member.lines()]
    return len({row["header"]["game"] for row in rows if "header" in row})


@pytest.mark.nightly("kills")
def test_a_database_of_an_hour_ago_beside_the_archive_of_now(
    url: str, make_arena: MakeArena, tmp_path: Path
) -> None:
    arena = make_arena()
    play_once(arena, play_in_hall)
    archiver(arena).run()
    running = [new_game(arena.live, created_by="olga"), new_game(arena.live, "truco", visibility="private")]
    over = new_game(arena.live)
    play_out(arena.live, [over], BOTS)
    arena.cup("toepen", "sealed")
    arena.lock("sealed")
    arena.cup_in_entry(name="begun", house=["rookie", "rookie+2"], groups=1)
    arena.tournaments.enter("begun", "able")
    arena.skip_entry()
    arena.lock("begun")
    arena.cup("truco", "early", locks_ms=arena.now_ms() + 3_600_000)
    make_backup(url, tmp_path / "backup")
    archived = games_in(arena.live.finished.opened())

    play_out(arena.live, running, BOTS, seed=1)
    arena.run("sealed")
    arena.run("begun", {"able": quiet})
    skip(arena.live, 3_600_000)
    arena.run("early")
    arena.cup("truco", "since")
    arena.run("since")
    since = new_game(arena.live, created_by="olga")
    play_out(arena.live, [since], BOTS, seed=2)
    arena.jobs.run_pending(arena.service)
    pass_hours(arena)
    archiver(arena).run()
    arena.tournaments.annul("local-r1-p1-g1", "admin", "they shared a screen")
    arena.tournaments.annul("since-r1-p1-g1", "admin", "and again")
    archiver(arena).run()
    assert left(arena) == 0
    files, boards, shown = downloads(arena), standing(arena), everything(arena)
    assert sum(board is not None for board in boards.values()) == 3

    flush(url)
    _, adopted = restore_backup(tmp_path / "backup", tmp_path)
    now = games_in(Archive(FolderStore(tmp_path / "archive")))
    # All but one that was over before.
    assert (adopted.games, adopted.lost) == (now - archived - 1, 2)
    other = make_arena()
    skip(other.live, 9 * 3_600_000)
    assert downloads(other) == files
    for game in (*running, over, since):
        assert other.live.summary(game, ADMIN)["state"] == "finished"
    other.run("sealed")
    other.run("begun", {"able": forbidden})
    assert standing(other) == boards
    pass_hours(other)
    assert archiver(other).run() == 0
    assert left(other) == 0
    assert downloads(other) == files
    assert standing(other) == boards
    after = everything(other)
    for found in (shown, after):
        for group in found["groups local"]:
            # Who annulled it, and when, was in the database only.
            group["annulled"] = group["annulled"] and group["annulled"]["reason"]
    assert after == shown
    assert check_archive(other.live.finished.opened()).problems == []
