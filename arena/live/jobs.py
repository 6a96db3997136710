"""The jobs that live games and tournaments request from the workers."""

from __future__ import annotations

from typing import Protocol


class GameJobs(Protocol):
    """The jobs that follow a step of a game or a tournament; :class:`arena.ops.jobs.Jobs` has all jobs.

    A lost request is repeated: for house bots by the sweeper, for tournaments by the tick. The sweeper itself
    finishes a game whose job has not run.
    """

    def finish_game(self, game_id: str) -> None:
        """Store the record of a live game that has ended, and do what follows from it."""

    def move_house_bots(self, game_id: str) -> None:
        """Let the house bots of a live game move."""

    def step_tournament(self, tournament_id: str) -> None:
        """Take the steps of a tournament that are due now, before the next tick."""

    def update_standings(self, tournament_id: str) -> None:
        """Compute the live standings of a tournament."""
