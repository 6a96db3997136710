"""The plain engine, which runs the sandbox's Python as a component and uses only public names of wasmtime."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import orjson
from wasmtime import Engine, Store, StoreContext, WasmtimeError
from wasmtime.component import Component, ExportIndex, Func, Linker, Variant

from arena.bots import InvalidBot, Turn
from arena.sandbox.building import compiled, digest_of, runtime_name
from arena.sandbox.compiler import RUNTIME, make_engine
from arena.sandbox.errors import BuildFailed
from arena.sandbox.limits import FUEL_PER_MS, MOST_TEXT, SandboxLimits
from arena.sandbox.meter import Usage
from arena.sandbox.program import Failed, NoAction, Program, ProgramInstance, SandboxEngine, Trapped

_FUEL_FOR_START: Final = 50 * FUEL_PER_MS


class TooLong(Exception):
    """A text is longer than :data:`~arena.sandbox.limits.MOST_TEXT`."""

    def __init__(self, size: int, *, is_error: bool) -> None:
        super().__init__(size)
        self.size = size
        self.is_error = is_error


class _TextFunction:
    """A function that maps strings to ``result<bool, string>`` or ``result<string, string>``."""

    def __init__(self, function: object, store: Store) -> None:
        assert isinstance(function, Func)
        self._function = function
        self._store = store

    def __call__(self, *texts: str) -> tuple[bool, bool | str]:
        """Return whether the result is ``ok``, and its contents. Raises :class:`wasmtime.WasmtimeError`,
        :class:`TooLong`, and the exceptions of the host's functions.
        """
        result = self._function(self._store, *texts)
        if isinstance(result, Variant):
            assert isinstance(result.payload, str)
            # wasmtime has already copied the text: its public API does not reveal the size in advance.
            if len(result.payload) > MOST_TEXT:
                raise TooLong(len(result.payload), is_error=result.tag != "ok")
            return result.tag == "ok", result.payload
        # If the two types differ, there is no tag.
        return isinstance(result, bool), result


class PlainPython(Program):
    """The Python of the sandbox as a component, and the host functions with which it is linked."""

    def __init__(self, engine: Engine, component: Component) -> None:
        """Link the component. Raises :class:`wasmtime.WasmtimeError` if it imports something that cannot be
        defined.
        """
        super().__init__()
        self.engine = engine
        self.component = component
        self.linker = Linker(engine)
        self.load = _export(component, "load")
        self.choose = _export(component, "choose")
        # wasmtime's table of functions would keep this object alive, and this object keeps the linker alive.
        thread = self.thread

        def log(store: StoreContext, text: str) -> None:
            thread.instance.log(text[:MOST_TEXT], len(text))

        with self.linker.root() as root:
            root.add_func("log", log)
            root.add_func("clock", lambda store: thread.instance.clock())

    def instance(
        self, limits: SandboxLimits, seed: int, print: Callable[[str], None], usage: Usage
    ) -> ProgramInstance:
        """See :meth:`arena.sandbox.program.Program.instance`."""
        return _PlainInstance(self, limits, seed, print, usage)


class _PlainInstance(ProgramInstance):
    def __init__(
        self,
        program: PlainPython,
        limits: SandboxLimits,
        seed: int,
        print: Callable[[str], None],
        usage: Usage,
    ) -> None:
        self._store = Store(program.engine)
        self._store.set_limits(
            memory_size=limits.memory_bytes, table_elements=50_000, instances=100, tables=100, memories=4
        )
        super().__init__(program, self._store, limits, seed, print, usage)
        try:
            instance = self._call(_FUEL_FOR_START, program.linker.instantiate, self._store, program.component)
            self._load = _TextFunction(instance.get_func(self._store, program.load), self._store)
            self._choose = _TextFunction(instance.get_func(self._store, program.choose), self._store)
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

    def _ask(self, fuel: int, function: _TextFunction, *texts: str) -> tuple[bool, bool | str]:
        try:
            return self._call(fuel, function, *texts)
        except TooLong as error:
            if error.is_error:
                raise Trapped(f"an error of {error.size} bytes; the maximum is {MOST_TEXT}") from None
            raise NoAction(f"the text has {error.size} bytes") from None


class PlainEngine(SandboxEngine):
    """The plain engine, which uses only wasmtime's public API, as documented. Each game has a new instance,
    and a source is compiled in the instance that plays it.
    """

    def __init__(self, component: Path) -> None:
        """Create the engine. ``component`` is the Python of the sandbox. Raises
        :class:`~arena.sandbox.errors.BuildFailed`.
        """
        engine = make_engine(RUNTIME)
        digest = digest_of(component)
        self.runtime_id = runtime_name(digest, "-plain")
        try:
            path = compiled(component, digest, RUNTIME)
            self.python = PlainPython(engine, Component.deserialize_file(engine, str(path)))
        except (InvalidBot, WasmtimeError) as error:
            raise BuildFailed(str(error)) from None


def _export(component: Component, name: str) -> ExportIndex:
    index = component.get_export_index(name)
    assert index is not None
    return index
