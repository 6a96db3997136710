"""The clock, randomness, printing and the operating system as a bot in the sandbox sees them."""

from __future__ import annotations

import builtins
import io
import os
import posix
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn

import wit_world

START = 1_767_225_600
"""What the calendar says when a game begins: 2026-01-01, 00:00 UTC."""

_FLUSH_FROM = 2000

_slept = 0
_seed: int | None = None
"""The seed of the game, once there is one."""
_source: Any = None


def make_deterministic() -> None:
    """Replace the clock and randomness. Call this before importing anything that copies
    references to them.
    """
    # Its clock is the operating system's; the one in Python asks the module time.
    sys.modules["_datetime"] = None  # type: ignore[assignment]
    _set_clock()
    os.urandom = posix.urandom = _urandom
    import random

    original = random.Random.seed

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, int.from_bytes(_urandom(32)) if a is None and _seed is not None else a, version)

    random.Random.seed = seed  # type: ignore[method-assign]


def seed(number: int) -> None:
    """Begin a game: derive all randomness from this number, and send the output to the owner."""
    import random

    global _seed
    # Not before: until here, what is printed says why the runtime cannot be built.
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = _output  # type: ignore[assignment,misc]
    _seed = number
    random.seed(f"module {number}")


def unseed() -> None:
    """Undo :func:`seed`."""
    global _seed, _source
    sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__ = _STREAMS  # type: ignore[misc]
    _seed = _source = None


_STREAMS = (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)


def lock_down() -> None:
    """Make everything unavailable that is not in memory. Call this when all imports are done."""
    for module in (os, posix):
        for name, value in list(vars(module).items()):
            if name not in _HARMLESS and type(value) is type(len):
                setattr(module, name, _absent(f"os.{name}"))
    builtins.open = io.open = sys.modules["_io"].open = _absent("open")  # type: ignore[attr-defined]
    io.open_code = io.FileIO = _absent("open")  # type: ignore[assignment,misc]
    sys.stdin = io.StringIO()
    sys.path[:] = []
    sys.path_importer_cache.clear()
    sys.meta_path[:] = [sys.meta_path[0], sys.meta_path[1], _Nothing]
    sys.argv[:] = [""]
    sys.addaudithook(_refuse)


_HARMLESS = {
    "_path_normpath",
    "_path_splitroot_ex",
    "fsdecode",
    "fsencode",
    "fspath",
    "putenv",
    "strerror",
    "unsetenv",
    "urandom",
}
"""Functions of the module ``os`` that need no system."""


def _absent(name: str) -> Callable[..., NoReturn]:
    def absent(*args: object, **options: object) -> NoReturn:
        raise PermissionError(1, f"{name} is not available to a bot in the sandbox")

    absent.__name__ = absent.__qualname__ = name
    return absent


_SYSTEM = ("open", "os.", "socket.", "signal.", "sqlite3.", "subprocess.", "_thread.", "ctypes.", "mmap.")

_FREQUENT = frozenset(("marshal.loads", "builtins.id", "import", "exec", "compile"))
"""Events of every turn or game: looking for them among those of the system would take longer than they do."""

_OWN = ("os.putenv", "os.unsetenv")


def _refuse(event: str, arguments: object) -> None:
    """Make what the interpreter itself asks of the system fail with an exception: it asks for the file of
    every syntax error, for example.
    """
    if event not in _FREQUENT and event.startswith(_SYSTEM) and event not in _OWN:
        raise PermissionError(1, f"{event} is not available to a bot in the sandbox")


class _Nothing:
    """A finder that ends every search for a module without a result."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        raise ModuleNotFoundError(
            f"there is no module {name!r} in the sandbox (docs/sandbox.md has the list)", name=name
        )


class _Output(io.TextIOBase):
    """Standard output and standard error, written in whole lines, or whatever is there when a
    decision ends.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._parts.append(text)
        self._size += len(text)
        if "\n" in text or self._size > _FLUSH_FROM:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self._parts:
            text = "".join(self._parts)
            self._parts.clear()
            self._size = 0
            wit_world.log(text.encode("utf-8", "backslashreplace").decode())


_output = _Output()


def flush() -> None:
    """Print what remains of an unfinished line."""
    if _output._parts:
        _output.flush()


def _urandom(size: int) -> bytes:
    global _source
    if _seed is None:
        # Only while the runtime is built; nothing drawn here is used in a game.
        return bytes(size)
    if _source is None:
        import random

        _source = random.Random(f"entropy {_seed}")
    return bytes(_source.randbytes(size))


def _now() -> int:
    return wit_world.clock() + _slept if _seed is not None else 0


def _set_clock() -> None:
    gmtime, strftime, asctime = time.gmtime, time.strftime, time.asctime

    def seconds() -> float:
        return _now() / 1e9

    def nanoseconds() -> int:
        return _now()

    def date(secs: Any = None) -> time.struct_time:
        return gmtime(START + seconds() if secs is None else secs)

    def sleep(secs: Any) -> None:
        """Advance the clock instead of waiting."""
        global _slept
        if secs < 0:
            raise ValueError("sleep length must be non-negative")
        _slept += int(secs * 1e9)

    def text(format: str, t: Any = None) -> str:
        return strftime(format, date() if t is None else t)

    time.time = lambda: START + seconds()
    time.time_ns = lambda: START * 10**9 + nanoseconds()
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, seconds)
        setattr(time, name + "_ns", nanoseconds)
    time.gmtime = time.localtime = date
    time.sleep = sleep
    time.strftime = text
    time.asctime = lambda t=None: asctime(date() if t is None else t)
    time.ctime = lambda secs=None: asctime(date(secs))
    for name in ("clock_gettime", "clock_gettime_ns", "clock_getres", "get_clock_info", "clock_settime"):
        if hasattr(time, name):
            setattr(time, name, _absent(f"time.{name}"))
