"""Bots that are WebAssembly components, in any language; and the plain engine, which runs the sandbox's
Python as one of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import orjson
from wasmtime import Engine as WasmtimeEngine
from wasmtime import Store, StoreContext
from wasmtime.component import Component, ExportIndex, Func, Instance, Linker, Variant

from arena.bots import InvalidBot, Turn
from arena.sandbox.building import BuildFailed, compiled, digest_of, runtime_name
from arena.sandbox.compiler import PLAIN, make_engine
from arena.sandbox.limits import FUEL_PER_MS, SandboxLimits
from arena.sandbox.program import Failed, NoAction, Program, ProgramInstance, SandboxEngine
from arena.sandbox.wasi import define

_FUEL_FOR_START: Final = 50 * FUEL_PER_MS


class TextFunction(Protocol):
    """A function from texts to ``result<bool, string>`` or ``result<string, string>``."""

    def __init__(self, instance: Instance, store: Store, index: ExportIndex, params: int) -> None: ...

    def __call__(self, *texts: str) -> tuple[bool, bool | str]:
        """Whether the result is ok, and its contents. Raises :class:`wasmtime.WasmtimeError`, and exceptions
        of the host's functions.
        """


class PlainTextFunction:
    """A :class:`TextFunction` as wasmtime offers it."""

    def __init__(self, instance: Instance, store: Store, index: ExportIndex, params: int) -> None:
        function = instance.get_func(store, index)
        assert isinstance(function, Func)
        self._function = function
        self._store = store

    def __call__(self, *texts: str) -> tuple[bool, bool | str]:
        """See :class:`TextFunction`."""
        result = self._function(self._store, *texts)
        if isinstance(result, Variant):
            assert isinstance(result.payload, str)
            return result.tag == "ok", result.payload
        # If the two types differ there is no tag.
        return isinstance(result, bool), result


class ComponentProgram(Program):
    """A compiled component and what it is linked with."""

    def __init__(self, engine: WasmtimeEngine, component: Component, function: type[TextFunction]) -> None:
        super().__init__()
        self.engine = engine
        self.component = component
        self.function = function
        self.linker = Linker(engine)
        self.load = _export(component, "load")
        self.choose = _export(component, "choose")
        imports = component.type.imports(engine)
        with self.linker.root() as root:
            if "log" in imports:
                root.add_func("log", self._log)
            if "clock" in imports:
                root.add_func("clock", self._clock)
        define(self.linker, imports, engine, lambda: self.running)
        self.linker.define_unknown_imports_as_traps(component)

    def instance(
        self, limits: SandboxLimits, seed: int, print: Callable[[str], None], used: int = 0
    ) -> ProgramInstance:
        """See :meth:`arena.sandbox.program.Program.instance`."""
        return _ComponentInstance(self, limits, seed, print, used)

    def _log(self, store: StoreContext, text: str) -> None:
        self.running.log(text)

    def _clock(self, store: StoreContext) -> int:
        return self.running.clock()


class _ComponentInstance(ProgramInstance):
    def __init__(
        self,
        program: ComponentProgram,
        limits: SandboxLimits,
        seed: int,
        print: Callable[[str], None],
        used: int,
    ) -> None:
        self._store = Store(program.engine)
        self._store.set_limits(
            memory_size=limits.memory_bytes, table_elements=50_000, instances=100, tables=100, memories=4
        )
        super().__init__(program, self._store, limits, seed, print, used)
        try:
            instance = self._call(_FUEL_FOR_START, program.linker.instantiate, self._store, program.component)
            self._load = program.function(instance, self._store, program.load, 2)
            self._choose = program.function(instance, self._store, program.choose, 1)
        except BaseException:
            self.close()
            raise

    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """See :meth:`arena.sandbox.program.ProgramInstance.load`."""
        try:
            source.encode()
        except UnicodeEncodeError as error:
            raise Failed(f"UnicodeEncodeError: {error}") from None
        ready, answer = self._call(fuel, self._load, source, str(self._seed))
        if not ready:
            raise Failed(answer)
        return bool(answer)

    def choose(self, turn: Turn, fuel: int) -> str | None:
        """See :meth:`arena.sandbox.program.ProgramInstance.choose`."""
        answered, text = self._call(fuel, self._choose, orjson.dumps(turn).decode())
        text = str(text)
        if not answered:
            raise Failed(text)
        # A character takes up to six bytes in JSON.
        if len(text) > 6 * self._limits.answer_chars + 2:
            raise NoAction(text)
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            raise NoAction(text) from None
        if answer is not None and (not isinstance(answer, str) or len(answer) > self._limits.answer_chars):
            raise NoAction(text)
        return answer

    def close(self) -> None:
        """See :meth:`arena.sandbox.program.ProgramInstance.close`."""
        self._store.close()


def component_program(
    wasm: bytes | Path, digest: str, engine: WasmtimeEngine, name: str, function: type[TextFunction]
) -> ComponentProgram:
    """The component with this SHA-256 for the engine ``name``. Raises :class:`~arena.bots.InvalidBot`."""
    path = compiled(wasm, digest, name)
    return ComponentProgram(engine, Component.deserialize_file(engine, str(path)), function)


class PlainEngine(SandboxEngine):
    """Runs everything as in wasmtime's documentation, with published names only: each game has a new
    instance, and a source is compiled in the instance that plays it.
    """

    def __init__(self, component: Path) -> None:
        """``component``: the Python of the sandbox. Raises :class:`~arena.sandbox.building.BuildFailed`."""
        self._engine = make_engine(PLAIN)
        digest = digest_of(component)
        self.runtime_id = runtime_name(digest, "-plain")
        try:
            self.python = component_program(component, digest, self._engine, PLAIN, PlainTextFunction)
        except InvalidBot as error:
            raise BuildFailed(error.message) from None

    def component(self, wasm: bytes) -> Program:
        """See :meth:`arena.sandbox.program.SandboxEngine.component`."""
        digest = hashlib.sha256(wasm).hexdigest()
        return component_program(wasm, digest, self._engine, PLAIN, PlainTextFunction)


def _export(component: Component, name: str) -> ExportIndex:
    index = component.get_export_index(name)
    assert index is not None
    return index
