"""Bots that are WebAssembly components, of whatever language."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import orjson
from wasmtime import Store, StoreContext
from wasmtime.component import Component, ExportIndex, Linker

from arena.bots import InvalidBot, Turn
from arena.sandbox.calling import Function
from arena.sandbox.limits import FUEL_PER_MS, Limits
from arena.sandbox.program import Failed, Instance, NoAction, Program, engine
from arena.sandbox.runtime import compiled
from arena.sandbox.wasi import define

_PROGRAMS: Final = 32
_FUEL_FOR_START: Final = 50 * FUEL_PER_MS


class ComponentProgram(Program):
    """A compiled component and what it is linked with."""

    def __init__(self, component: Component) -> None:
        super().__init__()
        self.component = component
        self.linker = Linker(engine())
        self.load = _export(component, "load")
        self.choose = _export(component, "choose")
        imports = component.type.imports(engine())
        with self.linker.root() as root:
            if "log" in imports:
                root.add_func("log", self._log)
            if "clock" in imports:
                root.add_func("clock", self._clock)
        define(self.linker, imports, engine(), lambda: self.running)
        self.linker.define_unknown_imports_as_traps(component)

    def instance(self, limits: Limits, seed: int, print: Callable[[str], None], used: int = 0) -> Instance:
        """See :meth:`arena.sandbox.program.Program.instance`."""
        return _ComponentInstance(self, limits, seed, print, used)

    def _log(self, store: StoreContext, text: str) -> None:
        self.running.log(text)

    def _clock(self, store: StoreContext) -> int:
        return self.running.clock()


class _ComponentInstance(Instance):
    def __init__(
        self, program: ComponentProgram, limits: Limits, seed: int, print: Callable[[str], None], used: int
    ) -> None:
        self._store = Store(engine())
        self._store.set_limits(
            memory_size=limits.memory_bytes, table_elements=50_000, instances=100, tables=100, memories=4
        )
        super().__init__(program, self._store, limits, seed, print, used)
        try:
            instance = self._call(_FUEL_FOR_START, program.linker.instantiate, self._store, program.component)
            self._load = Function(instance, self._store, program.load, 2)
            self._choose = Function(instance, self._store, program.choose, 1)
        except BaseException:
            self.close()
            raise

    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """See :meth:`arena.sandbox.program.Instance.load`."""
        ready, answer = self._call(fuel, self._load, source.encode(), str(self._seed).encode())
        if not ready:
            raise Failed(answer)
        return bool(answer)

    def choose(self, turn: Turn, fuel: int) -> str | None:
        """See :meth:`arena.sandbox.program.Instance.choose`."""
        answered, text = self._call(fuel, self._choose, orjson.dumps(turn))
        text = str(text)
        if not answered:
            raise Failed(text)
        if len(text) > self._limits.answer_chars + 2:
            raise NoAction(text)
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            raise NoAction(text) from None
        if answer is not None and not isinstance(answer, str):
            raise NoAction(text)
        return answer

    def close(self) -> None:
        """See :meth:`arena.sandbox.program.Instance.close`."""
        self._store.close()


def program_of(wasm: bytes, limits: Limits) -> Program:
    """A bot that is a component. Raises :class:`~arena.bots.InvalidBot`."""
    if len(wasm) > limits.component_bytes:
        raise InvalidBot(
            f"a component of {len(wasm)} bytes", field="source", expected=f"at most {limits.component_bytes}"
        )
    return _program_of(wasm)


@lru_cache(_PROGRAMS)
def _program_of(wasm: bytes) -> Program:
    path = compiled(wasm, hashlib.sha256(wasm).hexdigest())
    return ComponentProgram(Component.deserialize_file(engine(), str(path)))


def _export(component: Component, name: str) -> ExportIndex:
    index = component.get_export_index(name)
    assert index is not None
    return index
