"""Released records are written to the archive, and no reader notices; no kill loses or doubles one."""

from __future__ import annotations

import gzip
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.events.tournament import TournamentNotFound
from arena.live import archiver as archiver_module
from arena.live.header import GameHeader, GameNotFound, Viewer
from arena.live.retention import Retention
from arena.live.service import RecordNotReady
from arena.records.archive.archive import PRIVATE, PUBLIC, ROWS, Archive, ArchiveMismatch
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import ArchiveUnavailable, FolderStore
from arena.store.games import ALL_GAMES, bot_games_key, kind_key, record_key, state_key
from tests.dying import counted_to, kills_at_each_step
from tests.live.archived import (
    HOUR,
    MakeArena,
    all_games,
    archived,
    archiver,
    copies,
    entries,
    everything,
    left,
    pass_hours,
    play_in_hall,
)
from tests.live.arenas import Arena
from tests.live.clock import expire, skip
from tests.live.playing import BOTS, new_game, play_out, quiet
from tests.live.snapshots import dump, play_once, restore


@pytest.fixture
def hall(make_arena: MakeArena) -> Arena:
    """One in which much was played; hours ago."""
    arena = make_arena()
    play_once(arena, play_in_hall)
    return arena


def in_lists(arena: Arena) -> int:
    """The games that are in a list, and in no chunk of it."""
    keys = [ALL_GAMES, kind_key("toepen"), kind_key("truco"), state_key("finished")]
    keys += map(bot_games_key, (*BOTS, "able"))
    return int(sum(arena.store._connection.run([("ZCARD", key) for key in keys])))


def test_no_reader_notices(hall: Arena, make_arena: MakeArena) -> None:
    other = make_arena()
    skip(other.live, 3 * HOUR)
    before = everything(hall)
    assert everything(other) == before
    stored = left(hall)
    assert len(before["records None"]) > 15
    assert archiver(hall).run() == stored
    assert left(hall) == 0
    for arena in (hall, other, make_arena()):
        assert everything(arena) == before
    archive = hall.live.finished.opened()
    assert check_archive(archive).problems == []
    # A private game, and the qualification of a bot.
    assert len(entries(archive, PRIVATE)) == 1 + 2
    assert len(entries(archive, PUBLIC)) + 3 == stored
    assert {member.key for member in entries(archive, ROWS)} == set(all_games(hall))
    assert copies(hall) == 0
    assert in_lists(hall) == 0
    assert archiver(hall).run() == 0


SOURCE = "def choose(turn):\n    return turn['legal_actions'][0]\n"


def test_a_qualification_stays_private_in_the_archive(make_arena: MakeArena) -> None:
    arena = make_arena()
    arena.accounts.sign_up("olga")
    arena.upload("ready", SOURCE)
    event = arena.tournaments.qualify("toepen", "ready", "1")["tournament"]
    arena.run(event)
    (group,) = arena.tournaments.groups(event).items
    olga, ann, admin = Viewer(owner="olga"), Viewer(owner="ann"), Viewer(admin=True)

    def seen() -> list[bytes]:
        for hidden_from in (Viewer(), ann):
            for game in group["games"]:
                with pytest.raises(GameNotFound):
                    arena.tournaments.record(game, hidden_from)
            with pytest.raises(TournamentNotFound):
                arena.tournaments.records(event, viewer=hidden_from)
        assert list(arena.live.iter_records()) == []
        alone = [
            arena.tournaments.record(game, viewer) for viewer in (olga, admin) for game in group["games"]
        ]
        return [*alone, *arena.tournaments.records(event, viewer=olga)]

    before = seen()
    assert len(set(before)) == len(group["games"])
    skip(arena.live, 3 * HOUR)
    assert archiver(arena).run() == 1
    assert left(arena) == 0
    archive = arena.live.finished.opened()
    assert (len(entries(archive, PRIVATE)), len(entries(archive, PUBLIC))) == (1, 0)
    assert check_archive(archive).problems == []
    assert seen() == before


def test_every_mixture_of_archive_and_database_reads_the_same(
    hall: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run that ends after each segment."""
    monkeypatch.setattr(archiver_module, "SEGMENT_ENTRIES", 2)
    monkeypatch.setattr(archiver_module, "_RUN_SECONDS", 0)
    before = everything(hall)
    stored = left(hall)
    add = Archive.add

    def one_segment(*arguments: Any) -> Any:
        monkeypatch.setattr(archiver_module, "_RUN_SECONDS", 0)
        return add(*arguments)

    monkeypatch.setattr(Archive, "add", one_segment)
    for rest in range(stored - 2, 0, -2):
        monkeypatch.setattr(archiver_module, "_RUN_SECONDS", 1e9)
        archiver(hall).run()
        assert left(hall) <= rest
        assert everything(hall) == before
    assert left(hall) == 0


def test_public_records_are_archived_at_once_and_private_ones_after_an_hour(make_arena: MakeArena) -> None:
    """Until then people may agree that their game is public."""
    arena = make_arena()
    public = new_game(arena.live)
    private = new_game(arena.live, visibility="private")
    play_out(arena.live, [public, private])
    assert archiver(arena).run() == 1
    assert [key for _, key in archived(arena, True)] == [public]
    skip(arena.live, 2 * HOUR)
    assert archiver(arena).run() == 1
    assert [key for _, key in archived(arena, False)] == [private]


def test_the_records_of_a_running_qualification_stay_in_the_database(make_arena: MakeArena) -> None:
    """A worker reads them at its end."""
    arena = make_arena()
    arena.accounts.sign_up("olga")
    arena.upload("ready", SOURCE)
    event = arena.tournaments.qualify("toepen", "ready", "1")["tournament"]
    arena.run(event)
    skip(arena.live, 3 * HOUR)
    arena.store.tournaments.enlist(event, 0, 1, listed=False)
    assert archiver(arena).run() == 0
    arena.store.tournaments.settle(event, None)
    assert archiver(arena).run() == 1


def test_a_game_that_is_finished_again_is_archived_once(make_arena: MakeArena) -> None:
    """By a job that runs twice, before and after its record is archived."""
    arena = make_arena()
    game = new_game(arena.live)
    play_out(arena.live, [game])
    arena.live.finish(game)
    assert archiver(arena).run() == 1
    before = list(arena.live.iter_records())
    arena.live.finish(game)
    assert left(arena) == 1
    assert list(arena.live.iter_records()) == before
    assert archiver(arena).run() == 0
    assert (left(arena), in_lists(arena)) == (0, 0)
    assert list(arena.live.iter_records()) == before
    assert len(before) == 1


def test_nobody_agrees_after_the_record_is_archived(make_arena: MakeArena) -> None:
    arena = make_arena()
    game = new_game(arena.live, visibility="private")
    play_out(arena.live, [game])
    skip(arena.live, 2 * HOUR)
    archiver(arena).run()
    with pytest.raises(RecordNotReady, match="can no longer be made public"):
        arena.live.agree(game, "somebody")


def test_a_public_segment_holds_nothing_but_public_records(hall: Arena) -> None:
    """Headers have seeds, and who sits behind a name; they are among the rows, which are secret."""
    archiver(hall).run()
    archive = hall.live.finished.opened()
    downloaded = b"".join(line + b"\n" for _, line in hall.live.iter_records())
    public = b"".join(archive.objects.get(segment.name) or b"" for segment in archive.segments(PUBLIC))
    assert gzip.decompress(public) == downloaded
    rows = [json.loads(line) for member in entries(archive, ROWS) for line in member.lines()]
    headers = [GameHeader.loads(json.dumps(row["header"]).encode()) for row in rows]
    assert {header.game for header in headers} == set(all_games(hall))


def test_an_annulment_reaches_the_archive(hall: Arena, make_arena: MakeArena) -> None:
    reference = {}
    for name in ("local-r1-p1-g1", "live-r1-p1-g1"):
        reference[name] = name
    archiver(hall).run()
    other = make_arena()
    list(other.live.iter_records())
    for group in reference:
        hall.tournaments.annul(group, "admin", "they shared a screen")
        for arena in (hall, other):
            tournament, _, local = group.partition("-")
            records = [json.loads(line) for line in arena.tournaments.records(tournament, local)]
            assert records
            assert {record["info"]["annulled"] for record in records} == {"they shared a screen"}
            downloaded = [json.loads(line) for _, line in arena.live.iter_records()]
            mine = [
                record for record in downloaded if (record["canonical"]["group"] or {}).get("id") == group
            ]
            assert mine == records
            alone = arena.live.record(records[0]["canonical"]["game"])
            assert json.loads(alone) == records[0]


def test_an_annulled_record_is_the_same_before_and_after(hall: Arena) -> None:
    hall.tournaments.annul("local-r1-p1-g1", "admin", "before")
    before = everything(hall)
    archiver(hall).run()
    assert everything(hall) == before


def annulled_everywhere(hall: Arena, group: str) -> None:
    """All doors give the reason, each record once, and nothing of the group is left in the database."""
    tournament, _, local = group.partition("-")
    records = [json.loads(line) for line in hall.tournaments.records(tournament, local)]
    assert [record["info"]["annulled"] for record in records] == ["meanwhile"] * len(records)
    downloaded = [json.loads(line) for _, line in hall.live.iter_records()]
    assert [one for one in downloaded if (one["canonical"]["group"] or {}).get("id") == group] == records
    assert len({record["canonical"]["game"] for record in downloaded}) == len(downloaded)
    for record in records:
        assert json.loads(hall.live.record(record["canonical"]["game"])) == record
    assert records


GROUPS = ("local-r1-p1-g1", "live-r1-p1-g1")


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("step", ["pending", "rows", "set_places", "add_segment", "forget_annulled", "note"])
def test_an_annulment_at_any_step_of_the_archiver_reaches_all_readers(
    hall: Arena, monkeypatch: pytest.MonkeyPatch, step: str, group: str
) -> None:
    original = getattr(hall.store.records, step)

    def annul_first(*arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        hall.tournaments.annul(group, "admin", "meanwhile")
        return original(*arguments, **options)

    monkeypatch.setattr(hall.store.records, step, annul_first)
    archiver(hall).run()
    annulled_everywhere(hall, group)
    assert (left(hall), copies(hall)) == (0, 0)
    archiver(hall).run()
    annulments = [member.key for member in entries(hall.live.finished.opened(), ROWS)]
    assert annulments.count(group) == 1


def test_records_expire_in_the_archive_too(make_arena: MakeArena) -> None:
    arena = make_arena(retention=Retention(record_s=3 * 86_400))
    game = new_game(arena.live)
    play_out(arena.live, [game])
    pass_hours(arena)
    archiver(arena).run()
    assert len(list(arena.live.iter_records())) == 1
    expire(arena.live, 3 * 24 * HOUR, record_key(game))
    skip(arena.live, 24 * HOUR)
    archiver(arena).run()
    assert list(arena.live.iter_records()) == []
    assert arena.live.finished.opened().segments(PUBLIC) == []
    with pytest.raises(GameNotFound):
        arena.live.record(game)


def test_a_process_without_the_archive_says_so_and_forgets_nothing(
    hall: Arena, make_arena: MakeArena
) -> None:
    archiver(hall).run()
    before = everything(hall)
    bare = make_arena(archive="")
    skip(bare.live, 3 * HOUR)
    for act in (
        lambda: list(bare.live.iter_records()),
        lambda: list(bare.tournaments.records("local")),
        lambda: bare.live.record("local-r1-p1-g1-1"),
    ):
        with pytest.raises(ArchiveUnavailable, match="not configured to use the service's archive"):
            act()
    assert bare.live.list(limit=500).items == hall.live.list(limit=500).items
    assert everything(hall) == before


def test_a_worker_without_the_archive_runs_tournaments(make_arena: MakeArena) -> None:
    """Also those with live groups, whose records it reads at the end."""
    other = make_arena()
    game = new_game(other.live)
    play_out(other.live, [game])
    pass_hours(other)
    assert archiver(other).run() == 1
    worker = make_arena(archive="")
    worker.bot("ann", "able")
    begun = worker.tournaments.qualify("toepen", "able", "1")
    worker.run(begun["tournament"], {"able": quiet})
    (known,) = worker.tournaments.qualifications("able", "1")
    assert known["state"] == "qualified"
    assert left(worker) > 0


def test_without_an_archive_records_wait(make_arena: MakeArena) -> None:
    arena = make_arena(archive="")
    game = new_game(arena.live)
    play_out(arena.live, [game])
    with pytest.raises(ArchiveUnavailable):
        archiver(arena).run()
    assert left(arena) == 1
    assert arena.store.records.status().failure.startswith("this process is not configured to use")
    assert len(list(arena.live.iter_records())) == 1


def test_the_archive_of_another_service_is_refused(
    hall: Arena, make_arena: MakeArena, tmp_path: Path
) -> None:
    Archive(FolderStore(tmp_path / "other")).claim("another one")
    arena = make_arena(archive=str(tmp_path / "other"))
    with pytest.raises(ArchiveMismatch, match="the archive of the service another one"):
        archiver(arena).run()
    with pytest.raises(ArchiveMismatch):
        arena.live.finished.opened()


# Kills

STEPS = ("open", "fsync", "link", "replace", "unlink", "scandir")


def archive_and_die(url: str, folder: str, ahead_ms: int, step: int) -> None:
    """Archive in this process, which dies right before number ``step`` of its writes and queries."""
    arena = Arena(url, archive=folder)
    skip(arena.live, ahead_ms)
    counted = counted_to(step)
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    connection = arena.store._connection
    connection.run = counted(connection.run)  # type: ignore[method-assign]
    archiver_module.SEGMENT_ENTRIES = 8  # type: ignore[misc]
    archiver(arena).run()


@pytest.mark.nightly("kills")
@pytest.mark.parametrize("url", ["single"], indirect=True)
def test_an_archiver_that_is_killed_at_any_step_loses_and_doubles_nothing(
    hall: Arena, make_arena: MakeArena, url: str, tmp_path: Path
) -> None:
    """It begins again after each kill and gets one step further each time."""
    before = everything(hall)
    folder = str(tmp_path / "archive")
    steps = 0
    for _ in kills_at_each_step(partial(archive_and_die, url, folder, 3 * HOUR)):
        steps += 1
        reader = make_arena()
        skip(reader.live, 3 * HOUR)
        downloads = [list(reader.live.iter_records(kind=kind)) for kind in (None, "truco")]
        assert downloads == [before["records None"], before["records truco"]]
    assert steps > 30, "there are steps to be killed at"
    assert (left(hall), copies(hall)) == (0, 0)
    assert everything(hall) == before
    assert check_archive(hall.live.finished.opened()).problems == []


def in_many_segments(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """The archive of the hall, with two entries in each segment, of a day that is over."""
    monkeypatch.setattr(archiver_module, "SEGMENT_ENTRIES", 2)
    with monkeypatch.context() as at_first:
        # Shortly before midnight the day is over when the run ends, which would join the segments.
        at_first.setattr(archiver_module.Archiver, "_tidy", lambda *_: None)
        archiver(hall).run()
    skip(hall.live, 48 * HOUR)
    return hall.live.finished.opened()


def test_small_segments_of_a_day_are_joined(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = in_many_segments(hall, monkeypatch)
    before = everything(hall)
    sizes = [segment.end for segment in archive.segments(PUBLIC)]
    assert len(sizes) > 4
    # Those of two days, perhaps.
    archiver(hall)._tidy(archive)
    assert len(archive.segments(PUBLIC)) <= 2
    assert [segment.end for segment in archive.segments(PUBLIC)][-1] == sizes[-1]
    assert [archive.joined(name) for name in (PUBLIC, PRIVATE, ROWS)] == [[], [], []]
    assert everything(hall) == before
    assert check_archive(archive).problems == []
    after = [segment.name for segment in archive.segments(PUBLIC)]
    archiver(hall)._tidy(archive)
    assert [segment.name for segment in archive.segments(PUBLIC)] == after


def tidy_and_die(url: str, folder: str, step: int) -> None:
    arena = Arena(url, archive=folder)
    skip(arena.live, 51 * HOUR)
    counted = counted_to(step)
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))
    connection = arena.store._connection
    connection.run = counted(connection.run)  # type: ignore[method-assign]
    archiver(arena)._tidy(arena.live.finished.opened())


@pytest.mark.nightly("kills")
@pytest.mark.parametrize("url", ["single"], indirect=True)
def test_an_archiver_that_is_killed_while_it_joins_segments_loses_nothing(
    hall: Arena, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = in_many_segments(hall, monkeypatch)
    records = list(hall.live.iter_records())
    local = list(hall.tournaments.records("local"))
    steps = 0
    for _ in kills_at_each_step(partial(tidy_and_die, url, str(tmp_path / "archive"))):
        steps += 1
        assert list(hall.live.iter_records()) == records
        assert list(hall.tournaments.records("local")) == local
        assert check_archive(archive).problems == []
    assert steps > 8, "there are steps to be killed at"
    # What was left behind is removed by the next process.
    archiver(hall).run()
    assert [archive.joined(name) for name in (PUBLIC, PRIVATE, ROWS)] == [[], [], []]
    assert list(hall.live.iter_records()) == records


# Older databases


@pytest.mark.parametrize("url", ["single"], indirect=True)
def test_an_older_database_beside_a_newer_archive(hall: Arena, make_arena: MakeArena) -> None:
    """Nothing that was archived is lost, and nothing is there twice."""
    connection: Any = hall.store._connection
    old = dump(connection)
    before = everything(hall)
    archiver(hall).run()
    connection.run([("FLUSHALL",)])
    restore(connection, old)
    restored = make_arena()
    skip(restored.live, 3 * HOUR)
    assert everything(restored) == before
    assert archiver(restored).run() == 0
    assert (left(restored), copies(restored)) == (0, 0)
    assert everything(restored) == before
    assert check_archive(restored.live.finished.opened()).problems == []


@pytest.mark.parametrize("url", ["single"], indirect=True)
def test_a_game_that_ends_differently_after_a_restore_does_not_replace_the_archived_one(
    make_arena: MakeArena,
) -> None:
    arena = make_arena()
    arena.store.identity.id()
    game = new_game(arena.live)
    connection: Any = arena.store._connection
    old = dump(connection)
    play_out(arena.live, [game], seed=1)
    before = list(arena.live.iter_records())
    archiver(arena).run()
    connection.run([("FLUSHALL",)])
    restore(connection, old)
    restored = make_arena()
    # Before the archiver has looked.
    play_out(restored.live, [game], seed=2)
    archiver(restored).run()
    archiver(restored).run()
    assert list(restored.live.iter_records()) == before
    assert restored.live.record(game) == before[0][1]
    assert check_archive(restored.live.finished.opened()).problems == []
