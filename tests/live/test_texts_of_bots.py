"""Logs and notes of bots count in the quotas of their owners, and make room by themselves."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from arena.accounts.accounts import Principal
from arena.accounts.default_limits import Quotas
from arena.store.amounts import Stored
from arena.store.journals import KEPT_GAMES, LOGS_KEPT_MS, LOGS_OF_BOT, GameJournal
from arena.store.notes import MOST_OF_GAME
from tests.live.arenas import Arena

ANA = Principal("owner", "ana", "ana")
GAMES = 30


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url, quotas=Quotas(owner=Stored(9, 9, 1 << 22)))
    for owner in ("ana", "bia"):
        opened.accounts.sign_up(owner)
    opened.accounts.register_bot("ana", "zap")
    yield opened
    opened.live.close()


def journal(number: int, size: int, bot: str = "zap") -> GameJournal:
    """A log that cannot be compressed."""
    return GameJournal(bot, f"game-{number}", [{"output": random.Random(number).randbytes(size // 2).hex()}])


def used(arena: Arena, owner: str = "ana") -> int:
    """What the quota counts, which is also what a recount finds."""
    counted = arena.store.accounts.used(owner).bytes
    assert counted == arena.store.accounts.stored(owner).bytes
    arena.store.accounts.count_stored()
    return counted


def test_logs_count_in_the_quota(arena: Arena) -> None:
    assert used(arena) == 0
    arena.store.journals.keep(journal(number, 20_000) for number in range(3))
    assert 3 * 10_000 < used(arena) < 3 * 20_000
    service = arena.store.accounts.used(None).bytes
    assert service == used(arena)
    arena.store.journals.keep([journal(0, 20_000)])
    assert used(arena) == service
    arena.service.co_owners.invite("zap", "bia")
    arena.service.co_owners.accept("zap", "bia")
    arena.store.journals.keep([journal(3, 20_000)])
    assert used(arena, "bia") == used(arena) > service
    arena.service.bot_deletion.delete("zap", by=ANA)
    assert used(arena, "bia") == used(arena) == arena.store.accounts.used(None).bytes == 0


def test_the_logs_of_a_bot_are_bounded(arena: Arena) -> None:
    for number in range(GAMES):
        arena.store.journals.keep([journal(number, LOGS_OF_BOT // 8)])
    kept = arena.store.journals.latest("zap", KEPT_GAMES)
    assert [one.game for one in kept] == [f"game-{number}" for number in range(GAMES - 1, -1, -1)][
        : len(kept)
    ]
    assert 8 <= len(kept) < GAMES
    assert used(arena) <= LOGS_OF_BOT
    assert arena.store.journals.find("zap", "game-0") is None
    for number in range(GAMES, GAMES + KEPT_GAMES + 5):
        arena.store.journals.keep([journal(number, 10)])
    assert len(arena.store.journals.latest("zap", 2 * KEPT_GAMES)) == KEPT_GAMES


def test_without_room_the_oldest_logs_make_room(arena: Arena) -> None:
    arena.store.journals.keep([journal(number, 20_000) for number in range(5)])
    arena.accounts.quotas._quotas = Quotas(owner=Stored(9, 9, used(arena) + 100))
    arena.store.journals.keep([journal(5, 30_000)])
    games = [one.game for one in arena.store.journals.latest("zap", 9)]
    assert games == ["game-5", "game-4", "game-3", "game-2"]
    # There is no room for a log that is larger than all together, and none for a bot without logs.
    arena.store.journals.keep([journal(6, 900_000)])
    assert [one.game for one in arena.store.journals.latest("zap", 9)] == games
    arena.accounts.register_bot("ana", "copas")
    arena.store.journals.keep([journal(7, 90_000, "copas")])
    assert arena.store.journals.latest("copas", 9) == []
    assert arena.store.journals.latest("zap", 9)


def test_nothing_is_kept_for_bots_that_do_not_exist(arena: Arena) -> None:
    arena.store.journals.keep([journal(0, 100, "lost")])
    arena.store.notes.add("lost", "game-0", {1: "a plan"})
    assert arena.store._connection.keys("{b:lost}*") == []


def test_expired_logs_no_longer_count(arena: Arena) -> None:
    arena.store.journals.keep([journal(0, 20_000), journal(1, 20_000)])
    before = used(arena)
    old = arena.now_ms() - LOGS_KEPT_MS
    arena.store._connection.run([("HSET", "{b:zap}:journal", "game-0", f"{old} 12000")])
    assert 11_000 < arena.store.accounts.stored("ana").bytes < before - 11_000


def test_notes_count_in_the_quota(arena: Arena) -> None:
    notes = dict.fromkeys(range(MOST_OF_GAME // 1000), "x" * 950)
    arena.store.notes.add("zap", "game-1", notes)
    before = used(arena)
    assert before == 1000 * len(notes)
    arena.store.notes.add("zap", "game-1", notes)
    assert used(arena) == before
    arena.accounts.quotas._quotas = Quotas(owner=Stored(9, 9, before + 10_000))
    arena.store.notes.add("zap", "game-2", notes)
    assert used(arena) <= before + 10_000
    assert [one.game for one in arena.store.notes.all("zap")] == ["game-2"]
    arena.store.notes.forget("zap")
    assert used(arena) == 0
