"""The formats: whom a tournament pairs next. Pure functions of the entrants and what has been played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from arena.ratings.results import GroupResult, Player
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import knockout, round_robin, swiss, table_knockout
from arena.tournaments.formats.open import plan_open
from arena.tournaments.plan import Field, GroupPlan, Planned
from arena.tournaments.spec import KNOCKOUT, ROUND_ROBIN, SWISS, Spec

__all__ = ["plan", "plan_open"]


class _Format(NamedTuple):
    """``due``: what comes after all of ``field.planned`` has been played; nothing if it is over."""

    due: Callable[[Field], list[GroupPlan]]
    expected: Callable[[Field], int]
    byes: Callable[[Field], dict[Player, int]]
    places: Callable[[Field], dict[Player, int] | None]


def _no_byes(field: Field) -> dict[Player, int]:
    return {}


def _by_standings(field: Field) -> None:
    return None


_FORMATS: Final = {
    ROUND_ROBIN: _Format(round_robin.due, round_robin.expected, _no_byes, _by_standings),
    SWISS: _Format(swiss.due, swiss.expected, swiss.byes, _by_standings),
}
_KNOCKOUT: Final = _Format(knockout.due, knockout.expected, _no_byes, knockout.places)
_TABLE_KNOCKOUT: Final = _Format(table_knockout.due, table_knockout.expected, _no_byes, table_knockout.places)


def plan(
    spec: Spec,
    entrants: Sequence[Entrant],
    done: Mapping[str, GroupResult | None],
    seed: bytes,
    *,
    planned: Iterable[GroupPlan] | None = None,
) -> Planned:
    """How a round robin, Swiss or knockout tournament goes on; the same answer to the same question.

    ``entrants`` in the order of their seeds, the same order in every call; somebody who withdraws
    stays in it. ``done``: the results by the id of the plan, None for a group that was given up.
    ``planned``: all groups that were planned before; they are not planned again, and what they
    paired stays as it was whatever is annulled afterwards. Without it they are worked out from
    ``done``, which is the same as long as nobody withdraws and no result changes; then groups that
    are due stay in the answer until they are done.
    """
    if planned is not None:
        return _next(spec, entrants, done, seed, tuple(sorted(planned, key=GroupPlan.order)))
    known: tuple[GroupPlan, ...] = ()
    while True:
        answer = _next(spec, entrants, done, seed, known)
        left = tuple(group for group in answer.groups if group.id not in done)
        if left or not answer.groups:
            return Planned(
                left, answer.byes, answer.finished, answer.round, answer.expected, answer.places, answer.stale
            )
        known += answer.groups


def _next(
    spec: Spec,
    entrants: Sequence[Entrant],
    done: Mapping[str, GroupResult | None],
    seed: bytes,
    planned: tuple[GroupPlan, ...],
) -> Planned:
    if spec.format == KNOCKOUT:
        format = _KNOCKOUT if spec.duels else _TABLE_KNOCKOUT
    else:
        format = _FORMATS[spec.format]
    field = Field(spec, entrants, planned, done, seed)
    waiting = [group for group in planned if group.id not in done]
    groups = () if waiting else tuple(format.due(field))
    finished = not waiting and not groups
    after = Field(spec, entrants, planned + groups, done, seed)
    return Planned(
        groups,
        format.byes(after),
        finished,
        after.round,
        max(format.expected(field), len(after.planned)),
        format.places(field) if finished else None,
        tuple(
            group.id
            for group in waiting
            if any(entrants[index].withdrawn is not None for index in group.members)
        ),
    )
