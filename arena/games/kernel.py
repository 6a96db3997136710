"""The contract of every game.

The terms are OpenSpiel's (state, legal actions, apply, chance, observation), plus what card tables need:
rights that are not turns, such as Toepen's knock. A state is a pure function of its rules and the list of
actions applied to it; nothing here knows about clocks, randomness or I/O.
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
"""The seat number of chance: it draws the first dealer and deals the packs."""

Event = tuple[Any, ...]
"""What happened, in full: ``(type, seat, ...)``. It is shown only through ``GameRules.view_event``."""


class Chance(NamedTuple):
    """What chance must decide next.

    ``kind`` is ``"dealer"`` (a lot among ``items``, the seats; the action is ``dealer:<seat>``) or ``"deal"``
    (a uniformly random permutation of ``items``, the whole pack in its canonical order; the action is
    ``deal:<cards>`` with the top card first). ``hand`` counts hands from 1.
    """

    kind: str
    hand: int
    items: Sequence[str]


class Outcome(NamedTuple):
    """The end of a game. ``places`` has one place per seat; 1 is best, and seats that share a place (as
    partners always do) have the same number. ``scores`` has one score per seat, in the game's own unit;
    higher is better.
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]


class State(ABC):
    """One game in progress. It is mutable; ``clone`` it before trying things out."""

    __slots__ = ()

    @abstractmethod
    def awaiting(self) -> tuple[int, ...]:
        """Return the seats (or ``CHANCE``) that the game waits for, derived from public facts only.

        The result is empty if and only if the game is over.
        """

    @abstractmethod
    def legal_actions(self, seat: int) -> Sequence[str]:
        """Return everything that ``seat`` may do now, in turn or not, in a fixed order; empty if it may do
        nothing.

        The result is empty for ``CHANCE`` too: see :meth:`chance`. The caller must not change it.
        """

    @abstractmethod
    def apply(self, seat: int, action: str) -> list[Event]:
        """Apply ``action`` and return what happened, including the forced moves that follow.

        If it raises :class:`~arena.errors.IllegalAction`, nothing has changed.
        """

    @abstractmethod
    def answer_pending(self) -> bool:
        """Return whether an awaited seat must answer another's call or challenge.

        Meanwhile, rights that are not turns are not offered in process.
        """

    def right_of(self, seat: int) -> tuple[int, ...]:
        """Return what a right of ``seat`` that is not a turn belongs to now, such as the hand or the trick,
        as far as the seat can see.

        When it changes, an offer of the same actions is a new one. Games without such rights keep this
        default.
        """
        return ()

    @abstractmethod
    def chance(self) -> Chance | None:
        """Return what chance must decide, or None if the game does not wait for it."""

    @abstractmethod
    def observation(self, seat: int | None) -> Mapping[str, object]:
        """Return what ``seat`` (None: a spectator) may know, built up field by field and ready for JSON."""

    @abstractmethod
    def default_action(self, seat: int) -> str:
        """Return what the table does for an awaited seat that is late. This never raises the stakes."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""

    @abstractmethod
    def clone(self) -> State:
        """Return an independent copy."""

    @abstractmethod
    def content(self) -> dict[str, object]:
        """Return everything, including the rules, as plain JSON values that must not be changed."""

    def serialise(self) -> bytes:
        """Return :meth:`content` as compact JSON; equal states give equal bytes."""
        return json.dumps(self.content(), separators=(",", ":")).encode()

    def illegal(self, seat: int, action: str) -> IllegalAction:
        """Return the error for an action that is not legal now."""
        legal = list(self.legal_actions(seat))
        allowed = "one of " + ", ".join(legal) if legal else "nothing from this seat now"
        return IllegalAction(
            f"seat {seat} may not {action!r} now",
            field="action",
            expected=allowed,
            extra={"legal_actions": legal},
        )


def check_format(content: Mapping[str, object], version: int, names: frozenset[str]) -> None:
    """Check the version and the names of the fields of a serialised state.

    Raises :class:`~arena.errors.NewerFormat` for a higher version or a field that this version does not know,
    and :class:`~arena.errors.CorruptState` for anything else that is not such a state.
    """
    found = content.get("version")
    if (isinstance(found, int) and found > version) or not content.keys() <= names:
        raise NewerFormat("a newer version of the program wrote this state", field="state")
    if found != version:
        raise CorruptState(f"its version is {found!r}", field="state", expected=f"version {version}")


class GameRules(ABC):
    """The rules of one game: its options, and how its states are created."""

    kind: str
    version: int
    """The version of the rules, kept in every record. It changes when an old record would
    no longer replay to the same outcome."""
    options: OptionSet

    @abstractmethod
    def seats(self, rules: Rules) -> int:
        """Return the number of seats of a game with these complete rules."""

    @abstractmethod
    def teams(self, rules: Rules) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each team, in seat order of their first members; a lone player is a team of
        one.
        """

    @abstractmethod
    def new_state(self, rules: Rules) -> State:
        """Return the state before the first dealer is drawn. ``rules`` must be validated and completed by
        ``options.complete``.
        """

    @abstractmethod
    def deserialise(self, data: bytes) -> State:
        """Return the state that ``State.serialise`` wrote. Raises :class:`~arena.errors.CorruptState`."""

    @abstractmethod
    def view_event(self, event: Event, seat: int | None) -> dict[str, object] | None:
        """Return what ``seat`` (None: a spectator) learns from ``event``: ``{"type": ..., ...}``, built up
        field by field, or None if it learns nothing.
        """

    @abstractmethod
    def from_observation(self, rules: Rules, observation: Any, hidden: Any) -> State:
        """Return a state that is consistent with what a seat sees and with an assignment of everything that
        it does not see (``hidden``, whose form each game defines in its own module). It is used by
        ``arena.bots.redeal``.
        """
