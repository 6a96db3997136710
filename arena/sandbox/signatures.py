"""The types of a component's imports and exports, in WIT notation. An upload's types can be huge when written
out, so only the process that compiles the upload (``arena.sandbox.compiler``) looks at them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wasmtime import Engine
from wasmtime.component import ComponentInstanceType, FuncType, ListType, ResultType, TupleType

_MOST_PARTS: Final = 16
"""The maximum number of parts of a type that are written out, which is more than any bot needs."""


def signature_of(item: object) -> str:
    """Return a function's type in WIT notation, without parameter names. If the item is not a function,
    return a description of it.
    """
    if not isinstance(item, FuncType):
        return type(item).__name__
    writer = _Writer()
    params = ", ".join(writer.name(kind) for _, kind in item.params[:_MOST_PARTS])
    return f"func({params})" + (f" -> {writer.name(item.result)}" if item.result is not None else "")


class _Writer:
    """Writes types with a limited number of parts."""

    def __init__(self) -> None:
        self._left = _MOST_PARTS

    def name(self, kind: object) -> str:
        self._left -= 1
        if self._left < 0:
            return "..."
        if isinstance(kind, ResultType):
            return f"result<{self.name(kind.ok)}, {self.name(kind.err)}>"
        if isinstance(kind, ListType):
            return f"list<{self.name(kind.element)}>"
        if isinstance(kind, TupleType):
            return f"tuple<{', '.join(map(self.name, kind.elements[:_MOST_PARTS]))}>"
        return type(kind).__name__.lower()


def item_count(items: Mapping[str, Any], engine: Engine, most: int) -> int:
    """Return the number of items, including those inside instances, counted up to ``most`` + 1."""
    count = 0
    for item in items.values():
        count += 1
        if count <= most and isinstance(item.ty, ComponentInstanceType):
            count += item_count(item.ty.exports(engine), engine, most - count)
        if count > most:
            break
    return count
