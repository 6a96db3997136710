"""What a turn says in words: the parts that each game makes from a turn, in its ``text.py``.

Like a panel it is made of the turn alone, which holds nothing that its seat may not know. Cards and actions
are written as in JSON, so that what is read can be answered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict, TypeVar


@dataclass(frozen=True)
class TurnText:
    """The words of one turn, a line each. ``asked``: the question. ``standing``: where the game stands, hand
    in progress included. ``news``: what the seat has seen since its last action. ``hand``: its cards; empty
    if it has none to look at.
    """

    asked: str
    standing: tuple[str, ...]
    news: tuple[str, ...]
    hand: str


def seat_names(seats: int, own: int) -> list[str]:
    """The seats as texts call them: ``seat 0``, and ``you``."""
    return ["you" if seat == own else f"seat {seat}" for seat in range(seats)]


class Placed(TypedDict):
    """What is known of all calls: when they were, as in :func:`in_order`."""

    trick: int
    on_table: int


PlayT = TypeVar("PlayT")
CallT = TypeVar("CallT", bound=Placed)


def in_order(tricks: Iterable[Iterable[PlayT]], calls: Iterable[CallT]) -> list[list[PlayT | CallT]]:
    """Per trick, its cards and the calls of an observation in the order in which they happened. ``calls``
    have ``trick`` and ``on_table``; those after the last trick are in a list of their own.
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
    """``1 point``, ``2 points``; ``plural``: where it does not end in s alone."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
