"""Segments: files of joined gzip members, one for each live game and each group that the arena played.

``zcat`` prints the records in a segment, one per line, so every segment can be offered as a download. Members
can be read separately. The header of a member (RFC 1952) begins with the member's length. Its file name field
is the key, and its comment consists of the number of the last record and the kind of game.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.text import printable

_LEVEL: Final = 9
_HEAD: Final = struct.Struct("<2sBB4xBBH2sHI")
"""Magic number, method, flags, (time), level, system, length of the extra fields, the name of the only extra
field, its length, and the length of the member.
"""
_MAGIC: Final = b"\x1f\x8b"
_DEFLATE: Final = 8
_FLAGS: Final = 0b11100
"""The flags for extra fields, name and comment."""
_MAXIMUM, _UNKNOWN_SYSTEM = 2, 255
_LENGTH: Final = b"BQ"
_NUL: Final = b"\0"
_MOST_OF_MEMBER: Final = 256 << 20
"""The maximum size of the lines of a member."""
_MOST_LINES: Final = 100_000


class DamagedArchive(ArenaError):
    """Data in the archive differ from what was written."""

    code = "damaged_archive"


class ArchiveEntry(NamedTuple):
    """The lines archived under one key, without line ends, for one game or a group of games.

    ``number`` is the number of its last line in the list of released records. ``kind`` is the kind of game.
    """

    key: str
    number: int
    kind: str
    lines: Sequence[bytes]

    def dumps(self) -> bytes:
        """Return the entry as a member of a segment."""
        data = b"\n".join(self.lines) + b"\n"
        deflate = zlib.compressobj(_LEVEL, wbits=-zlib.MAX_WBITS)
        comment = f"{self.number} {self.kind}"
        names = self.key.encode() + _NUL + comment.encode() + _NUL
        packed = deflate.compress(data) + deflate.flush()
        end = struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
        length = _HEAD.size + len(names) + len(packed) + len(end)
        extra = (_HEAD.size - 12, _LENGTH, 4, length)
        head = _HEAD.pack(_MAGIC, _DEFLATE, _FLAGS, _MAXIMUM, _UNKNOWN_SYSTEM, *extra)
        return b"".join((head, names, packed, end))


class Member(NamedTuple):
    """A member of a segment: an entry in compressed form."""

    key: str
    number: int
    kind: str
    data: bytes

    def lines(self) -> list[bytes]:
        """Return the member's lines. Raises :class:`DamagedArchive`."""
        unpack = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        try:
            data = unpack.decompress(self.data, _MOST_OF_MEMBER)
        except zlib.error as error:
            raise self._damaged(str(error)) from None
        if unpack.unconsumed_tail:
            raise self._damaged(f"it contains more than {_MOST_OF_MEMBER >> 20} MiB")
        if not unpack.eof or unpack.unused_data:
            raise self._damaged("it does not end where its header says")
        if data.count(b"\n") > _MOST_LINES:
            raise self._damaged(f"it contains more than {_MOST_LINES} lines")
        return data.split(b"\n")[:-1]

    def _damaged(self, why: str) -> DamagedArchive:
        return DamagedArchive(f"{self.key} in the archive cannot be read: {why}")


def members(data: bytes, where: str) -> Iterator[Member]:
    """Yield the members of ``data``, which must begin and end at member boundaries, without decompressing
    them. Raises :class:`DamagedArchive`, which names ``where``.
    """
    start = 0
    while start < len(data):
        try:
            magic, method, flags, _, _, _, name, _, length = _HEAD.unpack_from(data, start)
            if (magic, method, flags, name) != (_MAGIC, _DEFLATE, _FLAGS, _LENGTH):
                raise ValueError("the bytes are not the start of a member")
            if not 0 < length <= len(data) - start:
                raise ValueError("the data are truncated")
            key, comment, _ = data[start + _HEAD.size : start + length].split(_NUL, 2)
            number, _, kind = comment.decode().partition(" ")
            member = Member(key.decode(), int(number), kind, data[start : start + length])
        except (struct.error, ValueError) as error:
            raise DamagedArchive(
                f"{where} cannot be read at byte {start}: {printable(str(error), 200)}"
            ) from None
        yield member
        start += length
