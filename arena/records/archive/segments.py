"""Segments: files of joined gzip members, one for each game, or for each group that the arena played.

``zcat`` of a segment prints its records, one a line: every segment is a file to download. A member can be
read alone. Its header (RFC 1952) begins with the length of the member, and has its key as the name of the
file, and the number of its last record and the kind of game as the comment.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arena.errors import ArenaError

_LEVEL: Final = 9
_HEAD: Final = struct.Struct("<2sBB4xBBH2sHI")
"""Magic, method, flags, (time), level, system, bytes of extra fields, the name of the only one, its bytes,
and the length of the member.
"""
_MAGIC: Final = b"\x1f\x8b"
_DEFLATE: Final = 8
_FLAGS: Final = 0b11100
"""Extra field, name, comment."""
_MAXIMUM, _UNKNOWN_SYSTEM = 2, 255
_LENGTH: Final = b"BQ"
_NUL: Final = b"\0"


class DamagedArchive(ArenaError):
    """Something in the archive is not what was written."""

    code = "damaged_archive"


class ArchiveEntry(NamedTuple):
    """What is archived under one key: a game, or a group of games, as lines without line ends.

    ``number``: that of its last line in the list of released records. ``kind``: the kind of game.
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
    """A member of a segment: an entry that is still compressed."""

    key: str
    number: int
    kind: str
    data: bytes

    def lines(self) -> list[bytes]:
        """Return its lines. Raises :class:`DamagedArchive`."""
        try:
            return gzip.decompress(self.data).split(b"\n")[:-1]
        except (OSError, EOFError, zlib.error) as error:
            raise DamagedArchive(f"{self.key} in the archive cannot be read: {error}") from None


def members(data: bytes, where: str) -> Iterator[Member]:
    """Yield the members of ``data``, which begins and ends with a whole one; none of them is decompressed.
    Raises :class:`DamagedArchive`, which names ``where``.
    """
    start = 0
    while start < len(data):
        try:
            magic, method, flags, _, _, _, name, _, length = _HEAD.unpack_from(data, start)
            if (magic, method, flags, name) != (_MAGIC, _DEFLATE, _FLAGS, _LENGTH):
                raise ValueError("no member begins there")
            if not 0 < length <= len(data) - start:
                raise ValueError("it is cut off")
            key, comment, _ = data[start + _HEAD.size : start + length].split(_NUL, 2)
            number, _, kind = comment.decode().partition(" ")
            member = Member(key.decode(), int(number), kind, data[start : start + length])
        except (struct.error, ValueError) as error:
            raise DamagedArchive(f"{where} cannot be read at byte {start}: {error}") from None
        yield member
        start += length
