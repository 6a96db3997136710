"""The memory image in a component made by componentize-py.

CPython counts references in the objects themselves, so merely using an object writes to its page. Objects
whose count is at least 2**30 are immortal: CPython does not count them (PEP 683). Every object that is there
when the runtime is built is there for ever, so all are made immortal; then instances share their pages.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.sandbox.guest.modules import LIST_OF_OBJECTS

_CORE_MODULE: Final = 1
_DATA: Final = 11
_I32_CONST: Final = 0x41
_END: Final = 0x0B
_HEADER: Final = 8

_IMMORTAL_FROM: Final = 1 << 30
_IMMORTAL: Final = 5 << 28
"""``_Py_IMMORTAL_INITIAL_REFCNT`` where pointers have 32 bits."""

_MOST_REFERENCES: Final = 1 << 20
"""More, and below the immortal, is no count: the memory was freed since it was listed."""


class BuildFailed(ArenaError):
    """The runtime cannot be built here."""

    code = "runtime_not_built"


class _Segment(NamedTuple):
    address: int
    size: int
    offset: int
    """In the file."""


def with_immortal_objects(component: bytes) -> bytes:
    """The component with all objects that ``arena.sandbox.guest.image`` listed made immortal.

    Raises :class:`BuildFailed` if there is no such list.
    """
    segments = sorted(_segments(component))
    memory = bytearray(max((segment.address + segment.size for segment in segments), default=0))
    for address, size, offset in segments:
        memory[address : address + size] = component[offset : offset + size]
    objects = _objects(memory)
    patched = bytearray(component)
    starts = [segment.address for segment in segments]
    kinds = set(objects)
    for address in objects:
        count, kind = struct.unpack_from("<II", memory, address)
        if not 1 <= count < _MOST_REFERENCES or kind not in kinds:
            continue
        segment = segments[bisect_right(starts, address) - 1]
        if segment.address <= address and address + 4 <= segment.address + segment.size:
            struct.pack_into("<I", patched, segment.offset + address - segment.address, _IMMORTAL)
    return bytes(patched)


def _objects(memory: bytearray) -> tuple[int, ...]:
    at = -1
    while (at := memory.find(LIST_OF_OBJECTS, at + 1)) >= 0:
        start = at + len(LIST_OF_OBJECTS)
        size, none = struct.unpack_from("<II", memory, start)
        # The text itself is elsewhere too, as a constant.
        if start + 8 + 4 * size <= len(memory) and none + 4 <= len(memory):
            (count,) = struct.unpack_from("<I", memory, none)
            if count >= _IMMORTAL_FROM:
                return struct.unpack_from(f"<{size}I", memory, start + 8)
    raise BuildFailed("there is no list of objects in the memory of the sandbox's Python")


def _segments(component: bytes) -> list[_Segment]:
    """The data of the first core module, which is the memory image."""
    for kind, start, end in _sections(component, _HEADER, len(component)):
        if kind == _CORE_MODULE:
            for section, at, _ in _sections(component, start + _HEADER, end):
                if section == _DATA:
                    return _data(component, at)
    return []


def _sections(component: bytes, at: int, end: int) -> list[tuple[int, int, int]]:
    """Number, start and end of each section."""
    sections = []
    while at < end:
        size, start = _unsigned(component, at + 1)
        sections.append((component[at], start, start + size))
        at = start + size
    return sections


def _data(component: bytes, at: int) -> list[_Segment]:
    number, at = _unsigned(component, at)
    segments = []
    for _ in range(number):
        mode, at = _unsigned(component, at)
        if mode != 0 or component[at] != _I32_CONST:
            raise BuildFailed("the memory of the sandbox's Python is not made of active segments")
        address, at = _unsigned(component, at + 1)
        if component[at] != _END:
            raise BuildFailed("the memory of the sandbox's Python is not at constant addresses")
        size, at = _unsigned(component, at + 1)
        segments.append(_Segment(address, size, at))
        at += size
    return segments


def _unsigned(component: bytes, at: int) -> tuple[int, int]:
    """A number in LEB128, and where it ends. Addresses here are positive, so signed ones read the same."""
    number = shift = 0
    while True:
        byte = component[at]
        number |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return number, at
