"""The tournament formats, which pair entrants: pure functions of the entrants and the results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from arena.ratings.results import GroupResult
from arena.tournaments.entry import Entrant, by_party
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.open import Open
from arena.tournaments.formats.rating import RatingFormat
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.swiss import Swiss
from arena.tournaments.plan import Field, GroupPlan, Now, Planned
from arena.tournaments.spec import Spec

FORMATS: Final[Mapping[str, TournamentFormat]] = {
    format.name: format for format in (RoundRobin(), Swiss(), Knockout(), Open(), RatingFormat())
}
"""The formats by name."""


def plan(
    spec: Spec,
    entrants: Sequence[Entrant],
    done: Mapping[str, GroupResult | None],
    seed: bytes,
    *,
    planned: Iterable[GroupPlan],
    now: Now | None = None,
    format: TournamentFormat | None = None,
) -> Planned:
    """Return the plan for the next step of a tournament. The result depends only on the arguments.

    ``entrants`` are in seeding order, which must be the same in every call and include entrants that have
    withdrawn. Entrants that share an owner count as bots of one owner (see
    :func:`~arena.tournaments.entry.by_party`). ``done`` holds the results by the id of the planned group,
    with None for abandoned groups. ``planned`` holds all groups that were planned before. They are not
    planned again, and later annulments do not change their pairings. ``now`` is for formats that plan while
    groups run. ``format`` is None for the format of ``spec``.
    """
    known = tuple(sorted(planned, key=GroupPlan.order))
    return (format or FORMATS[spec.format]).plan(Field(spec, by_party(entrants), known, done, seed, now))
