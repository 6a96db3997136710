"""Whether what a game shows has the shapes that its descriptor gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from re import fullmatch
from typing import Any

from arena.games.shapes import (
    ChoiceShape,
    ListShape,
    NumberShape,
    ObjectShape,
    Shape,
    TextShape,
    TruthShape,
)


def problems(shape: Shape, value: object, where: str) -> Iterator[str]:
    """What is wrong with ``value``, nothing if it has the shape."""
    if value is None:
        if not shape.nullable:
            yield f"{where} is null"
        return
    match shape:
        case NumberShape():
            right = type(value) is int
        case TruthShape():
            right = type(value) is bool
        case TextShape(choices=choices, pattern=pattern):
            right = isinstance(value, str) and (not choices or value in choices)
            right = right and (not pattern or fullmatch(pattern, str(value)) is not None)
        case ChoiceShape(choices=values):
            right = value in values
        case ListShape(of=item):
            right = isinstance(value, list)
            for index, inner in enumerate(value if isinstance(value, list) else ()):
                yield from problems(item, inner, f"{where}[{index}]")
        case ObjectShape(fields=fields):
            right = isinstance(value, dict)
            yield from field_problems(fields, value if isinstance(value, dict) else {}, where)
        case _:
            right = False
    if not right:
        yield f"{where} is {value!r}"


def field_problems(fields: Mapping[str, Shape], value: Mapping[str, Any], where: str) -> Iterator[str]:
    """What is wrong with the fields of ``value``."""
    for name in value.keys() - fields.keys():
        yield f"{where}.{name} has no shape"
    for name, shape in fields.items():
        if name in value:
            yield from problems(shape, value[name], f"{where}.{name}")
        else:
            yield f"{where}.{name} is missing"
