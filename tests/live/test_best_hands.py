"""The best hands of the last day, found once a day among the public games."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
import pytest

from arena.ops.jobs import Job, JobName
from arena.people.best_hands import MOST_OF_PRESET, best_hand
from arena.store.amounts import DAY_MS
from tests.live.arenas import Arena
from tests.live.clock import skip

DUE = Job(JobName.FIND_BEST_HANDS)


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    arena = Arena(url)
    yield arena
    arena.live.close()


def test_the_largest_swings_are_found_and_shown(arena: Arena) -> None:
    arena.cup("truco", groups=3)
    arena.run()
    arena.service.find_best_hands()
    at_ms, hands = arena.service.best_hands.latest()
    assert 0 < len(hands) <= MOST_OF_PRESET
    assert at_ms <= arena.now_ms()
    assert [hand["swing"] for hand in hands] == sorted((hand["swing"] for hand in hands), reverse=True)
    records = {
        record["canonical"]["game"]: record
        for _, line in arena.live.iter_records()
        if (record := orjson.loads(line))
    }
    swings = sorted(
        (found["swing"] for record in records.values() if (found := best_hand(record["canonical"]))),
        reverse=True,
    )
    assert hands[0]["swing"] == swings[0] > 0
    for hand in hands:
        canonical = records[hand["game"]]["canonical"]
        assert hand["players"] == [player["name"] for player in canonical["players"]]
        assert hand["picture"]["hand"] == hand["hand"]
        assert "Chances of " in hand["text"]


def test_the_job_is_requested_once_a_day(arena: Arena) -> None:
    arena.cup("toepen")
    arena.run()
    skip(arena.live, DAY_MS - arena.now_ms() % DAY_MS + 1_000)
    arena.service.tick()
    assert DUE in arena.jobs.pending
    arena.jobs.run_pending(arena.service)
    assert arena.service.best_hands.latest()[1]
    skip(arena.live, DAY_MS // 2)
    assert not arena.service.best_hands.is_due()
    skip(arena.live, DAY_MS // 2)
    assert arena.service.best_hands.is_due()
    # Several processes ask only once, and a job that was lost is requested again.
    assert not arena.service.best_hands.is_due()
    skip(arena.live, 600_000)
    assert arena.service.best_hands.is_due()
    # Without new games, those of the day before stay.
    hands = arena.service.best_hands.latest()
    arena.service.find_best_hands()
    assert arena.service.best_hands.latest() == hands
    assert not arena.service.best_hands.is_due()


def test_hands_of_a_bot_whose_name_is_hidden_are_left_out(arena: Arena) -> None:
    arena.cup("toepen")
    arena.run()
    arena.service.find_best_hands()
    _, hands = arena.service.best_hands.latest()
    hidden = hands[0]["players"][0]
    best = type(arena.service.best_hands)(
        arena.store, arena.live.finished, lambda name: "a bot" if name == hidden else name
    )
    assert all(hidden not in hand["players"] for hand in best.latest()[1])
    assert hands[0] not in best.latest()[1]
    best.find()
