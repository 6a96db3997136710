"""The runtime of the service in Redis: the build of the sandbox's Python that all its workers run."""

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
"""A hash: the fields of :class:`PublishedRuntime`. Its file is another hash, of numbered chunks."""

_CHUNK: Final = 1 << 19
"""Bytes; each is a command of its own, so that no other one waits for long."""

_KEPT_SECONDS: Final = 3600
"""How long a file is kept that is not that of the service's runtime: one being uploaded, or replaced."""

_LEVEL: Final = 3
MOST_BYTES: Final = 128 << 20


class PublishedRuntime(NamedTuple):
    """A runtime. ``recipe``: the hash of what it was built from; ``sha256``, ``size``: of its WebAssembly
    file, from which each worker compiles it; ``runtime_id``: its name in records; ``at_ms``: when it became
    the service's.
    """

    recipe: str
    sha256: str
    size: int
    runtime_id: str
    at_ms: int


class RuntimeStore(Repository):
    """The service's runtime, which is replaced in one step."""

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
        """Return the WebAssembly file of a runtime as stored, or None if it is not there or damaged. It is
        not checked against its SHA-256.
        """
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
        """Make a runtime that of the service in the place of ``expected``, and return False if that is no
        longer it.
        """
        upload = f"{_file(runtime.sha256)}:{secrets.token_hex(8)}"
        packed = pack(wasm)
        for number, start in enumerate(range(0, len(packed), _CHUNK)):
            chunk = packed[start : start + _CHUNK]
            self._connection.run([("HSET", upload, number, chunk), ("EXPIRE", upload, _KEPT_SECONDS)])
        return self._replace(expected, runtime, upload)

    def retire(self, expected: PublishedRuntime) -> bool:
        """Let the service have no runtime until a worker publishes one, and return False if it is not
        ``expected``.
        """
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
    """Return the file as it is stored."""
    return zlib.compress(wasm, _LEVEL)


def _file(sha256: str) -> str:
    return f"{_KEY}:{sha256}"


__all__ = ["MOST_BYTES", "RUNTIME_SCRIPTS", "PublishedRuntime", "RuntimeStore", "pack"]
