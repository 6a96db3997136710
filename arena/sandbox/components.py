"""Bots that are WebAssembly components, written in any language, and the plain engine, which also runs the
sandbox's Python as a component.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import orjson
from wasmtime import Engine as WasmtimeEngine
from wasmtime import Store, StoreContext, WasmtimeError
from wasmtime.component import Component, ExportIndex, Func, Instance, Linker, LinkerInstance, Variant

from arena.bots import InvalidBot, Turn
from arena.sandbox.building import compiled, digest_of, runtime_name
from arena.sandbox.compiler import COMPONENT, PLAIN, RUNTIME, make_engine
from arena.sandbox.errors import BuildFailed, CompilingEnded
from arena.sandbox.limits import FUEL_PER_MS, MOST_TEXT, SandboxLimits, processor_seconds
from arena.sandbox.processor_time import watched_call
from arena.sandbox.program import (
    Failed,
    NoAction,
    Program,
    ProgramInstance,
    Result,
    SandboxEngine,
    TooLong,
    Trapped,
)
from arena.sandbox.wasi import define
from arena.text import printable

_FUEL_FOR_START: Final = 50 * FUEL_PER_MS
_ATTEMPTS: Final = 3


class TextFunction(Protocol):
    """A function that maps strings to ``result<bool, string>`` or ``result<string, string>``."""

    def __init__(self, instance: Instance, store: Store, index: ExportIndex, params: int) -> None: ...

    def __call__(self, *texts: str) -> tuple[bool, bool | str]:
        """Return whether the result is ``ok``, and its contents. Raises :class:`wasmtime.WasmtimeError`,
        :class:`~arena.sandbox.program.TooLong`, and the exceptions of the host's functions.
        """


class PlainTextFunction:
    """A :class:`TextFunction` based on wasmtime's public API."""

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
            # wasmtime has already copied the text: its public API does not reveal the size in advance.
            if len(result.payload) > MOST_TEXT:
                raise TooLong(len(result.payload), is_error=result.tag != "ok")
            return result.tag == "ok", result.payload
        # If the two types differ, there is no tag.
        return isinstance(result, bool), result


class ComponentProgram(Program):
    """A compiled component and the host functions with which it is linked."""

    function: type[TextFunction] = PlainTextFunction

    def __init__(self, engine: WasmtimeEngine, component: Component, kind: str) -> None:
        """Link a component. For ``kind``, see ``arena.sandbox.compiler``. Raises
        :class:`wasmtime.WasmtimeError` if the component imports something that cannot be defined.
        """
        super().__init__()
        self.limits_processor_time = kind == COMPONENT
        self.engine = engine
        self.component = component
        self.linker = Linker(engine)
        self.load = _export(component, "load")
        self.choose = _export(component, "choose")
        imports = component.type.imports(engine)
        # wasmtime's table of functions would keep this object alive, and this object keeps the linker alive.
        thread = self.thread
        with self.linker.root() as root:
            if "log" in imports:
                self.define_log(root)
            if "clock" in imports:
                root.add_func("clock", lambda store: thread.instance.clock())
        define(self.linker, imports, engine, lambda: thread.instance)
        self.linker.define_unknown_imports_as_traps(component)

    def instance(
        self, limits: SandboxLimits, seed: int, print: Callable[[str], None], used: int = 0
    ) -> ProgramInstance:
        """See :meth:`arena.sandbox.program.Program.instance`."""
        return _ComponentInstance(self, limits, seed, print, used)

    def define_log(self, root: LinkerInstance) -> None:
        """Define the host function that prints text."""
        thread = self.thread

        def log(store: StoreContext, text: str) -> None:
            thread.instance.log(text[:MOST_TEXT], len(text))

        root.add_func("log", log)


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
        ready, answer = self._ask(fuel, self._load, source, str(self._seed))
        if not ready:
            raise Failed(answer)
        return bool(answer)

    def choose(self, turn: Turn | None, fuel: int) -> str | None:
        """See :meth:`arena.sandbox.program.ProgramInstance.choose`."""
        answered, text = self._ask(fuel, self._choose, orjson.dumps(turn).decode())
        text = str(text)
        if not answered:
            raise Failed(text)
        # A character can take up to six bytes in JSON.
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

    def _ask(self, fuel: int, function: TextFunction, *texts: str) -> tuple[bool, bool | str]:
        try:
            return self._call(fuel, function, *texts)
        except TooLong as error:
            if error.is_error:
                raise Trapped(f"an error of {error.size} bytes; the maximum is {MOST_TEXT}") from None
            raise NoAction(f"the text has {error.size} bytes") from None

    def _call(self, fuel: int, call: Callable[..., Result], *arguments: object) -> Result:
        if not self._program.limits_processor_time:
            return super()._call(fuel, call, *arguments)
        seconds, wall_seconds = processor_seconds(fuel), self._limits.backstop_seconds
        arguments = (self._store, seconds, wall_seconds, call, *arguments)
        result: Result = super()._call(fuel, watched_call, *arguments)
        return result


def component_program(
    program: type[ComponentProgram],
    wasm: bytes | Path,
    digest: str,
    engine: WasmtimeEngine,
    name: str,
    kind: str = COMPONENT,
) -> ComponentProgram:
    """Return the component with this SHA-256 for the engine ``name``. Raises
    :class:`~arena.bots.InvalidBot`.
    """
    component = _loaded(wasm, digest, engine, name, kind)
    try:
        return program(engine, component, kind)
    except WasmtimeError as error:
        why = printable(str(error).strip().splitlines()[-1], 300)
        raise InvalidBot(f"the component is not a bot: {why}", field="source") from None


def _loaded(wasm: bytes | Path, digest: str, engine: WasmtimeEngine, name: str, kind: str) -> Component:
    for _ in range(_ATTEMPTS):
        path = compiled(wasm, digest, name, kind)
        try:
            return Component.deserialize_file(engine, str(path))
        except WasmtimeError:
            # Another process can have removed it from the cache in the meantime.
            if path.exists():
                raise
    raise CompilingEnded(f"other processes repeatedly removed {path} from the cache")


class PlainEngine(SandboxEngine):
    """The plain engine, which uses only wasmtime's public API, as documented. Each game has a new instance,
    and a source is compiled in the instance that plays it.
    """

    def __init__(self, component: Path) -> None:
        """Create the engine. ``component`` is the Python of the sandbox. Raises
        :class:`~arena.sandbox.errors.BuildFailed`.
        """
        self._uploads = make_engine(PLAIN, COMPONENT)
        engine = make_engine(PLAIN, RUNTIME)
        digest = digest_of(component)
        self.runtime_id = runtime_name(digest, "-plain")
        try:
            self.python = component_program(ComponentProgram, component, digest, engine, PLAIN, RUNTIME)
        except InvalidBot as error:
            raise BuildFailed(error.message) from None

    def component(self, wasm: bytes) -> Program:
        """See :meth:`arena.sandbox.program.SandboxEngine.component`."""
        digest = hashlib.sha256(wasm).hexdigest()
        return component_program(ComponentProgram, wasm, digest, self._uploads, PLAIN)


def _export(component: Component, name: str) -> ExportIndex:
    index = component.get_export_index(name)
    assert index is not None
    return index
