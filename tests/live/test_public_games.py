"""Lists of the public games that are not over: private ones take nobody else a place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.live.header import ANYBODY, Viewer
from arena.store.game_index import GameIndex
from arena.upgrade import upgrade
from tests.live.arenas import Arena

OPEN = [{"open": True}] * 4
HOUSE = [{"house": "rookie"}] * 4


@pytest.fixture
def headers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The games whose headers were read."""
    found: list[str] = []
    read = GameIndex.headers

    def counted(self: GameIndex, games: Sequence[str]) -> list[bytes | None]:
        found.extend(games)
        return read(self, games)

    monkeypatch.setattr(GameIndex, "headers", counted)
    return found


def listed(arena: Arena, state: str, viewer: Viewer = ANYBODY, limit: int = 5) -> list[str]:
    return [game["game"] for game in arena.live.list(state=state, limit=limit, viewer=viewer).items]


@pytest.mark.parametrize(("state", "seats"), [("waiting", OPEN), ("running", HOUSE)])
def test_private_games_take_nobody_else_a_place(
    arena: Arena, headers: list[str], state: str, seats: Sequence[dict[str, object]]
) -> None:
    public = arena.live.create("truco", seats=seats)["game"]
    private = [
        arena.live.create("truco", seats=seats, created_by="olga", visibility="private")["game"]
        for _ in range(20)
    ]
    headers.clear()
    assert listed(arena, state) == [public]
    assert headers == [public]
    assert set(listed(arena, state, Viewer(owner="olga"), 50)) == {public, *private}


def test_a_game_leaves_the_list_when_it_goes_on(arena: Arena) -> None:
    waiting = arena.live.create("truco", seats=OPEN)["game"]
    running = arena.live.create("truco", seats=HOUSE)["game"]
    assert (listed(arena, "waiting"), listed(arena, "running")) == ([waiting], [running])
    arena.live.cancel(waiting)
    arena.jobs.run_pending(arena.service)
    assert listed(arena, "waiting") == listed(arena, "running") == []
    assert listed(arena, "finished") == [running]
    for state in ("waiting", "running"):
        assert arena.store._connection.run([("ZCARD", f"live:games:public:{state}")]) == [0]


def test_format_7_lists_the_public_games_that_were_not_over(arena: Arena) -> None:
    games = [arena.live.create("truco", seats=seats)["game"] for seats in (OPEN, HOUSE)]
    arena.live.create("truco", seats=OPEN, created_by="olga", visibility="private")
    arena.store._connection.run([("DEL", f"live:games:public:{state}") for state in ("waiting", "running")])
    arena.store.identity.set_format(6)
    assert upgrade(arena.store, None) == [7, 8, 9]
    assert [*listed(arena, "waiting"), *listed(arena, "running")] == games
