"""The jobs that live games and tournaments request from workers."""

from __future__ import annotations

from typing import Protocol


class GameJobs(Protocol):
    """The jobs that follow a step of a game or a tournament; :class:`arena.ops.jobs.Jobs` includes all jobs.

    Lost requests are repeated: for house bots by the sweeper, and for tournaments by the tick. If the job to
    finish a game has not run, the sweeper finishes the game.
    """

    def finish_game(self, game_id: str) -> None:
        """Store the record of a live game that has ended, and perform the follow-up work."""

    def move_house_bots(self, game_id: str, account: str) -> None:
        """Move the house bots of a live game when it is the turn of ``account``, which is in charge of it."""

    def step_tournament(self, tournament_id: str) -> None:
        """Perform the steps of a tournament that are due now, without waiting for the next tick."""

    def update_standings(self, tournament_id: str) -> None:
        """Compute the live standings of a tournament."""
