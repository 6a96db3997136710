"""A board is published in small exchanges, and a kill between any two leaves the old board or the new one."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from redis.cluster import RedisCluster

from arena.events.boards import Boards
from arena.store.boards import BoardState, StoredLedger, board_key
from tests.dying import KILLED, counted_to, in_child, status_of
from tests.live.arenas import Arena
from tests.live.snapshots import play_once

BOARD = "truco/sealed"
WHERE = ("truco", "sealed")


@pytest.fixture
def hall(arena: Arena) -> Arena:
    """A board of one tournament, and another tournament that it lacks."""
    play_once(arena, play_two_cups)
    return arena


def play_two_cups(arena: Arena) -> None:
    arena.cup(name="one")
    arena.run("one")
    assert arena.boards.publish(*WHERE)
    arena.cup(name="two", groups=1)
    arena.run("two")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is in parts that are small enough for many exchanges."""
    monkeypatch.setattr("arena.ratings.ledger._PART_ROWS", 4)
    monkeypatch.setattr("arena.store.boards._BYTES_AT_ONCE", 400)
    monkeypatch.setattr("arena.store.boards._PARTS_AT_ONCE", 1)


def shown(arena: Arena) -> dict[str, Any]:
    """All that is read of the board, without the time at which it was published."""
    boards = Boards(arena.store, arena.service.moderation)
    data = boards.read(*WHERE)
    assert data is not None
    names = [row["name"] for row in data["rows"]]
    return {
        "board": {name: value for name, value in data.items() if name != "published_ms"},
        "history": boards.history(*WHERE).items,
        "ratings": arena.store.boards.ratings(BOARD, names),
    }


def staged(arena: Arena) -> list[bytes]:
    """The keys of publications that have not happened; all of them expire."""
    connection: Any = arena.store._connection
    pattern = f"{board_key(BOARD)}:staged:*"
    if connection.is_cluster:
        keys = connection._redis.keys(pattern, target_nodes=RedisCluster.PRIMARIES)
    else:
        (keys,) = connection.run([("KEYS", pattern)])
    assert all(left > 0 for left in connection.run([("PTTL", key) for key in keys]))
    return list(keys)


def publish_and_die(url: str, step: int) -> None:
    arena = Arena(url)
    connection = arena.store._connection
    connection.run = counted_to(step)(connection.run)  # type: ignore[method-assign]
    assert arena.boards.publish(*WHERE)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("rebuild", [False, True])
@pytest.mark.system
def test_a_publication_that_is_killed_at_any_step_leaves_the_old_board_or_the_new_one(
    hall: Arena, url: str, rebuild: bool
) -> None:
    if rebuild:
        hall.boards.renew(*WHERE)
    before = shown(hall)
    ledger = hall.store.boards.ledger(BOARD)
    left = []
    step = 0
    while (status := status_of(in_child(partial(publish_and_die, url, step + 1)))) == KILLED:
        step += 1
        assert shown(hall) == before
        assert hall.store.boards.ledger(BOARD) == ledger
        left.append(len(staged(hall)))
    assert status == 0
    assert left[0] == 0
    assert left[-1] > 4
    assert step > 15, "there are steps to be killed at"
    after = shown(hall)
    assert after["board"]["groups"] == before["board"]["groups"] + 3
    assert len(staged(hall)) == left[-1], "what the others left is not used"
    hall.cup(name="three", groups=1)
    hall.run("three")
    assert hall.boards.publish(*WHERE)
    after = shown(hall)
    hall.boards.renew(*WHERE)
    assert hall.boards.publish(*WHERE)
    assert shown(hall) == after
    assert after["board"]["groups"] == before["board"]["groups"] + 6
    connection = hall.store._connection
    parts = [f"{board_key(BOARD)}{part}" for part in ("", ":ledger", ":ratings", ":points", ":days")]
    assert connection.run([("PTTL", key) for key in parts]) == [-1] * len(parts)


def before_publishing(hall: Arena, monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Call ``act`` once, after all is staged."""
    connection: Any = hall.store._connection
    original = connection.run

    def run(commands: Any) -> Any:
        if any(f"{board_key(BOARD)}:staged" in str(part) for command in commands for part in command[4:5]):
            monkeypatch.setattr(connection, "run", original)
            act()
        return original(commands)

    monkeypatch.setattr(connection, "run", run)


@pytest.mark.parametrize("part", ["board", "ledger", "ratings", "points"])
def test_a_publication_of_which_something_has_expired_does_not_happen(
    hall: Arena, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    before = shown(hall)
    connection = hall.store._connection

    def expire() -> None:
        keys = [key for key in staged(hall) if key.endswith(part.encode())]
        assert connection.run([("DEL", key) for key in keys]) == [1]

    before_publishing(hall, monkeypatch, expire)
    assert not hall.boards.publish(*WHERE)
    assert shown(hall) == before
    assert staged(hall) == []
    assert hall.boards.publish(*WHERE)
    assert shown(hall)["board"]["groups"] == before["board"]["groups"] + 3


@pytest.mark.parametrize("act", ["publish", "renew"])
def test_what_happened_since_the_ledger_was_read_wins(
    hall: Arena, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    other = Arena(hall.service.settings.redis_url)
    before_publishing(hall, monkeypatch, lambda: getattr(other.boards, act)(*WHERE))
    assert not hall.boards.publish(*WHERE)
    assert staged(hall) == []
    assert hall.boards.publish(*WHERE) == (act == "renew")
    assert shown(hall)["board"]["groups"] == 9
    other.live.close()


def test_no_exchange_is_large(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many groups were added at once, and however many bots there are."""
    parts = {f"hashes/{number}": os.urandom(131_072) for number in range(60)}
    points = {f"bot-{number:05}": ["1", 1500.0, 1400.0, 1600.0, False] for number in range(20_000)}
    ratings = {name: {"1": [1500.0, 1400.0, 1600.0, 30]} for name in points}
    board = os.urandom(5_000_000)
    head = os.urandom(2_500_000)
    connection: Any = hall.store._connection
    original, sizes = connection.run, []

    def measured(commands: Any) -> Any:
        replies = original(commands)
        sizes.append(size(commands) + size(replies))
        return replies

    monkeypatch.setattr(connection, "run", measured)
    store = hall.store.boards
    fields: dict[str, Any] = {"head": head, "parts": parts, "ratings": ratings, "points": points}
    fields |= {"day": "2026-01-01", "supplement": b"{}"}
    nothing = StoredLedger(None, {}, None, 0)
    state = BoardState(board, 7, 1000, 5, "", 0)
    assert store.publish("toepen/open", nothing, state=state, **fields)
    assert max(sizes) < 1_500_000
    assert sum(sizes) > 15_000_000
    found = store.ledger("toepen/open")
    assert found == StoredLedger(head, parts, 7, 0)
    assert max(sizes) < 3_000_000, "the head is one value"
    changed = {f"hashes/{number}": os.urandom(131_072) for number in range(59, 90)}
    sizes.clear()
    assert store.publish(
        "toepen/open", found, state=state._replace(place=9), **{**fields, "head": b"", "parts": changed}
    )
    assert max(sizes) < 1_500_000
    monkeypatch.undo()
    assert store.ledger("toepen/open") == StoredLedger(b"", {**parts, **changed}, 9, 0)
    assert store.state("toepen/open").shown == board
    assert store.ratings("toepen/open", ["bot-00017"]) == {"bot-00017": ratings["bot-00017"]}
    assert [name for _, name, _ in store.day("toepen/open", "2026-01-01", 150, 2)] == [
        "bot-00150",
        "bot-00151",
    ]


def size(value: Any) -> int:
    if isinstance(value, bytes | str):
        return len(value)
    return sum(map(size, value)) if isinstance(value, list | tuple | dict) else 8
