"""Lists of games read the same whether their games are in chunks or not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from arena.store.game_lists import GameLists, chunked_key, chunks_key
from arena.store.games import ALL_GAMES, bot_games_key
from arena.store.paging import Cursor
from arena.store.repositories import Store, open_store
from tests.dying import counted_to, kills_at_each_step

KEYS = (ALL_GAMES, bot_games_key("ann"))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.game_lists.CHUNK_GAMES", 5)


def members(seed: int, count: int, scores: int) -> list[Cursor]:
    source = random.Random(seed)
    return [Cursor(source.randrange(scores), f"game-{number:03}") for number in range(count)]


def fill(store: Store, key: str, games: list[Cursor]) -> None:
    store._connection.run([("ZADD", key, game.score, game.name) for game in games])


def all_pages(store: Store, key: str, limit: int) -> list[Cursor]:
    found: list[Cursor] = []
    while page := GameLists(store._connection).page(key, found[-1] if found else None, limit):
        assert len(page) <= limit
        found += page
    return found


def in_chunks(store: Store, key: str) -> list[list[Cursor]]:
    """The chunks, oldest first, checked for what they promise."""
    chunks = GameLists(store._connection)._chunks(key, "+inf", 1000)[::-1]
    found = [chunk.members() for chunk in chunks]
    assert [own[0].score for own in found] == [chunk.lowest for chunk in chunks]
    for before, after in pairwise(found):
        assert before[-1].score < after[0].score
    (count,) = store._connection.run([("GET", chunked_key(key))])
    assert int(count or 0) == sum(map(len, found))
    return found


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("scores", [3, 40, 10**6])
def test_every_page_is_the_same_after_every_step(store: Store, key: str, scores: int) -> None:
    games = members(scores, 60, scores)
    fill(store, key, games)
    expected = sorted(games, reverse=True)
    source = random.Random(scores)
    left = list(games)
    source.shuffle(left)
    lists = GameLists(store._connection)
    while left:
        some = [left.pop() for _ in range(min(len(left), source.randrange(1, 12)))]
        lists.archive(key, some)
        lists.archive(key, some[:1])
        assert sum(map(len, in_chunks(store, key))) == 60 - len(left)
        for limit in (1, 7, 100):
            assert all_pages(store, key, limit) == expected
    assert store._connection.run([("ZCARD", key)]) == [0]
    # A hint that comes late puts one back.
    fill(store, key, games[:3])
    assert all_pages(store, key, 7) == expected


def test_old_games_are_trimmed_with_their_chunks(store: Store) -> None:
    games = [Cursor(number, f"game-{number:03}") for number in range(40)]
    fill(store, ALL_GAMES, games)
    lists = GameLists(store._connection)
    lists.archive(ALL_GAMES, games[:30])
    for oldest in (0, 12, 12, 29, 35):
        store._connection.run(lists.trim(ALL_GAMES, oldest))
        found = all_pages(store, ALL_GAMES, 100)
        chunks = in_chunks(store, ALL_GAMES)
        # Those of a chunk that has others stay with them.
        assert found[::-1] == [game for game in games if game.score > oldest or game in (chunks or [[]])[0]]
        assert len(chunks) == 6 - min(oldest, 29) // 5
    assert store._connection.run([("ZCARD", chunks_key(ALL_GAMES))]) == [1]


def test_two_that_archive_at_once_lose_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    games = members(1, 30, 1000)
    fill(store, ALL_GAMES, games)
    lists, other = GameLists(store._connection), GameLists(store._connection)
    target = lists._target
    rounds = iter(range(0, 20, 4))

    def other_first(key: str, member: Cursor) -> object:
        found = target(key, member)
        start = next(rounds, None)
        if start is not None:
            other.archive(key, games[start : start + 4])
        return found

    monkeypatch.setattr(lists, "_target", other_first)
    lists.archive(ALL_GAMES, games[10:])
    assert sum(map(len, in_chunks(store, ALL_GAMES))) == 30
    assert all_pages(store, ALL_GAMES, 100) == sorted(games, reverse=True)


@pytest.mark.parametrize("url", ["single"], indirect=True)
def test_a_kill_at_any_step_loses_and_doubles_nothing(store: Store, url: str) -> None:
    games = members(2, 30, 1000)
    fill(store, ALL_GAMES, games)

    def archive_and_die(step: int) -> None:
        own = open_store(url)
        connection = own._connection
        connection.run = counted_to(step)(connection.run)  # type: ignore[method-assign]
        GameLists(connection).archive(ALL_GAMES, games)

    steps = 0
    for _ in kills_at_each_step(archive_and_die):
        steps += 1
        in_chunks(store, ALL_GAMES)
        assert all_pages(store, ALL_GAMES, 7) == sorted(games, reverse=True)
    assert steps > 2
