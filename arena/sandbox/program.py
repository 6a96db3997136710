"""Components ready to run, and their instances: fuel, memory, clock and output of one seat of one game."""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from collections.abc import Callable
from ctypes import byref
from functools import cache, lru_cache
from typing import Any, Final, TypeVar

from wasmtime import Engine, Store, StoreContext, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime.component import Component, Func, Linker
from wasmtime.component._enter import enter_wasm

from arena.bots import InvalidBot
from arena.sandbox.compiler import make_engine
from arena.sandbox.limits import FUEL_PER_MS, Limits
from arena.sandbox.runtime import compiled, runtime_component, runtime_digest
from arena.sandbox.wasi import CALL_FUEL, Guest, define

CHARACTER_FUEL: Final = 10
"""What a printed character costs."""

_PROGRAMS: Final = 32
_TICK_SECONDS: Final = 1.0
_FUEL_FOR_START: Final = 50 * FUEL_PER_MS


Result = TypeVar("Result")


class OutOfFuel(Exception):
    """The instance has used the fuel that it had for this call."""


class Trapped(Exception):
    """The instance ended: it did something that WebAssembly does not allow, or ended itself."""


class Interrupted(Exception):
    """The wall's clock interrupted the instance: this machine is far too slow."""


@cache
def engine() -> Engine:
    """The engine of this process."""
    return make_engine()


class _Ticker:
    """Advances the epoch of the engine every second, in a thread of each process that needs it."""

    def __init__(self) -> None:
        self._process = 0

    def ensure(self) -> None:
        if self._process != os.getpid():
            self._process = os.getpid()
            threading.Thread(target=self._run, args=(engine(),), name="sandbox-ticks", daemon=True).start()

    @staticmethod
    def _run(engine: Engine) -> None:
        while True:
            time.sleep(_TICK_SECONDS)
            engine.increment_epoch()


_ticker = _Ticker()


class Program:
    """A compiled component and what it is linked with. Use :func:`python_program` or :func:`program_of`."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.linker = Linker(engine())
        self._running = threading.local()
        imports = component.type.imports(engine())
        with self.linker.root() as root:
            if "log" in imports:
                root.add_func("log", self._log)
            if "clock" in imports:
                root.add_func("clock", self._clock)
        define(self.linker, imports, engine(), lambda: self.running)
        self.linker.define_unknown_imports_as_traps(component)

    @property
    def running(self) -> Instance:
        """The instance that is running in this thread."""
        instance: Instance = self._running.instance
        return instance

    def run(self, instance: Instance, call: Callable[..., Result], *arguments: Any) -> Result:
        """Call into ``instance``, so that the host's functions know whose call it is."""
        self._running.instance = instance
        try:
            return call(*arguments)
        finally:
            self._running.instance = None

    def _log(self, store: StoreContext, text: str) -> None:
        self.running.charge(CALL_FUEL + CHARACTER_FUEL * len(text))
        self.running.print(text)

    def _clock(self, store: StoreContext) -> int:
        self.running.charge(CALL_FUEL)
        return self.running.clock_ns()


class Instance(Guest):
    """One instance: a memory of its own, and nothing else. It may be used until it raises for the first time.

    ``print`` gets what it prints; ``used`` is the fuel that instances of the same game had used before it.
    """

    def __init__(
        self, program: Program, limits: Limits, seed: int, print: Callable[[str], None], used: int = 0
    ) -> None:
        _ticker.ensure()
        self.print = print
        self._program = program
        self._limits = limits
        self._seed = seed
        self._random: random.Random | None = None
        self._used = used
        self._given = 0
        self._store = Store(engine())
        self._store.set_limits(
            memory_size=limits.memory_bytes, table_elements=50_000, instances=100, tables=100, memories=4
        )
        try:
            instance = self._call(
                _FUEL_FOR_START, lambda: program.linker.instantiate(self._store, program.component)
            )
            load = instance.get_func(self._store, "load")
            choose = instance.get_func(self._store, "choose")
        except BaseException:
            self.close()
            raise
        assert load is not None
        assert choose is not None
        self._load, self._choose = load, choose

    @property
    def used(self) -> int:
        """Fuel used in this game so far."""
        return self._used

    def load(self, source: str, fuel: int) -> tuple[bool, bool | str]:
        """Whether the bot is ready, and its answer or what is wrong. Raises as :meth:`choose`."""
        return self._call(fuel, _ask, self._load, self._store, source, str(self._seed))

    def choose(self, turn: str, fuel: int) -> tuple[bool, bool | str]:
        """Whether the bot answered, and the answer or what is wrong.

        Raises :class:`OutOfFuel`, :class:`Trapped` or :class:`Interrupted`.
        """
        return self._call(fuel, _ask, self._choose, self._store, turn)

    def close(self) -> None:
        """Free its memory. It happens by itself when the object goes."""
        self._store.close()

    def charge(self, fuel: int) -> None:
        """Take fuel for work that the host does for the running instance."""
        left = self._store.get_fuel()
        self._store.set_fuel(max(0, left - fuel))
        if fuel >= left:
            raise OutOfFuel

    def clock_ns(self) -> int:
        """Nanoseconds of thinking so far in this game."""
        return (self._used + self._given - self._store.get_fuel()) * 1_000_000 // FUEL_PER_MS

    def random_bytes(self, size: int) -> bytes:
        """Bytes that follow from the seed."""
        if self._random is None:
            self._random = random.Random(f"wasi {self._seed}")
        return self._random.randbytes(size)

    def _call(self, fuel: int, call: Callable[..., Result], *arguments: Any) -> Result:
        self._given = fuel
        self._store.set_fuel(fuel)
        self._store.set_epoch_deadline(int(self._limits.backstop_seconds / _TICK_SECONDS) + 1)
        try:
            return self._program.run(self, call, *arguments)
        except WasmtimeError as error:
            # The first lines are a backtrace of machine code.
            text = str(error)
            if "all fuel consumed" in text:
                self._store.set_fuel(0)
                raise OutOfFuel from None
            if "wasm trap: interrupt" in text:
                raise Interrupted from None
            raise Trapped(text.strip().splitlines()[-1].strip()) from None
        finally:
            self._used += fuel - self._store.get_fuel()
            self._given = 0


def _ask(function: Func, store: Store, *texts: str) -> tuple[bool, bool | str]:
    """Call a function from texts to ``result<bool, string>`` or ``result<string, string>``: whether it is
    ok, and what it holds.

    As ``function(store, *texts)``, which asks for the function's type, and converts by it, every time: this
    takes 20 µs instead of 50. The types were checked when the component was compiled.
    """
    params = (ffi.wasmtime_component_val_t * len(texts))()
    for param, text in zip(params, texts, strict=True):
        param.kind = ffi.WASMTIME_COMPONENT_STRING
        param.of.string = ffi.str_to_capi(text)
    answer = ffi.wasmtime_component_val_t()
    try:
        enter_wasm(
            lambda: ffi.wasmtime_component_func_call(
                byref(function._func), store._context(), params, len(texts), byref(answer), 1
            )
        )
    finally:
        for param in params:
            ffi.wasmtime_component_val_delete(byref(param))
    try:
        result = answer.of.result
        payload = result.val.contents
        if payload.kind == ffi.WASMTIME_COMPONENT_BOOL.value:
            return result.is_ok, bool(payload.of.boolean)
        return result.is_ok, ffi.to_str(payload.of.string)
    finally:
        ffi.wasmtime_component_val_delete(byref(answer))


@cache
def python_program() -> Program:
    """The Python of the sandbox. Raises :class:`~arena.sandbox.runtime.BuildFailed`."""
    return Program(_component(compiled(runtime_component(), runtime_digest())))


def program_of(wasm: bytes, limits: Limits) -> Program:
    """A bot that is a component. Raises :class:`~arena.bots.InvalidBot`."""
    if len(wasm) > limits.component_bytes:
        raise InvalidBot(
            f"a component of {len(wasm)} bytes", field="source", expected=f"at most {limits.component_bytes}"
        )
    return _program_of(wasm)


@lru_cache(_PROGRAMS)
def _program_of(wasm: bytes) -> Program:
    return Program(_component(compiled(wasm, hashlib.sha256(wasm).hexdigest())))


def _component(path: os.PathLike[str]) -> Component:
    return Component.deserialize_file(engine(), os.fspath(path))
