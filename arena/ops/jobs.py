"""The port for jobs: work that is done outside the request that causes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

MOST_SLOTS: Final = 64
"""The maximum number of concurrent jobs that play the groups of one tournament."""


class JobName(StrEnum):
    """The names of jobs, each a method of :class:`~arena.ops.service.Service`."""

    FINISH_GAME = "finish_game"
    MOVE_HOUSE_BOTS = "move_house_bots"
    STEP_TOURNAMENT = "step_tournament"
    PLAY_LOCAL_GROUPS = "play_local_groups"
    UPDATE_STANDINGS = "update_standings"
    PUBLISH_BOARD = "publish_board"
    COMPUTE_MATCHUPS = "compute_matchups"
    TICK = "tick"
    CHECK_UPLOAD = "check_upload"
    REVIEW_GAME = "review_game"
    DELIVER_ANNOUNCEMENTS = "deliver_announcements"


class Job(NamedTuple):
    """A job and its arguments, which are ids and numbers."""

    name: JobName
    args: tuple[str | int, ...] = ()

    @property
    def id(self) -> str:
        """The id, which is the same for the same job and arguments."""
        # RQ allows letters, digits, underscores and dashes.
        return "-".join((self.name, *map(str, self.args))).replace("@", "_")


class QueueFigures(NamedTuple):
    """The figures of a queue: the number of waiting jobs, the seconds for which the oldest has waited, and
    the number of jobs that failed in the last hour.
    """

    name: str
    jobs: int
    oldest_s: float
    failed: int


class RunsJobs(Protocol):
    """Something that runs jobs: the service."""

    def run(self, job: Job) -> None:
        """Run ``job``."""


class JobFigures(NamedTuple):
    """The queues, the number of workers that are alive, and the number of those that run a job."""

    queues: list[QueueFigures]
    workers: int
    busy: int = 0


class Jobs(ABC):
    """Requests for jobs. A job may run twice. A request may be lost with its process; the sweeper or the tick
    then repeats it. A job that is already waiting is not added again.
    """

    def finish_game(self, game_id: str) -> None:
        """Store the record of a live game that has ended, and do what follows from it."""
        self.request(Job(JobName.FINISH_GAME, (game_id,)))

    def move_house_bots(self, game_id: str) -> None:
        """Let the house bots of a live game move."""
        self.request(Job(JobName.MOVE_HOUSE_BOTS, (game_id,)))

    def step_tournament(self, tournament_id: str) -> None:
        """Take the steps of a tournament that are due."""
        self.request(Job(JobName.STEP_TOURNAMENT, (tournament_id,)))

    def play_local_groups(self, tournament_id: str, groups: int) -> None:
        """Play ``groups`` groups of a tournament, in one job per process that plays groups."""
        for slot in range(max(1, min(groups, self.player_count(), MOST_SLOTS))):
            self.play_more_groups(tournament_id, slot)

    def play_more_groups(self, tournament_id: str, slot: int) -> None:
        """Continue the job ``slot`` that plays groups of a tournament."""
        self.request(Job(JobName.PLAY_LOCAL_GROUPS, (tournament_id, slot)))

    def update_standings(self, tournament_id: str) -> None:
        """Compute the live standings of a tournament."""
        self.request(Job(JobName.UPDATE_STANDINGS, (tournament_id,)))

    def publish_board(self, kind: str, division: str, preset: str) -> None:
        """Publish a leaderboard."""
        self.request(Job(JobName.PUBLISH_BOARD, (kind, division, preset)))

    def compute_matchups(self, kind: str, division: str, preset: str) -> None:
        """Compute who beats whom on a published leaderboard."""
        self.request(Job(JobName.COMPUTE_MATCHUPS, (kind, division, preset)))

    def check_upload(self, bot: str, upload: str) -> None:
        """Compile and load an upload, and make it a version or refuse it."""
        self.request(Job(JobName.CHECK_UPLOAD, (bot, upload)))

    def review_game(self, game_id: str, seat: int) -> None:
        """Ask what a house bot would have done at the decisions of a seat."""
        self.request(Job(JobName.REVIEW_GAME, (game_id, seat)))

    def deliver_announcements(self, subscription: str) -> None:
        """Post the announcements of a tournament to a webhook that follows it."""
        self.request(Job(JobName.DELIVER_ANNOUNCEMENTS, (subscription,)))

    def problem(self) -> str | None:
        """Return why jobs cannot be requested now, or None if they can."""
        return None

    def figures(self) -> JobFigures | None:
        """Return the figures of the queues, or None if there are none or they cannot be read."""
        return None

    def player_count(self) -> int:
        """Return the number of processes that play groups."""
        return 1

    @abstractmethod
    def request(self, job: Job) -> None:
        """Request that ``job`` runs soon."""


class InlineJobs(Jobs):
    """Jobs that wait in this process for :meth:`run_pending`, in the order in which they were requested."""

    def __init__(self) -> None:
        self._pending: dict[Job, None] = {}

    @property
    def pending(self) -> list[Job]:
        """The waiting jobs."""
        return list(self._pending)

    def request(self, job: Job) -> None:
        """Add ``job`` to the waiting jobs."""
        self._pending.setdefault(job)

    def run_pending(self, service: RunsJobs) -> int:
        """Run the waiting jobs on ``service``, and those that they request, and return how many ran."""
        count = 0
        while self._pending:
            job = next(iter(self._pending))
            del self._pending[job]
            service.run(job)
            count += 1
        return count
