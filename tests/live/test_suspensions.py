"""Suspended bots: those of a group that ended two workers, until an admin lifts the suspension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.accounts.suspensions import BotSuspended, SuspensionNotFound
from arena.accounts.versions import Suspension
from arena.sandbox.progress import EndedJob, GroupAttempt
from tests.live.arenas import Arena
from tests.live.snapshots import play_once
from tests.waiting import wait_until

pytestmark = pytest.mark.system

SOURCE = "def choose(turn):\n    return turn['legal_actions'][0]\n"
GROUP = "r1-p1-g1"


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url)
    play_once(opened, qualify_three)
    yield opened
    opened.live.close()


def qualify_three(arena: Arena) -> None:
    for name in ("amy", "bea", "cat"):
        arena.upload(name, SOURCE, owner=f"of-{name}")
        event = arena.tournaments.qualify("toepen", name, "1")["tournament"]
        arena.run(event)


def running_cup(arena: Arena, name: str = "cup", **options: Any) -> None:
    """A tournament of amy, bea and house bots whose groups are due."""
    arena.cup_in_entry(name=name, kind="toepen", division="sealed", house=["rookie"], groups=1, **options)
    for bot in ("amy", "bea"):
        arena.tournaments.enter(name, bot)
    arena.skip_entry()
    wait_until(lambda: arena.tournaments.step(name).state == "running")


def group_of(arena: Arena, name: str, *players: str) -> str:
    (found,) = [
        group["id"] for group in arena.tournaments.groups(name).items if set(group["players"]) == set(players)
    ]
    return str(found)


def suspended(arena: Arena) -> dict[str, str]:
    """The reasons of all suspensions."""
    return {bot.name: bot.suspended.reason for bot in arena.service.suspensions.bots() if bot.suspended}


@pytest.mark.parametrize(
    ("calling", "bots", "told"),
    [
        (("amy", "amy"), ["amy"], "during calls of this bot"),
        (("amy", "bea"), ["amy", "bea"], "possibly because of another bot"),
        (("", "amy"), ["amy", "bea"], "possibly because of another bot"),
        (("", ""), ["amy", "bea"], "possibly because of another bot"),
    ],
)
def test_the_bots_of_a_group_that_ended_two_workers_are_suspended(
    calling: tuple[str, str], bots: list[str], told: str, arena: Arena
) -> None:
    running_cup(arena)
    group = group_of(arena, "cup", "amy", "bea")
    first, second = (
        GroupAttempt("cup", group, number, ("amy", "bea"), bot) for number, bot in enumerate(calling)
    )
    for _ in range(2):
        # The second worker that hung in the same attempt changes nothing.
        arena.tournaments.note_ended_worker(first)
    assert suspended(arena) == {}
    arena.tournaments.note_ended_worker(second)
    reasons = suspended(arena)
    assert list(reasons) == bots
    assert all(told in reason for reason in reasons.values())
    arena.tournaments.note_ended_worker(second)
    view = arena.run()
    assert [void["group"] for void in view["voids"]].count(group) == 2
    # The other groups of a suspended bot are not played either.
    states = {frozenset(one["players"]): one["state"] for one in arena.tournaments.groups("cup").items}
    assert states == {
        frozenset(pair): "void"
        if {*bots, *(("amy", "bea") if pair == ("amy", "bea") else ())} & {*pair}
        else "done"
        for pair in (("amy", "bea"), ("amy", "rookie"), ("bea", "rookie"))
    }
    assert all(void["reason"] for void in view["voids"])


def test_a_bot_that_ended_a_worker_in_each_of_two_groups_is_suspended(arena: Arena) -> None:
    running_cup(arena)
    for players, calling in ((("amy", "bea"), "amy"), (("bea", "rookie"), ""), (("amy", "rookie"), "amy")):
        assert suspended(arena) == {}
        group = group_of(arena, "cup", *players)
        uploaded = tuple(name for name in players if name != "rookie")
        arena.tournaments.note_ended_worker(GroupAttempt("cup", group, 0, uploaded, calling))
    assert suspended(arena) == {"amy": "2 workers hung or crashed during calls of this bot"}
    arena.run()
    states = {frozenset(one["players"]): one["state"] for one in arena.tournaments.groups("cup").items}
    assert {pair for pair, state in states.items() if state == "done"} == {frozenset({"bea", "rookie"})}


def test_other_voids_do_not_suspend(arena: Arena) -> None:
    running_cup(arena)
    group = group_of(arena, "cup", "amy", "bea")
    arena.store.tournaments.void("cup", group, 0, b'{"group": "", "reason": "slow"}', 3, b"null")
    # The first was an attempt before that void.
    arena.tournaments.note_ended_worker(GroupAttempt("cup", group, 0, ("amy", "bea"), "amy"))
    arena.tournaments.note_ended_worker(GroupAttempt("cup", group, 1, ("amy", "bea"), "amy"))
    assert suspended(arena) == {}
    assert arena.store.tournaments.ended_workers("cup", group) == ["amy"]
    assert arena.run()["state"] == "finished"
    assert {one["state"] for one in arena.tournaments.groups("cup").items} == {"done"}


def test_a_suspended_bot_is_not_seated_until_that_is_lifted(arena: Arena) -> None:
    suspensions = arena.service.suspensions
    why = Suspension("it hung", arena.now_ms(), "cup", GROUP)
    with pytest.raises(SuspensionNotFound):
        suspensions.lift("amy")
    arena.cup_in_entry(kind="toepen", division="sealed", house=["rookie", "random"], groups=1)
    for bot in ("amy", "bea"):
        arena.tournaments.enter("cup", bot)
    suspensions.suspend("amy", why)
    suspensions.suspend("amy", Suspension("again", 0, "", ""))
    assert arena.accounts.bot("amy").suspended == why
    assert suspensions.among(["amy", "bea", "nobody"]) == {"amy"}
    # Its owner cannot lift it.
    arena.accounts.change_bot("amy", "active")
    arena.upload("amy", SOURCE + "\n", "2")
    for seat in (
        lambda: arena.tournaments.enter("cup", "amy"),
        lambda: arena.tournaments.qualify("toepen", "amy", "2"),
    ):
        with pytest.raises(BotSuspended, match="amy is suspended: it hung"):
            seat()
    # What had entered is left out at the lock, and automatic entries do not have it.
    arena.skip_entry()
    entries = {entry["bot"]: entry for entry in arena.run()["entries"]}
    assert (entries["amy"]["status"], entries["amy"]["reason"]) == ("withdrawn", "the bot is suspended")
    assert entries["bea"]["status"] == "qualified"
    arena.cup(name="auto", kind="toepen", division="sealed", auto_enter=True, house=["rookie"], groups=1)
    assert {entry["bot"] for entry in arena.run("auto")["entries"]} == {"bea", "cat", "rookie"}
    assert suspensions.lift("amy").suspended is None
    assert suspensions.bots() == []
    assert arena.tournaments.qualify("toepen", "amy", "2")["state"] == "qualifying"
    suspensions.suspend("amy", why)
    arena.accounts.delete_bot("amy")
    suspensions.suspend("amy", why)
    assert suspensions.bots() == []


def test_a_job_that_ended_with_its_worker_is_charged_once(arena: Arena) -> None:
    running_cup(arena)
    group = group_of(arena, "cup", "amy", "bea")

    def used() -> int:
        found: int = arena.service.budgets.of_owner("olga")["fuel_ms"]["used"]
        return found

    before = used()
    attempt = GroupAttempt("cup", group, 0, ("amy", "bea"), "amy")
    for _ in range(2):
        arena.service.note_ended_worker(EndedJob("one", attempt, "olga", 1500, 40.0))
    assert used() - before == 1500
    # The fuel was more than the processor time.
    arena.service.note_ended_worker(EndedJob("two", None, "olga", 10, 40.0))
    assert used() - before == 1540
