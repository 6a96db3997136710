"""The part of WASI preview 1 that a module can use: standard input, output and error, random numbers derived
from the seed, and a clock that follows from fuel. Every other function returns an error code.
"""

from __future__ import annotations

import codecs
import random
import struct
from collections.abc import Callable, Iterator
from ctypes import c_void_p, cast, memmove, string_at
from typing import Final

from wasmtime import FuncType, Memory, Store, ValType

from arena.sandbox.limits import BYTE_FUEL, CALL_FUEL, MOST_TEXT
from arena.sandbox.meter import FuelMeter

WASI: Final = "wasi_snapshot_preview1"
"""The only module from which an upload can import."""

RANDOM_BYTE_FUEL: Final = 2_000
VECTOR_FUEL: Final = 4_000
"""The fuel that a vector of fd_read or fd_write, or a subscription of poll_oneoff costs."""

MOST_VECTORS: Final = 64
MOST_RANDOM_BYTES: Final = 4096
MOST_OUTPUT: Final = 4 * MOST_TEXT
"""The maximum number of bytes of standard output that wait to be read as answers."""

_SUCCESS: Final = 0
_EBADF: Final = 8
_EFAULT: Final = 21
_EINVAL: Final = 28
_ENOSYS: Final = 52
_ESPIPE: Final = 70

_INPUT: Final = 0
_OUTPUT: Final = 1
_ERROR: Final = 2

_START_NS: Final = 1_767_225_600_000_000_000
"""2026-01-01 00:00 UTC, where every clock of the sandbox starts."""

_LONGEST_SLEEP_NS: Final = 60_000_000_000
_WORD: Final = 0xFFFF_FFFF

_ARGUMENTS: Final = b"bot\0--stdio\0"

_FUNCTIONS: Final = {
    "args_get": "ii",
    "args_sizes_get": "ii",
    "clock_res_get": "ii",
    "clock_time_get": "iIi",
    "environ_get": "ii",
    "environ_sizes_get": "ii",
    "fd_advise": "iIIi",
    "fd_allocate": "iII",
    "fd_close": "i",
    "fd_datasync": "i",
    "fd_fdstat_get": "ii",
    "fd_fdstat_set_flags": "ii",
    "fd_fdstat_set_rights": "iII",
    "fd_filestat_get": "ii",
    "fd_filestat_set_size": "iI",
    "fd_filestat_set_times": "iIIi",
    "fd_pread": "iiiIi",
    "fd_prestat_dir_name": "iii",
    "fd_prestat_get": "ii",
    "fd_pwrite": "iiiIi",
    "fd_read": "iiii",
    "fd_readdir": "iiiIi",
    "fd_renumber": "ii",
    "fd_seek": "iIii",
    "fd_sync": "i",
    "fd_tell": "ii",
    "fd_write": "iiii",
    "path_create_directory": "iii",
    "path_filestat_get": "iiiii",
    "path_filestat_set_times": "iiiiIIi",
    "path_link": "iiiiiii",
    "path_open": "iiiiiIIii",
    "path_readlink": "iiiiii",
    "path_remove_directory": "iii",
    "path_rename": "iiiiii",
    "path_symlink": "iiiii",
    "path_unlink_file": "iii",
    "poll_oneoff": "iiii",
    "proc_exit": "i",
    "proc_raise": "i",
    "random_get": "ii",
    "sched_yield": "",
    "sock_accept": "iii",
    "sock_recv": "iiiiii",
    "sock_send": "iiiii",
    "sock_shutdown": "ii",
}
"""The parameters of all functions of WASI preview 1: ``i`` is a number of 32 bits, ``I`` of 64. All but
``proc_exit`` return an error code.
"""


def functions() -> dict[str, FuncType]:
    """Return the functions of WASI preview 1, by name."""
    numbers = {"i": ValType.i32(), "I": ValType.i64()}
    return {
        name: FuncType([numbers[one] for one in types], [] if name == "proc_exit" else [numbers["i"]])
        for name, types in _FUNCTIONS.items()
    }


class Exited(Exception):
    """The module has ended itself, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class WasiGuest:
    """The WASI of one instance. The methods with names of WASI are its functions: they return an error code,
    and raise :class:`_OutsideMemory`, :class:`Exited` or
    :class:`~arena.sandbox.meter.OutOfFuel`.
    """

    def __init__(
        self,
        store: Store,
        meter: FuelMeter,
        seed: int,
        await_line: Callable[[], bytes],
        print: Callable[[str], None],
    ) -> None:
        """``await_line`` returns the next line for the module once there is one. ``print`` receives what it
        writes to standard error.
        """
        self.output = bytearray()
        """What the module has written to standard output: the first :data:`MOST_OUTPUT` + 1 bytes."""
        self._store = store
        self._meter = meter
        self._seed = seed
        self._await_line = await_line
        self._print = print
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._input = b""
        self._slept_ns = 0
        self._random: random.Random | None = None
        self._memory: Memory | None = None
        self._start = self._size = 0

    def use_memory(self, memory: Memory) -> None:
        """Set the memory that the functions read and write. It must not move."""
        self._memory = memory
        self._start = cast(memory.data_ptr(self._store), c_void_p).value or 0

    def call(self, name: str, arguments: tuple[int, ...]) -> int:
        """Call a function of WASI at the expense of the module's fuel. Return the error code."""
        self._meter.charge(CALL_FUEL)
        function = _PROVIDED.get(name)
        if function is None:
            # Files can only be missing; other functions do not exist.
            is_file = name.startswith("fd_") and not _INPUT <= arguments[0] <= _ERROR
            return _EBADF if is_file else _ENOSYS
        try:
            return function(self, *arguments)
        except _OutsideMemory:
            return _EFAULT

    def args_get(self, arguments: int, buffer: int) -> int:
        self._put32(arguments, buffer)
        self._put32(arguments + 4, buffer + _ARGUMENTS.index(b"\0") + 1)
        return self._put(buffer, _ARGUMENTS)

    def args_sizes_get(self, count: int, size: int) -> int:
        self._put32(count, _ARGUMENTS.count(b"\0"))
        return self._put32(size, len(_ARGUMENTS))

    def environ_get(self, environment: int, buffer: int) -> int:
        """There are no variables."""
        return _SUCCESS

    def environ_sizes_get(self, count: int, size: int) -> int:
        self._put32(count, 0)
        return self._put32(size, 0)

    def clock_res_get(self, clock: int, at: int) -> int:
        if not 0 <= clock <= 3:
            return _EINVAL
        return self._put64(at, 1_000)

    def clock_time_get(self, clock: int, precision: int, at: int) -> int:
        if not 0 <= clock <= 3:
            return _EINVAL
        return self._put64(at, self._now_ns(clock))

    def random_get(self, at: int, size: int) -> int:
        size &= _WORD
        if size > MOST_RANDOM_BYTES:
            return _EINVAL
        self._meter.charge(RANDOM_BYTE_FUEL * size)
        if self._random is None:
            self._random = random.Random(f"wasi {self._seed}")
        return self._put(at, self._random.randbytes(size))

    def fd_fdstat_get(self, file: int, at: int) -> int:
        if not _INPUT <= file <= _ERROR:
            return _EBADF
        # A character device without the right to seek: C's library then prints each line at once.
        rights = 1 << 1 if file == _INPUT else 1 << 6
        return self._put(at, struct.pack("<QQQ", 2, rights, 0))

    def fd_filestat_get(self, file: int, at: int) -> int:
        if not _INPUT <= file <= _ERROR:
            return _EBADF
        return self._put(at, bytes(16) + bytes([2]) + bytes(47))

    def fd_fdstat_set_flags(self, file: int, flags: int) -> int:
        return _SUCCESS if _INPUT <= file <= _ERROR else _EBADF

    def fd_close(self, file: int) -> int:
        return _SUCCESS if _INPUT <= file <= _ERROR else _EBADF

    def fd_seek(self, file: int, offset: int, whence: int, at: int) -> int:
        return _ESPIPE if _INPUT <= file <= _ERROR else _EBADF

    def fd_prestat_get(self, file: int, at: int) -> int:
        """There are no folders. Go ends with an error for any other code."""
        return _EBADF

    def fd_read(self, file: int, vectors: int, count: int, read: int) -> int:
        if file != _INPUT:
            return _EBADF
        if not 0 <= count <= MOST_VECTORS:
            return _EINVAL
        if not self._input:
            self._input = self._await_line()
        total = 0
        for at, size in self._vectors(vectors, count):
            part = self._input[:size]
            self._meter.charge(BYTE_FUEL * len(part))
            self._put(at, part)
            self._input = self._input[len(part) :]
            total += len(part)
        return self._put32(read, total)

    def fd_write(self, file: int, vectors: int, count: int, written: int) -> int:
        if file not in (_OUTPUT, _ERROR):
            return _EBADF
        if not 0 <= count <= MOST_VECTORS:
            return _EINVAL
        data = bytearray()
        for at, size in self._vectors(vectors, count):
            # A program that has more to write calls again.
            data += self._get(at, min(size, MOST_TEXT - len(data)))
        self._meter.charge(BYTE_FUEL * len(data))
        if file == _ERROR:
            self._print(self._decoder.decode(data))
        else:
            self.output += data[: MOST_OUTPUT + 1 - len(self.output)]
        return self._put32(written, len(data))

    def poll_oneoff(self, subscriptions: int, events: int, count: int, at: int) -> int:
        if not 1 <= count <= MOST_VECTORS:
            return _EINVAL
        self._meter.charge(VECTOR_FUEL * count)
        waits = [self._get(subscriptions + 48 * number, 48) for number in range(count)]
        # Files are always ready.
        ready = [(0, wait) for wait in waits if wait[8]]
        ready = ready or sorted((self._timeout_ns(wait), wait) for wait in waits)[:1]
        self._slept_ns += min(max(ready[0][0], 0), _LONGEST_SLEEP_NS)
        for number, (_, wait) in enumerate(ready):
            self._put(events + 32 * number, wait[:8] + bytes(2) + wait[8:9] + bytes(21))
        return self._put32(at, len(ready))

    def sched_yield(self) -> int:
        """There is nothing to wait for."""
        return _SUCCESS

    def proc_exit(self, code: int) -> int:
        raise Exited(code)

    def _now_ns(self, clock: int) -> int:
        return self._meter.clock_ns() + self._slept_ns + (_START_NS if clock == 0 else 0)

    def _timeout_ns(self, wait: bytes) -> int:
        """Return how long a subscription to a clock waits."""
        clock, timeout, flags = struct.unpack_from("<I4xQ8xH", wait, 16)
        return int(timeout - self._now_ns(clock)) if flags & 1 else int(timeout)

    def _vectors(self, at: int, count: int) -> Iterator[tuple[int, int]]:
        self._meter.charge(VECTOR_FUEL * count)
        return struct.iter_unpack("<II", self._get(at, 8 * count))

    def _address(self, at: int, size: int) -> int:
        at &= _WORD
        if at + size > self._size:
            # Instances are linked before their memory is known.
            self._size = 0 if self._memory is None else self._memory.data_len(self._store)
            if at + size > self._size:
                raise _OutsideMemory
        return self._start + at

    def _get(self, at: int, size: int) -> bytes:
        return string_at(self._address(at, size), size)

    def _put(self, at: int, data: bytes) -> int:
        memmove(self._address(at, len(data)), data, len(data))
        return _SUCCESS

    def _put32(self, at: int, number: int) -> int:
        return self._put(at, number.to_bytes(4, "little"))

    def _put64(self, at: int, number: int) -> int:
        return self._put(at, number.to_bytes(8, "little"))


class _OutsideMemory(Exception):
    """The module named bytes outside its memory."""


_PROVIDED: Final[dict[str, Callable[..., int]]] = {
    name: vars(WasiGuest)[name] for name in _FUNCTIONS if name in vars(WasiGuest)
}
