"""The bill of jobs: each kind is charged once, to the account that it belongs to, whatever its outcome."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from arena.accounts import bill
from arena.accounts.allowances import BudgetExceeded
from arena.accounts.payers import ARENA, GUESTS
from arena.accounts.uploads import python_upload
from arena.errors import ArenaError
from arena.live.header import payer_of_person, person_account
from arena.live.unfinished import KEPT_MS, TooManyTables, UnfinishedGames
from arena.ops.jobs import Job, JobName
from arena.sandbox.progress import JOB, PROGRESS
from arena.store.amounts import DAY_MS
from arena.store.connection import StoreUnavailable
from tests.live.arenas import Arena
from tests.live.clock import skip

SOURCE = "def choose(turn):\n    return turn['legal_actions'][0]\n"


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url)
    opened.accounts.sign_up("olga")
    skip(opened.live, DAY_MS - opened.now_ms() % DAY_MS)
    yield opened
    opened.live.close()


def used(arena: Arena) -> dict[str, float]:
    """The processor time of today by account."""
    return arena.service.budgets.usage(100).accounts


def charged(arena: Arena, account: str) -> int:
    day = arena.now_ms() // DAY_MS
    return arena.store.budgets.used(account, day).fuel_ms


def burn(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_a_job_is_charged_once_with_its_children_and_also_if_it_fails(arena: Arena) -> None:
    own = arena.service.bill

    def fail() -> None:
        own.to("olga")
        burn(0.05)
        subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), own.job():
        fail()
    (ms,) = used(arena).values()
    assert 70 < ms == pytest.approx(charged(arena, "olga"), abs=1)
    with own.job():
        burn(0.02)
    assert used(arena)["olga"] == ms
    assert used(arena)[ARENA] > 20
    assert arena.service.budgets.usage(1).all_ms == pytest.approx(sum(used(arena).values()))


def test_the_arena_pays_for_what_it_prepares(arena: Arena) -> None:
    own = arena.service.bill
    with own.job():
        burn(0.2)
        own.rest_to("olga")
        burn(0.02)
    assert used(arena)[ARENA] >= 200
    assert 20 <= used(arena)["olga"] < 200


def test_what_a_queue_needs_is_charged_to_the_arena(arena: Arena) -> None:
    own = arena.service.bill
    for _ in range(2):
        with own.around():
            burn(0.1)
            with own.job():
                own.to("olga")
                burn(0.01)
    assert 20 <= used(arena)["olga"] < 200
    assert used(arena)[ARENA] >= 200


def test_fuel_is_charged_if_it_is_more_than_the_processor_time(arena: Arena) -> None:
    own = arena.service.bill
    with own.job():
        own.to("olga")
        PROGRESS.charge(5000)
    assert charged(arena, "olga") == 5000
    # Who uses the machine is another question.
    assert used(arena)["olga"] < 100


def test_what_is_less_than_a_millisecond_is_not_lost(arena: Arena) -> None:
    for _ in range(10):
        arena.service.budgets.charge("olga", 0.25)
    assert charged(arena, "olga") == 2
    assert used(arena)["olga"] == 2.5


def test_a_worker_that_ends_leaves_its_job_and_who_pays(arena: Arena) -> None:
    own = arena.service.bill
    PROGRESS.clear()
    assert PROGRESS.ended_job(10**6) is None
    PROGRESS.begin(JOB, 60)
    try:
        with own.job():
            own.to("olga")
            PROGRESS.charge(40)
            ended = PROGRESS.ended_job(bill.processor_ms() + 100)
            assert ended is not None
            assert (ended.group, ended.payer, ended.charged_ms) == (None, "olga", 40)
            assert 100 <= ended.used_ms < 200
        over = PROGRESS.ended_job(10**6)
        assert over is not None
        assert (over.payer, over.used_ms, over.charged_ms) == ("", 0, 0)
    finally:
        PROGRESS.end(JOB)
    arena.service.note_ended_worker(ended)
    assert charged(arena, "olga") >= 100
    assert not math.isinf(used(arena)["olga"])


def test_a_charge_waits_until_the_database_is_back(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*values: object) -> None:
        raise StoreUnavailable("the database is unavailable")

    own = arena.service.bill
    with monkeypatch.context() as broken:
        broken.setattr(arena.service.budgets, "charge", fails)
        with own.job():
            own.to("olga")
            burn(0.05)
        assert used(arena) == {}
    with own.job():
        own.to("rita")
    assert used(arena)["olga"] >= 50
    assert "rita" in used(arena)


# Each kind of job


def test_ticks_and_boards_belong_to_the_arena(arena: Arena) -> None:
    arena.service.run(Job(JobName.TICK))
    arena.service.run(Job(JobName.PUBLISH_BOARD, ("truco", "open", "base@1")))
    arena.service.run(Job(JobName.STEP_TOURNAMENT, ("nothing",)))
    assert set(used(arena)) == {ARENA}


def test_groups_of_house_bots_and_standings_belong_to_the_organiser(arena: Arena) -> None:
    arena.cup()
    arena.lock()
    for name in (JobName.STEP_TOURNAMENT, JobName.UPDATE_STANDINGS):
        before = used(arena).get("olga", 0)
        arena.service.run(Job(name, ("cup",)))
        assert used(arena)["olga"] > before
    before = used(arena)["olga"]
    arena.service.run(Job(JobName.PLAY_LOCAL_GROUPS, ("cup", 0, "olga")))
    assert used(arena)["olga"] > before + 1
    assert set(used(arena)) == {"olga"}


def test_a_live_game_and_its_record_belong_to_the_creator(arena: Arena) -> None:
    game = str(arena.live.create("truco", seats=[{"house": "rookie"}] * 4, created_by="olga")["game"])
    while job := next(iter(arena.jobs.pending), None):
        before = used(arena).get("olga", 0)
        del arena.jobs._pending[job]
        arena.service.run(job)
        assert used(arena)["olga"] > before
    assert arena.live.summary(game)["state"] == "finished"
    assert set(used(arena)) == {"olga"}


@pytest.mark.system
def test_an_upload_and_its_refusal_belong_to_the_owner(arena: Arena) -> None:
    for name, source in (("good", SOURCE), ("bad", "choose = 1 / 0\n")):
        before = used(arena).get("olga", 0)
        _, _, upload = arena.uploads.register("olga", name, "1", python_upload(source))
        arena.service.run(Job(JobName.CHECK_UPLOAD, (name, upload.id, "olga")))
        assert arena.uploads.find(name, upload.id).state == ("added" if name == "good" else "refused")
        assert used(arena)["olga"] > before + 100
    arena.service.budgets.charge("olga", 10**9)
    with pytest.raises(BudgetExceeded):
        arena.uploads.register("olga", "more", "1", python_upload(SOURCE))


def finished_game(arena: Arena) -> str:
    """A game of a person that is over."""
    person = {"person": "person_1", "name": "guest 1", "agrees": False}
    game = str(arena.live.create("truco", seats=[person, *[{"house": "rookie"}] * 3])["game"])
    arena.live.resign(game, "person_1")
    arena.jobs.run_pending(arena.service)
    return game


def test_a_review_belongs_to_who_asked_for_it(arena: Arena) -> None:
    reviews = arena.service.reviews
    game = finished_game(arena)
    assert set(used(arena)) == {GUESTS}
    reviews.request(game, 1, "olga")
    arena.jobs.run_pending(arena.service)
    review = reviews.find(game, 1)
    assert review is not None
    assert review.done
    assert used(arena)["olga"] > 1


def test_a_review_that_nobody_can_pay_is_not_made_and_can_be_requested_again(arena: Arena) -> None:
    reviews = arena.service.reviews
    game = finished_game(arena)
    reviews.request(game, 1, "olga")
    arena.service.budgets.charge("olga", 10**9)
    arena.jobs.run_pending(arena.service)
    assert reviews.find(game, 1) is None
    reviews.check(game, 1)


def test_an_upload_whose_owner_has_used_up_the_day_is_refused_in_words(arena: Arena) -> None:
    _, _, upload = arena.uploads.register("olga", "good", "1", python_upload(SOURCE))
    assert arena.jobs.pending == [Job(JobName.CHECK_UPLOAD, ("good", upload.id, "olga"))]
    arena.service.budgets.charge("olga", 10**9)
    before = used(arena)["olga"]
    arena.jobs.run_pending(arena.service)
    found = arena.uploads.find("good", upload.id)
    assert (found.state, found.code) == ("refused", "upload_not_checked")
    assert found.reason == (
        "an account can use at most 3600 s of processor time per day; 0 s are left; upload it again when the "
        "budget renews at 00:00 UTC"
    )
    assert used(arena)["olga"] == before
    # Nothing has been found out about these bytes.
    skip(arena.live, DAY_MS)
    arena.uploads.register("olga", "good", "1", python_upload(SOURCE))


def test_a_lost_upload_is_requested_again_for_its_owner(arena: Arena) -> None:
    _, _, upload = arena.uploads.register("olga", "good", "1", python_upload(SOURCE))
    arena.jobs._pending.clear()
    arena.service.run(Job(JobName.TICK))
    assert Job(JobName.CHECK_UPLOAD, ("good", upload.id, "olga")) in arena.jobs.pending


@pytest.mark.system
def test_a_trial_game_belongs_to_the_address(arena: Arena) -> None:
    payer = arena.service.payers.of_address("192.0.2.1")
    assert "192" not in payer
    trial = arena.service.trial_games.begin(SOURCE, payer)
    arena.jobs.run_pending(arena.service)
    found = arena.service.trial_games.find(trial)
    assert found is not None
    assert found.state == "played"
    assert charged(arena, payer) > 100
    assert used(arena)[GUESTS] > 100
    assert arena.service.budgets.usage(5).guests == 1


def test_an_owner_has_so_many_unfinished_games_with_house_bots(arena: Arena) -> None:
    """What has begun is not interrupted when the budget is used up, so that there is a limit of it."""

    def create() -> str:
        seats = [{"house": "rookie"}, *[{"open": True}] * 3]
        return str(arena.live.create("truco", seats=seats, created_by="olga")["game"])

    first = create()
    arena.live.create("truco", seats=[{"open": True}] * 4, created_by="olga")
    for _ in range(99):
        create()
    with pytest.raises(TooManyTables) as caught:
        create()
    assert "at most 100 games at a time can be unfinished" in caught.value.message
    arena.live.cancel(first)
    create()
    # They may last for weeks, and count until they are over.
    skip(arena.live, 3 * DAY_MS)
    with pytest.raises(TooManyTables):
        create()


def test_a_game_that_is_about_to_be_stored_is_unfinished(arena: Arena) -> None:
    unfinished = UnfinishedGames(arena.store, 2, KEPT_MS)
    unfinished.add("pia", "one")
    unfinished.add("pia", "two")
    with pytest.raises(TooManyTables):
        unfinished.add("pia", "three")
    # The process that wanted to store them has died.
    skip(arena.live, 61_000)
    unfinished.add("pia", "four")


# Guests


def open_table(arena: Arena, person: str, address: str, owner: str = "") -> str:
    return arena.service.people.open(person, address, "truco", ["house:rookie"] * 3, {}, owner=owner)


def test_a_guest_pays_and_all_guests_of_an_address_together(arena: Arena) -> None:
    budgets, payers = arena.service.budgets, arena.service.payers
    game = open_table(arena, "person_1", "192.0.2.1")
    guest, address = person_account("person_1"), payers.of_address("192.0.2.1")
    budgets.charge(arena.live.header(game).payer, 360_000)
    assert charged(arena, guest) == charged(arena, address) == 360_000
    with pytest.raises(BudgetExceeded) as caught:
        open_table(arena, "person_1", "192.0.2.1")
    assert caught.value.message == "a guest can use at most 360 s of processor time per day; 0 s are left"
    for number in range(2, 11):
        game = open_table(arena, f"person_{number}", "192.0.2.1")
        arena.live.cancel(game, running=True)
        budgets.charge(arena.live.header(game).payer, 360_000)
    with pytest.raises(BudgetExceeded) as caught:
        open_table(arena, "person_11", "192.0.2.1")
    assert caught.value.message.startswith("all guests of one address together can use at most 3600 s")
    assert caught.value.extra["left"] == 0
    open_table(arena, "person_11", "192.0.2.2")
    assert arena.service.budgets.usage(5).guests == 10
    assert used(arena) == {GUESTS: 3_600_000}


def test_a_person_who_has_signed_in_pays_as_the_owner(arena: Arena) -> None:
    open_table(arena, "person_1", "192.0.2.1", "olga")
    arena.jobs.run_pending(arena.service)
    assert set(used(arena)) == {"olga"}
    arena.service.budgets.charge("olga", 10**9)
    with pytest.raises(BudgetExceeded, match="an account can use"):
        open_table(arena, "person_1", "192.0.2.1", "olga")


def test_who_pays_for_a_table_stays_when_the_person_signs_out(arena: Arena) -> None:
    payers = arena.service.payers
    own = open_table(arena, "person_1", "192.0.2.1", "olga")
    as_guest = open_table(arena, "person_1", "192.0.2.1")
    review = payers.of_person("person_1", "", "192.0.2.2", "review-game")
    guest = person_account("person_1")
    assert payers.all_of(arena.live.header(own).payer) == ("olga",)
    assert payers.all_of(arena.live.header(as_guest).payer) == (guest, payers.of_address("192.0.2.1"))
    assert payers.all_of(review) == (guest, payers.of_address("192.0.2.2"))


def test_turns_are_those_of_the_address_or_the_owner(arena: Arena) -> None:
    """However many people are at one address, and however many tables an owner has."""
    payers = arena.service.payers
    one, two, other = (
        open_table(arena, person, address)
        for person, address in (("one", "192.0.2.1"), ("two", "192.0.2.1"), ("three", "192.0.2.2"))
    )
    own = open_table(arena, "one", "192.0.2.1", "olga")
    for game in (one, two, other, own):
        # It is the turn of a house bot now.
        arena.live.resign(game, str(arena.live.header(game).seats[0].bot))
    found = {job.args[0]: job.args[-1] for job in arena.jobs.pending if job.name == JobName.MOVE_HOUSE_BOTS}
    here, there = payers.of_address("192.0.2.1"), payers.of_address("192.0.2.2")
    assert found == {one: here, two: here, other: there, own: "olga"}
    payer = arena.live.header(one).payer
    arena.service.reviews.request(game := finished_game(arena), 1, payer)
    assert arena.jobs.pending[-1] == Job(JobName.REVIEW_GAME, (game, 1, here))


def test_a_deleted_owner_leaves_no_account(arena: Arena) -> None:
    game = open_table(arena, "person_1", "192.0.2.1", "olga")
    arena.service.budgets.charge("olga", 100)
    arena.service.budgets.charge("", 50)
    arena.service.account_data.delete("olga", "olga")
    assert set(used(arena)) == {ARENA}
    assert charged(arena, "olga") == 0
    assert arena.service.payers.all_of(payer_of_person("person_1", game)) == (person_account("person_1"),)
    with pytest.raises(ArenaError):
        arena.accounts.owner("olga")
