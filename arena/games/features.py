"""Observations as vectors of zeros and ones, and actions as numbers, for learning programs.

A vector is computed only from the observation of a seat, so it reveals nothing that is hidden from the seat.
Its seats are counted from the observer: 0 is the observer, and 1 is the next seat. For given rules, the size
of the vector and the number of each action never change.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final

from arena.games.options import Rules

DECLINE: Final = "decline"
"""The action of declining a right. It is not part of a game; environments that offer rights one at a time add
it.
"""


class Layout:
    """The named parts of a vector, in order. ``parts`` maps their names to their shapes."""

    def __init__(self, parts: Mapping[str, tuple[int, ...]]) -> None:
        self.parts = dict(parts)
        self._places: dict[str, tuple[int, tuple[tuple[int, int], ...]]] = {}
        """The start of each part by name, with the size and stride of each dimension."""
        self.size = 0
        for name, shape in self.parts.items():
            steps = tuple((size, prod(shape[place + 1 :])) for place, size in enumerate(shape))
            self._places[name] = self.size, steps
            self.size += prod(shape)

    def start(self, name: str) -> int:
        """Return the index at which a part begins."""
        return self._places[name][0]

    def vector(self) -> Vector:
        """Return a new vector filled with zeros."""
        return Vector(self)

    def place(self, name: str, indices: Sequence[int]) -> int:
        """Return the index of an element in the vector. Raises ``IndexError`` if the part has no such
        element.
        """
        place, steps = self._places[name]
        for index, (size, step) in zip(indices, steps, strict=True):
            if not 0 <= index < size:
                raise IndexError(f"{name}{list(indices)} is outside the shape {self.parts[name]}")
            place += index * step
        return place


class Vector:
    """A vector under construction. ``data`` has one byte per element, which is 0 or 1."""

    __slots__ = ("_layout", "data")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.data = bytearray(layout.size)

    def mark(self, name: str, *indices: int) -> None:
        """Set one element of a part to 1."""
        self.data[self._layout.place(name, indices)] = 1

    def mark_all(self, name: str, indices: Iterable[int]) -> None:
        """Set several elements of a one-dimensional part to 1."""
        for index in indices:
            self.data[self._layout.place(name, (index,))] = 1

    def mark_if(self, name: str, condition: object) -> None:
        """Set the only element of a part to 1 if ``condition`` is true."""
        if condition:
            self.mark(name, 0)


class Features(ABC):
    """The actions and vectors of one game with given complete rules.

    ``seats`` is the number of seats. ``actions`` lists every action that a seat can ever take, in the order
    of the action numbers. ``layout`` describes the parts of a vector. ``dealt`` is the number of cards from
    the top of the pack that can affect a hand.

    The other attributes are upper bounds. ``most_hands`` bounds the hands of a game. ``most_decisions``
    bounds the decisions of all seats in a hand, including declined rights. ``most_numbers`` bounds the length
    of what a seat sees of a hand, encoded as numbers (:mod:`arena.research.histories`). ``most_points``
    bounds the absolute value of the sum of a seat's :meth:`gains`.
    """

    def __init__(self, rules: Rules, seats: int) -> None:
        self.rules = rules
        self.seats = seats
        self.actions: tuple[str, ...] = ()
        self.layout = Layout({})
        self.dealt = 0
        self.most_hands = 0
        self.most_decisions = 0
        self.most_numbers = 0
        self.most_points = 1.0

    @abstractmethod
    def vector(self, observation: Any) -> bytearray:
        """Encode an observation as a vector. For a spectator, seats are counted from seat 0."""

    @abstractmethod
    def gains(self, event: Any) -> list[float] | None:
        """Return the gain or loss of each seat through an event in a spectator's view, as a share of a whole
        game. The values add up to zero. Return None for an event that does not end a hand.
        """

    def seat_after(self, observer: int, seat: int) -> int:
        """Return the position of ``seat``, counted from the observer."""
        return (seat - observer) % self.seats

    def decisions_with_rights(self, decisions: int) -> int:
        """Return the bound on decisions if all other seats are offered their rights at the start and after
        each decision.
        """
        return decisions + (self.seats - 1) * (decisions + 1)
