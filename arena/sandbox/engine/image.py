"""The memory image in the linked runtime.

CPython counts references in the objects themselves, so merely using an object writes to its page. Objects
whose count is at least 2**30 are immortal: CPython does not count them (PEP 683). Every object that exists
when the runtime is built exists forever, so all these objects are made immortal, and instances can share
their pages.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from typing import Final, NamedTuple

from arena.sandbox.engine.binary import DATA, END, HEADER, I32_CONST, Reader
from arena.sandbox.errors import BuildFailed
from arena.sandbox.guest.modules import LIST_OF_OBJECTS

_IMMORTAL_FROM: Final = 1 << 30
_IMMORTAL: Final = 5 << 28
"""``_Py_IMMORTAL_INITIAL_REFCNT`` on platforms with 32-bit pointers."""

_MOST_REFERENCES: Final = 1 << 20
"""The maximum plausible reference count of a mortal object. A larger number means that the memory was freed
after the object was listed.
"""


class _Segment(NamedTuple):
    address: int
    size: int
    offset: int
    """The offset in the file."""


def with_immortal_objects(module: bytes) -> bytes:
    """Return the core module with all objects made immortal that ``arena.sandbox.guest.image`` listed.

    Raises :class:`~arena.sandbox.errors.BuildFailed` if there is no such list.
    """
    segments = sorted(_segments(module))
    memory = bytearray(max((segment.address + segment.size for segment in segments), default=0))
    for address, size, offset in segments:
        memory[address : address + size] = module[offset : offset + size]
    objects = _objects(memory)
    patched = bytearray(module)
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
        # The marker text itself is also elsewhere, as a constant.
        if start + 8 + 4 * size <= len(memory) and none + 4 <= len(memory):
            (count,) = struct.unpack_from("<I", memory, none)
            if count >= _IMMORTAL_FROM:
                return struct.unpack_from(f"<{size}I", memory, start + 8)
    raise BuildFailed("there is no list of objects in the memory of the sandbox's Python")


def _segments(module: bytes) -> list[_Segment]:
    for number, section in Reader(module, HEADER, len(module)).sections():
        if number == DATA:
            return [_segment(section) for _ in section.times()]
    return []


def _segment(reader: Reader) -> _Segment:
    """Read an active data segment; offsets are non-negative, so LEB128 signedness does not matter."""
    reader.expect(0)
    reader.expect(I32_CONST)
    address, _, size = reader.unsigned(), reader.expect(END), reader.unsigned()
    reader.at += size
    return _Segment(address, size, reader.at - size)
