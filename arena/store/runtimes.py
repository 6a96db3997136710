"""The service's runtime in Redis: the build of the sandbox's Python that all workers run."""

from __future__ import annotations

import secrets
import zlib
from typing import Final, NamedTuple

from arena.store.connection import Repository, Script
from arena.store.documents import by_name

_REPLACE: Final = Script("runtime_replace")
RUNTIME_SCRIPTS: Final = (_REPLACE,)
"""The scripts that the connection of a :class:`RuntimeStore` must load."""

_KEY: Final = "{arena}:runtime"
"""A hash with the fields of :class:`PublishedRuntime`. Its file is in another hash, in numbered chunks."""

_CHUNK: Final = 1 << 19
"""Bytes per chunk. Each chunk is sent in a separate command, so that other commands never wait long."""

_KEPT_SECONDS: Final = 3600
"""How long a file is kept that is still being uploaded, or whose runtime was replaced."""

_LEVEL: Final = 3
MOST_BYTES: Final = 128 << 20


class PublishedRuntime(NamedTuple):
    """A runtime. ``recipe`` is the hash of its build inputs. ``sha256`` and ``size`` describe its WebAssembly
    file, which each worker compiles. ``runtime_id`` is its name in records. ``at_ms`` is when it became the
    service's runtime.
    """

    recipe: str
    sha256: str
    size: int
    runtime_id: str
    at_ms: int


class RuntimeStore(Repository):
    """Stores the service's runtime, which is replaced atomically."""

    def current(self) -> PublishedRuntime | None:
        """Return the service's runtime, or None if no worker has published one yet."""
        reply = self._one("HGETALL", _KEY)
        found = {name: value.decode() for name, value in by_name(reply).items()}
        if not found:
            return None
        return PublishedRuntime(
            found["recipe"], found["sha256"], int(found["size"]), found["runtime_id"], int(found["at_ms"])
        )

    def file(self, runtime: PublishedRuntime) -> bytes | None:
        """Return the stored file of a runtime without checking its hash, or None if missing or damaged."""
        count = self._one("HLEN", _file(runtime.sha256))
        if not 0 < runtime.size <= MOST_BYTES:
            return None
        packed = []
        for number in range(count):
            chunk = self._one("HGET", _file(runtime.sha256), number)
            packed.append(chunk or b"")
        try:
            unpacker = zlib.decompressobj()
            return unpacker.decompress(b"".join(packed), runtime.size) if packed else None
        except zlib.error:
            return None

    def publish(self, runtime: PublishedRuntime, wasm: bytes, expected: PublishedRuntime | None) -> bool:
        """Replace the service's runtime ``expected`` with ``runtime``. Returns False if ``expected`` is no
        longer the current one.
        """
        upload = f"{_file(runtime.sha256)}:{secrets.token_hex(8)}"
        packed = pack(wasm)
        for number, start in enumerate(range(0, len(packed), _CHUNK)):
            chunk = packed[start : start + _CHUNK]
            self._connection.run([("HSET", upload, number, chunk), ("EXPIRE", upload, _KEPT_SECONDS)])
        return self._replace(expected, runtime, upload)

    def retire(self, expected: PublishedRuntime) -> bool:
        """Remove the service's runtime until a worker publishes one; False if it is not ``expected``."""
        return self._replace(expected, None)

    def _replace(
        self, expected: PublishedRuntime | None, new: PublishedRuntime | None, upload: str = _KEY
    ) -> bool:
        old = "" if expected is None else expected.sha256
        keys = [_KEY, _file(old), upload, _file("" if new is None else new.sha256)]
        fields = [] if new is None else [part for pair in new._asdict().items() for part in pair]
        replaced = self._one(*_REPLACE.call(keys, old, _KEPT_SECONDS, *fields))
        return bool(replaced)


def pack(wasm: bytes) -> bytes:
    """Compress the file for storage."""
    return zlib.compress(wasm, _LEVEL)


def _file(sha256: str) -> str:
    return f"{_KEY}:{sha256}"


__all__ = ["MOST_BYTES", "RUNTIME_SCRIPTS", "PublishedRuntime", "RuntimeStore", "pack"]
