"""A pool of reusable instances of the linked runtime, whose memory is restored after each game.

The entire state of an instance is its memory and a few globals. After a game, the pages that it wrote are
restored, so that the next game finds the state of a new instance without the page faults that a new one would
cause. An instance that trapped, grew or wrote a lot is closed instead.
"""

from __future__ import annotations

from ctypes import c_void_p, cast, memmove, string_at
from typing import Final, NamedTuple

from wasmtime import Engine, Global, Linker, Memory, Module, Store

from arena.sandbox.engine.internals import CoreFunction, StoreFuel
from arena.sandbox.engine.pages import written_pages
from arena.sandbox.limits import MOST_TEXT

_MOST_IDLE: Final = 8
"""The maximum number of idle instances that are kept: as many as a game has seats."""

_MOST_WRITTEN: Final = 4 << 20
"""The maximum number of bytes to restore. Restoring more takes longer than creating a new instance."""

_WORD: Final = 0xFFFF_FFFF


class OutsideMemory(Exception):
    """The instance referred to bytes outside its memory, or to a string that is not UTF-8."""


class RuntimeFunction(NamedTuple):
    """A function of the world ``python``, as called through the canonical ABI."""

    call: CoreFunction
    post_return: CoreFunction
    """The function to call with the result of ``call`` after reading it, for instance to restore the stack.
    """


class RuntimeInstance:
    """One instance, with its own memory and no other state.

    Its functions raise :class:`wasmtime.Trap`, :class:`wasmtime.WasmtimeError`, :class:`OutsideMemory`, and
    whatever a function of the host raised. After that, the instance must not be used again.
    """

    def __init__(self, engine: Engine, linker: Linker, module: Module, memory_bytes: int) -> None:
        self.memory_bytes = memory_bytes
        self.store = Store(engine)
        self.store.set_limits(
            memory_size=memory_bytes, table_elements=50_000, instances=1, tables=2, memories=1
        )
        self.fuel = StoreFuel(self.store)
        exports = linker.instantiate(self.store, module).exports(self.store)
        memory = exports["memory"]
        assert isinstance(memory, Memory)
        self._memory = memory
        # The engine's settings ensure that the memory never moves.
        self.start = cast(memory.data_ptr(self.store), c_void_p).value or 0
        self._first_size = self._size = memory.data_len(self.store)
        self._globals = [
            (item, item.value(self.store)) for item in exports.values() if isinstance(item, Global)
        ]
        self._address = self._capacity = 0
        self._room, self.prepare, self.begin, self.decide = (
            RuntimeFunction(*(CoreFunction(self.store, exports[it]) for it in (name, f"cabi_post_{name}")))
            for name in ("room", "prepare", "begin", "decide")
        )

    def call(self, function: RuntimeFunction, message: bytes, most: int) -> tuple[int, bytes]:
        """Call a function of the world ``python`` with a message, and return the kind and the bytes (at most
        ``most``) of its answer.
        """
        size = len(message)
        if size > self._capacity:
            address = self._room.call(size)
            self._room.post_return(address)
            self._address, self._capacity = address & _WORD, size
        self._check(self._address, size)
        memmove(self.start + self._address, message, size)
        number = function.call(size)
        kind, size, address = number & 3, (number & _WORD) >> 2, number >> 32
        if size > most:
            raise OutsideMemory(f"an answer of {size} bytes")
        answer = self.read(address, size) if size else b""
        function.post_return(number)
        return kind, answer

    def read(self, at: int, size: int) -> bytes:
        """Return bytes from the instance's memory. Raises :class:`OutsideMemory`."""
        self._check(at, size)
        return string_at(self.start + at, size)

    def text(self, at: int, size: int) -> str:
        """Return a string from the instance's memory, or the beginning of a string that is longer than
        :data:`~arena.sandbox.limits.MOST_TEXT`. Raises :class:`OutsideMemory`.
        """
        self._check(at, size)
        if size > MOST_TEXT:
            return self.read(at, MOST_TEXT).decode(errors="ignore")
        try:
            return self.read(at, size).decode()
        except UnicodeDecodeError:
            raise OutsideMemory("a string that is not UTF-8") from None

    def restore(self, pristine: RuntimeInstance) -> bool:
        """Restore memory and globals to the state of a new instance, copied from ``pristine``, which has
        never run. Return False if this is impossible.
        """
        if self._memory.data_len(self.store) != self._first_size:
            return False
        runs = written_pages(self.start, self._first_size, _MOST_WRITTEN)
        if runs is None:
            return False
        for start, end in runs:
            memmove(start, pristine.start + start - self.start, end - start)
        for item, value in self._globals:
            item.set_value(self.store, value)
        self._capacity = 0
        return True

    def close(self) -> None:
        """Free the instance's memory. This also happens when the object is garbage-collected."""
        self.store.close()

    def _check(self, at: int, size: int) -> None:
        if at + size > self._size:
            self._size = self._memory.data_len(self.store)
            if at + size > self._size:
                raise OutsideMemory(f"bytes {at} to {at + size} of a memory of {self._size}")


class InstancePool:
    """The reusable instances of one module."""

    def __init__(self, engine: Engine, linker: Linker, module: Module) -> None:
        self._parts = (engine, linker, module)
        self._pristine = RuntimeInstance(*self._parts, 1 << 32)
        self._idle: dict[int, list[RuntimeInstance]] = {}

    def acquire(self, memory_bytes: int) -> RuntimeInstance:
        """Return an instance in the state of a new one, with at most ``memory_bytes`` of memory."""
        try:
            return self._idle[memory_bytes].pop()
        except LookupError:
            return RuntimeInstance(*self._parts, memory_bytes)

    def release(self, instance: RuntimeInstance) -> None:
        """Restore an instance for another game, or close it. None of its functions must have raised."""
        idle = self._idle.setdefault(instance.memory_bytes, [])
        if len(idle) < _MOST_IDLE and instance.restore(self._pristine):
            idle.append(instance)
        else:
            instance.close()
