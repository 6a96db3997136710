"""Publishing leaderboards: all at once, each group once, whoever else publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.events.boards import Boards, PublishedBoard
from arena.live.finalizer import Retention
from arena.live.header import GameNotFound
from arena.play.board_names import BoardName
from arena.ratings.board import board as computed
from arena.ratings.supplement import BotFacts
from arena.store.boards import BoardState
from tests.live.arenas import Arena
from tests.live.clock import expire
from tests.live.playing import quiet


def test_a_board_grows_with_released_groups(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.boards.PUBLISH_EVERY_MS", 3_600_000)
    boards = arena.boards
    assert boards.read("truco", "sealed") is None
    assert boards.history("truco", "sealed").items == []
    assert boards.due() == []
    assert not boards.publish("truco", "sealed")
    arena.cup(name="one")
    arena.run("one")
    assert boards.due() == [("truco", "sealed", "base@1")]
    assert boards.publish("truco", "sealed")
    first = boards.read("truco", "sealed")
    assert first is not None
    assert (first["groups"], first["records"]) == (6, 12)
    assert first["published_ms"] <= arena.now_ms()
    assert not boards.publish("truco", "sealed")
    arena.cup(name="two", groups=1)
    arena.run("two")
    # It was published less than an hour ago.
    assert boards.due() == []
    monkeypatch.setattr("arena.events.boards.PUBLISH_EVERY_MS", 0)
    monkeypatch.setattr("arena.events.boards.COST_SHARE", 0)
    assert boards.due() == [("truco", "sealed", "base@1")]
    assert boards.publish("truco", "sealed")
    second = boards.read("truco", "sealed")
    assert second is not None
    assert second["groups"] == 9
    (rookie,) = boards.history("truco", "sealed", bot="rookie").items
    assert (rookie["rating"], rookie["low"], rookie["high"]) == (1500.0, 1500.0, 1500.0)
    assert {point["name"] for point in boards.history("truco", "sealed").items} == {
        "random",
        "rookie",
        "regular",
    }
    assert [group.id for group in boards.groups("truco", "sealed")][:1] == ["one-r1-p1-g1"]
    assert len(list(boards.groups("truco", "sealed"))) == 9


def test_a_withdrawn_bot_loses_its_rank_until_it_is_active_again(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.events.boards.PUBLISH_EVERY_MS", 0)
    monkeypatch.setattr("arena.events.boards.COST_SHARE", 0)
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 1)
    boards, where = arena.boards, BoardName("toepen", "open", "duel@1")
    owner = arena.bot("ann", "able")
    arena.bot("bea", "idle")
    arena.cup_in_entry(kind="toepen", house=["rookie", "rookie+2"])
    arena.tournaments.enter("cup", "able")
    arena.skip_entry()
    assert arena.run("cup", {"able": quiet})["state"] == "finished"
    assert boards.publish(*where)

    def able() -> tuple[bool, bool]:
        """Whether it has a rank, and has retired."""
        board = boards.read(*where)
        assert board is not None
        assert board["supplement_hash"] == boards.supplement(*where).hash
        (row,) = (row for row in board["rows"] if row["name"] == "able")
        return row["rank"] is not None, row["retired"]

    assert able() == (True, False)
    assert boards.supplement(*where).facts_of("able") == BotFacts()
    # A bot that is not on the board changes nothing.
    arena.accounts.change_bot("idle", "withdrawn")
    assert where in boards.due()
    assert not boards.publish(*where)
    assert boards.due() == []
    for state, expected in (("withdrawn", (False, True)), ("active", (True, False))):
        arena.accounts.change_bot("able", state)
        assert boards.due() == [where]
        assert boards.publish(*where)
        assert able() == expected
        assert boards.due() == []
    arena.service.bot_deletion.delete("able", owner)
    assert boards.publish(*where)
    assert able() == (False, True)
    assert boards.supplement(*where).facts_of("able") == BotFacts(withdrawn=True, ranked=False)
    # So does whoever recomputes it.
    found = computed(boards.groups(*where), *where, boards.supplement(*where))
    assert {**(boards.read(*where) or {}), "published_ms": 0} == {
        "published_ms": 0,
        **json.loads(json.dumps(found.as_json())),
    }


def test_unrated_tournaments_are_on_no_board(arena: Arena) -> None:
    arena.cup(rated=False)
    assert arena.run()["state"] == "finished"
    assert not arena.boards.publish("truco", "sealed")
    assert len(list(arena.live.iter_records())) == 12


def test_one_of_two_concurrent_publications_wins(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    arena.cup()
    arena.run()
    slow, quick = Boards(arena.store, arena.service.moderation), arena.boards
    ledger = slow._ledger
    monkeypatch.setattr(slow, "_ledger", lambda *where: (ledger(*where), quick.publish("truco", "sealed"))[0])
    assert not slow.publish("truco", "sealed")
    board = quick.read("truco", "sealed")
    assert board is not None
    assert board["groups"] == 6


def test_records_are_listed_once_and_a_cursor_may_stand_inside_a_group(arena: Arena) -> None:
    arena.cup()
    arena.run()
    found = list(arena.live.iter_records(kind="truco"))
    assert len({record for _, record in found}) == 12
    assert [int(cursor) for cursor, _ in found] == sorted({int(cursor) for cursor, _ in found})
    for at, (cursor, _) in enumerate(found, 1):
        assert list(arena.live.iter_records(kind="truco", cursor=cursor)) == found[at:]
    for group in arena.tournaments.groups("cup").items:
        for game in group["games"]:
            record = arena.live.record(game)
            assert json.loads(record)["canonical"]["game"] == game
            assert record in {line for _, line in found}
    for unknown in ("cup-r1-p1-g1-3", "cup-r1-p1-g9-1", "none-r1-p1-g1-1"):
        with pytest.raises(GameNotFound):
            arena.live.record(unknown)
    # What was not put on the lists because somebody died is put there when somebody looks.
    store = arena.tournaments.store
    store._connection.run([("SADD", "{t:cup}:unreleased", "r1-p1-g1"), ("DEL", "{live:records}")])
    arena.tournaments.step("cup")
    assert len(list(arena.live.iter_records())) == 2
    assert store.unreleased("cup") == []


def test_records_expire_after_their_retention_and_the_board_stays(url: str) -> None:
    arena = Arena(url, retention=Retention(record_s=600))
    try:
        arena.cup()
        arena.run()
        arena.boards.publish("truco", "sealed")
        assert len(list(arena.live.iter_records())) == 12
        expire(arena.live, 600_000, "{t:cup}:records")
        assert list(arena.tournaments.records("cup")) == []
        assert list(arena.live.iter_records()) == []
        assert arena.tournaments.standings("cup").table.groups == 6
        arena.boards.renew("truco", "sealed")
        assert arena.boards.publish("truco", "sealed")
        board = arena.boards.read("truco", "sealed")
        assert board is not None
        assert board["groups"] == 6
    finally:
        arena.live.close()


def many_bots(arena: Arena, days: int, bots: int) -> list[tuple[str, str, float]]:
    """Publish a made-up board of many bots on several days; day, name and rating of every point."""
    found = []
    for number in range(days):
        day = f"2026-01-{number + 1:02}"
        points = {f"bot-{bot:03}": ["1", 1500.0 + bot + number, 1400.0, 1600.0, False] for bot in range(bots)}
        found += [(day, name, point[1]) for name, point in points.items()]
        before = arena.store.boards.ledger("toepen/open")
        state = BoardState(b"{}", number + 1, arena.now_ms(), 0, "", 0)
        assert arena.store.boards.publish(
            "toepen/open",
            before,
            state=state,
            supplement=b"{}",
            head=b"",
            parts={},
            ratings={},
            day=day,
            points=points,
        )
    return found


def history(arena: Arena, limit: int, bot: str | None = None) -> list[tuple[str, str, float]]:
    """All pages of the history."""
    found: list[tuple[str, str, float]] = []
    cursor = None
    while True:
        page = arena.boards.history("toepen", "open", bot=bot, cursor=cursor, limit=limit)
        assert len(page.items) <= limit
        found += [(point["day"], point["name"], point["rating"]) for point in page.items]
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("limit", [1, 7, 100, 200])
def test_the_pages_of_the_history_are_all_of_it(arena: Arena, limit: int) -> None:
    points = many_bots(arena, days=5, bots=30)
    assert history(arena, limit) == points
    assert history(arena, limit, "bot-017") == [point for point in points if point[1] == "bot-017"]
    assert history(arena, limit, "nobody") == []


def test_the_history_of_one_bot_is_read_without_those_of_all(arena: Arena) -> None:
    """And so is a page of all bots."""
    whole = len(repr(many_bots(arena, days=1, bots=1000)))
    connection: Any = arena.store.boards._connection
    run, sizes = connection.run, []

    def measured(commands: Any) -> Any:
        replies = run(commands)
        sizes.append(len(repr(replies)))
        return replies

    connection.run = measured
    for page in ({"bot": "bot-717"}, {"cursor": "20260101-555", "limit": 100}):
        sizes.clear()
        assert arena.boards.history("toepen", "open", **page).items
        assert sum(sizes) < whole / 3


def board_of(arena: Arena) -> PublishedBoard:
    """The board of uploaded bots at Truco."""
    board = arena.boards.published("truco", "sealed")
    assert board is not None
    return board


def test_a_board_is_parsed_once_until_it_is_published_again(arena: Arena) -> None:
    arena.cup()
    arena.run()
    arena.boards.publish("truco", "sealed")
    first = board_of(arena)
    assert arena.boards.published("truco", "sealed") is first
    arena.cup(name="two", groups=1)
    arena.run("two")
    arena.boards.publish("truco", "sealed")
    second = board_of(arena)
    assert second.version != first.version
    assert second.data["groups"] == 9
    page = second.page(None, 2)
    assert [len(page["rows"]), page["cursor"]] == [2, "2"]
    page = second.page(page["cursor"], 2)
    assert [len(page["rows"]), page["cursor"]] == [1, None]


def test_a_board_of_the_earlier_method_has_the_widest_ranks_until_it_is_published_again(arena: Arena) -> None:
    arena.cup()
    arena.run()
    arena.boards.publish("truco", "sealed")
    now = board_of(arena)
    rows = [{**row, "rank": 1} for row in now.data["rows"]]
    for row in rows:
        del row["worst_rank"]
    key = "{board:truco/sealed}"
    shown = json.dumps({**now.data, "rows": rows, "method": 3})
    arena.store._connection.run([("HSET", key, "board", shown, "layout", "luck-3")])
    earlier = Boards(arena.store, arena.service.moderation).published("truco", "sealed")
    assert earlier is not None
    assert {(row["rank"], row["worst_rank"]) for row in earlier.data["rows"]} == {(1, len(rows))}
    assert arena.boards.publish("truco", "sealed")
    after = board_of(arena)
    assert after.data["rows"] == now.data["rows"]
