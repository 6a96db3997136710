"""House bots are asked for by name: never lost between two looks, never a heap of the same."""

from __future__ import annotations

from inspect import signature

import pytest
from rq import Queue
from rq.job import JobStatus

from arena.ops.jobs import InlineJobs, Job, JobName, Jobs
from arena.ops.service import Service
from arena.store.embedded import EmbeddedStore
from queues.enqueuing import RUN_JOB, enqueue
from queues.fair import MOST_OWED, TURN_MS
from queues.rq_jobs import (
    ARENA_QUEUE,
    BY_ACCOUNT,
    HOUSE_QUEUE,
    MAINTENANCE_QUEUE,
    REVIEWS_QUEUE,
    UPLOADS_QUEUE,
    BackgroundJobs,
    RqJobs,
)
from tests.waiting import wait_until


@pytest.fixture
def jobs(clean_store: EmbeddedStore) -> RqJobs:
    return RqJobs(clean_store.url)


def test_one_job_waits_however_often_it_is_requested(jobs: RqJobs) -> None:
    for _ in range(3):
        jobs.step_tournament("one")
        jobs.step_tournament("two")
    queue = jobs.queue(MAINTENANCE_QUEUE)
    assert queue.job_ids == ["step_tournament-one", "step_tournament-two"]
    job = queue.fetch_job("step_tournament-one")
    assert job is not None
    assert job.func_name == RUN_JOB
    assert list(job.args) == ["step_tournament", "one"]


def test_a_job_that_has_begun_gets_a_successor(jobs: RqJobs) -> None:
    queue = jobs.queue(MAINTENANCE_QUEUE)
    jobs.step_tournament("one")
    _begin(queue, "step_tournament-one")
    jobs.step_tournament("one")
    jobs.step_tournament("one")
    assert queue.job_ids == ["step_tournament-one-next"]
    _begin(queue, "step_tournament-one-next")
    jobs.step_tournament("one")
    assert len(queue.job_ids) == 1


def _begin(queue: Queue, job_id: str) -> None:
    """As a worker does it."""
    queue.remove(job_id)
    job = queue.fetch_job(job_id)
    assert job is not None
    job.set_status(JobStatus.STARTED)


def _take(jobs: RqJobs, queue_name: str = HOUSE_QUEUE) -> tuple[str | int, ...]:
    """Take the first ticket of a queue, as a worker does it. Return the arguments of the job that it runs."""
    queue = jobs.queue(queue_name)
    (taken, *_) = queue.job_ids
    _begin(queue, taken)
    job = queue.fetch_job(taken)
    assert job is not None
    name, account = job.args
    found = jobs.next_job(JobName(name), account)
    job.delete()
    return () if found is None else found.args


def test_payers_take_turns_however_many_games_they_have(jobs: RqJobs) -> None:
    for number in range(1, 6):
        jobs.move_house_bots(f"many-{number}", "olga")
        jobs.move_house_bots(f"many-{number}", "olga")
    jobs.move_house_bots("one", "ana")
    assert len(jobs.queue(HOUSE_QUEUE).job_ids) == 2
    assert _take(jobs) == ("many-1", "olga")
    # It has not ended yet.
    jobs.move_house_bots("many-1", "olga")
    assert _take(jobs) == ("one", "ana")
    jobs.move_house_bots("one", "ana")
    assert [_take(jobs) for _ in range(6)] == [
        ("many-2", "olga"),
        ("one", "ana"),
        *((f"many-{number}", "olga") for number in (3, 4, 5, 1)),
    ]
    assert jobs.queue(HOUSE_QUEUE).job_ids == []
    assert jobs.next_job(JobName.MOVE_HOUSE_BOTS, "ana") is None


def test_owners_take_turns_however_many_tournaments_they_have(
    jobs: RqJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "player_count", lambda: 2)
    for number in range(50):
        jobs.play_local_groups(f"many-{number}", 7, "olga")
    jobs.play_local_groups("one", 7, "ana")
    assert len(jobs.queue(ARENA_QUEUE).job_ids) == 2
    played = []
    for _ in range(8):
        tournament, slot, payer = _take(jobs, ARENA_QUEUE)
        played.append(tournament)
        # Its job is over, and more groups are due.
        jobs.play_more_groups(str(tournament), int(slot), str(payer))
    assert played == ["many-0", "one", "many-0", "one", "many-1", "one", "many-1", "one"]


def test_uploads_reviews_and_trial_games_take_turns(jobs: RqJobs) -> None:
    """One account has many, another one has one: it is the second in each queue."""
    for number in range(60):
        jobs.check_upload("bot", f"u{number}", "olga")
        jobs.review_game(f"game-{number}", 0, "olga")
        jobs.play_trial_game(f"trial-{number}", "olga")
    jobs.check_upload("other", "u", "ana")
    jobs.review_game("game", 1, "ana")
    jobs.play_trial_game("trial", "ana")
    assert [_take(jobs, UPLOADS_QUEUE) for _ in range(3)] == [
        ("bot", "u0", "olga"),
        ("other", "u", "ana"),
        ("bot", "u1", "olga"),
    ]
    assert [_take(jobs, REVIEWS_QUEUE) for _ in range(6)] == [
        ("game-0", 0, "olga"),
        ("trial-0", "olga"),
        ("game", 1, "ana"),
        ("trial", "ana"),
        ("game-1", 0, "olga"),
        ("trial-1", "olga"),
    ]


def test_an_account_with_a_long_job_leaves_its_next_turns_to_others(jobs: RqJobs) -> None:
    jobs.play_more_groups("long", 0, "olga")
    jobs.play_more_groups("long", 1, "olga")
    jobs.play_more_groups("short", 0, "ana")
    assert _take(jobs, ARENA_QUEUE) == ("long", 0, "olga")
    jobs.note_used(JobName.PLAY_LOCAL_GROUPS, "olga", 4.5 * TURN_MS)
    played = []
    for _ in range(7):
        taken = _take(jobs, ARENA_QUEUE)
        played.append(taken[0] if taken else "")
        if taken == ("short", 0, "ana"):
            # Its job is over, and more groups are due.
            jobs.note_used(JobName.PLAY_LOCAL_GROUPS, "ana", 1.9 * TURN_MS)
            jobs.play_more_groups("short", 0, "ana")
    assert played == ["short", "", "short", "", "short", "", "short"]
    assert _take(jobs, ARENA_QUEUE) == ("long", 1, "olga")


def test_an_account_that_owes_turns_plays_while_nobody_else_waits(jobs: RqJobs) -> None:
    jobs.play_more_groups("long", 0, "olga")
    jobs.play_more_groups("long", 1, "olga")
    assert _take(jobs, ARENA_QUEUE) == ("long", 0, "olga")
    jobs.note_used(JobName.PLAY_LOCAL_GROUPS, "olga", 10**9)
    assert _take(jobs, ARENA_QUEUE) == ("long", 1, "olga")
    # Beside others it leaves at most ten minutes to them.
    jobs.play_more_groups("long", 2, "olga")
    jobs.compute_matchups("truco", "open", "base@1")
    taken = [_take_ticket_of(jobs, "olga") for _ in range(MOST_OWED + 1)]
    assert taken == [None] * MOST_OWED + [Job(JobName.PLAY_LOCAL_GROUPS, ("long", 2, "olga"))]


def _take_ticket_of(jobs: RqJobs, account: str) -> Job | None:
    queue = jobs.queue(ARENA_QUEUE)
    for ticket in queue.job_ids:
        if f"-{account}-" in ticket:
            _begin(queue, ticket)
    return jobs.next_job(JobName.PLAY_LOCAL_GROUPS, account)


def test_nobody_forgets_who_pays() -> None:
    """The last argument of these jobs, which has no default: the arena itself would pay."""
    for name in BY_ACCOUNT:
        *_, last = signature(getattr(Service, name)).parameters.values()
        assert last.name in ("payer", "account")
        assert last.default is last.empty
        for one in signature(getattr(Jobs, name)).parameters.values():
            assert one.default is one.empty


def test_a_lone_tournament_gets_all_workers(jobs: RqJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each job that begins is followed by the next one, and none ends here."""
    monkeypatch.setattr(jobs, "player_count", lambda: 3)
    jobs.play_local_groups("cup", 7, "olga")
    assert [_take(jobs, ARENA_QUEUE)[1] for _ in range(3)] == [0, 1, 2]
    assert jobs.queue(ARENA_QUEUE).job_ids == []


def test_a_second_ticket_of_an_account_has_no_successor(jobs: RqJobs) -> None:
    """Two processes have asked at the same moment."""
    for number in range(5):
        jobs.move_house_bots(f"many-{number}", "olga")
    second = Job(JobName.MOVE_HOUSE_BOTS, ("olga",))
    enqueue(jobs.queue(HOUSE_QUEUE), second, second.id)
    assert len(jobs.queue(HOUSE_QUEUE).job_ids) == 2
    _take(jobs)
    _take(jobs)
    assert len(jobs.queue(HOUSE_QUEUE).job_ids) == 1


def test_a_lost_ticket_is_requested_again(jobs: RqJobs) -> None:
    jobs.move_house_bots("one", "ana")
    queue = jobs.queue(HOUSE_QUEUE)
    # This is how a worker takes it; here it dies.
    Queue.lmove(queue.connection, queue.key, None)
    assert queue.job_ids == []
    for _ in range(3):
        jobs.move_house_bots("one", "ana")
    assert len(queue.job_ids) == 1
    assert _take(jobs) == ("one", "ana")
    # It dies with the job.
    jobs.move_house_bots("one", "ana")
    assert _take(jobs) == ("one", "ana")


def test_requests_do_not_block_and_arrive(jobs: RqJobs) -> None:
    background = BackgroundJobs(jobs)
    for number in range(50):
        background.step_tournament(f"cup-{number}")
        background.step_tournament(f"cup-{number}")
    queue = jobs.queue(MAINTENANCE_QUEUE)
    wait_until(lambda: len(queue.job_ids) == 50)
    assert sorted(queue.job_ids) == sorted(f"step_tournament-cup-{number}" for number in range(50))


def test_each_kind_of_job_has_its_queue(jobs: RqJobs) -> None:
    for _ in range(3):
        jobs.step_tournament("cup")
        jobs.publish_board("truco", "open", "base@1")
        jobs.play_local_groups("cup", 7, "")
        jobs.compute_matchups("truco", "open", "base@1")
    assert jobs.queue(MAINTENANCE_QUEUE).job_ids == ["step_tournament-cup", "publish_board-truco-open-base_1"]
    # There is no worker: one job, which the first worker that comes will find.
    ticket, other = jobs.queue(ARENA_QUEUE).job_ids
    assert (ticket[:19], other) == ("play_local_groups--", "compute_matchups-truco-open-base_1")
    assert jobs.next_job(JobName.PLAY_LOCAL_GROUPS, "") == (JobName.PLAY_LOCAL_GROUPS, ("cup", 0, ""))


def test_without_a_database_requests_are_left_to_the_sweeper(caplog: pytest.LogCaptureFixture) -> None:
    BackgroundJobs(RqJobs("unix:///nowhere/at/all.sock")).move_house_bots("one", "ana")
    wait_until(lambda: "it will be requested again" in caplog.text)


def test_inline_jobs_run_in_order_with_what_they_request() -> None:
    jobs = InlineJobs()
    ran: list[Job] = []

    class Recorder:
        def run(self, job: Job) -> None:
            ran.append(job)
            if job.name is JobName.STEP_TOURNAMENT:
                jobs.play_local_groups("cup", 7, "")

    for _ in range(2):
        jobs.step_tournament("cup")
        jobs.move_house_bots("game", "")
    assert jobs.run_pending(Recorder()) == 3
    assert [job.id for job in ran] == [
        "step_tournament-cup",
        "move_house_bots-game-",
        "play_local_groups-cup-0-",
    ]
    assert jobs.pending == []
