"""The base class of the tournament formats."""

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
    """A short phrase that describes which entrants meet."""
    has_rounds: ClassVar[bool] = False
    """Whether the setting ``rounds`` is allowed; the declaration of the setting describes its meaning for
    each format.
    """
    default_rounds: ClassVar[int | None] = None
    ends_by_time: ClassVar[bool] = False
    """Whether the setting ``ends_ms`` is required. It is not allowed for other formats."""
    one_per_owner_at_tables: ClassVar[bool] = False
    """Whether an owner may enter only one bot if more than two entrants meet."""
    seeded_by_rating: ClassVar[bool] = False
    """Whether entrants are seeded by their published ratings instead of by lot."""
    plans_while_running: ClassVar[bool] = False
    """Whether groups can be due while others are running. Only such a format can use ``field.now``."""
    ranks_by_elimination: ClassVar[bool] = False
    """Whether the loser of a pairing is eliminated, so that a baseline bot would affect who advances."""
    plans_in_batches: ClassVar[bool] = False
    """Whether the number of groups becomes known only as they are planned."""

    def conflict(self, spec: Spec) -> ArenaError | None:
        """Return an ``invalid_tournament`` error if the settings do not suit the format, or None if they
        do.
        """
        return None

    def check_entrants(self, spec: Spec, entrants: Sequence[Entrant]) -> None:
        """Check at the lock that these entrants can play. Raises :class:`~arena.errors.ArenaError` with the
        code ``too_few_entrants``.
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
        """Return the number of groups in the whole tournament, as far as it is known."""

    def byes(self, field: Field) -> Mapping[PlayerId, int]:
        """Return the number of byes that each player has had."""
        return {}

    def places(self, field: Field) -> Mapping[PlayerId, int] | None:
        """Return the final places once the tournament is finished, or None if the standings determine
        them.
        """
        return None

    def may_finish(self, field: Field) -> bool:
        """Return whether the tournament is over when no group is due or running."""
        return True

    def plan(self, field: Field) -> Planned:
        """Return the plan for the next step of the tournament."""
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
