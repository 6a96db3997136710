"""Observations as vectors of zeros and ones, and actions as numbers, for programs that learn.

A vector is computed only from the observation of a seat, so it contains nothing that the seat may not know.
Its seats are counted from the observer: 0 is the observer itself, 1 the next seat. With the same rules, the
size of the vector and the number of each action are always the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final

from arena.games.options import Rules

DECLINE: Final = "decline"
"""Lets a right pass. It is no action of a game: environments that ask for rights one by one add it."""


class Layout:
    """The named parts of a vector, one after another. ``parts`` are their shapes."""

    def __init__(self, parts: Mapping[str, tuple[int, ...]]) -> None:
        self.parts = dict(parts)
        self._places: dict[str, tuple[int, tuple[tuple[int, int], ...]]] = {}
        """By name the start, and by dimension its size and how far its elements are from each other."""
        self.size = 0
        for name, shape in self.parts.items():
            steps = tuple((size, prod(shape[place + 1 :])) for place, size in enumerate(shape))
            self._places[name] = self.size, steps
            self.size += prod(shape)

    def start(self, name: str) -> int:
        """Return where a part begins."""
        return self._places[name][0]

    def vector(self) -> Vector:
        """Return a new vector of zeros."""
        return Vector(self)

    def place(self, name: str, indices: Sequence[int]) -> int:
        """Return the index of an element. Raises ``IndexError`` if the part has no such element."""
        place, steps = self._places[name]
        for index, (size, step) in zip(indices, steps, strict=True):
            if not 0 <= index < size:
                raise IndexError(f"{name}{list(indices)} of shape {self.parts[name]}")
            place += index * step
        return place


class Vector:
    """A vector that is being filled. ``data`` has one byte per element, 0 or 1."""

    __slots__ = ("_layout", "data")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.data = bytearray(layout.size)

    def mark(self, name: str, *indices: int) -> None:
        """Set one element of a part."""
        self.data[self._layout.place(name, indices)] = 1

    def mark_all(self, name: str, indices: Iterable[int]) -> None:
        """Set several elements of a part with one dimension."""
        for index in indices:
            self.data[self._layout.place(name, (index,))] = 1

    def mark_if(self, name: str, condition: object) -> None:
        """Set the only element of a part if ``condition`` is true."""
        if condition:
            self.mark(name, 0)


class Features(ABC):
    """The actions and vectors of one game with certain complete rules.

    ``seats`` is their number. ``actions`` lists everything that a seat can ever do, in the order of the
    action numbers. ``layout`` describes the parts of a vector. ``dealt`` is how many cards from the top of a
    pack can matter.

    The other fields bound a game. ``most_hands`` bounds its hands. Per hand, ``most_decisions`` bounds the
    decisions of all seats, including those that let a right pass, and ``most_numbers`` the length of what a
    seat is shown of the hand as numbers (:mod:`arena.research.histories`). ``most_points`` bounds how far the
    sum of a seat's :meth:`gains` can be from zero.
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
        """Return an observation as the elements of a vector. A spectator's observation is counted from seat
        0.
        """

    @abstractmethod
    def gains(self, event: Any) -> list[float] | None:
        """Return what an event, as a spectator sees it, wins or loses each seat, as a share of a whole game;
        the sum is zero. Return None for an event that ends no hand.
        """

    def seat_after(self, observer: int, seat: int) -> int:
        """Return how many seats ``seat`` is after the observer."""
        return (seat - observer) % self.seats

    def decisions_with_rights(self, decisions: int) -> int:
        """Return the bound on decisions if, at first and after each decision, all other seats are asked for
        rights.
        """
        return decisions + (self.seats - 1) * (decisions + 1)
