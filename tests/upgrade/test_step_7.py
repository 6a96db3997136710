"""The step to format 7: tournaments are in lists of their states, owners and bots."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.live.header import Viewer
from arena.store.embedded import EmbeddedStore
from arena.upgrade import upgrade
from tests.live.arenas import Arena

NEW = (b"{tournaments}", b"tournaments:owner:", b"tournaments:organiser:")


@pytest.fixture
def arena(clean_store: EmbeddedStore) -> Iterator[Arena]:
    opened = Arena(clean_store.url)
    yield opened
    opened.live.close()


def seen(arena: Arena) -> tuple[object, ...]:
    """What the lists show to an owner."""
    olga, arena_ = Viewer(owner="olga"), arena.tournaments
    return (
        {
            name: [one["id"] for one in arena_.list(state=name, viewer=olga).items]
            for name in ("entry", "over")
        },
        [one["id"] for one in arena_.present(olga).items],
        [one["id"] for one in arena_.organised_by("olga", 10)],
        arena_.announced.of_owner("olga"),
    )


def test_lists_contain_what_there_was(arena: Arena) -> None:
    arena.cup_in_entry(name="public")
    arena.cup_in_entry(name="hidden", hidden=True, who="invited", house=[])
    arena.run(arena.cup()["id"])
    before = seen(arena)
    connection = arena.store._connection
    connection.run([("DEL", key) for key in connection.keys("*tournaments*") if key.startswith(NEW)])
    assert seen(arena) != before
    for _ in range(2):
        arena.store.identity.set_format(6)
        assert upgrade(arena.store, None) == [7, 8, 9]
        assert seen(arena) == before
