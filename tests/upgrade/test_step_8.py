"""The step to format 8: the groups of bots are listed by day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from arena.live.header import Viewer
from arena.store.embedded import EmbeddedStore
from arena.upgrade import upgrade
from tests.live.arenas import Arena

ADMIN = Viewer(admin=True)


@pytest.fixture
def arena(clean_store: EmbeddedStore) -> Iterator[Arena]:
    opened = Arena(clean_store.url)
    yield opened
    opened.live.close()


def seen(arena: Arena) -> tuple[dict[date, int], list[object]]:
    """The days of rookie, and the games of each day."""
    games = arena.service.bot_games
    days = games.days("rookie")
    return days, [games.list("rookie", day=day, limit=100, viewer=ADMIN) for day in days]


def test_the_lists_of_days_contain_what_was_played(arena: Arena) -> None:
    arena.run(arena.cup()["id"])
    arena.run(arena.cup(name="hidden", hidden=True, who="invited")["id"])
    before = seen(arena)
    assert sum(before[0].values()) > 0
    connection = arena.store._connection
    connection.run([("DEL", key) for key in connection.keys("{b:*}:day:*")])
    connection.run([("DEL", key) for key in connection.keys("{b:*}:day:private:*")])
    assert seen(arena) == ({}, [])
    for _ in range(2):
        arena.store.identity.set_format(7)
        assert upgrade(arena.store, None) == [8, 9]
        assert seen(arena) == before
