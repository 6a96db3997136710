"""What each format says about itself, and how it plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from arena.errors import ArenaError
from arena.play.players import PlayerId
from arena.tournaments.entry import Entrant
from arena.tournaments.plan import Field, GroupPlan, Planned
from arena.tournaments.spec import Spec, check_entrants


class TournamentFormat(ABC):
    """A way to pair the entrants of a tournament: a pure function of its arguments, without state."""

    name: ClassVar[str]
    doc: ClassVar[str]
    """A short phrase that says who meets."""
    has_rounds: ClassVar[bool] = False
    """Whether the setting ``rounds`` may be given; its declaration says what it means."""
    default_rounds: ClassVar[int | None] = None
    ends_by_time: ClassVar[bool] = False
    """Whether the setting ``ends_ms`` is required; otherwise it may not be given."""
    one_per_owner_at_tables: ClassVar[bool] = False
    """Whether an owner may enter only one bot if more than two entrants meet."""
    seeded_by_rating: ClassVar[bool] = False
    """Whether the published ratings order the entrants; otherwise a lot does."""
    plans_while_running: ClassVar[bool] = False
    """Whether groups can be due while others are running; it may then use ``field.now``."""
    ranks_by_elimination: ClassVar[bool] = False
    """Whether a pairing puts its loser out, so that a bot without a place would decide who goes on."""
    plans_in_batches: ClassVar[bool] = False
    """Whether how many groups there will be is known only as they are planned."""

    def conflict(self, spec: Spec) -> ArenaError | None:
        """Return the error ``invalid_tournament`` if the settings do not suit the format."""
        return None

    def check_entrants(self, spec: Spec, entrants: Sequence[Entrant]) -> None:
        """Check at the lock that these entrants can play. Raises :class:`~arena.errors.ArenaError`
        ``too_few_entrants``.
        """
        check_entrants(spec, entrants)

    @abstractmethod
    def most_groups(self, spec: Spec, entrants: int) -> int:
        """Return an approximate upper bound on the number of groups in a plan for ``entrants``."""

    @abstractmethod
    def due(self, field: Field) -> list[GroupPlan]:
        """Return the groups to play next. Unless the format plans while groups run, all of ``field.planned``
        are done.
        """

    @abstractmethod
    def expected(self, field: Field) -> int:
        """Return the number of groups of the whole tournament, as far as it is known."""

    def byes(self, field: Field) -> Mapping[PlayerId, int]:
        """Return how many byes each player has had."""
        return {}

    def places(self, field: Field) -> Mapping[PlayerId, int] | None:
        """Return the final order once the tournament is finished, or None if the standings decide."""
        return None

    def may_finish(self, field: Field) -> bool:
        """Return whether the tournament is over if nothing is due and nothing runs."""
        return True

    def plan(self, field: Field) -> Planned:
        """Return how the tournament goes on."""
        waiting = any(group.id not in field.done for group in field.planned)
        groups = () if waiting and not self.plans_while_running else tuple(self.due(field))
        finished = not waiting and not groups and self.may_finish(field)
        after = replace(field, planned=(*field.planned, *groups))
        return Planned(
            groups,
            self.byes(after),
            finished,
            after.round,
            max(self.expected(field), len(after.planned)),
            self.places(field) if finished else None,
        )
