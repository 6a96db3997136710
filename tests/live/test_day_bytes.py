"""The bytes of live games, counted when they are created and when they end, and of announced tournaments are
limited per day.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.accounts.allowances import BudgetExceeded
from arena.accounts.default_limits import DayBytes
from arena.live.finalizer import OPEN_BYTES
from arena.live.header import person_account
from tests.live.arenas import Arena
from tests.live.test_budgets import next_day

HOUSE = [{"house": "random"}] * 4
OPEN = [{"open": True}] * 4
MOST = DayBytes(20_000, 5_000)


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url, day_bytes=MOST)
    for owner in ("olga", "ines"):
        opened.accounts.sign_up(owner)
    next_day(opened)
    yield opened
    opened.live.close()


def used(arena: Arena, owner: str = "olga") -> int:
    found: int = arena.service.budgets.of_owner(owner)["bytes"]["used"]
    return found


def play(arena: Arena, **options: object) -> str:
    """Play a game of house bots to the end."""
    game = arena.live.create("truco", seats=HOUSE, created_by="olga", **options)["game"]  # type: ignore[arg-type]
    arena.jobs.run_pending(arena.service)
    assert arena.store.game_index.ended(game) is not None
    return str(game)


def test_a_game_counts_when_it_is_created_and_the_rest_when_it_ends(arena: Arena) -> None:
    for _ in range(2):
        game = arena.live.create("truco", seats=OPEN, created_by="olga", game_id="once")["game"]
        assert used(arena) == OPEN_BYTES
    arena.live.cancel(game, "x" * OPEN_BYTES)
    arena.jobs.run_pending(arena.service)
    ended = arena.store.game_index.ended(game)
    assert ended is not None
    assert used(arena) == len(ended.header) + len(ended.record or b"") > OPEN_BYTES
    arena.live.finalizer.check(game)
    assert used(arena) == len(ended.header) + len(ended.record or b"")
    assert used(arena, "ines") == 0


def test_a_short_game_counts_as_an_open_one(arena: Arena) -> None:
    game = play(arena)
    assert used(arena) == OPEN_BYTES
    arena.live.finalizer.check(game)
    assert used(arena) == OPEN_BYTES


def test_open_games_use_up_the_bytes_of_a_day(arena: Arena) -> None:
    with pytest.raises(BudgetExceeded):
        [arena.live.create("truco", seats=OPEN, created_by="olga") for _ in range(30)]
    assert MOST.owner <= used(arena) < MOST.owner + OPEN_BYTES


def test_beyond_the_bytes_of_a_day_no_game_begins(arena: Arena) -> None:
    with pytest.raises(BudgetExceeded) as caught:
        [play(arena) for _ in range(30)]
    assert caught.value.extra["budget"] == "bytes"
    assert caught.value.extra["used"] == used(arena) >= MOST.owner
    assert "20000 bytes per day" in caught.value.message
    with pytest.raises(BudgetExceeded):
        arena.live.create("truco", seats=OPEN, created_by="olga")
    with pytest.raises(BudgetExceeded):
        arena.cup()
    arena.live.create("truco", seats=HOUSE, created_by="ines")
    arena.live.create("truco", seats=HOUSE)
    next_day(arena)
    play(arena)


def test_guests_of_one_address_together(arena: Arena) -> None:
    people = arena.service.people
    game = people.open("person_1", "192.0.2.1", "toepen", ["house:random"], {})
    budgets, payer = arena.service.budgets, people.header(game).payer
    budgets.add_bytes(payer, MOST.guest - OPEN_BYTES)
    with pytest.raises(BudgetExceeded, match="a guest"):
        people.open("person_1", "192.0.2.1", "toepen", ["friend"], {})
    for number in range(2, 11):
        other = people.open(f"person_{number}", "192.0.2.1", "toepen", ["friend"], {})
        budgets.add_bytes(people.header(other).payer, MOST.guest - OPEN_BYTES)
        arena.live.cancel(other)
    with pytest.raises(BudgetExceeded, match="one address"):
        people.open("person_11", "192.0.2.1", "toepen", ["friend"], {})
    people.open("person_11", "192.0.2.2", "toepen", ["friend"], {})
    assert person_account("person_1") in budgets._payers.all_of(payer)


def test_announced_tournaments_count(arena: Arena) -> None:
    arena.cup(description="x" * 1000)
    before = used(arena)
    assert before > 1500
    arena.run()
    assert used(arena) == before
