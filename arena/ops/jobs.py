"""The interface for requesting jobs: work done outside the request that causes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

PLAY_SECONDS: Final = 2.0
"""The processor time for which one job plays groups. Meanwhile, the other jobs of its worker wait."""

MOST_SLOTS: Final = 64
"""The maximum number of concurrent jobs that play the groups of one tournament."""


class JobName(StrEnum):
    """The names of jobs. Each is a method of :class:`~arena.ops.service.Service`."""

    FINISH_GAME = "finish_game"
    MOVE_HOUSE_BOTS = "move_house_bots"
    STEP_TOURNAMENT = "step_tournament"
    PLAY_LOCAL_GROUPS = "play_local_groups"
    UPDATE_STANDINGS = "update_standings"
    PUBLISH_BOARD = "publish_board"
    COMPUTE_MATCHUPS = "compute_matchups"
    TICK = "tick"
    CHECK_UPLOAD = "check_upload"
    PREPARE_REPLAY = "prepare_replay"
    DRAW_PREVIEW = "draw_preview"
    WRITE_EXPORT = "write_export"
    REVIEW_GAME = "review_game"
    PLAY_TRIAL_GAME = "play_trial_game"
    FIND_BEST_HANDS = "find_best_hands"
    DELIVER_ANNOUNCEMENTS = "deliver_announcements"


class Job(NamedTuple):
    """A job and its arguments, which are ids and numbers."""

    name: JobName
    args: tuple[str | int, ...] = ()

    @property
    def id(self) -> str:
        """The id, which depends only on the name and the arguments."""
        # RQ allows letters, digits, underscores and dashes.
        return "-".join((self.name, *map(str, self.args))).replace("@", "_")


class QueueFigures(NamedTuple):
    """The figures of a queue: the number of waiting jobs, how many seconds the oldest has waited, and the
    number of jobs that failed in the last hour.
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
    """The figures of the queues, the number of live workers, and how many of them are running a job."""

    queues: list[QueueFigures]
    workers: int
    busy: int = 0


class Jobs(ABC):
    """Requests jobs. A job can run twice. If a request is lost with its process, the sweeper or the tick
    repeats it. A job that is already waiting is not added again.
    """

    def finish_game(self, game_id: str) -> None:
        """Store the record of a live game that has ended, and process its consequences."""
        self.request(Job(JobName.FINISH_GAME, (game_id,)))

    def move_house_bots(self, game_id: str, account: str) -> None:
        """Make the house bots of a live game move. ``account`` is finally responsible for the game's payer
        (see :meth:`arena.accounts.payers.Payers.in_charge`). The games of different accounts take turns.
        """
        self.request(Job(JobName.MOVE_HOUSE_BOTS, (game_id, account)))

    def step_tournament(self, tournament_id: str) -> None:
        """Perform the steps of a tournament that are due."""
        self.request(Job(JobName.STEP_TOURNAMENT, (tournament_id,)))

    def play_local_groups(self, tournament_id: str, groups: int, payer: str) -> None:
        """Play ``groups`` groups of a tournament, in one job per process that plays groups. ``payer`` is the
        owner who pays for them, or empty for the service itself. The tournaments of different payers take
        turns.
        """
        for slot in range(max(1, min(groups, self.player_count(), MOST_SLOTS))):
            self.play_more_groups(tournament_id, slot, payer)

    def play_more_groups(self, tournament_id: str, slot: int, payer: str) -> None:
        """Continue the job ``slot`` that plays groups of a tournament."""
        self.request(Job(JobName.PLAY_LOCAL_GROUPS, (tournament_id, slot, payer)))

    def update_standings(self, tournament_id: str) -> None:
        """Compute the live standings of a tournament."""
        self.request(Job(JobName.UPDATE_STANDINGS, (tournament_id,)))

    def publish_board(self, kind: str, division: str, preset: str) -> None:
        """Publish a leaderboard."""
        self.request(Job(JobName.PUBLISH_BOARD, (kind, division, preset)))

    def compute_matchups(self, kind: str, division: str, preset: str) -> None:
        """Compute the matchups of a published leaderboard."""
        self.request(Job(JobName.COMPUTE_MATCHUPS, (kind, division, preset)))

    def check_upload(self, bot: str, upload: str, payer: str) -> None:
        """Compile and load an upload, and either make it a version or refuse it. The uploads of different
        payers take turns, and so do their reviews and their trial games.
        """
        self.request(Job(JobName.CHECK_UPLOAD, (bot, upload, payer)))

    def prepare_replay(self, game_id: str, account: str) -> None:
        """Prepare the replay page of a game. ``account`` is as for :meth:`move_house_bots`."""
        self.request(Job(JobName.PREPARE_REPLAY, (game_id, account)))

    def draw_preview(self, preview: str, account: str) -> None:
        """Draw the image of a link. ``account`` is as for :meth:`move_house_bots`."""
        self.request(Job(JobName.DRAW_PREVIEW, (preview, account)))

    def write_export(self, owner: str, account: str) -> None:
        """Write the export of an owner. ``account`` is as for :meth:`move_house_bots`."""
        self.request(Job(JobName.WRITE_EXPORT, (owner, account)))

    def review_game(self, game_id: str, seat: int, account: str) -> None:
        """Compute what a house bot would have done at each decision of a seat. ``account`` is as for
        :meth:`move_house_bots`.
        """
        self.request(Job(JobName.REVIEW_GAME, (game_id, seat, account)))

    def play_trial_game(self, trial: str, payer: str) -> None:
        """Play a game of a pasted source against a house bot."""
        self.request(Job(JobName.PLAY_TRIAL_GAME, (trial, payer)))

    def find_best_hands(self) -> None:
        """Look for the best hands of the last day."""
        self.request(Job(JobName.FIND_BEST_HANDS))

    def deliver_announcements(self, subscription: str) -> None:
        """Post the announcements of a tournament to a webhook subscribed to it."""
        self.request(Job(JobName.DELIVER_ANNOUNCEMENTS, (subscription,)))

    def problem(self) -> str | None:
        """Return why jobs cannot be requested now, or None if they can."""
        return None

    def figures(self) -> JobFigures | None:
        """Return the figures of the queues, or None if there are no queues or they cannot be read."""
        return None

    def player_count(self) -> int:
        """Return the number of processes that play groups."""
        return 1

    @abstractmethod
    def request(self, job: Job) -> None:
        """Request that ``job`` runs soon."""


class InlineJobs(Jobs):
    """Holds jobs in this process until :meth:`run_pending`, in the order of their requests."""

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
        """Run the waiting jobs on ``service``, and any that they request. Return the number of jobs run."""
        count = 0
        while self._pending:
            job = next(iter(self._pending))
            del self._pending[job]
            service.run(job)
            count += 1
        return count
