"""Encodes what a seat was shown of a game as numbers. Different histories have different encodings.

An event is encoded as the number of its type, then its fields in the order of the game's documentation. An
absent or null field is 0. A number ``n`` is ``2n + 1``, or ``-2n`` if it is negative. One of several words is
its index from 1. A card is its index from 1 in a pack of 52 (clubs, hearts, spades, diamonds; two to ace). A
list is its length plus 1, then its items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from arena.games.cards import pack
from arena.games.descriptor import Game
from arena.games.features import DECLINE
from arena.games.shapes import ChoiceShape, ListShape, NumberShape, Shape, TextShape

_CARDS: Final = {card: number for number, card in enumerate(pack("23456789TJQKA"), start=1)}
_SEAT: Final = {"seat": NumberShape()}


class Histories:
    """Encodes the events of one game as numbers."""

    def __init__(self, game: Game) -> None:
        fields = [(type, shape.fields) for shape in game.events for type in shape.types]
        self._types = {
            type: (number, tuple(of.items()))
            for number, (type, of) in enumerate([(DECLINE, _SEAT), *fields], start=1)
        }

    def numbers(self, view: Mapping[str, Any]) -> list[int]:
        """Return an event, as a seat was shown it, encoded as numbers."""
        number, fields = self._types[view["type"]]
        found = [number]
        for name, shape in fields:
            found += _numbers(shape, view.get(name))
        return found


def _numbers(shape: Shape, value: Any) -> Iterator[int]:
    if value is None:
        yield 0
    elif isinstance(shape, ListShape):
        yield len(value) + 1
        for item in value:
            yield from _numbers(shape.of, item)
    elif isinstance(shape, NumberShape):
        yield 2 * value + 1 if value >= 0 else -2 * value
    elif isinstance(shape, ChoiceShape) or (isinstance(shape, TextShape) and shape.choices):
        yield shape.choices.index(value) + 1
    else:
        yield _CARDS[value]
