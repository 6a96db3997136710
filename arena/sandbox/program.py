"""Components ready to run, and their instances: fuel, memory, clock and output of one seat of one game."""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import random
import threading
import time
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, TypeVar

import orjson
from wasmtime import Engine, Store, StoreContext, WasmtimeError
from wasmtime.component import Component, ExportIndex, Linker

from arena.bots import InvalidBot, Turn
from arena.sandbox.calling import Function
from arena.sandbox.compiler import make_engine
from arena.sandbox.limits import FUEL_PER_MS, Limits
from arena.sandbox.runtime import compiled, runtime_component, runtime_digest
from arena.sandbox.wasi import CALL_FUEL, Guest, define

CHARACTER_FUEL: Final = 10
"""What a printed character costs."""

_PROGRAMS: Final = 32
_FUEL_FOR_START: Final = 50 * FUEL_PER_MS


Result = TypeVar("Result")


class OutOfFuel(Exception):
    """The instance has used the fuel that it had for this call."""


class Trapped(Exception):
    """The instance ended: it did something that WebAssembly does not allow, or ended itself."""


class TooSlow(Exception):
    """The call took far longer than its fuel allows for: this machine is too slow to be fair."""


@cache
def engine() -> Engine:
    """The engine of this process."""
    return make_engine()


class Prepared(NamedTuple):
    """A source compiled: whether it could be, the code or what is wrong, and what was printed meanwhile."""

    ready: bool
    text: str
    said: str


class Program:
    """A compiled component and what it is linked with. Use :func:`python_program` or :func:`program_of`.

    ``python``: it is of the world ``python``, and gets turns in the format of that.
    """

    def __init__(self, component: Component, *, python: bool = False) -> None:
        self.component = component
        self.encoded: Callable[[Turn], bytes] = _marshalled if python else orjson.dumps
        self.linker = Linker(engine())
        self.thread = threading.local()
        """Its ``instance`` is the one that is running in this thread."""
        self.python = python
        self.load = _export(component, "start" if python else "load")
        self.choose = _export(component, "decide" if python else "choose")
        self.prepared = lru_cache(_PROGRAMS)(self._prepared)
        """A source compiled, for the world ``python``: once for all games, in an instance that runs
        nothing of it. Raises as :meth:`Instance.choose`.
        """
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
        instance: Instance = self.thread.instance
        return instance

    def _prepared(self, source: str, limits: Limits) -> Prepared:
        said: list[str] = []
        instance = Instance(self, limits, 0, said.append)
        try:
            ready, text = instance.prepare(source, limits.load_ms * FUEL_PER_MS)
        finally:
            instance.close()
        return Prepared(ready, str(text), "".join(said))

    def _log(self, store: StoreContext, text: str) -> None:
        self.running.charge(CALL_FUEL + CHARACTER_FUEL * len(text))
        self.running.print(text)

    def _clock(self, store: StoreContext) -> int:
        self.running.charge(CALL_FUEL)
        return self.running.clock_ns()


def _marshalled(turn: Turn) -> bytes:
    try:
        data = marshal.dumps(dict(turn), _MARSHAL_VERSION)
    except ValueError:
        # Not of the plainest types.
        data = marshal.dumps(json.loads(json.dumps(turn)), _MARSHAL_VERSION)
    return data if data.isascii() else data.decode("latin-1").encode()


_MARSHAL_VERSION: Final = 2
"""The last in which equal values have equal bytes, whoever else holds them: fuel depends on the bytes."""


def _export(component: Component, name: str) -> ExportIndex:
    index = component.get_export_index(name)
    assert index is not None
    return index


class Instance(Guest):
    """One instance: a memory of its own, and nothing else. It may be used until it raises for the first time.

    ``print`` gets what it prints; ``used`` is the fuel that instances of the same game had used before it.
    """

    def __init__(
        self, program: Program, limits: Limits, seed: int, print: Callable[[str], None], used: int = 0
    ) -> None:
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
            instance = self._call(_FUEL_FOR_START, program.linker.instantiate, self._store, program.component)
            self._instance = instance
            self._load = Function(instance, self._store, program.load, 3 if program.python else 2)
            self._choose = Function(instance, self._store, program.choose, 1)
        except BaseException:
            self.close()
            raise

    @property
    def used(self) -> int:
        """Fuel used in this game so far."""
        return self._used

    def load(self, source: str, fuel: int, code: str = "") -> tuple[bool, bool | str]:
        """Whether the bot is ready, and its answer or what is wrong. Raises as :meth:`choose`.

        ``code``: of the source, for the world ``python``.
        """
        texts = (source, code, str(self._seed)) if self._program.python else (source, str(self._seed))
        return self._call(fuel, self._load, *(text.encode() for text in texts))

    def prepare(self, source: str, fuel: int) -> tuple[bool, bool | str]:
        """Whether the source could be compiled, and the code or what is wrong. Raises as :meth:`choose`."""
        prepare = Function(self._instance, self._store, _export(self._program.component, "prepare"), 1)
        return self._call(fuel, prepare, source.encode())

    def choose(self, turn: Turn, fuel: int) -> tuple[bool, bool | str]:
        """Whether the bot answered, and the answer or what is wrong.

        Raises :class:`OutOfFuel`, :class:`Trapped` or :class:`TooSlow`.
        """
        return self._call(fuel, self._choose, self._program.encoded(turn))

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
        store, thread = self._store, self._program.thread
        self._given = fuel
        store.set_fuel(fuel)
        thread.instance = self
        start = time.monotonic()
        try:
            return call(*arguments)
        except WasmtimeError as error:
            # The first lines are a backtrace of machine code.
            text = str(error)
            if "all fuel consumed" in text:
                store.set_fuel(0)
                raise OutOfFuel from None
            raise Trapped(text.strip().splitlines()[-1].strip()) from None
        finally:
            thread.instance = None
            self._used += fuel - store.get_fuel()
            self._given = 0
            if time.monotonic() - start > self._limits.backstop_seconds:
                raise TooSlow


@cache
def python_program() -> Program:
    """The Python of the sandbox. Raises :class:`~arena.sandbox.runtime.BuildFailed`."""
    return Program(_component(compiled(runtime_component(), runtime_digest())), python=True)


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
