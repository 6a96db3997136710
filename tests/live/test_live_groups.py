"""Live groups of tournaments with house bots: the organiser pays for them, and their number is limited."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Limit
from arena.store.amounts import DAY_MS, Compute
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.live.playing import quiet
from tests.live.test_presence import qualified

BUDGET_MS = 10**6
BOTS = {"able": quiet, "baker": quiet}


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    limits = {**DEFAULT_LIMITS, "house_games_at_once_per_owner": Limit(2, 1)}
    opened = Arena(url, budget=Compute(1000, BUDGET_MS), http=HttpSettings(limits=limits))
    opened.accounts.sign_up("olga")
    skip(opened.live, DAY_MS - opened.now_ms() % DAY_MS)
    qualified(opened, *BOTS)
    yield opened
    opened.live.close()


def begin(arena: Arena, **options: object) -> None:
    """Lock a tournament of the two bots and a house bot."""
    fields = {"house": ["rookie"], "groups": 1, "rules": {"seats": 2, "lives": 2}, **options}
    arena.cup_in_entry(kind="toepen", **fields)
    for name in BOTS:
        arena.tournaments.enter("cup", name)
    arena.skip_entry()
    arena.tournaments.step("cup")
    assert arena.tournaments.view("cup")["state"] == "running"


def running(arena: Arena) -> set[str]:
    """The running games with a house bot."""
    games = [one for one in arena.live.list(state="running").items if one is not None]
    headers = [arena.live.header(str(game["game"])) for game in games]
    return {one.game for one in headers if any(entry.house is not None for entry in one.seats)}


def test_no_games_with_house_bots_begin_without_processor_time(
    arena: Arena, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    begin(arena, games_per_bot=1, groups=3)
    begun = running(arena)
    assert 1 <= len(begun) <= 2
    arena.service.budgets.charge("olga", BUDGET_MS)
    # The games that have begun are played to their end, and so are those of the two bots.
    while arena.tournaments.progress("cup")["done"] < 3 or running(arena):
        arena.step("cup", BOTS)
        assert running(arena) <= begun
    for _ in range(3):
        arena.step("cup", BOTS)
    assert not running(arena)
    assert arena.tournaments.progress("cup")["done"] == 3
    said = [record.getMessage() for record in caplog.records if "for now" in record.getMessage()]
    assert said == [
        "tournament cup starts no live games for now: an account can use at most 1000 s of "
        "processor time per day; 0 s are left"
    ]
    skip(arena.live, DAY_MS - arena.now_ms() % DAY_MS)
    assert arena.run("cup", BOTS)["state"] == "finished"


def test_an_organiser_has_so_many_games_with_house_bots_at_a_time(arena: Arena) -> None:
    begin(arena, games_per_bot=8, groups=2)
    assert len(running(arena)) == 2
    while arena.tournaments.view("cup")["state"] == "running":
        arena.step("cup", BOTS)
        assert len(running(arena)) <= 2
    assert arena.tournaments.progress("cup")["done"] == 6


def test_the_arena_itself_has_no_such_limit(arena: Arena) -> None:
    when = arena.now_ms()
    fields = {"name": "House", "kind": "toepen", "format": "round_robin", "rules": {"seats": 2}, "groups": 4}
    fields |= {"opens_ms": when, "locks_ms": when + 60_000, "house": ["rookie"], "games_per_bot": 8}
    arena.tournaments.create(fields, "", tournament_id="house")
    for name in BOTS:
        arena.tournaments.enter("house", name)
    skip(arena.live, 60_000)
    arena.tournaments.step("house")
    assert len(running(arena)) > 2
