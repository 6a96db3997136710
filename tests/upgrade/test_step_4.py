"""The step to format 4: unfinished games are on the lists of their creators; kills lose nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.store.embedded import EmbeddedStore
from arena.store.game_index import GameIndex, GameList
from arena.store.repositories import open_store
from arena.upgrade import upgrade
from tests.dying import KILLED, counted_to, in_child, status_of
from tests.live.arenas import Arena

SEATS = [{"house": "rookie"}, {"open": True}]


@pytest.fixture
def former(clean_store: EmbeddedStore) -> Iterator[Arena]:
    """Waiting, running and finished games, and one of a group, in format 3."""
    arena = Arena(clean_store.url)
    for game, seats in (("waiting", SEATS), ("running", SEATS), ("over", SEATS), ("of-nobody", SEATS)):
        owner = "" if game == "of-nobody" else "olga"
        arena.live.create("toepen", seats=seats, rules={"seats": 2}, created_by=owner, game_id=game)
    group = {"id": "cup-r1-p1-g1", "index": 0, "size": 2, "mirrored": True, "attempt": 0}
    arena.live.create(
        "toepen", seats=SEATS, rules={"seats": 2}, created_by="olga", game_id="grouped", group=group
    )
    arena.live.join("running", "able")
    arena.live.cancel("over")
    arena.store.game_index.forget(GameList(creator="olga"), ["waiting", "running"])
    arena.store.identity.register()
    arena.store.identity.set_format(3)
    yield arena
    arena.live.close()


def check_upgraded(arena: Arena) -> None:
    assert sorted(arena.live.unfinished("olga")) == ["running", "waiting"]
    found = arena.store.game_index.page(GameList(creator="olga"), None, 9)
    assert {one.score for one in found} == {
        arena.live.header(game).created_ms for game in ("waiting", "running")
    }
    assert arena.live.unfinished("") == []


def test_unfinished_games_are_listed(former: Arena) -> None:
    assert former.live.unfinished("olga") == []
    assert upgrade(former.store, None) == [4, 5, 6, 7, 8, 9]
    check_upgraded(former)
    assert upgrade(former.store, None) == []


def test_a_killed_step_is_completed(
    former: Arena, clean_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed() -> None:
        monkeypatch.setattr(GameIndex, "note_creator", counted_to(1)(GameIndex.note_creator))
        upgrade(open_store(clean_store.url), None)

    assert status_of(in_child(killed)) == KILLED
    assert former.store.identity.format() == 3
    assert upgrade(former.store, None) == [4, 5, 6, 7, 8, 9]
    check_upgraded(former)
