"""Instances of the linked runtime (``arena.sandbox.linking``): their functions, and their memory set back.

All state of such an instance is its memory and a few globals. When a game has ended, the pages that it wrote
to are made what they were, so the next game finds what it would find in a new instance, without the page
faults of one. An instance that was trapped, that has grown or that wrote a lot is thrown away instead.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    addressof,
    c_size_t,
    c_uint64,
    c_void_p,
    cast,
    memmove,
    string_at,
)
from typing import Any, Final, NamedTuple

from wasmtime import Engine, Func, Global, Linker, Memory, Module, Store, Trap, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime._func import maybe_raise_last_exn

from arena.sandbox.pages import written

_IDLE: Final = 8
"""Most instances that wait for a game: as many as a game has seats."""

_MOST_WRITTEN: Final = 4 << 20
"""Bytes. Setting back more takes longer than a new instance."""

_ERROR: Final = POINTER(ffi.wasmtime_error_t)

_WORD: Final = 0xFFFF_FFFF

# With addresses as plain numbers, a call takes half the time that it takes with typed pointers.
_invoke: Final = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)(
    ("wasmtime_func_call_unchecked", ffi.dll)
)
_get_fuel: Final = CFUNCTYPE(c_void_p, c_void_p, c_void_p)(("wasmtime_context_get_fuel", ffi.dll))
_set_fuel: Final = CFUNCTYPE(c_void_p, c_void_p, c_uint64)(("wasmtime_context_set_fuel", ffi.dll))


class OutsideMemory(Exception):
    """The instance named bytes that it does not have, or a text that is none."""


class Machine:
    """One instance: a memory of its own, and nothing else.

    Its functions raise :class:`wasmtime.Trap`, :class:`wasmtime.WasmtimeError`, :class:`OutsideMemory`, and
    whatever a function of the host raised; after that it may not be used again.
    """

    def __init__(self, engine: Engine, linker: Linker, module: Module, memory_bytes: int) -> None:
        self.memory_bytes = memory_bytes
        self.store = Store(engine)
        self.store.set_limits(
            memory_size=memory_bytes, table_elements=50_000, instances=1, tables=2, memories=1
        )
        self.context = cast(self.store._context(), c_void_p).value
        self.trap = POINTER(ffi.wasm_trap_t)()
        self._fuel = c_uint64()
        self._fuel_at = addressof(self._fuel)
        exports = linker.instantiate(self.store, module).exports(self.store)
        memory = exports["memory"]
        assert isinstance(memory, Memory)
        self._memory = memory
        # The memory never moves, by the engine's setting.
        self.start = cast(memory.data_ptr(self.store), c_void_p).value or 0
        self._first_size = self._size = memory.data_len(self.store)
        self._globals = [
            (item, item.value(self.store)) for item in exports.values() if isinstance(item, Global)
        ]
        self._address = self._capacity = 0
        self._room, self.prepare, self.load, self.choose = (
            Function(_Core(self, exports[name]), _Core(self, exports[f"cabi_post_{name}"]))
            for name in ("room", "prepare", "load", "choose")
        )

    def tell(self, function: Function, message: bytes, most: int) -> tuple[int, bytes]:
        """Call a function of the world ``python``: the kind and the bytes of its answer, ``most`` at most."""
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

    def get_fuel(self) -> int:
        """The fuel that is left."""
        _get_fuel(self.context, self._fuel_at)
        return self._fuel.value

    def set_fuel(self, fuel: int) -> None:
        """Give it this fuel instead of what is left."""
        _set_fuel(self.context, fuel)

    def read(self, at: int, size: int) -> bytes:
        """Bytes of its memory. Raises :class:`OutsideMemory`."""
        self._check(at, size)
        return string_at(self.start + at, size)

    def text(self, at: int, size: int) -> str:
        """A text in its memory. Raises :class:`OutsideMemory`."""
        try:
            return self.read(at, size).decode()
        except UnicodeDecodeError:
            raise OutsideMemory("a text that is not UTF-8") from None

    def set_back(self, pristine: Machine) -> bool:
        """Make it what it was when it was new, as ``pristine``, which never ran, still is; whether it is."""
        if self._memory.data_len(self.store) != self._first_size:
            return False
        runs = written(self.start, self._first_size, _MOST_WRITTEN)
        if runs is None:
            return False
        for start, end in runs:
            memmove(start, pristine.start + start - self.start, end - start)
        for item, value in self._globals:
            item.set_value(self.store, value)
        self._capacity = 0
        return True

    def close(self) -> None:
        """Free its memory. It happens by itself when the object goes."""
        self.store.close()

    def _check(self, at: int, size: int) -> None:
        if at + size > self._size:
            self._size = self._memory.data_len(self.store)
            if at + size > self._size:
                raise OutsideMemory(f"bytes {at} to {at + size} of a memory of {self._size}")


class _Core:
    """A core function of at most one number, without the checks that ``wasmtime.Func`` makes at each call."""

    def __init__(self, machine: Machine, function: Any) -> None:
        assert isinstance(function, Func)
        self._function = function._func
        # For the parameter, then for the result.
        values = (ffi.wasmtime_val_raw_t * 1)()
        self._value = c_uint64.from_buffer(values)
        self._trap = machine.trap
        self._arguments = (
            machine.context,
            addressof(self._function),
            addressof(values),
            len(values),
            addressof(machine.trap),
        )

    def __call__(self, number: int) -> int:
        self._value.value = number
        error = _invoke(*self._arguments)
        if error or self._trap:
            failure = WasmtimeError._from_ptr(cast(error, _ERROR)) if error else Trap._from_ptr(self._trap)
            try:
                maybe_raise_last_exn()
                raise failure
            finally:
                # It would keep this frame, and so the machine's memory, for the garbage collector.
                del failure
        return self._value.value


class Function(NamedTuple):
    """A function of the world ``python`` as the canonical ABI calls it."""

    call: _Core
    post_return: _Core
    """To be called with what ``call`` returned, when that has been used: it sets the stack back, say."""


class Machines:
    """The instances of one module, used again and again."""

    def __init__(self, engine: Engine, linker: Linker, module: Module) -> None:
        self._parts = (engine, linker, module)
        self._pristine = Machine(*self._parts, 1 << 32)
        self._idle: dict[int, list[Machine]] = {}

    def take(self, memory_bytes: int) -> Machine:
        """An instance in the state of a new one, which may have so many bytes of memory."""
        try:
            return self._idle[memory_bytes].pop()
        except LookupError:
            return Machine(*self._parts, memory_bytes)

    def give_back(self, machine: Machine) -> None:
        """Keep an instance, none of whose functions ever raised, for another game."""
        idle = self._idle.setdefault(machine.memory_bytes, [])
        if len(idle) < _IDLE and machine.set_back(self._pristine):
            idle.append(machine)
        else:
            machine.close()
