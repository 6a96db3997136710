"""Publishing leaderboards: all at once, each group once, whoever else publishes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from arena.events.boards import Boards
from arena.live.finalizer import Retention
from arena.live.header import GameNotFound
from tests.live.arenas import Arena
from tests.live.clock import expire


@pytest.fixture
def hall(url: str) -> Iterator[Arena]:
    opened = Arena(url)
    yield opened
    opened.live.close()


def test_a_board_grows_with_released_groups(hall: Arena) -> None:
    boards = hall.boards
    assert boards.read("truco", "sealed") is None
    assert boards.history("truco", "sealed") == []
    assert boards.due() == []
    assert not boards.publish("truco", "sealed")
    hall.cup(name="one")
    hall.run("one")
    assert boards.due() == [("truco", "sealed")]
    assert boards.publish("truco", "sealed")
    first = boards.read("truco", "sealed")
    assert first is not None
    assert (first["groups"], first["records"]) == (6, 12)
    assert first["published_ms"] <= hall.now_ms()
    assert not boards.publish("truco", "sealed")
    hall.cup(name="two", groups=1)
    hall.run("two")
    # It was published a moment ago.
    assert boards.due() == []
    assert boards.publish("truco", "sealed")
    second = boards.read("truco", "sealed")
    assert second is not None
    assert second["groups"] == 9
    (rookie,) = boards.history("truco", "sealed", "rookie")
    assert (rookie["rating"], rookie["low"], rookie["high"]) == (1500.0, 1500.0, 1500.0)
    assert {point["name"] for point in boards.history("truco", "sealed")} == {"random", "rookie", "regular"}
    assert [group.id for group in boards.groups("truco", "sealed")][:1] == ["one-r1-p1-g1"]
    assert len(list(boards.groups("truco", "sealed"))) == 9


def test_unrated_tournaments_are_on_no_board(hall: Arena) -> None:
    hall.cup(rated=False)
    assert hall.run()["state"] == "finished"
    assert not hall.boards.publish("truco", "sealed")
    assert len(list(hall.live.iter_records())) == 12


def test_one_of_two_concurrent_publications_wins(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.cup()
    hall.run()
    slow, quick = Boards(hall.store), hall.boards
    ledger = slow._ledger
    monkeypatch.setattr(slow, "_ledger", lambda *where: (ledger(*where), quick.publish("truco", "sealed"))[0])
    assert not slow.publish("truco", "sealed")
    board = quick.read("truco", "sealed")
    assert board is not None
    assert board["groups"] == 6


def test_records_are_listed_once_and_a_cursor_may_stand_inside_a_group(hall: Arena) -> None:
    hall.cup()
    hall.run()
    found = list(hall.live.iter_records(kind="truco"))
    assert len({record for _, record in found}) == 12
    assert [int(cursor) for cursor, _ in found] == sorted({int(cursor) for cursor, _ in found})
    for at, (cursor, _) in enumerate(found, 1):
        assert list(hall.live.iter_records(kind="truco", cursor=cursor)) == found[at:]
    for group in hall.tournaments.groups("cup").items:
        for game in group["games"]:
            record = hall.live.record(game)
            assert json.loads(record)["canonical"]["game"] == game
            assert record in {line for _, line in found}
    for unknown in ("cup-r1-p1-g1-3", "cup-r1-p1-g9-1", "none-r1-p1-g1-1"):
        with pytest.raises(GameNotFound):
            hall.live.record(unknown)
    # What was not put on the lists because somebody died is put there when somebody looks.
    store = hall.tournaments.store
    store._connection.run([("SADD", "{t:cup}:unreleased", "r1-p1-g1"), ("DEL", "{live:records}")])
    hall.tournaments.step("cup")
    assert len(list(hall.live.iter_records())) == 2
    assert store.unreleased("cup") == []


def test_records_expire_after_their_retention_and_the_board_stays(url: str) -> None:
    hall = Arena(url, retention=Retention(record_s=600))
    try:
        hall.cup()
        hall.run()
        hall.boards.publish("truco", "sealed")
        assert len(list(hall.live.iter_records())) == 12
        expire(hall.live, 600_000, "{t:cup}:packs")
        assert list(hall.tournaments.records("cup")) == []
        assert list(hall.live.iter_records()) == []
        assert hall.tournaments.standings("cup").table.groups == 6
        hall.boards.renew("truco", "sealed")
        assert hall.boards.publish("truco", "sealed")
        board = hall.boards.read("truco", "sealed")
        assert board is not None
        assert board["groups"] == 6
    finally:
        hall.live.close()
