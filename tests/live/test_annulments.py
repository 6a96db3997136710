"""Annulling all groups between two owners, also if a process dies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.play.board_names import BoardName
from arena.store.embedded import EmbeddedStore
from arena.store.paging import InvalidCursor
from tests.dying import counted_to, kills_at_each_step
from tests.live.arenas import Arena
from tests.live.playing import quiet

BOARD = BoardName("toepen", "open", "duel@1")
BOTS = {"able": "ana", "bold": "bia", "calm": "caio"}


@pytest.fixture
def arena(clean_store: EmbeddedStore) -> Iterator[Arena]:
    """A service in which bots of three owners have played twice, each a group with each other."""
    opened = Arena(clean_store.url)
    for bot, owner in BOTS.items():
        opened.bot(owner, bot)
    for name in ("one", "two"):
        opened.cup_in_entry(kind="toepen", name=name, house=[], groups=1)
        for bot in BOTS:
            opened.tournaments.enter(name, bot)
        opened.skip_entry()
        assert opened.run(name, dict.fromkeys(BOTS, quiet))["state"] == "finished"
    opened.boards.publish(*BOARD)
    yield opened
    opened.live.close()


def annul(arena: Arena, *owners: str, cursor: str | None = None) -> tuple[int, str | None]:
    return arena.tournaments.annul_between(owners, "admin", "arranged", cursor)


def annulled(arena: Arena) -> list[list[str]]:
    """The players of all annulled groups on the board."""
    return [
        sorted({player.name for player in one.players}) for one in arena.boards.groups(*BOARD) if one.annulled
    ]


def counted(arena: Arena) -> int:
    arena.boards.publish(*BOARD)
    return int((arena.boards.read(*BOARD) or {})["groups"])


def test_all_rated_groups_between_two_owners(arena: Arena) -> None:
    assert counted(arena) == 6
    arena.tournaments.annul("two-r1-p1-g1", "admin", "an earlier one")
    (already,) = annulled(arena)
    arena.cup_in_entry(kind="toepen", name="unrated", house=[], groups=1, rated=False)
    for bot in BOTS:
        arena.tournaments.enter("unrated", bot)
    arena.skip_entry()
    arena.run("unrated", dict.fromkeys(BOTS, quiet))
    expected = 2 - (already == ["able", "bold"])
    assert annul(arena, "bia", "ana") == (expected, None)
    assert annulled(arena).count(["able", "bold"]) == 2
    assert len(annulled(arena)) == expected + 1
    assert counted(arena) == 5 - expected
    reasons = [
        group["annulled"] and group["annulled"]["reason"] for group in arena.tournaments.groups("one").items
    ]
    assert reasons.count("arranged") == 1
    assert all(group["annulled"] is None for group in arena.tournaments.groups("unrated").items)
    assert annul(arena, "ana", "bia") == (0, None)
    assert annul(arena, "ana", "nobody") == annul(arena, "ana", "ana") == (0, None)


def test_a_call_goes_on_where_the_last_one_ended(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.annulment._AT_ONCE", 1)
    monkeypatch.setattr("arena.events.annulment._SECONDS", 0)
    cursor, counts = None, []
    while not counts or cursor:
        count, cursor = annul(arena, "ana", "bia", cursor=cursor)
        counts.append(count)
    assert counts == [1, 1, 0]
    with pytest.raises(InvalidCursor):
        annul(arena, "ana", "bia", cursor="x")


def test_a_shared_bot_counts_for_its_owners_at_the_lock(arena: Arena) -> None:
    arena.service.co_owners.invite("calm", "bia")
    arena.service.co_owners.accept("calm", "bia")
    assert annul(arena, "ana", "bia") == (2, None)
    assert annulled(arena) == 2 * [["able", "bold"]]


def test_a_process_that_is_killed_at_any_command(arena: Arena, clean_store: EmbeddedStore) -> None:
    def annul_until(command: int) -> None:
        dying = Arena(clean_store.url)
        connection: Any = dying.store._connection
        connection.run = counted_to(command)(connection.run)
        annul(dying, "ana", "bia")

    assert len(list(kills_at_each_step(annul_until))) > 10
    assert annulled(arena) == 2 * [["able", "bold"]]
    assert counted(arena) == 4
    table = arena.tournaments.standings("one").table
    assert table.groups == 2
