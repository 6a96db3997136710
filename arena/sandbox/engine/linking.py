"""Links the core modules of a component into one, like a static linker.

componentize-py makes a component of 38 core modules, which must be linked again for every instance: wasmtime
looks up 5,500 functions for their shared table, and every call, global and memory access crosses module
boundaries. In a single module, all of this is resolved at compile time. A mutable global that no code ever
sets, such as those left by the linker of shared libraries, becomes a constant.

A linked module has no state except its memory and the globals that it exports (``global 0`` and so on). Code
that changes tables or drops segments is not supported and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from arena.sandbox.engine.binary import (
    DATA,
    END,
    GLOBAL_GET,
    I32_CONST,
    MODULE_MAGIC,
    Reader,
    encoded,
    encoded_signed,
    signed,
    unsigned,
)
from arena.sandbox.engine.component import (
    FUNCTION,
    GLOBAL,
    MEMORY,
    TABLE,
    Alias,
    Component,
    Lowered,
    SizeLimits,
    Sum,
    read_component,
)
from arena.sandbox.errors import BuildFailed

HOST: Final = "host"
"""The module name under which a linked module imports the functions that its component imported."""


class Defined(NamedTuple):
    """A definition of a core instance: its position among the instance's definitions of that sort, excluding
    imports.
    """

    instance: int
    place: int


class Hosted(NamedTuple):
    """A function that the component imports."""

    name: str


Function = Defined | Hosted


def linked(component: bytes) -> bytes:
    """Return a core module that is equivalent to the component.

    It exports ``memory``, ``cabi_realloc``, the component's functions as flattened by the canonical ABI, and
    the ``cabi_post_NAME`` of each function that has one. Raises :class:`BuildFailed` for unknown constructs.
    """
    return _Linker(read_component(component)).module()


class _Token(NamedTuple):
    """An instruction that must be rewritten, with its operands, which are indices."""

    start: int
    end: int
    code: int
    operand: int
    table: int = 0


_CALL: Final = 0x10
_CALL_INDIRECT: Final = 0x11
_RETURN_CALL: Final = 0x12
_RETURN_CALL_INDIRECT: Final = 0x13
_BR_TABLE: Final = 0x0E
_GLOBAL_SET: Final = 0x24
_REF_FUNC: Final = 0xD2
_SIGN: Final = 1 << 31

_OF_FUNCTIONS: Final = (_CALL, _RETURN_CALL, _REF_FUNC)
_OF_GLOBALS: Final = (GLOBAL_GET, _GLOBAL_SET)
_INDIRECT: Final = (_CALL_INDIRECT, _RETURN_CALL_INDIRECT)
_BLOCKS: Final = (0x02, 0x03, 0x04)

_LEB: Final = rb"[\x80-\xff]*[\x00-\x7f]"
_COPIED: Final = re.compile(
    rb"(?:[\x00\x01\x05\x0b\x0f\x1a\x1b\x45-\xc4\xd1]"  # no operand
    rb"|[\x02-\x04][\x40-\x7f]"  # blocks of a plain type
    rb"|[\x0c\x0d\x20-\x22\x41\x42]"
    + _LEB  # branches, locals, constants
    + rb"|[\x28-\x3e]"
    + _LEB
    + _LEB  # loads and stores
    + rb"|[\x3f\x40]\x00"  # memory.size, memory.grow
    rb"|\x43.{4}|\x44.{8}"  # constants
    rb"|\xfc(?:[\x00-\x07]|\x0a\x00\x00|\x0b\x00))+",  # saturating conversions, memory.copy, memory.fill
    re.DOTALL,
)
"""Matches instructions that are copied unchanged."""


def _tokens(data: bytes, at: int, end: int) -> Iterator[_Token]:
    while True:
        copied = _COPIED.match(data, at, end)
        at = copied.end() if copied else at
        if at >= end:
            return
        start, code = at, data[at]
        if code in _OF_FUNCTIONS or code in _OF_GLOBALS:
            index, at = unsigned(data, at + 1)
            yield _Token(start, at, code, index)
        elif code in _INDIRECT:
            index, at = unsigned(data, at + 1)
            table, at = unsigned(data, at)
            yield _Token(start, at, code, index, table)
        elif code in _BLOCKS:
            index, at = signed(data, at + 1)
            yield _Token(start, at, code, index)
        elif code == _BR_TABLE:
            targets, at = unsigned(data, at + 1)
            for _ in range(targets + 1):
                _, at = unsigned(data, at)
        else:
            raise BuildFailed(f"the sandbox's Python has an unknown instruction: {data[at : at + 2].hex()}")


class _Linker:
    def __init__(self, component: Component) -> None:
        self._component = component
        self._instances = {
            number: instance.module
            for number, instance in enumerate(component.instances)
            if instance.module is not None
        }
        if len({id(module) for module in self._instances.values()}) != len(self._instances):
            raise BuildFailed("a core module of the sandbox's Python has two instances")
        self._function = lru_cache(None)(self._find_function)
        self._global = lru_cache(None)(lambda instance, index: self._find(instance, GLOBAL, index))
        self._types: dict[bytes, int] = {}
        self._hosted_types: dict[Hosted, bytes] = {}
        tables = (
            Defined(number, place)
            for number, module in self._instances.items()
            for place in range(len(module.tables))
        )
        self._tables = {table: number for number, table in enumerate(tables)}
        self._code: dict[Defined, list[_Token]] = {}
        """The code of the functions that can be called."""
        self._trace([*self._exports.values(), *self._tabled])
        functions: list[Function] = [*sorted(self._hosted), *sorted(self._code)]
        self._functions = {function: number for number, function in enumerate(functions)}
        self._variables = {name: number for number, name in enumerate(sorted(self._set))}

    def module(self) -> bytes:
        """Return the linked module."""
        functions = sorted(self._code)
        kinds = [encoded(self._type_of(function)) for function in functions]
        hosted = [
            _name(HOST) + _name(function.name) + b"\0" + encoded(self._type_of(function))
            for function in sorted(self._hosted)
        ]
        code = [self._body(function) for function in functions]
        sections = (
            (1, _vector(list(self._types))),
            (2, _vector(hosted)),
            (3, _vector(kinds)),
            (4, _vector([b"\x70" + self._table(table) for table in self._tables])),
            (5, _vector([_bounds(self._memory())])),
            (6, _vector([b"\x7f\x01" + self._constant(name) + bytes([END]) for name in self._variables])),
            (7, _vector(self._exported())),
            (9, _vector([self._element(*entry) for entry in self._elements])),
            (10, _vector(code)),
            (DATA, self._data()),
        )
        return MODULE_MAGIC + b"".join(bytes([number]) + _sized(content) for number, content in sections)

    @cached_property
    def _exports(self) -> dict[str, Function]:
        exports = {}
        for name, lifted in self._component.exports.items():
            exports[name] = self._core(FUNCTION, lifted.function)
            if lifted.post_return is not None:
                exports[f"cabi_post_{name}"] = self._core(FUNCTION, lifted.post_return)
            if lifted.realloc is not None:
                exports["cabi_realloc"] = self._core(FUNCTION, lifted.realloc)
        return exports

    @cached_property
    def _elements(self) -> list[tuple[Defined, int, list[Function]]]:
        """The table, offset and functions of each element segment."""
        return [
            (
                self._find(number, TABLE, element.table),
                self._value(number, element.offset),
                [self._function(number, index) for index in element.functions],
            )
            for number, module in self._instances.items()
            for element in module.elements
            if element.functions
        ]

    @property
    def _tabled(self) -> list[Function]:
        return [function for _, _, functions in self._elements for function in functions]

    def _trace(self, todo: list[Function]) -> None:
        """Find the functions that can be called from here, and the globals that they set."""
        self._hosted: set[Hosted] = set()
        self._set: set[Defined] = set()
        while todo:
            function = todo.pop()
            if isinstance(function, Hosted):
                self._hosted.add(function)
            elif function not in self._code:
                instance, place = function
                body = self._instances[instance].bodies[place]
                reader = Reader(self._component.data, *body)
                for _ in reader.times():
                    reader.unsigned()
                    reader.byte()
                tokens = self._code[function] = list(_tokens(reader.data, reader.at, body.end))
                todo += (self._function(instance, it.operand) for it in tokens if it.code in _OF_FUNCTIONS)
                self._set.update(
                    self._global(instance, it.operand) for it in tokens if it.code == _GLOBAL_SET
                )

    def _find_function(self, instance: int, index: int) -> Function:
        module = self._instances[instance]
        if index < len(module.imports[FUNCTION]):
            found = self._imported(instance, FUNCTION, index)
            if isinstance(found, Hosted):
                self._hosted_types.setdefault(found, module.types[module.imported_types[index]])
            return found
        return Defined(instance, index - len(module.imports[FUNCTION]))

    def _find(self, instance: int, sort: int, index: int) -> Defined:
        imports = len(self._instances[instance].imports[sort])
        if index >= imports:
            return Defined(instance, index - imports)
        found = self._imported(instance, sort, index)
        if isinstance(found, Hosted):
            raise BuildFailed(f"the sandbox's Python imports {found.name}, which is not a function")
        return found

    def _imported(self, instance: int, sort: int, index: int) -> Function:
        module, name = self._instances[instance].imports[sort][index]
        return self._exported_by(self._component.instances[instance].arguments[module], sort, name)

    def _exported_by(self, number: int, sort: int, name: str) -> Function:
        instance = self._component.instances[number]
        if instance.module is None:
            return self._core(sort, instance.items[name][1])
        index = instance.module.exports[name][1]
        return self._function(number, index) if sort == FUNCTION else self._find(number, sort, index)

    def _core(self, sort: int, index: int) -> Function:
        item: Alias | Lowered = self._component.core[sort][index]
        if isinstance(item, Alias):
            return self._exported_by(item.instance, sort, item.name)
        name = None if item.function is None else self._component.functions[item.function]
        if not isinstance(name, str):
            raise BuildFailed("the sandbox's Python calls the canonical ABI")
        return Hosted(name)

    def _value(self, instance: int, expression: Sum) -> int:
        values = (self._initial(self._global(instance, index)) for index in expression.globals)
        # As i32.add counts.
        return (expression.number + sum(values) + _SIGN) % (2 * _SIGN) - _SIGN

    def _initial(self, name: Defined) -> int:
        return self._value(name.instance, self._instances[name.instance].globals[name.place])

    def _constant(self, name: Defined) -> bytes:
        return _i32_const(self._initial(name))

    def _type(self, kind: bytes) -> int:
        return self._types.setdefault(kind, len(self._types))

    def _type_of(self, function: Function) -> int:
        if isinstance(function, Hosted):
            return self._type(self._hosted_types[function])
        module = self._instances[function.instance]
        return self._type(module.types[module.functions[function.place]])

    def _memory(self) -> SizeLimits:
        memories = [limits for module in self._instances.values() for limits in module.memories]
        if len(memories) != 1:
            raise BuildFailed(f"the sandbox's Python has {len(memories)} memories")
        return memories[0]

    def _body(self, function: Defined) -> bytes:
        data = self._component.data
        at, end = self._instances[function.instance].bodies[function.place]
        parts = []
        for token in self._code[function]:
            parts += [data[at : token.start], self._rewritten(function.instance, token)]
            at = token.end
        return _sized(b"".join([*parts, data[at:end]]))

    def _rewritten(self, instance: int, token: _Token) -> bytes:
        code = bytes([token.code])
        if token.code in _OF_FUNCTIONS:
            return code + encoded(self._functions[self._function(instance, token.operand)])
        if token.code in _OF_GLOBALS:
            name = self._global(instance, token.operand)
            if name not in self._variables:
                return self._constant(name)
            return code + encoded(self._variables[name])
        kind = self._type(self._instances[instance].types[token.operand])
        if token.code in _INDIRECT:
            return code + encoded(kind) + encoded(self._tables[self._find(instance, TABLE, token.table)])
        return code + encoded_signed(kind)

    def _table(self, name: Defined) -> bytes:
        size, _ = self._instances[name.instance].tables[name.place]
        return _bounds((size, size))

    def _exported(self) -> list[bytes]:
        exports = [
            _name(name) + bytes([FUNCTION]) + encoded(self._functions[function])
            for name, function in self._exports.items()
        ]
        exports += [
            _name(f"global {number}") + bytes([GLOBAL]) + encoded(number)
            for number in self._variables.values()
        ]
        return [*exports, _name("memory") + bytes([MEMORY, 0])]

    def _element(self, table: Defined, offset: int, functions: list[Function]) -> bytes:
        entries = _vector([encoded(self._functions[function]) for function in functions])
        where = _i32_const(offset) + bytes([END])
        return b"\x02" + encoded(self._tables[table]) + where + b"\0" + entries

    def _data(self) -> bytes:
        data = [module.data for module in self._instances.values() if module.data is not None]
        if len(data) != 1:
            raise BuildFailed(f"{len(data)} core modules of the sandbox's Python have data")
        return self._component.data[data[0].start : data[0].end]


def _i32_const(number: int) -> bytes:
    return bytes([I32_CONST]) + encoded_signed(number)


def _sized(content: bytes) -> bytes:
    return encoded(len(content)) + content


def _name(text: str) -> bytes:
    return _sized(text.encode())


def _vector(entries: list[bytes]) -> bytes:
    return encoded(len(entries)) + b"".join(entries)


def _bounds(limits: SizeLimits) -> bytes:
    least, most = limits
    return b"\0" + encoded(least) if most is None else b"\x01" + encoded(least) + encoded(most)
