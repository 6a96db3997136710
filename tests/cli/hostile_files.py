"""Files that nobody should trust: records and other JSON with wrong values, and bytes that are neither."""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any, Final

from arena.play.faults import FAULTS
from arena.play.table import Table
from arena.records.record import build_record, canonical_hash

CONTROLS: Final = "\x1b[31mX\x1b]0;title\x07\u202e\x9b2J\r\x08\n"
MISSING: Final = object()
"""Stands for the absence of a value."""

WRONG: Final = (
    *(None, [], {}, "", "x", CONTROLS, -1, 0, True, 2**63, 10**400, 1e99, 0.5),
    *([[]], {"": None}, {CONTROLS: CONTROLS}, "\ud800", "9" * 5000, MISSING),
)

Path = tuple[Any, ...]


@cache
def _played(kind: str) -> str:
    rng = random.Random(kind)
    table = Table(f"{kind}-1", kind, {}, sha256(kind.encode()).digest())
    table.start()
    while not table.is_over():
        seat = table.awaited()[0]
        if rng.random() < 0.03:
            table.fault(seat, rng.choice([one for one in FAULTS if FAULTS[one] is None]), "a\nreason")
        else:
            table.submit(seat, table.turn_number(seat), rng.choice(table.legal_actions(seat)))
    size = table.size
    record = build_record(
        table,
        players=[(f"player {seat}", "1") for seat in range(size)],
        group={"id": "g", "index": 0, "size": 1, "mirrored": False},
        info={
            "rated": True,
            "models": False,
            "annulled": "",
            "finished_ms": 1_750_000_000_000,
            "action_ms": list(range(table.logged)),
            "house": [False] * size,
            "people": [False] * size,
            "sandbox": "0" * 12,
        },
    )
    return json.dumps(record)


def record(kind: str) -> Any:
    """The record of a short game, with everything that a service adds."""
    return json.loads(_played(kind))


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The places of all values; of long lists, those of the first and the last."""
    names: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in list(names) if len(names) < 10 else [0, len(names) - 1] if isinstance(value, list) else names:
        yield (*path, name)
        yield from places(value[name], (*path, name))


def spoiled(value: Any, path: Path, wrong: object) -> Any:
    """A copy with another value at a place."""
    made = inside = copy.deepcopy(value)
    *outer, last = path
    for name in outer:
        inside = inside[name]
    if wrong is MISSING:
        del inside[last]
    else:
        inside[last] = wrong
    return made


def encoded(value: Any, *, readable: bool = False) -> bytes:
    """The JSON of a value, with its texts as they are if it shall be ``readable``."""
    return json.dumps(value, ensure_ascii=not readable).encode(errors="surrogatepass")


def rehashed(value: Any) -> Any:
    """The record with the hash that fits its canonical part, if it has one."""
    with suppress(LookupError, TypeError, ValueError):
        value["hash"] = canonical_hash(value["canonical"])
    return value


def no_records(most: int, values: int) -> dict[str, bytes]:
    """Files that contain no records, or something besides. ``most`` bytes and ``values`` are the most of a
    record.
    """
    line = _played("truco").encode()
    return {
        "nothing": b"",
        "zeros": bytes(5000),
        "not UTF-8": b"\xff\x1b[2J\x9b\x00{",
        "control characters": CONTROLS.encode(),
        "a mark of UTF-16": b"\xff\xfe{",
        "broken UTF-16": b"\xff\xfe\x00\xd8{\x00",
        "deep lists": b"[" * 100_000 + b"]" * 100_000,
        "deep objects": b'{"a":' * 990 + b"1" + b"}" * 990,
        "deep info": line.replace(b'"info": {', b'"info": {"deep": ' + b"[" * 900 + b"]" * 900 + b", ", 1),
        "many digits": b"1" * 100_000,
        "many digits inside": line.replace(b'"attempt": 0', b'"attempt": ' + b"1" * 5000),
        "many values": b"[" + b"[]," * values + b"[]]",
        "no numbers": b'{"a": NaN, "b": -Infinity}',
        "names twice": b'{"info": {}, ' + line[1:],
        "a list": b"[" + line + b"]",
        "half a record": line[: len(line) // 2],
        "a record and more": line + b"\n" + CONTROLS.encode() + b"\n{}\n",
        "half a gzip": gzip.compress(line)[:-20],
        "gzip and more": gzip.compress(line) + b"\x1b[2J",
        "gzip of nothing, often": gzip.compress(b"") * 10_000,
        "gzip of gzip": gzip.compress(gzip.compress(line)),
        "gzip of empty lines": gzip.compress(b"\n" * (1 << 21)),
        "gzip of one line": gzip.compress(b"[" * (most + 2), 1),
        "gzip of the same record": gzip.compress((line + b"\n") * (4 * most // len(line)), 9),
        "the name of a sheet": b"PK\x03\x04" + CONTROLS.encode(),
    }
