"""Exhibition games: one of each kind, at the speed of people, while somebody looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from arena.errors import ArenaError
from arena.events.exhibition import REST_MS, players_of, preset_of
from arena.games import GAMES
from arena.live.finalizer import EXHIBITION_KEPT_MS, UNWATCHED_MS
from arena.live.game import PACE_MS
from arena.live.header import EXHIBITION
from arena.store.amounts import DAY_MS
from arena.store.games import game_key, record_key
from arena.store.watchers import LOOKED_MS, REPORT_MS
from tests.live.arenas import Arena
from tests.live.clock import expire, skip

LOOKED = "{arena}:looked"


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    arena = Arena(url)
    arena.store.watchers.look()
    yield arena
    arena.live.close()


def moved(arena: Arena, ms: int = PACE_MS) -> None:
    """Let time pass, and do what is due."""
    skip(arena.live, ms)
    arena.live.sweeper().sweep()
    arena.jobs.run_pending(arena.service)


def version(arena: Arena, game: str) -> int:
    view = arena.live.view(game)
    assert view is not None
    return view["version"]


def actions(arena: Arena, game: str) -> int:
    return arena.live.repository.load(game).playing.logged


def played_out(arena: Arena, game: str) -> Any:
    while arena.live.summary(game)["state"] == "running":
        moved(arena)
    return arena.live.summary(game)


def test_each_kind_has_one_game_however_often_it_is_asked_for(url: str, arena: Arena) -> None:
    begun = arena.service.exhibition.keep()
    assert len(begun) == len(GAMES)
    other = Arena(url)
    assert other.service.exhibition.keep() == []
    assert list(other.service.exhibition.games().values()) == begun
    other.live.close()
    running = arena.live.list(state="running").items
    assert {one["kind"] for one in running} == set(GAMES)
    for one in running:
        assert (one["visibility"], one["rated"], one["group"]) == ("public", False, None)
        assert {seat["type"] for seat in one["seats"]} == {"house"}


def test_a_process_that_was_killed_before_it_created_the_game_leaves_no_second_one(arena: Arena) -> None:
    row = {"number": 3, "game": "exhibition1", "begun_ms": arena.now_ms()}
    assert arena.store.exhibition.add("truco", row)
    assert "exhibition1" in arena.service.exhibition.keep()
    assert arena.service.exhibition.games()["truco"] == "exhibition1"
    assert arena.live.summary("exhibition1")["rules"]["variant"] == "paulista"


def test_each_pause_brings_one_move(arena: Arena) -> None:
    game = arena.service.exhibition.keep()[0]
    assert arena.jobs.pending == [], "nothing moves at once"
    moved(arena, 0)
    begin = version(arena, game)
    for _ in range(5):
        before = actions(arena, game)
        moved(arena)
        # What chance does follows by itself.
        assert before < actions(arena, game) <= before + 3
        seen = version(arena, game)
        moved(arena, 0)
        assert version(arena, game) == seen, "not before the next pause is over"
    assert version(arena, game) > begin


def test_the_games_stand_still_while_nobody_looks(arena: Arena) -> None:
    game = arena.service.exhibition.keep()[0]
    moved(arena)
    seen = version(arena, game)
    expire(arena.live, LOOKED_MS, LOOKED)
    moved(arena)
    moved(arena, UNWATCHED_MS)
    assert version(arena, game) == seen
    assert arena.service.exhibition.keep() == []
    arena.store.watchers.look()
    moved(arena, UNWATCHED_MS)
    assert version(arena, game) > seen


def test_the_next_game_follows_and_the_last_one_is_in_no_list(arena: Arena) -> None:
    arena.service.exhibition.keep()
    game = arena.service.exhibition.games()["toepen"]
    ended = played_out(arena, game)
    assert ended["state"] == "finished"
    assert game not in arena.service.exhibition.keep()
    assert arena.service.exhibition.games()["toepen"] == game, "the result can be read for a while"
    # It can be replayed, but is nowhere else.
    record = orjson.loads(arena.live.record(game))
    assert record["info"]["exhibition"] is True
    assert list(arena.live.iter_records()) == []
    for options in ({}, {"kind": "toepen"}, {"state": "finished"}):
        assert game not in [one["game"] for one in arena.live.list(**options).items]
    skip(arena.live, REST_MS)
    arena.service.exhibition.keep()
    following = arena.service.exhibition.games()["toepen"]
    assert following != game
    assert arena.live.summary(following)["rules"]["seats"] == 4
    expire(arena.live, 3_600_000, game_key(game))
    expire(arena.live, EXHIBITION_KEPT_MS, record_key(game))
    with pytest.raises(ArenaError):
        arena.live.summary(game)


def test_the_games_have_a_budget(url: str) -> None:
    arena = Arena(url, exhibition_ms=1_000)
    arena.store.watchers.look()
    skip(arena.live, DAY_MS - arena.now_ms() % DAY_MS + 1_000)
    game = arena.service.exhibition.keep()[0]
    arena.service.budgets.charge(EXHIBITION, 1_000)
    # What has begun goes on.
    seen = version(arena, game)
    moved(arena)
    assert version(arena, game) > seen
    arena.live.cancel(game, "over", running=True)
    skip(arena.live, REST_MS)
    assert arena.service.exhibition.keep() == []
    skip(arena.live, DAY_MS)
    assert len(arena.service.exhibition.keep()) == 1
    arena.live.close()


def test_moves_are_paid_by_the_account_of_the_exhibition(arena: Arena) -> None:
    game = arena.service.exhibition.keep()[0]
    assert arena.live.payer(game) == EXHIBITION
    moved(arena)
    assert EXHIBITION in arena.service.budgets.usage(10).accounts


def test_no_time_means_no_games(url: str) -> None:
    arena = Arena(url, exhibition_ms=0)
    arena.store.watchers.look()
    assert arena.service.exhibition.keep() == []
    arena.live.close()


@pytest.mark.parametrize("kind", GAMES)
def test_all_presets_and_all_levels_take_their_turns(kind: str) -> None:
    game = GAMES[kind]
    numbers = range(3 * len(game.presets))
    assert {preset_of(game, number).name for number in numbers} == {one.name for one in game.presets}
    players = {name for number in numbers for name in players_of(game, number)}
    assert players == set(game.house_bots) - {"random"}
    for number in numbers:
        rules = game.options.complete(preset_of(game, number).rules)
        assert len(players_of(game, number)) == game.seats(rules)
        for team in game.teams(rules):
            assert len({players_of(game, number)[seat] for seat in team}) == 1


def test_spectators_of_all_processes_are_added(arena: Arena) -> None:
    watchers, now_ms = arena.store.watchers, arena.now_ms()
    assert watchers.report("one", {"a": 2, "b": 1}, now_ms) == {"a": 2, "b": 1}
    assert watchers.report("two", {"a": 3}, now_ms) == {"a": 5, "b": 1}
    # A process reports the present number, and one that was killed is forgotten.
    assert watchers.report("two", {"a": 1}, now_ms + REPORT_MS) == {"a": 3, "b": 1}
    assert watchers.report("two", {"a": 1}, now_ms + 4 * REPORT_MS) == {"a": 1}
    watchers.withdraw("two")
    assert watchers.report("one", {}, now_ms + 4 * REPORT_MS) == {}
