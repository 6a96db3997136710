"""Matchups are computed after the board, from the groups that it counts."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from arena.events.matchups import BoardMatchups
from arena.ops.jobs import Job, JobName
from arena.ratings.board import Board, ledgers
from arena.ratings.matchups import matchups
from arena.store.rows import LEFT_OUT
from tests.live.arenas import Arena
from tests.live.snapshots import play_once

WHERE = ("truco", "sealed")
NAME = ("truco", "sealed", "base@1")
KEY = "{board:truco/sealed}:matchups"


@pytest.fixture
def hall(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Bots have a rank after two groups; there is a board of four groups of each of three bots."""
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 2)
    play_once(arena, publish_a_cup)
    return arena


def publish_a_cup(arena: Arena) -> None:
    arena.cup(name="one")
    arena.run("one")
    assert arena.boards.publish(*WHERE)


def pass_pause(hall: Arena) -> None:
    """The pause between two requests is over."""
    hall.store._connection.run([("DEL", "{arena}:flags:matchups:truco/sealed")])


def test_matchups_follow_the_board(hall: Arena) -> None:
    own = hall.service.matchups
    assert own.published(*WHERE) is None
    assert own.due() == [NAME]
    assert own.due() == [], "requested a moment ago"
    assert own.compute(*WHERE)
    assert not own.compute(*WHERE), "nothing has changed"
    pass_pause(hall)
    assert own.due() == []
    found = own.published(*WHERE)
    board = hall.boards.read(*WHERE)
    assert found is not None
    assert board is not None
    (ledger,) = ledgers(hall.boards.groups(*WHERE))
    expected = matchups(ledger, boards_of(board))
    assert found.table == expected
    assert found.data["records_hash"] == board["records_hash"]
    assert board["published_ms"] <= found.data["computed_ms"] <= hall.now_ms()
    assert own.published(*WHERE) is found, "it is parsed once"
    # Another process sees it as well.
    assert BoardMatchups(hall.store, hall.service.moderation).published(*WHERE).data == found.data  # type: ignore[union-attr]
    hall.cup(name="two", groups=1)
    hall.run("two")
    assert hall.boards.publish(*WHERE)
    assert own.published(*WHERE) is found, "the old ones stay until there are new ones"
    assert own.due() == [NAME]
    assert own.compute(*WHERE)
    newer = own.published(*WHERE)
    assert newer is not None
    assert newer.version != found.version
    assert sum(pair.groups for pair in newer.table.pairs) == 9


def boards_of(shown: Any) -> Board:
    return Board.from_json(shown)


def test_a_tick_requests_them_in_a_job_of_their_own(hall: Arena) -> None:
    hall.service.tick()
    job = Job(JobName.COMPUTE_MATCHUPS, NAME)
    assert job in hall.jobs.pending
    hall.jobs.run_pending(hall.service)
    assert hall.service.matchups.published(*WHERE) is not None


def test_a_board_of_larger_tables_has_none_and_is_not_computed_again(hall: Arena) -> None:
    hall.cup("toepen", name="tables", rules={"seats": 4}, house=["random", "rookie", "regular", "rookie+2"])
    hall.run("tables")
    boards = [name for name in hall.boards.due() if name.kind == "toepen"]
    assert len(boards) == 1
    assert hall.boards.publish(*boards[0])
    own = hall.service.matchups
    assert boards[0] in own.due()
    assert own.compute(*boards[0])
    assert own.published(*boards[0]) is None
    assert not own.compute(*boards[0])


def test_nothing_is_computed_while_groups_are_counted_anew(hall: Arena) -> None:
    own = hall.service.matchups
    hall.boards.renew(*WHERE)
    assert not own.compute(*WHERE)
    assert hall.boards.publish(*WHERE)
    assert own.compute(*WHERE)


def test_nothing_is_stored_if_the_ledger_is_that_of_another_board(
    hall: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = hall.service.matchups
    state = hall.store.boards.state("truco/sealed")
    hall.cup(name="two", groups=1)
    hall.run("two")
    assert hall.boards.publish(*WHERE)
    with monkeypatch.context() as patch:
        patch.setattr(hall.store.boards, "state", lambda name: state)
        assert not own.compute(*WHERE)
    assert own.published(*WHERE) is None
    assert own.compute(*WHERE)


def test_matchups_that_cannot_be_read_are_left_out_until_the_next_ones(hall: Arena) -> None:
    own = hall.service.matchups
    assert own.compute(*WHERE)
    connection = hall.store._connection
    ((good,),) = connection.run([("HMGET", KEY, "shown")])
    data = orjson.loads(good)
    for bad in (
        b"{",
        b"[]",
        orjson.dumps({**data, "bots": [{**data["bots"][0], "nash": "x"}]}),
        orjson.dumps({**data, "pairs": [1]}),
        orjson.dumps({**data, "fit": None}),
        orjson.dumps({**data, "computed_ms": None}),
    ):
        connection.run([("HSET", KEY, "shown", bad)])
        assert BoardMatchups(hall.store, hall.service.moderation).published(*WHERE) is None, bad
        assert "matchups of truco/sealed" in LEFT_OUT
    newer = {**data, "new": 1, "bots": [{**bot, "new": 1} for bot in data["bots"]]}
    connection.run([("HSET", KEY, "shown", orjson.dumps(newer))])
    assert BoardMatchups(hall.store, hall.service.moderation).published(*WHERE) is not None
    assert "matchups of truco/sealed" not in LEFT_OUT
