"""WebAssembly's binary format, as far as the sandbox's runtime needs it.

The runtime comes from componentize-py, so this need not defend against attacks. Constructs that are unknown
here raise :class:`~arena.sandbox.errors.BuildFailed`; wasmtime detects invalid ones, because it checks the
result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arena.sandbox.errors import BuildFailed

MODULE_MAGIC: Final = b"\0asm\x01\0\0\0"
"""The first bytes of every core module."""

HEADER: Final = len(MODULE_MAGIC)

DATA: Final = 11
"""The number of the data section."""

GLOBAL_GET: Final = 0x23
I32_CONST: Final = 0x41
END: Final = 0x0B
"""The opcodes of instructions."""


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Return a number in LEB128, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return number, at


def signed(data: bytes, at: int) -> tuple[int, int]:
    """Return a number in signed LEB128, and where it ends."""
    number, end = unsigned(data, at)
    return number - ((data[end - 1] & 0x40) << 1 + 7 * (end - at - 1)), end


def encoded(number: int) -> bytes:
    """Return a number in LEB128."""
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)


def encoded_signed(number: int) -> bytes:
    """Return a number in signed LEB128."""
    data = bytearray()
    while not -0x40 <= number < 0x40:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number & 0x7F)
    return bytes(data)


class Reader:
    """Reads ``data`` from ``at`` up to ``end``."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def byte(self) -> int:
        """Return the next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def unsigned(self) -> int:
        """Return the next number, in LEB128."""
        number, self.at = unsigned(self.data, self.at)
        return number

    def signed(self) -> int:
        """Return the next number, in signed LEB128."""
        number, self.at = signed(self.data, self.at)
        return number

    def name(self) -> str:
        """Return the next name."""
        size = self.unsigned()
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def times(self) -> range:
        """Read a number, and return a range of that length."""
        return range(self.unsigned())

    def expect(self, *bytes: int) -> int:
        """Return the next byte, which must be one of the given ones. Raises :class:`BuildFailed`."""
        found = self.byte()
        if found not in bytes:
            raise BuildFailed(f"the sandbox's Python has an unknown part: byte {found:#04x} at {self.at - 1}")
        return found

    def sections(self) -> Iterator[tuple[int, Reader]]:
        """Yield the number and contents of each section from here on."""
        while self.at < self.end:
            number, size = self.byte(), self.unsigned()
            start, self.at = self.at, self.at + size
            yield number, Reader(self.data, start, self.at)
