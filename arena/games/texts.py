"""Turns in words: the building blocks of the text of a turn, which each game creates in its ``text.py``.

Like a panel, the text is built only from the turn, which contains nothing that is hidden from its seat. Cards
and actions are written as in JSON, so that they can be copied into an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypedDict, TypeVar

PLACES: Final = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
"""By place, from 1."""

News: TypeAlias = Any
"""An event as a seat sees it; each game has its own type."""


@dataclass(frozen=True)
class TurnText:
    """The text of one turn, in parts. ``asked`` is the question. ``standing`` describes the game so far,
    including the hand in progress. ``news`` describes what the seat has seen since its last action. ``hand``
    lists its cards; it is empty if the seat has no cards or cannot look at them.
    """

    asked: str
    standing: tuple[str, ...]
    news: tuple[str, ...]
    hand: str


def seat_names(seats: int, own: int) -> list[str]:
    """Return the names of the seats for use in texts: ``you`` for the own seat, ``seat 0`` and so on for the
    others.
    """
    return ["you" if seat == own else f"seat {seat}" for seat in range(seats)]


def verb(name: str, base: str) -> str:
    """Return the name of a seat with a regular verb: ``you lead``, ``seat 0 leads``."""
    return f"{name} {base}" if name == "you" else f"{name} {base}s"


class Placed(TypedDict):
    """The position of a call, which :func:`in_order` uses."""

    trick: int
    on_table: int


PlayT = TypeVar("PlayT")
CallT = TypeVar("CallT", bound=Placed)


def in_order(tricks: Iterable[Iterable[PlayT]], calls: Iterable[CallT]) -> list[list[PlayT | CallT]]:
    """Return a list for each trick with its cards and the calls of an observation, in the order in which they
    happened. Each call says its ``trick`` and how many cards were ``on_table``. Calls after the last
    trick are in a separate list.
    """
    left = list(calls)
    lines: list[list[PlayT | CallT]] = []
    for number, plays in enumerate(tricks):
        line: list[PlayT | CallT] = []
        for on_table, play in enumerate(plays):
            while left and (left[0]["trick"], left[0]["on_table"]) <= (number, on_table):
                line.append(left.pop(0))
            line.append(play)
        while left and left[0]["trick"] <= number:
            line.append(left.pop(0))
        lines.append(line)
    return [*lines, [*left]] if left else lines


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 point``, ``2 points``. ``plural`` is required only if the plural is
    not formed by adding an s.
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
