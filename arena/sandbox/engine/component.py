"""Parses a WebAssembly component into its core modules and the parts with which each of them is linked.

The format is described in the component model's Binary.md, and in chapter 5 of the core specification.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from arena.sandbox.engine.binary import DATA, END, GLOBAL_GET, HEADER, I32_CONST, Reader
from arena.sandbox.errors import BuildFailed

FUNCTION: Final = 0
TABLE: Final = 1
MEMORY: Final = 2
GLOBAL: Final = 3

_FUNCTION_TYPE: Final = 0x60
_FUNCREF: Final = 0x70
_I32: Final = 0x7F

_I32_ADD: Final = 0x6A

SizeLimits = tuple[int, int | None]
"""The initial and maximum size of a memory or table."""


class Sum(NamedTuple):
    """A constant expression: the sum of a number and globals, given by index."""

    number: int
    globals: list[int]


class Element(NamedTuple):
    """An element segment: functions that are put into a table, starting at ``offset``."""

    table: int
    offset: Sum
    functions: list[int]


class Span(NamedTuple):
    """A part of the component's bytes."""

    start: int
    end: int


@dataclass
class Module:
    """A core module. Imports come first in each index space, by sort."""

    types: list[bytes] = field(default_factory=list)
    imports: list[list[tuple[str, str]]] = field(default_factory=lambda: [[], [], [], []])
    imported_types: list[int] = field(default_factory=list)
    """The types of the imported functions."""
    functions: list[int] = field(default_factory=list)
    """The types of the functions that the module defines."""
    bodies: list[Span] = field(default_factory=list)
    tables: list[SizeLimits] = field(default_factory=list)
    memories: list[SizeLimits] = field(default_factory=list)
    globals: list[Sum] = field(default_factory=list)
    exports: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The sort and index of each export, by name."""
    elements: list[Element] = field(default_factory=list)
    data: Span | None = None


class CoreInstance(NamedTuple):
    """A core instance: an instance of a module with other instances as arguments, or a collection of exports
    of other instances (``items``: sort and index, in the component's index spaces).
    """

    module: Module | None
    arguments: dict[str, int]
    items: dict[str, tuple[int, int]]


class Lowered(NamedTuple):
    """A component function lowered to a core function, by index. The index is None if the function belongs to
    the canonical ABI.
    """

    function: int | None


class Alias(NamedTuple):
    """An export of a core instance."""

    instance: int
    name: str


class Lifted(NamedTuple):
    """A core function lifted to a component function, with the functions that the canonical ABI calls for
    it.
    """

    function: int
    realloc: int | None
    post_return: int | None


@dataclass
class Component:
    """A component. Parts that are not needed here are omitted."""

    data: bytes
    modules: list[Module] = field(default_factory=list)
    instances: list[CoreInstance] = field(default_factory=list)
    core: list[list[Alias | Lowered]] = field(default_factory=lambda: [[], [], [], []])
    """The core index spaces, by sort."""
    functions: list[str | Lifted | None] = field(default_factory=list)
    """The imported functions, as names, and the lifted ones."""
    exports: dict[str, Lifted] = field(default_factory=dict)


def read_component(data: bytes) -> Component:
    """Parse a component. Raises :class:`BuildFailed` for unknown constructs."""
    component = Component(data)
    readers = {2: _instance, 6: _alias, 8: _canonical, 10: _import, 11: _export}
    for number, section in Reader(data, HEADER, len(data)).sections():
        if number == 1:
            component.modules.append(_module(section))
        elif number in readers:
            for _ in section.times():
                readers[number](component, section)
    return component


def _instance(component: Component, reader: Reader) -> None:
    if reader.expect(0, 1) == 0:
        module, arguments = reader.unsigned(), {}
        for _ in reader.times():
            name, _ = reader.name(), reader.expect(0x12)
            arguments[name] = reader.unsigned()
        component.instances.append(CoreInstance(component.modules[module], arguments, {}))
    else:
        items = {}
        for _ in reader.times():
            name, sort = reader.name(), reader.expect(FUNCTION, TABLE, MEMORY, GLOBAL)
            items[name] = (sort, reader.unsigned())
        component.instances.append(CoreInstance(None, {}, items))


def _alias(component: Component, reader: Reader) -> None:
    sort = reader.byte()
    core = reader.byte() if sort == 0 else None
    target = reader.expect(0, 1, 2)
    index = reader.unsigned()
    if target == 2:
        reader.unsigned()
        return
    name = reader.name()
    if core is not None:
        component.core[core].append(Alias(index, name))
    elif sort == 1:
        component.functions.append(None)


def _canonical(component: Component, reader: Reader) -> None:
    kind = reader.expect(0, 1, 2, 3, 4)
    if kind == 0:
        reader.expect(0)
        function, options, _ = reader.unsigned(), _options(reader), reader.unsigned()
        component.functions.append(Lifted(function, options.get(_REALLOC), options.get(_POST_RETURN)))
    elif kind == 1:
        reader.expect(0)
        component.core[FUNCTION].append(Lowered(reader.unsigned()))
        _options(reader)
    else:
        reader.unsigned()
        component.core[FUNCTION].append(Lowered(None))


_UTF8: Final = 0
_MEMORY: Final = 3
_REALLOC: Final = 4
_POST_RETURN: Final = 5


def _options(reader: Reader) -> dict[int, int]:
    options = {}
    for _ in reader.times():
        option = reader.expect(_UTF8, _MEMORY, _REALLOC, _POST_RETURN)
        options[option] = reader.unsigned() if option != _UTF8 else 0
    return options


def _import(component: Component, reader: Reader) -> None:
    reader.expect(0)
    name, _, _ = reader.name(), reader.expect(1), reader.unsigned()
    component.functions.append(name)


def _export(component: Component, reader: Reader) -> None:
    reader.expect(0)
    name, sort, index, _ = reader.name(), reader.byte(), reader.unsigned(), reader.expect(0)
    if sort == 1:
        function = component.functions[index]
        component.functions.append(function)
        if isinstance(function, Lifted):
            component.exports[name] = function


def _module(reader: Reader) -> Module:
    module = Module()
    reader.at += HEADER
    for number, section in reader.sections():
        if number == 10:
            for _ in section.times():
                size = section.unsigned()
                module.bodies.append(Span(section.at, section.at + size))
                section.at += size
        elif number == DATA:
            module.data = Span(section.at, section.end)
        elif number in _PARTS:
            for _ in section.times():
                _PARTS[number](module, section)
        elif number not in (_CUSTOM, _DATA_COUNT):
            raise BuildFailed(f"a core module of the sandbox's Python has an unknown section: {number}")
    return module


_CUSTOM: Final = 0
_DATA_COUNT: Final = 12


def _type(module: Module, reader: Reader) -> None:
    start = reader.at
    reader.expect(_FUNCTION_TYPE)
    for _ in ("parameters", "results"):
        size = reader.unsigned()
        reader.at += size
    module.types.append(reader.data[start : reader.at])


def _module_import(module: Module, reader: Reader) -> None:
    name = (reader.name(), reader.name())
    sort = reader.expect(FUNCTION, TABLE, MEMORY, GLOBAL)
    module.imports[sort].append(name)
    if sort == FUNCTION:
        module.imported_types.append(reader.unsigned())
    elif sort == GLOBAL:
        reader.expect(_I32)
        reader.byte()
    else:
        if sort == TABLE:
            reader.expect(_FUNCREF)
        _limits(reader)


def _function(module: Module, reader: Reader) -> None:
    module.functions.append(reader.unsigned())


def _table(module: Module, reader: Reader) -> None:
    reader.expect(_FUNCREF)
    module.tables.append(_limits(reader))


def _memory(module: Module, reader: Reader) -> None:
    module.memories.append(_limits(reader))


def _global(module: Module, reader: Reader) -> None:
    reader.expect(_I32)
    reader.byte()
    module.globals.append(_sum(reader))


def _module_export(module: Module, reader: Reader) -> None:
    name, sort = reader.name(), reader.byte()
    module.exports[name] = (sort, reader.unsigned())


def _element(module: Module, reader: Reader) -> None:
    explicit = reader.expect(0, 2)
    table = reader.unsigned() if explicit else 0
    offset = _sum(reader)
    if explicit:
        reader.expect(0)
    module.elements.append(Element(table, offset, [reader.unsigned() for _ in reader.times()]))


_PARTS: Final = {
    1: _type,
    2: _module_import,
    3: _function,
    4: _table,
    5: _memory,
    6: _global,
    7: _module_export,
    9: _element,
}
"""The function that reads an entry of each section, by section number."""


def _limits(reader: Reader) -> SizeLimits:
    bounded = reader.expect(0, 1)
    return reader.unsigned(), reader.unsigned() if bounded else None


def _sum(reader: Reader) -> Sum:
    number, indices = 0, []
    while (code := reader.expect(I32_CONST, GLOBAL_GET, _I32_ADD, END)) != END:
        if code == I32_CONST:
            number += reader.signed()
        elif code == GLOBAL_GET:
            indices.append(reader.unsigned())
    return Sum(number, indices)
