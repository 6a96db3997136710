"""Checks that values of the service have the types in :mod:`arena.client.types`.

A later version of the service can add fields, and values to choices, so both are allowed. Numbers are within
the range of 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    ForwardRef,
    Literal,
    NotRequired,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from arena.client import types
from arena.text import printable

_MOST: Final = 1 << 63
_NAMES: Final = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}

Check: TypeAlias = Callable[[object, str], None]
"""Raises :class:`WrongShape` for a value at a place."""


class WrongShape(Exception):
    """A value that has another type. ``where`` is its place, such as ``bots[3].games``."""

    def __init__(self, where: str, found: object, expected: str) -> None:
        super().__init__(where, expected)
        self.where = where
        self.found = _described(found)
        self.expected = expected


def check_reply(operation: str, value: object) -> None:
    """Check the reply of an operation. Raises :class:`WrongShape`."""
    _named(types.REPLIES.get(operation, "None"))(value, "")


def check_object(kind: type, value: object) -> None:
    """Check a value against a TypedDict. Raises :class:`WrongShape`."""
    _check(kind)(value, "")


@cache
def _named(name: str) -> Check:
    """Return the check of a type by its text, such as ``list[Bot]``."""
    return _check(eval(name, vars(types), _aliases()))


@cache
def _aliases() -> dict[str, Any]:
    """Return the unions of types that have names."""
    kinds = types.__annotations__.items()
    return {name: eval(getattr(types, name), vars(types)) for name, kind in kinds if kind == "TypeAlias"}


@cache
def _check(kind: Any) -> Check:
    if isinstance(kind, (str, ForwardRef)):
        return _named(kind if isinstance(kind, str) else kind.__forward_arg__)
    origin, parts = get_origin(kind), get_args(kind)
    if kind in _NAMES:
        return _plain(kind)
    if kind is NoneType:
        return _nothing
    if origin is Literal:
        return _union(tuple(dict.fromkeys(map(type, parts))))
    if origin in (Union, UnionType):
        return _union(parts)
    if origin is list:
        return _list(_check(parts[0]))
    if origin is dict:
        return _dict(_check(parts[1]))
    return _object(kind) if is_typeddict(kind) else _anything


def _anything(value: object, where: str) -> None:
    pass


def _nothing(value: object, where: str) -> None:
    if value is not None:
        raise WrongShape(where, value, "null")


def _plain(kind: type) -> Check:
    def check(value: object, where: str) -> None:
        found = type(value)
        if found is kind and kind in (str, bool):
            return
        is_number = found is kind or (kind is float and found is int)
        if not is_number or not -_MOST <= value < _MOST:  # type: ignore[operator]
            raise WrongShape(where, value, _NAMES[kind])

    return check


def _union(kinds: tuple[Any, ...]) -> Check:
    if len(kinds) == 1:
        return _check(kinds[0])
    checks = list(map(_check, kinds))

    def check(value: object, where: str) -> None:
        wrong = []
        for one in checks:
            try:
                return one(value, where)
            except WrongShape as error:
                wrong.append(error)
        # The alternative that fits best is wrong furthest inside.
        best = max(wrong, key=lambda error: len(error.where))
        here = dict.fromkeys(error.expected for error in wrong if error.where == best.where)
        raise WrongShape(best.where, value, " or ".join(here)) if best.where == where else best

    return check


def _list(item: Check) -> Check:
    def check(value: object, where: str) -> None:
        if not isinstance(value, list):
            raise WrongShape(where, value, "a list")
        for n, one in enumerate(value):
            item(one, f"{where}[{n}]")

    return check


def _dict(item: Check) -> Check:
    def check(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise WrongShape(where, value, "an object")
        for name, one in value.items():
            item(one, _inside(where, name))

    return check


def _object(kind: type) -> Check:
    hints = get_type_hints(kind, localns=_aliases(), include_extras=True)
    optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
    fields: dict[str, Check] = {}

    def check(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise WrongShape(where, value, "an object")
        if not fields:
            # The type can contain itself.
            fields.update(
                (name, _check(get_args(hint)[0] if name in optional else hint))
                for name, hint in hints.items()
            )
        for name, one in fields.items():
            if name in value:
                one(value[name], f"{where}.{name}" if where else name)
            elif name not in optional:
                raise WrongShape(where, value, f"an object with {name}")

    return check


def _inside(where: str, name: str) -> str:
    shown = printable(name, 40)
    return f"{where}.{shown}" if where else shown


def _described(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the text {printable(value, 40)!r}"
    return "another number"
