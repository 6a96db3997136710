"""Groups of finished tournaments, in compressed chunks: a quarter of the space of separate groups."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

import orjson

CHUNK_GROUPS: Final = 200
"""The number of groups in a chunk; the last chunk of a tournament can have fewer."""

_LEVEL: Final = 9
_DIGEST: Final = re.compile(rb"[0-9a-f]{64}")
_DIGEST_BYTES: Final = 32
_IDS_BYTES: Final = 64 * CHUNK_GROUPS
"""More than the ids of the groups of a chunk take."""

_MARK: Final = b"\x01"
"""A placeholder for a digest; this byte never occurs in JSON."""


class StoredGroup(NamedTuple):
    """A planned group: its row, its result (None if it has none), how often it was void, and its row of
    records (:mod:`arena.store.records`), which is guaranteed to be set only in a chunk.
    """

    id: str
    row: bytes
    result: bytes | None
    voided: int
    records: bytes | None = None


def to_chunk(groups: Sequence[StoredGroup]) -> bytes:
    """Pack groups, in order, into one value: the number of digests (4 bytes), the digests, and the rest."""
    columns = [
        [group.id for group in groups],
        # latin-1 maps any bytes to text unchanged.
        [group.row.decode("latin-1") for group in groups],
        [None if group.result is None else group.result.decode("latin-1") for group in groups],
        [group.voided for group in groups],
        [None if group.records is None else group.records.decode() for group in groups],
    ]
    text = orjson.dumps(columns)
    digests = _DIGEST.findall(text)
    head = len(digests).to_bytes(4, "big") + bytes.fromhex(b"".join(digests).decode())
    return head + zlib.compress(_DIGEST.sub(_MARK, text), _LEVEL)


def from_chunk(data: bytes, wanted: set[str] | None = None) -> list[StoredGroup]:
    """Unpack the groups ``wanted``, or all groups, of a chunk written by :func:`to_chunk`."""
    end = 4 + _DIGEST_BYTES * int.from_bytes(data[:4], "big")
    if wanted is not None:
        # Most chunks of a large tournament have none, and their first column shows it.
        start = zlib.decompressobj().decompress(data[end:], _IDS_BYTES)
        if wanted.isdisjoint(orjson.loads(start[1 : start.index(b"]") + 1])):
            return []
    hexadecimal = data[4:end].hex().encode()
    digests = [
        hexadecimal[at : at + 2 * _DIGEST_BYTES] for at in range(0, len(hexadecimal), 2 * _DIGEST_BYTES)
    ]
    parts = zlib.decompress(data[end:]).split(_MARK)
    text = b"".join(chain.from_iterable(zip(parts, [*digests, b""], strict=True)))
    names, rows, results, voids, *more = orjson.loads(text)
    # Format 1 had no records.
    columns = (names, rows, results, voids, *(more or [[None] * len(names)]))
    return [
        StoredGroup(
            name,
            row.encode("latin-1"),
            None if result is None else result.encode("latin-1"),
            voided,
            None if records is None else records.encode(),
        )
        for name, row, result, voided, records in zip(*columns, strict=True)
        if wanted is None or name in wanted
    ]


__all__ = ["CHUNK_GROUPS", "StoredGroup", "from_chunk", "to_chunk"]
