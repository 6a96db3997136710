"""Groups of tournaments that are over move into chunks, and nobody notices; no kill loses or doubles one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from arena.events.compaction import Compaction
from arena.store.boards import board_key
from arena.store.chunks import CHUNK_GROUPS, StoredGroup, from_chunk, to_chunk
from arena.store.tournaments import NewGroup, NewResult, event_key
from tests.dying import counted_to, kills_at_each_step
from tests.live.archived import archive_now
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.live.playing import quiet
from tests.live.snapshots import play_once

MINUTE = 60_000
BOARDS = ("toepen/sealed", "toepen/open")


@pytest.fixture
def hall(url: str, tmp_path: Path) -> Iterator[Arena]:
    """One in which a local, a live and an unrated tournament were played, and one was cancelled."""
    opened = Arena(url, archive=str(tmp_path / "archive"))
    play_once(opened, play_cups)
    yield opened
    opened.live.close()


def play_cups(arena: Arena) -> None:
    arena.cup("toepen", "local", groups=3)
    arena.run("local")
    arena.bot("ann", "able")
    arena.cup_in_entry(kind="toepen", name="live", house=["rookie", "rookie+2"], groups=1)
    arena.tournaments.enter("live", "able")
    arena.skip_entry()
    arena.run("live", {"able": quiet})
    arena.cup("toepen", "unrated", rated=False)
    arena.run("unrated")
    arena.cup("toepen", "stopped")
    arena.lock("stopped")
    arena.tournaments.play_local_groups("stopped", 0)
    arena.tournaments.cancel("stopped")
    arena.tournaments.step("stopped")
    arena.tournaments.annul("local-r1-p1-g2", "admin", "before")
    publish(arena)


def publish(arena: Arena) -> None:
    for board in BOARDS:
        arena.boards.publish(*board.split("/"))


def compact(arena: Arena, settle_ms: int = -1000) -> int:
    """Compact what is over, after its records were archived if this process can do so."""
    if arena.live.finished.archive is not None:
        archive_now(arena)
    return Compaction(arena.store, settle_ms).run(60)


def everything(arena: Arena) -> dict[str, Any]:
    """All that anybody can read of tournaments and boards."""
    seen: dict[str, Any] = {"list": arena.tournaments.list().items}
    for name in ("local", "live", "unrated", "stopped"):
        seen[f"view {name}"] = arena.tournaments.view(name)
        seen[f"standings {name}"] = orjson.dumps(arena.tournaments.standings(name).page(None, 200))
        for limit in (1, 4, 100):
            cursor = None
            groups = []
            while True:
                page = arena.tournaments.groups(name, cursor, limit)
                groups += page.items
                cursor = page.cursor
                if cursor is None:
                    break
            seen[f"groups {name} {limit}"] = groups
        seen[f"records {name}"] = list(arena.tournaments.records(name))
        for group in seen[f"groups {name} 100"]:
            seen[f"records {name} {group['id']}"] = list(arena.tournaments.records(name, group["id"]))
    for board in BOARDS:
        where = board.split("/")
        seen[f"groups {board}"] = sorted(json.dumps(group.as_json()) for group in arena.boards.groups(*where))
        seen[f"board {board}"] = arena.boards.read(*where)
        seen[f"history {board}"] = arena.boards.history(*where).items
    return seen


def rebuilt(arena: Arena) -> dict[str, Any]:
    """The boards as computed from all groups."""
    for board in BOARDS:
        arena.boards.renew(*board.split("/"))
    publish(arena)
    return {board: shown(arena, board) for board in BOARDS}


def shown(arena: Arena, board: str) -> dict[str, Any]:
    data = arena.boards.read(*board.split("/"))
    assert data is not None
    return {name: value for name, value in data.items() if name != "published_ms"}


def outside(arena: Arena) -> int:
    """What of groups is not in chunks: planned, with results, on lists of boards."""
    connection = arena.store._connection
    names = ("local", "live", "unrated", "stopped")
    commands: list[Any] = [("LLEN", f"{event_key(name)}:order") for name in names]
    commands += (("HLEN", f"{event_key(name)}:{part}") for name in names for part in ("groups", "results"))
    commands += (("ZCARD", f"{board_key(board)}:log") for board in BOARDS)
    return int(sum(connection.run(commands)))


def test_no_reader_notices(hall: Arena) -> None:
    before = everything(hall)
    assert outside(hall) > 40
    count = compact(hall)
    own = sum(len(before[f"groups {name} 100"]) for name in ("local", "live", "unrated", "stopped"))
    assert count == own + 1, "and the qualification"
    assert outside(hall) == 0
    assert everything(hall) == before
    assert compact(hall) == 0
    assert rebuilt(hall) == {board: shown(hall, board) for board in BOARDS}


def test_groups_whose_records_wait_for_the_archive_wait_too(hall: Arena) -> None:
    Compaction(hall.store, -1000).run(60)
    assert hall.store.tournaments.groups("local", 0, 1)[0].records is None
    assert outside(hall) > 40
    compact(hall)
    assert outside(hall) == 0
    rows = [group.records or b"" for group in hall.store.tournaments.groups("local", 0, 100)]
    assert all(row.startswith(b"public:") for row in rows)


def test_the_list_of_a_board_is_trimmed_and_the_board_is_rebuilt_without_it(hall: Arena) -> None:
    before = {board: shown(hall, board) for board in BOARDS}
    compact(hall)
    assert rebuilt(hall) == before
    hall.cup("toepen", "next", groups=1)
    hall.run("next")
    publish(hall)
    after = shown(hall, "toepen/sealed")
    assert after["groups"] == before["toepen/sealed"]["groups"] + 3
    assert rebuilt(hall)["toepen/sealed"] == after


def test_groups_that_are_on_no_board_yet_stay_until_they_are(hall: Arena) -> None:
    before = shown(hall, "toepen/sealed")["groups"]
    hall.cup("toepen", "next", groups=1)
    hall.run("next")
    compact(hall)
    connection = hall.store._connection
    assert connection.run([("LLEN", "{t:next}:order")]) == [3]
    assert shown(hall, "toepen/sealed")["groups"] == before
    publish(hall)
    assert shown(hall, "toepen/sealed")["groups"] == before + 3
    assert compact(hall) == 3
    assert connection.run([("LLEN", "{t:next}:order")]) == [0]


def test_tournaments_that_just_ended_or_go_on_are_left_alone(hall: Arena) -> None:
    hall.cup("toepen", "running")
    hall.lock("running")
    assert compact(hall, settle_ms=120 * MINUTE) == 0
    skip(hall.live, 121 * MINUTE)
    assert compact(hall, settle_ms=120 * MINUTE) > 20
    assert len(hall.store.tournaments.plan("running")) == 6


def test_results_that_were_not_released_are_released_first(hall: Arena) -> None:
    connection = hall.store._connection
    connection.run([("SADD", "{t:local}:unreleased", "r1-p1-g1")])
    compact(hall)
    assert connection.run([("LLEN", "{t:local}:order")]) == [9]
    for name in hall.store.tournaments.active():
        hall.tournaments.step(name)
    compact(hall)
    assert connection.run([("LLEN", "{t:local}:order")]) == [0]


def test_groups_in_chunks_take_less_than_half(hall: Arena) -> None:
    store = hall.store.tournaments
    groups = store.groups("local", 0, 100)
    plain = sum(len(group.id) + len(group.row) + len(group.result or b"") for group in groups)
    many = [
        group._replace(id=f"{group.id}{number}", row=group.row.replace(b"r1", b"r2"))
        for number in range(CHUNK_GROUPS // len(groups))
        for group in groups
    ]
    assert from_chunk(to_chunk(many)) == many
    assert len(to_chunk(groups)) < plain / 2


def test_a_chunk_is_what_went_in() -> None:
    groups = [
        StoredGroup("a", b'[1,"\xc3\xa9\n"]', None, 0),
        StoredGroup("b", b"\xff\x00", b"null", 3),
        StoredGroup("c", b"", b"", 1),
    ]
    assert from_chunk(to_chunk(groups)) == groups


def test_many_chunks_are_read_in_pages(hall: Arena) -> None:
    store = hall.store.tournaments
    count = 2 * CHUNK_GROUPS + 7
    rows = [NewGroup(f"g{number}", b"[%d]" % number, 0) for number in range(count)]
    store.step("many", 0, b"{}", rows)
    results = [NewResult(f"g{number}", 0, 1, b"%d" % number, b"") for number in range(5, count)]
    store.add_results("many", results, 1_000_000)
    expected = store.groups("many", 0, 1000)
    assert len(expected) == count
    found = store.all_results("many")
    (before,) = store.load(["many"])
    sizes = []
    while True:
        start, changes, groups = store.next_chunk("many")
        if not groups:
            break
        assert store.add_chunk("many", start, changes, groups)
        assert not store.add_chunk("many", start, changes, groups)
        sizes.append(len(groups))
        assert store.load(["many"]) == [before]
        for first in (0, 3, CHUNK_GROUPS - 1, CHUNK_GROUPS, CHUNK_GROUPS + 1, count - 1, count, count + 5):
            for most in (1, 10, CHUNK_GROUPS, 1000):
                assert store.groups("many", first, most) == expected[first : first + most]
        assert store.all_results("many") == found
        wanted = ["g3", "g210", "nobody", f"g{count - 1}"]
        assert store.results("many", wanted) == [None, b"210", None, b"%d" % (count - 1)]
        assert store.rows("many", wanted)[2:] == [(None, 0), (b"[%d]" % (count - 1), 0)]
    assert sizes == [CHUNK_GROUPS, CHUNK_GROUPS, 7]


def test_what_comes_late_for_a_group_in_a_chunk_changes_nothing(hall: Arena) -> None:
    """From a worker that was stopped for longer than anybody waits."""
    compact(hall)
    before = everything(hall)
    store = hall.store.tournaments
    assert store.add_results("local", [NewResult("r1-p1-g1", 0, 2, b"[]", b"x")], 1_000_000).new == 0
    assert store.void("local", "r1-p1-g1", 0, b"{}", 3, b"null") == 0
    assert store.unreleased("local") == []
    assert everything(hall) == before


# Annulments


def test_a_group_in_a_chunk_is_annulled(hall: Arena) -> None:
    compact(hall)
    before = shown(hall, "toepen/sealed")["groups"]
    hall.tournaments.annul("local-r1-p1-g1", "admin", "they shared a screen")
    (first, *_) = hall.tournaments.groups("local").items
    assert (first["state"], first["annulled"]["reason"]) == ("void", "they shared a screen")
    assert hall.tournaments.standings("local").table.groups == 7
    publish(hall)
    assert shown(hall, "toepen/sealed")["groups"] == before - 1
    records = [json.loads(line) for line in hall.tournaments.records("local", "r1-p1-g1")]
    assert {record["info"]["annulled"] for record in records} == {"they shared a screen"}


@pytest.mark.parametrize("step", ["next_chunk", "add_chunk"])
def test_an_annulment_while_its_group_is_put_into_a_chunk_is_not_lost(
    hall: Arena, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    archive_now(hall)
    before = shown(hall, "toepen/sealed")["groups"]
    compaction = Compaction(hall.store, -1000)
    original = getattr(compaction._store, step)

    def annul_around(*arguments: Any) -> Any:
        monkeypatch.undo()
        found = original(*arguments) if step == "next_chunk" else None
        hall.tournaments.annul("local-r1-p1-g1", "admin", "meanwhile")
        return original(*arguments) if found is None else found

    monkeypatch.setattr(compaction._store, step, annul_around)
    compaction.run(60)
    publish(hall)
    compact(hall)
    assert outside(hall) == 0
    (first, *_) = hall.tournaments.groups("local").items
    assert (first["state"], first["annulled"]["reason"]) == ("void", "meanwhile")
    assert shown(hall, "toepen/sealed")["groups"] == before - 1


def test_a_chunk_that_is_made_during_an_annulment_has_it(
    hall: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = hall.tournaments.store
    connection: Any = hall.store._connection
    run = connection.run
    after = []

    def compact_between(commands: Any) -> Any:
        replies = run(commands)
        if ("HMGET", event_key("local"), "chunked", "n") in commands and not after:
            after.append(True)
            assert compact(hall) > 0
        return replies

    monkeypatch.setattr(connection, "run", compact_between)
    store.replace_result("local", "r1-p1-g1", b"[]")
    assert after
    assert store.results("local", ["r1-p1-g1"]) == [b"[]"]
    assert outside(hall) == 0


def annul_and_die(url: str, step: int) -> None:
    arena = Arena(url)
    connection = arena.store._connection
    connection.run = counted_to(step)(connection.run)  # type: ignore[method-assign]
    arena.tournaments.annul("local-r1-p1-g1", "admin", "the first reason")


@pytest.mark.nightly("kills")
@pytest.mark.parametrize("url", ["single"], indirect=True)
@pytest.mark.parametrize("chunked", [False, True])
def test_an_annulment_that_was_killed_is_completed_by_a_repetition(
    hall: Arena, url: str, chunked: bool
) -> None:
    before = shown(hall, "toepen/sealed")["groups"]
    if chunked:
        compact(hall)
    assert len(list(kills_at_each_step(partial(annul_and_die, url)))) > 8
    told = hall.tournaments.annul("local-r1-p1-g1", "root", "another reason")
    assert (told["by"], told["reason"]) == ("admin", "the first reason")
    publish(hall)
    assert shown(hall, "toepen/sealed")["groups"] == before - 1
    assert hall.tournaments.standings("local").table.groups == 7
    records = [json.loads(line) for line in hall.tournaments.records("local", "r1-p1-g1")]
    assert {record["info"]["annulled"] for record in records} == {"the first reason"}


# Kills


def compact_and_die(url: str, step: int) -> None:
    arena = Arena(url)
    connection = arena.store._connection
    connection.run = counted_to(step)(connection.run)  # type: ignore[method-assign]
    # Its clock is that of the server, and the hall has skipped the time of entry.
    compact(arena, -3_600_000)


@pytest.mark.nightly("kills")
@pytest.mark.parametrize("url", ["single"], indirect=True)
def test_a_compaction_that_is_killed_at_any_step_loses_and_doubles_nothing(hall: Arena, url: str) -> None:
    """It begins again after each kill and gets one step further each time."""
    archive_now(hall)
    before = everything(hall)
    boards = {board: shown(hall, board) for board in BOARDS}
    for step in kills_at_each_step(partial(compact_and_die, url)):
        assert everything(hall) == before
        if step % 5 == 0:
            assert rebuilt(hall) == boards
            before = everything(hall)
    assert step > 15, "there are steps to be killed at"
    assert outside(hall) == 0
    assert rebuilt(hall) == boards


# Ledgers


def test_publishing_writes_what_is_new_of_a_large_ledger(
    hall: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.ratings.ledger._PART_ROWS", 4)
    rebuilt(hall)
    before = hall.store.boards.ledger("toepen/sealed").parts
    hall.cup("toepen", "next", groups=1)
    hall.run("next")
    written = {}
    publish_at_last = hall.store.boards.publish

    def noted(*arguments: Any, parts: dict[str, bytes], **options: Any) -> bool:
        written.update(parts)
        return publish_at_last(*arguments, parts=parts, **options)

    monkeypatch.setattr(hall.boards._store, "publish", noted)
    assert hall.boards.publish("toepen", "sealed")
    after = hall.store.boards.ledger("toepen/sealed").parts
    assert after == {**before, **written}
    assert len(before) > 2 * len({name.partition("/")[0] for name in before})
    # Of each column the last part, if it was not full, and new ones.
    columns = {name.partition("/")[0] for name in written}
    assert len(before.keys() & written.keys()) <= len(columns)


def test_a_ledger_of_another_version_is_computed_anew(hall: Arena) -> None:
    compact(hall)
    before = {board: shown(hall, board) for board in BOARDS}
    connection = hall.store._connection
    connection.run([("HSET", board_key("toepen/sealed"), "head", b"of another version")])
    hall.cup("toepen", "next", groups=1)
    hall.run("next")
    publish(hall)
    after = shown(hall, "toepen/sealed")
    assert after["groups"] == before["toepen/sealed"]["groups"] + 3
    assert rebuilt(hall)["toepen/sealed"] == after


def test_a_board_that_was_computed_before_an_annulment_is_not_published_after_it(
    hall: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.cup("toepen", "next", groups=1)
    hall.run("next")
    before = shown(hall, "toepen/sealed")["groups"]
    publish_at_last = hall.store.boards.publish
    slow = hall.boards

    def annul_first(*arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        hall.tournaments.annul("local-r1-p1-g1", "admin", "meanwhile")
        publish(hall)
        return publish_at_last(*arguments, **options)

    monkeypatch.setattr(slow._store, "publish", annul_first)
    assert not slow.publish("toepen", "sealed")
    assert shown(hall, "toepen/sealed")["groups"] == before + 2
