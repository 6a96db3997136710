"""The fast engine, which links the sandbox's Python into one core module, makes its objects immortal, and
reuses its instances. ``docs/sandbox-engine.md`` explains the gains, and when to delete this engine.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from wasmtime import Engine as WasmtimeEngine
from wasmtime import FuncType, Linker, Module, ValType

from arena.bots import InvalidBot, Turn
from arena.sandbox.building import compiled, compiled_source, digest_of, recipe_of, runtime_name
from arena.sandbox.cache import cached
from arena.sandbox.compiler import LINKED, compile_budget, make_engine
from arena.sandbox.engine.image import with_immortal_objects
from arena.sandbox.engine.instances import InstancePool, OutsideMemory, RuntimeFunction
from arena.sandbox.engine.internals import check_version
from arena.sandbox.engine.linking import HOST, linked
from arena.sandbox.errors import BuildFailed
from arena.sandbox.guest.protocol import DONE, FAILED, MARSHAL_VERSION, NOTHING, RIGHTS
from arena.sandbox.limits import COMPILE_BYTES, FUEL_PER_MS, MOST_TEXT, SandboxLimits, compile_ms
from arena.sandbox.meter import OutOfFuel, Usage
from arena.sandbox.program import (
    Failed,
    NoAction,
    Prepared,
    Program,
    ProgramInstance,
    SandboxEngine,
    Trapped,
)

_PREPARED: Final = 32

_OUT_OF_MEMORY: Final = "MemoryError: \n"
"""The report of an out-of-memory error, which has no further details."""

_LINKED_BY: Final = ("binary", "component", "linking", "image")
"""The modules of this package that build the linked runtime."""


class FastEngine(SandboxEngine):
    """Runs the linked runtime without the overhead of wasmtime's Python API."""

    def __init__(self, component: Path) -> None:
        """Create the engine. ``component`` is the Python of the sandbox. Raises
        :class:`~arena.sandbox.errors.BuildFailed`.
        """
        check_version()
        engine = make_engine(LINKED)
        module = linked_module(component)
        digest = digest_of(module)
        self.runtime_id = runtime_name(digest)
        try:
            path = compiled(module, digest, LINKED)
        except InvalidBot as error:
            raise BuildFailed(error.message) from None
        self.python = LinkedPython(engine, Module.deserialize_file(engine, str(path)), self.runtime_id)


def linked_module(component: Path) -> Path:
    """Return the Python of the sandbox linked into one core module, linking it if it is not in the cache.

    Raises :class:`~arena.sandbox.errors.BuildFailed`.
    """
    recipe = recipe_of(component.name, [Path(__file__).with_name(f"{name}.py") for name in _LINKED_BY])

    def link(target: Path) -> None:
        target.write_bytes(with_immortal_objects(linked(component.read_bytes())))

    return cached(f"{component.stem}-linked-{recipe[:8]}.wasm", link)


class LinkedPython(Program):
    """The Python of the sandbox as one core module."""

    def __init__(self, engine: WasmtimeEngine, module: Module, runtime_id: str) -> None:
        super().__init__()
        self.parts = (engine, module, runtime_id)
        linker = Linker(engine)
        i32, i64 = ValType.i32(), ValType.i64()
        linker.define_func(HOST, "log", FuncType([i32, i32], []), self._log)
        linker.define_func(HOST, "clock", FuncType([], [i64]), self._clock)
        self.pool = InstancePool(engine, linker, module)
        self._compiled = lru_cache(_PREPARED)(self._compile)

    def prepared(self, source: str, limits: SandboxLimits) -> Prepared:
        """See :meth:`arena.sandbox.program.Program.prepared`. The source is compiled in an instance that
        never runs it.
        """
        return self._compiled(source, limits)

    def instance(
        self, limits: SandboxLimits, seed: int, print: Callable[[str], None], usage: Usage
    ) -> LinkedInstance:
        """See :meth:`arena.sandbox.program.Program.instance`."""
        return LinkedInstance(self, limits, seed, print, usage)

    def _compile(self, source: str, limits: SandboxLimits) -> Prepared:
        *_, runtime_id = self.parts
        data = source.encode("utf-8", "surrogatepass")

        def compile_now() -> bytes:
            return marshal.dumps(tuple(self._compile_now(source, len(data), limits)))

        try:
            stored = compiled_source(data, runtime_id, compile_now)
        except OSError:
            # The disk is full, or another process removed the file from the cache in the meantime.
            stored = compile_now()
        return Prepared(*marshal.loads(stored))

    def _compile_now(self, source: str, size: int, limits: SandboxLimits) -> Prepared:
        output = ""

        def print_some(text: str) -> None:
            nonlocal output
            output += text[: limits.output_chars - len(output)]

        fuel_ms, most = compile_ms(size), compile_budget(size).code
        instance = self.instance(replace(limits, memory_bytes=COMPILE_BYTES), 0, print_some, Usage())
        try:
            code, error = instance.prepare(source, fuel_ms * FUEL_PER_MS), ""
        except OutOfFuel:
            code, error = b"", f"compiling it takes more than {fuel_ms} ms of fuel, the maximum for its size"
        except Failed as failure:
            code, error = b"", str(failure)
            if error.startswith(_OUT_OF_MEMORY):
                error = f"compiling it takes more than {COMPILE_BYTES >> 20} MiB of memory"
        except Trapped as trapped:
            code, error = b"", f"compiling it terminates the compiler: {trapped}"
        finally:
            instance.close()
        if len(code) > most:
            code, error = b"", f"its code would have {len(code)} bytes; the maximum for its size is {most}"
        return Prepared(code, error, output)

    def _log(self, at: int, size: int) -> None:
        instance = self.running
        assert isinstance(instance, LinkedInstance)
        size &= 0xFFFF_FFFF
        instance.log(instance.runtime.text(at & 0xFFFF_FFFF, size), size if size > MOST_TEXT else 0)

    def _clock(self) -> int:
        return self.running.clock()


class LinkedInstance(ProgramInstance):
    """An instance of the sandbox's Python while it plays."""

    def __init__(
        self,
        program: LinkedPython,
        limits: SandboxLimits,
        seed: int,
        print: Callable[[str], None],
        usage: Usage,
    ) -> None:
        self.runtime = program.pool.acquire(limits.memory_bytes)
        super().__init__(program, self.runtime.fuel, limits, seed, print, usage)
        self._pool = program.pool
        self._closed = False

    def prepare(self, source: str, fuel: int) -> bytes:
        """Return the compiled source, for :meth:`load`. Raises what :meth:`choose` raises."""
        _, code = self._send(fuel, self.runtime.prepare, source, self._limits.memory_bytes)
        return code

    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """See :meth:`arena.sandbox.program.ProgramInstance.load`."""
        kind, _ = self._send(fuel, self.runtime.begin, (source, code, self._seed))
        return kind == RIGHTS

    def choose(self, turn: Turn | None, fuel: int) -> str | None:
        """See :meth:`arena.sandbox.program.ProgramInstance.choose`."""
        kind, answer = self._send(fuel, self.runtime.decide, turn)
        if kind == NOTHING:
            return None
        try:
            text = answer.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise NoAction("the text is not UTF-8") from None
        if kind != DONE or len(text) > self._limits.answer_chars:
            raise NoAction(text)
        return text

    def close(self) -> None:
        """Release the runtime's instance for another game, or free its memory.

        Memory is also freed when the object is garbage-collected, but the runtime's instance is then lost,
        too, because it cannot be reused after that.
        """
        if self._closed:
            return
        self._closed = True
        runtime = self.runtime
        # The instance now belongs to the pool, so this object must not keep it.
        del self.runtime, self._meter
        if self.sound:
            self._pool.release(runtime)
        else:
            runtime.close()

    def _send(
        self, fuel: int, function: RuntimeFunction, message: object, most: int = MOST_TEXT
    ) -> tuple[int, bytes]:
        try:
            kind, answer = self._call(fuel, self.runtime.call, function, _marshalled(message), most)
        except OutsideMemory as error:
            raise Trapped(str(error)) from None
        if kind == FAILED:
            raise Failed(answer.decode("utf-8", "backslashreplace"))
        return kind, answer


def _marshalled(message: Any) -> bytes:
    try:
        return marshal.dumps(message, MARSHAL_VERSION)
    except ValueError:
        # Some values are not of the plain types that marshal supports.
        return marshal.dumps(json.loads(json.dumps(message)), MARSHAL_VERSION)
