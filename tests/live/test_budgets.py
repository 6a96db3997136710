"""Budgets per account and day: what an account starts, and nothing else, uses them."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from arena.accounts.allowances import BudgetExceeded
from arena.accounts.payers import ARENA
from arena.accounts.uploads import module_upload
from arena.bots import HostFailure
from arena.events import local_groups
from arena.ops.jobs import InlineJobs, Job, JobName
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.store.amounts import DAY_MS, Compute
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.sandbox import hostile, modules

FIRST = "def choose(turn):\n    return turn['legal_actions'][0]\n"


class Frugal(Arena):
    """An arena in which an owner may start seven groups a day."""

    def __init__(self, url: str, most: Compute) -> None:
        super().__init__(url)
        self.live.close()
        self.jobs = InlineJobs()
        self.service = open_service(Settings(url, budget=most), self.jobs)
        self.store, self.live = self.service.store, self.service.live
        self.accounts, self.tournaments = self.service.accounts, self.service.tournaments
        self.clock, self.boards, self.schedules = (
            self.store.clock,
            self.service.boards,
            self.service.schedules,
        )
        self.accounts.sign_up("olga")

    def step(self, name: str = "cup", bots: Mapping[str, Callable[..., Any]] | None = None) -> None:
        """As workers do it, in jobs."""
        for tournament in (name, *self.store.tournaments.active()):
            self.service.run(Job(JobName.STEP_TOURNAMENT, (tournament,)))
        self.service.run(Job(JobName.PLAY_LOCAL_GROUPS, (name, 0, "olga")))
        self.jobs.run_pending(self.service)


@pytest.fixture
def arena(url: str) -> Iterator[Frugal]:
    opened = Frugal(url, Compute(groups=7, fuel_ms=10**6))
    yield opened
    opened.live.close()


def used(arena: Arena, what: str = "groups", owner: str = "olga") -> int:
    found: int = arena.service.budgets.of_owner(owner)[what]["used"]
    return found


def next_day(arena: Arena) -> None:
    skip(arena.live, DAY_MS - arena.now_ms() % DAY_MS)


def refused(act: Any, *args: Any, **options: Any) -> BudgetExceeded:
    with pytest.raises(BudgetExceeded) as caught:
        act(*args, **options)
    return caught.value


def test_tournaments_use_the_budget_of_their_owner(arena: Frugal) -> None:
    next_day(arena)
    arena.cup()
    assert used(arena) == 0
    assert arena.run()["state"] == "finished"
    assert used(arena) == 6
    error = refused(arena.cup, name="second")
    assert (error.extra["budget"], error.extra["used"], error.extra["left"]) == ("groups", 6, 1)
    assert error.extra["renews_ms"] % DAY_MS == 0
    assert 0 < error.extra["retry_after"] <= DAY_MS // 1000
    assert "1 are left, but this needs 6" in error.message
    next_day(arena)
    assert used(arena) == 0
    arena.cup(name="second")
    assert arena.run("second")["state"] == "finished"


def test_the_lock_decides_and_says_why(arena: Frugal) -> None:
    """Two that would each fit: only the first that is locked does."""
    next_day(arena)
    for name in ("first", "second"):
        arena.cup(name=name)
    assert arena.run("first")["state"] == "finished"
    view = arena.run("second")
    assert view["state"] == "cancelled"
    assert "1 are left, but this needs 6" in view["reason"]
    assert used(arena) == 6


@pytest.mark.costly(6, "two games of ``shark``")
def test_house_bots_at_live_tables_use_the_budget_of_the_creator(arena: Frugal) -> None:
    """Processor time: games of the service cost nobody anything, and no game is cut short."""
    next_day(arena)
    house = [{"house": "shark"}] * 4
    arena.live.create("truco", seats=house)
    arena.jobs.run_pending(arena.service)
    assert used(arena, "fuel_ms") == 0
    start = time.process_time()
    game = str(arena.live.create("truco", seats=house, created_by="olga")["game"])
    arena.jobs.run_pending(arena.service)
    spent = 1000 * (time.process_time() - start)
    assert arena.live.summary(game)["state"] == "finished"
    # Most of it: the rest is what creates the game.
    assert 0.5 * spent < used(arena, "fuel_ms") <= spent + 1
    arena.service.budgets.charge("olga", 10**6)
    error = refused(arena.live.create, "truco", seats=house, created_by="olga")
    assert (error.extra["budget"], error.extra["left"]) == ("fuel_ms", 0)
    assert error.message == "an account can use at most 1000 s of processor time per day; 0 s are left"
    assert arena.live.create("truco", seats=[{"open": True}] * 4, created_by="olga")
    next_day(arena)
    assert arena.live.create("truco", seats=house, created_by="olga")


def test_the_person_who_opened_a_table_pays_for_its_house_bots(arena: Frugal) -> None:
    next_day(arena)
    person = {"person": "somebody", "name": "guest 1", "agrees": False}
    game = str(arena.live.create("truco", seats=[person, *[{"house": "shark"}] * 3])["game"])
    payer = arena.live.header(game).payer
    assert "somebody" not in payer
    arena.jobs.run_pending(arena.service)
    arena.service.budgets.charge(payer, 10**6)
    error = refused(arena.live.create, "truco", seats=[person, *[{"house": "shark"}] * 3])
    assert error.message == "a guest can use at most 360 s of processor time per day; 0 s are left"
    assert (error.expected or "").startswith("to sign in, or to wait ")


def test_a_step_that_is_repeated_uses_nothing_twice(arena: Frugal) -> None:
    next_day(arena)
    for _ in range(3):
        arena.service.budgets.start("olga", "cup/0", 3)
    assert used(arena) == 3
    refused(arena.service.budgets.start, "olga", "cup/3", 5)
    assert used(arena) == 3


def test_the_service_and_admins_have_no_budget(arena: Frugal) -> None:
    arena.accounts.set_admin("olga", True)
    for number in range(3):
        arena.cup(name=f"of-an-admin-{number}")
        assert arena.run(f"of-an-admin-{number}")["state"] == "finished"
    template = {"name": "House", "kind": "truco", "format": "round_robin", "house": ["random", "rookie"]}
    arena.schedules.announce({**template, "groups": 9, "entry_s": 1}, "", "house")
    skip(arena.live, 2000)
    assert arena.run("house")["state"] == "finished"
    assert used(arena) == 0
    assert used(arena, "fuel_ms", ARENA) > 0


def test_qualifications_count_when_the_owner_starts_them(arena: Frugal) -> None:
    next_day(arena)
    for number in range(7):
        arena.bot("olga", f"bot-{number}")
        arena.tournaments.qualify("toepen", f"bot-{number}", "1")
        arena.tournaments.qualify("toepen", f"bot-{number}", "1")
    assert used(arena) == 7
    by = arena.bot("olga", "one-more")
    error = refused(arena.tournaments.qualify, "toepen", "one-more", "1")
    assert error.extra["left"] == 0
    assert arena.tournaments.qualifications("one-more", "1") == []
    arena.accounts.sign_up("pia")
    arena.tournaments.create(
        {"name": "Open", "kind": "toepen", "format": "round_robin", "locks_ms": arena.now_ms() + 60_000},
        "pia",
        tournament_id="of-pia",
    )
    refused(arena.tournaments.enter, "of-pia", "one-more", by=by)
    assert arena.tournaments.view("of-pia")["entries"] == []


def test_fuel_counts_and_what_runs_waits_for_the_next_day(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    arena = Frugal(url, Compute(groups=1000, fuel_ms=10**6))
    try:
        arena.upload("first", FIRST)
        next_day(arena)
        begun = arena.tournaments.qualify("toepen", "first", "1")
        arena.run(begun["tournament"])
        assert used(arena, "fuel_ms") > 1
        arena.service.budgets.charge("olga", 10**6)
        error = refused(arena.cup, kind="toepen", division="sealed")
        assert error.extra["budget"] == "fuel_ms"
        next_day(arena)
        arena.cup(kind="toepen", division="sealed", auto_enter=True, house=["rookie"], groups=3)
        arena.lock()
        arena.service.budgets.charge("olga", 10**6)
        for _ in range(3):
            arena.step()
        assert arena.tournaments.progress("cup")["done"] == 0
        said = "tournament cup waits until its owner has processor time again"
        assert [record.getMessage() for record in caplog.records].count(said) == 1
        error = refused(arena.service.budgets.start, "olga", "another/0", 1)
        assert (error.extra["budget"], error.extra["left"]) == ("fuel_ms", 0)
        next_day(arena)
        assert arena.run()["state"] == "finished"
    finally:
        arena.live.close()


def test_what_a_void_group_used_is_charged(arena: Frugal, monkeypatch: pytest.MonkeyPatch) -> None:
    arena.upload("first", FIRST)
    name = arena.tournaments.qualify("toepen", "first", "1")["tournament"]
    play = local_groups.play_local_group

    def fail(*arguments: Any) -> None:
        play(*arguments)
        raise HostFailure("this machine is too slow")

    monkeypatch.setattr(local_groups, "play_local_group", fail)
    arena.tournaments.step(name)
    before = used(arena, "fuel_ms")
    arena.service.run(Job(JobName.PLAY_LOCAL_GROUPS, (name, 0, "olga")))
    assert [void["reason"] for void in arena.tournaments.view(name)["voids"]] == ["this machine is too slow"]
    assert used(arena, "fuel_ms") > before + 1


def test_processor_time_is_charged_if_it_is_more_than_the_fuel(arena: Frugal) -> None:
    again = "(local.set $i (i32.add (local.get $i) (i32.const 1))) (br_if $next (i32.lt_u (local.get $i) "
    core = f"(func $grow (local $i i32) (loop $next {hostile.GROWS * 20} {again} (i32.const 20000)))))"
    arena.upload("slow", modules.module(core=core, decide="(call $grow)"))
    begun = arena.tournaments.qualify("toepen", "slow", "1")
    arena.run(begun["tournament"])
    (known,) = arena.tournaments.qualifications("slow", "1")
    assert known["state"] == "qualified"
    fuel = 0.0
    for record in arena.tournaments.records(begun["tournament"]):
        game = json.loads(record)["canonical"]["game"]
        for journal in arena.store.journals.find("slow", game) or ():
            fuel += journal["load_ms"] + sum(one["ms"] for one in journal["decisions"])
    assert used(arena, "fuel_ms") > 3 * fuel > 10


def test_an_owner_pays_for_the_check_of_an_upload(arena: Frugal) -> None:
    _, _, received = arena.service.uploads.register("olga", "checked", "1", module_upload(modules.PLAYS))
    arena.service.run(Job(JobName.CHECK_UPLOAD, ("checked", received.id, "olga")))
    assert arena.service.uploads.wait(received, 1).state == "added"
    assert 100 < used(arena, "fuel_ms") < 60_000


def test_a_co_owner_pays_for_the_check_of_an_own_upload(arena: Frugal) -> None:
    arena.accounts.sign_up("bia")
    arena.upload("shared", FIRST)
    arena.service.budgets.charge("bia", 10**9)
    refused(arena.service.uploads.receive, "shared", "2", module_upload(modules.PLAYS), "bia")
    next_day(arena)
    received = arena.service.uploads.receive("shared", "2", module_upload(modules.PLAYS), "bia")
    before = used(arena, "fuel_ms")
    check = Job(JobName.CHECK_UPLOAD, ("shared", received.id, "bia"))
    assert check in arena.jobs.pending
    arena.service.run(check)
    assert arena.service.uploads.find("shared", received.id).state == "added"
    assert used(arena, "fuel_ms") == before
    assert used(arena, "fuel_ms", "bia") > 100
