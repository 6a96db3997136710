"""Segments: immutable files of JSON lines in gzip members that can be read alone, each with an index.

``zcat`` of a segment gives its lines, in order. Members of about 100 kB compress records nearly as well as
the whole file would, and reading one record decompresses one member.
"""

from __future__ import annotations

import gzip
import json
import secrets
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b, sha256
from typing import Final, NamedTuple, TypedDict

from arena.errors import ArenaError

FRAME_BYTES: Final = 100_000
"""The plain size at which a frame ends."""

_LEVEL: Final = 9


class DamagedArchive(ArenaError):
    """Something in the archive is not what was written."""

    code = "damaged_archive"


class ArchiveEntry(NamedTuple):
    """What is archived under one key: a game, or a group of games, as lines without line ends.

    ``number``: its place in its collection, that of its last line; entries of a segment are in this order.
    ``kind``: the kind of game. ``at_ms``: when it was over.
    """

    key: str
    number: int
    kind: str
    at_ms: int
    lines: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """A segment as the manifest lists it. ``lines``, ``size`` (bytes) and the digests (SHA-256) are for
    checks; ``first`` and ``last`` are the numbers of its entries, ``from_ms`` and ``until_ms`` their times.
    """

    name: str
    collection: str
    entries: int
    lines: int
    size: int
    sha256: str
    index_sha256: str
    first: int
    last: int
    from_ms: int
    until_ms: int

    @property
    def data(self) -> str:
        """The object with the lines."""
        return f"segments/{self.name}.jsonl.gz"

    @property
    def index(self) -> str:
        """The object with the index."""
        return f"segments/{self.name}.index.gz"

    def as_json(self) -> dict[str, object]:
        """As in the manifest."""
        return asdict(self)


class WrittenSegment(NamedTuple):
    """A segment in memory."""

    info: SegmentInfo
    data: bytes
    packed_index: bytes


def write_segment(collection: str, entries: Sequence[ArchiveEntry]) -> WrittenSegment:
    """The segment of ``entries``, of which there is at least one, in the order of their numbers."""
    frames: list[bytes] = []
    counts: list[int] = []
    lines: list[bytes] = []
    size = count = 0
    for place, entry in enumerate(entries, 1):
        lines += entry.lines
        size += sum(map(len, entry.lines))
        count += 1
        if size >= FRAME_BYTES or place == len(entries):
            frames.append(gzip.compress(b"\n".join(lines) + b"\n", _LEVEL, mtime=0))
            counts.append(count)
            lines, size, count = [], 0, 0
    data = b"".join(frames)
    index = {
        "frames": [[len(frame), held] for frame, held in zip(frames, counts, strict=True)],
        "keys": [entry.key for entry in entries],
        "numbers": [entry.number for entry in entries],
        "kinds": [entry.kind for entry in entries],
        "at_ms": [entry.at_ms for entry in entries],
        "lines": [len(entry.lines) for entry in entries],
    }
    packed = gzip.compress(json.dumps(index, separators=(",", ":")).encode(), _LEVEL, mtime=0)
    first, last = entries[0].number, entries[-1].number
    info = SegmentInfo(
        # The random part: no other writer may take objects for its own that are about to be removed.
        name=f"{collection}-{first:017d}-{secrets.token_hex(4)}",
        collection=collection,
        entries=len(entries),
        lines=sum(len(entry.lines) for entry in entries),
        size=len(data),
        sha256=sha256(data).hexdigest(),
        index_sha256=sha256(packed).hexdigest(),
        first=first,
        last=last,
        from_ms=min(entry.at_ms for entry in entries),
        until_ms=max(entry.at_ms for entry in entries),
    )
    return WrittenSegment(info, data, packed)


class Located(NamedTuple):
    """An :class:`ArchiveEntry` as its index has it: with the number of its lines only."""

    key: str
    number: int
    kind: str
    at_ms: int
    lines: int


class Index(TypedDict):
    """An index as stored: the length and the number of entries of every frame, and a column per value of the
    entries.
    """

    frames: list[list[int]]
    keys: list[str]
    numbers: list[int]
    kinds: list[str]
    at_ms: list[int]
    lines: list[int]


def read_index(info: SegmentInfo, packed: bytes) -> Index:
    """The index of a segment. Raises :class:`DamagedArchive`."""
    if sha256(packed).hexdigest() != info.index_sha256:
        raise DamagedArchive(f"{info.index} is not what was written")
    index: Index = json.loads(gzip.decompress(packed))
    return index


def located(index: Index) -> Iterator[Located]:
    """The entries of an index, in order."""
    columns = index["keys"], index["numbers"], index["kinds"], index["at_ms"], index["lines"]
    return map(Located._make, zip(*columns, strict=True))


class SegmentIndex:
    """The index of one segment in memory, some 30 bytes per entry."""

    def __init__(self, info: SegmentInfo, packed: bytes) -> None:
        index = read_index(info, packed)
        self.info = info
        hashed = sorted((key_hash(key), position) for position, key in enumerate(index["keys"]))
        self._hashes = array("Q", (value for value, _ in hashed))
        self._positions = array("I", (position for _, position in hashed))
        self._numbers = array("Q", index["numbers"])
        self._lines = array("I", index["lines"])
        self._kinds = sorted(set(index["kinds"]))
        self._kind_of = array("B", map(self._kinds.index, index["kinds"]))
        self._starts = array("Q", [0])
        self._first = array("I", [0])
        for length, count in index["frames"]:
            self._starts.append(self._starts[-1] + length)
            self._first.append(self._first[-1] + count)

    def position(self, hashed: int) -> int | None:
        """The entry whose key has this hash (:func:`key_hash`), None if there is none."""
        at = bisect_left(self._hashes, hashed)
        found = at < len(self._hashes) and self._hashes[at] == hashed
        return self._positions[at] if found else None

    def after(self, number: int, kind: str | None) -> Iterator[tuple[int, int]]:
        """``(number, position)`` of the entries after ``number``, of all kinds or of one."""
        wanted = None
        if kind is not None:
            if kind not in self._kinds:
                return
            wanted = self._kinds.index(kind)
        for position in range(bisect_left(self._numbers, number + 1), len(self._numbers)):
            if wanted is None or self._kind_of[position] == wanted:
                yield self._numbers[position], position

    def frame(self, position: int) -> tuple[int, int, int, int]:
        """The frame of an entry: number, start and length in bytes; and the entry's first line in it."""
        frame = bisect_left(self._first, position + 1) - 1
        line = sum(self._lines[self._first[frame] : position])
        return frame, self._starts[frame], self._starts[frame + 1] - self._starts[frame], line

    def line_count(self, position: int) -> int:
        """The number of lines of an entry."""
        return int(self._lines[position])


def frame_lines(data: bytes, where: str) -> list[bytes]:
    """The lines of a frame, or of a whole segment. Raises :class:`DamagedArchive`."""
    try:
        return gzip.decompress(data).split(b"\n")[:-1]
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedArchive(f"{where} cannot be read: {error}") from None


def key_hash(key: str) -> int:
    """The hash by which an index in memory finds a key."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big")


__all__ = [
    "ArchiveEntry",
    "DamagedArchive",
    "Located",
    "SegmentIndex",
    "SegmentInfo",
    "WrittenSegment",
    "frame_lines",
    "key_hash",
    "located",
    "read_index",
    "write_segment",
]
