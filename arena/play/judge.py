"""Judges answers to turns and applies faults, for all transports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from arena.errors import ArenaError
from arena.games.kernel import State
from arena.play.faults import FAULTS
from arena.play.table import Answered, StaleTurn, Table, TurnAlreadyAnswered, UnknownTurn
from arena.text import printable

_DETAIL: Final = 200
"""The number of characters of an illegal answer that are kept."""


class MalformedAnswer(ArenaError):
    """Raised for an answer that is not a string."""

    code: ClassVar[str] = "malformed"


class AcceptedAnswer(NamedTuple):
    """The answer was accepted. ``repeated`` is true if the table had already accepted the same answer for
    this turn.
    """

    answered: Answered
    repeated: bool


class RefusedAnswer(NamedTuple):
    """The answer was ignored, and is not a fault."""

    error: ArenaError


class FaultyAnswer(NamedTuple):
    """The answer was counted as a fault. If ``forfeited`` is true, the table plays the seat from now on."""

    error: ArenaError
    forfeited: bool


def judge(
    table: Table, seat: int, number: int, answer: object
) -> AcceptedAnswer | RefusedAnswer | FaultyAnswer:
    """Submit the answer of ``seat`` to turn ``number`` and return the verdict."""
    legal = table.legal_actions(seat)
    is_open = bool(legal) and number == table.turn_number(seat)
    fault = fault_in(answer, legal if is_open else None)
    if not fault:
        assert isinstance(answer, str)
        try:
            return AcceptedAnswer(table.submit(seat, number, answer), not is_open)
        except (StaleTurn, TurnAlreadyAnswered, UnknownTurn) as refusal:
            return RefusedAnswer(refusal)
    error: ArenaError
    if isinstance(answer, str):
        error, detail = table.state.illegal(seat, answer), printable(answer, _DETAIL)
    else:
        error = MalformedAnswer("the action of an answer must be a string", field="action")
        detail = f"{type(answer).__name__} is not an action"
    return FaultyAnswer(error, table.fault(seat, fault, detail)) if is_open else RefusedAnswer(error)


def fault_in(answer: object, legal_actions: Sequence[str] | None) -> str:
    """Return the type of fault in an answer, or an empty string if there is none. ``legal_actions`` is None
    if the turn is not open.
    """
    if not isinstance(answer, str):
        return "malformed"
    return "" if legal_actions is None or answer in legal_actions else "illegal"


def fail(table: Table, seat: int, fault: str, detail: str) -> bool:
    """Count a fault of a seat that gave no answer. If the seat was awaited and the fault has a mark in
    ``FAULTS``, the default action replaces the missing answer. Return whether the seat has been forfeited.
    """
    forfeited = table.fault(seat, fault, detail)
    mark = FAULTS[fault]
    if not forfeited and mark is not None and seat in table.awaited():
        table.act_for(seat, mark)
    return forfeited


def seats_with_rights(table: Table) -> Iterator[int]:
    """Return the seats that have a right, except for the seat to play; see :func:`rights_in_order`."""
    return rights_in_order(table.state, table.size, table.legal_actions)


def rights_in_order(state: State, seats: int, legal_actions: Callable[[int], Sequence[str]]) -> Iterator[int]:
    """Yield the seats that have a right, except for the seat to play, in seat order starting after it. Bots
    in this process are offered their rights in this order. No seat is yielded while an answer is pending.
    """
    if state.answer_pending():
        return
    to_play = state.awaiting()[0]
    for distance in range(1, seats):
        seat = (to_play + distance) % seats
        if legal_actions(seat):
            yield seat
