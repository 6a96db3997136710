"""The interface that every game implements.

The terms are those of OpenSpiel (state, legal actions, apply, chance, observation), extended by a concept
that card tables need: rights outside a turn, such as the knock in Toepen. A state is a pure function of its
rules and of the actions applied to it. Nothing in this module involves clocks, randomness or I/O.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.errors import CorruptState, IllegalAction, NewerFormat
from arena.games.options import OptionSet, Rules
from arena.games.turns import Turn as Turn

CHANCE: Final = -1
"""The seat number of chance, which draws the first dealer and deals the packs."""

Event = tuple[Any, ...]
"""A full description of something that happened: ``(type, seat, ...)``. It is shown to viewers only through
``GameRules.view_event``.
"""


class Chance(NamedTuple):
    """The next decision of chance.

    ``kind`` is ``"dealer"`` or ``"deal"``. For ``"dealer"``, the action is ``dealer:<seat>`` with one of
    ``items``, the seats, drawn at random. For ``"deal"``, the action is ``deal:<cards>``, top card first,
    with a uniformly random permutation of ``items``, the whole pack in canonical order. ``hand`` counts hands
    from 1.
    """

    kind: str
    hand: int
    items: Sequence[str]


class Outcome(NamedTuple):
    """The end of a game. ``places`` has one place per seat, and 1 is best. Seats that share a place, as
    partners always do, have the same number. ``scores`` has one score per seat, in the game's own unit;
    higher is better.
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]


class State(ABC):
    """One game in progress. States are mutable, so ``clone`` a state before you try out actions."""

    __slots__ = ()

    @abstractmethod
    def awaiting(self) -> tuple[int, ...]:
        """Return the seats (or ``CHANCE``) that the game waits for. They depend on public facts only.

        The result is empty if and only if the game is over.
        """

    @abstractmethod
    def legal_actions(self, seat: int) -> Sequence[str]:
        """Return everything that ``seat`` can do now, in or out of turn, in a fixed order. The result is
        empty if it can do nothing.

        The result is also empty for ``CHANCE``; see :meth:`chance`. The caller must not modify it.
        """

    @abstractmethod
    def apply(self, seat: int, action: str) -> list[Event]:
        """Apply ``action`` and return the resulting events, including those of forced moves that follow.

        If it raises :class:`~arena.errors.IllegalAction`, the state is unchanged.
        """

    @abstractmethod
    def answer_pending(self) -> bool:
        """Return whether an awaited seat must answer another's call or challenge.

        Until it has answered, bots in this process are not offered rights outside a turn.
        """

    def right_of(self, seat: int) -> tuple[int, ...]:
        """Return what a right of ``seat`` outside a turn currently belongs to, such as the hand or the trick,
        as far as the seat can see.

        If the result changes, an offer of the same actions is a new offer. Games without such rights keep
        this default.
        """
        return ()

    @abstractmethod
    def chance(self) -> Chance | None:
        """Return the decision that chance must make, or None if the game does not wait for chance."""

    @abstractmethod
    def observation(self, seat: int | None) -> Mapping[str, object]:
        """Return the observation of ``seat`` (None: a spectator), built up field by field as JSON values."""

    @abstractmethod
    def default_action(self, seat: int) -> str:
        """Return the action that the table takes for an awaited seat that is late. It never raises the
        stakes.
        """

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game is in progress."""

    @abstractmethod
    def clone(self) -> State:
        """Return an independent copy."""

    @abstractmethod
    def content(self) -> dict[str, object]:
        """Return the complete state, including the rules, as plain JSON values. The caller must not modify
        them.
        """

    def serialise(self) -> bytes:
        """Return :meth:`content` as compact JSON. Equal states give equal bytes."""
        return json.dumps(self.content(), separators=(",", ":")).encode()

    def illegal(self, seat: int, action: str) -> IllegalAction:
        """Return the error for an action that is not legal now."""
        legal = list(self.legal_actions(seat))
        allowed = "one of " + ", ".join(legal) if legal else "no action from this seat now"
        return IllegalAction(
            f"{action!r} is not a legal action for seat {seat} now",
            field="action",
            expected=allowed,
            extra={"legal_actions": legal},
        )


def turn_in(state: State, kind: str, rules: Rules, seat: int) -> Turn:
    """Return a turn of ``seat`` in ``state`` for a bot that is asked outside a table. It has no
    names, times, default action or events.
    """
    return {
        "turn": "",
        "game": "",
        "kind": kind,
        "rules": rules,
        "seat": seat,
        "optional": False,
        "legal_actions": list(state.legal_actions(seat)),
        "default_action": None,
        "deadline_ms": None,
        "bank_ms": None,
        "observation": state.observation(seat),
        "events": [],
    }


def check_format(content: Mapping[str, object], version: int, names: frozenset[str]) -> None:
    """Check the version and the field names of a serialised state.

    Raises :class:`~arena.errors.NewerFormat` for a later version or an unknown field, and
    :class:`~arena.errors.CorruptState` for anything else that is not a valid state.
    """
    found = content.get("version")
    if (isinstance(found, int) and found > version) or not content.keys() <= names:
        raise NewerFormat("a newer version of the program wrote this state", field="state")
    if found != version:
        raise CorruptState(
            f"the state has the unsupported version {found!r}", field="state", expected=f"version {version}"
        )


class GameRules(ABC):
    """The rules of one game: its options, and the creation of its states."""

    kind: str
    version: int
    """The version of the rules, stored in every record. It is increased when old records would replay to a
    different outcome.
    """
    options: OptionSet

    @abstractmethod
    def seats(self, rules: Rules) -> int:
        """Return the number of seats in a game with these complete rules."""

    @abstractmethod
    def teams(self, rules: Rules) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each team. Teams are ordered by their first seat; a lone player is a team of
        one.
        """

    @abstractmethod
    def new_state(self, rules: Rules) -> State:
        """Return the state before the first dealer is drawn. ``rules`` must have been validated and completed
        by ``options.complete``.
        """

    @abstractmethod
    def deserialise(self, data: bytes) -> State:
        """Restore a state that ``State.serialise`` wrote. Raises :class:`~arena.errors.CorruptState`."""

    @abstractmethod
    def view_event(self, event: Event, seat: int | None) -> dict[str, object] | None:
        """Return what ``seat`` (None: a spectator) sees of ``event``: ``{"type": ..., ...}``, built up field
        by field. Return None if it sees nothing.
        """

    @abstractmethod
    def from_observation(self, rules: Rules, observation: Any, hidden: Any) -> State:
        """Return a state consistent with a seat's observation and with ``hidden``, an assignment of
        everything that the seat does not see. Each game defines the format of ``hidden`` in its own module.
        ``arena.bots.redeal`` uses this method.
        """
