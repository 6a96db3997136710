"""Measures the fuel of bots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arena.sandbox.limits import FUEL_PER_MS


class OutOfFuel(Exception):
    """The instance has used up its fuel for this call."""


class FuelCounter(Protocol):
    """Counts an instance's fuel."""

    def get_fuel(self) -> int:
        """Return the remaining fuel."""

    def set_fuel(self, fuel: int) -> None:
        """Replace the remaining fuel."""


@dataclass(slots=True)
class Usage:
    """What a seat has used in a game: its fuel, and what it is charged. The charge of a call is its fuel or
    its processor time, whichever is larger, in units of fuel.
    """

    fuel: int = 0
    charged: int = 0


class FuelMeter:
    """Measures the calls of one instance and adds them to the usage of its seat."""

    def __init__(self, counter: FuelCounter, usage: Usage) -> None:
        self._counter = counter
        self._usage = usage
        self._given = 0

    def begin(self, fuel: int) -> None:
        """Begin a call that can use this much fuel."""
        self._given = fuel
        self._counter.set_fuel(fuel)

    def end(self, seconds: float) -> int:
        """End the call, which took ``seconds`` of processor time, and return its charge."""
        used = self._given - self._counter.get_fuel()
        charge = max(used, int(seconds * 1000 * FUEL_PER_MS))
        self._usage.fuel += used
        self._usage.charged += charge
        self._given = 0
        return charge

    def empty(self) -> None:
        """Note that the running call has used all its fuel."""
        self._counter.set_fuel(0)

    def charge(self, fuel: int) -> None:
        """Charge fuel for work that the host does in the running call. Raises :class:`OutOfFuel`."""
        left = self._counter.get_fuel()
        self._counter.set_fuel(max(0, left - fuel))
        if fuel >= left:
            raise OutOfFuel

    def clock_ns(self) -> int:
        """Return the nanoseconds of thinking time in this game so far."""
        used = self._usage.fuel + self._given - self._counter.get_fuel()
        return used * 1_000_000 // FUEL_PER_MS
