"""The contract of every game.

The words are OpenSpiel's (state, legal actions, apply, chance, observation), plus what card
tables need: rights that are not turns, such as Toepen's knock. A state is a pure function of
its rules and the list of actions applied to it; nothing here knows clocks, randomness or I/O.
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
    """What chance has to decide next.

    ``kind`` is ``"dealer"`` (a lot among ``items``, the seats; the action is ``dealer:<seat>``) or
    ``"deal"`` (a uniformly random permutation of ``items``, the whole pack in its canonical
    order; the action is ``deal:<cards>`` with the top card first). ``hand`` counts hands from 1.
    """

    kind: str
    hand: int
    items: Sequence[str]


class Outcome(NamedTuple):
    """The end of a game. ``places``: one per seat, 1 is best, shared places share the number
    (partners always do). ``scores``: one per seat, in the game's own unit, higher is better.
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]


class State(ABC):
    """One game in progress. Mutable; ``clone`` before trying things out."""

    __slots__ = ()

    @abstractmethod
    def awaiting(self) -> tuple[int, ...]:
        """The seats (or ``CHANCE``) that the game waits for, from public facts only.

        Empty if and only if the game is over.
        """

    @abstractmethod
    def legal_actions(self, seat: int) -> Sequence[str]:
        """Everything ``seat`` may do now, in turn or not, in a fixed order; empty if nothing.

        Empty for ``CHANCE`` too: see :meth:`chance`. The result must not be changed by the caller.
        """

    @abstractmethod
    def apply(self, seat: int, action: str) -> list[Event]:
        """Do ``action`` and return what happened, forced moves that follow included.

        Raises :class:`~arena.errors.IllegalAction`, and then nothing has changed.
        """

    @abstractmethod
    def answer_pending(self) -> bool:
        """Whether an awaited seat has to answer another's call or challenge.

        Rights that are not turns are not offered in process meanwhile.
        """

    def right_of(self, seat: int) -> tuple[int, ...]:
        """What a right of ``seat`` that is not a turn belongs to now, such as the hand or the trick, from
        what the seat sees.

        When it changes, an offer of the same actions is a new one. Games without such rights keep this
        default.
        """
        return ()

    @abstractmethod
    def chance(self) -> Chance | None:
        """What chance has to decide, or None if the game does not wait for it."""

    @abstractmethod
    def observation(self, seat: int | None) -> Mapping[str, object]:
        """What ``seat`` may know (None: a spectator), built up field by field, JSON-ready."""

    @abstractmethod
    def default_action(self, seat: int) -> str:
        """What the table does for an awaited seat that is late. Never raises the stakes."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""

    @abstractmethod
    def clone(self) -> State:
        """An independent copy."""

    @abstractmethod
    def content(self) -> dict[str, object]:
        """Everything, rules included, as plain JSON values that must not be changed."""

    def serialise(self) -> bytes:
        """:meth:`content` as compact JSON; equal states give equal bytes."""
        return json.dumps(self.content(), separators=(",", ":")).encode()

    def illegal(self, seat: int, action: str) -> IllegalAction:
        """The error for an action that is not legal now."""
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
    """The rules of one game: its options, and the way to its states."""

    kind: str
    version: int
    """The version of the rules, kept in every record. It changes when an old record would
    no longer replay to the same outcome."""
    options: OptionSet

    @abstractmethod
    def seats(self, rules: Rules) -> int:
        """How many seats a game with these (complete) rules has."""

    @abstractmethod
    def teams(self, rules: Rules) -> tuple[tuple[int, ...], ...]:
        """The seats of each team, in seat order of the first member; lone players are teams of one."""

    @abstractmethod
    def new_state(self, rules: Rules) -> State:
        """The state before the first dealer is drawn. ``rules``: validated and completed by
        ``options.complete``.
        """

    @abstractmethod
    def deserialise(self, data: bytes) -> State:
        """The inverse of ``State.serialise``. Raises :class:`~arena.errors.CorruptState`."""

    @abstractmethod
    def view_event(self, event: Event, seat: int | None) -> dict[str, object] | None:
        """What ``seat`` (None: a spectator) learns from ``event``: ``{"type": ..., ...}``, built up
        field by field, or None if it learns nothing.
        """

    @abstractmethod
    def from_observation(self, rules: Rules, observation: Any, hidden: Any) -> State:
        """A state that is consistent with what a seat sees and with an assignment of all that it
        does not (``hidden``: the game's own form, see its module). Used by ``arena.bots.redeal``.
        """
