"""Whether what a game shows has the shapes that its descriptor gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from re import fullmatch
from typing import Any

from arena.games.shapes import ChoiceShape, ListShape, NumberShape, ObjectShape, Shape, TextShape, TruthShape


def problems(shape: Shape, value: object) -> Iterator[str]:
    """What is wrong with ``value``, and where in it; nothing if it has the shape."""
    if value is None:
        if not shape.nullable:
            yield " is null"
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
                for problem in problems(item, inner):
                    yield f"[{index}]{problem}"
        case ObjectShape(fields=fields):
            right = isinstance(value, dict)
            yield from field_problems(fields, value if isinstance(value, dict) else {})
        case _:
            right = False
    if not right:
        yield f" is {value!r}"


def field_problems(fields: Mapping[str, Shape], value: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the fields of ``value``."""
    for name in value.keys() - fields.keys():
        yield f".{name} has no shape"
    for name, shape in fields.items():
        if name not in value:
            yield f".{name} is missing"
            continue
        for problem in problems(shape, value[name]):
            yield f".{name}{problem}"
