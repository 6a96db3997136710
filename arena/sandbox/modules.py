"""Bots that are WebAssembly modules, compiled from any language: programs for WASI preview 1 that read turns
from standard input and answer on standard output, in the lines of :mod:`arena.play.lines`.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from wasmtime import Engine, Func, Instance, Linker, Memory, Module, Store, WasmtimeError

from arena.bots import BotFailure, InvalidBot, Turn
from arena.play.lines import LINE_BYTES, first_line, read_answer, read_opening, too_long, turn_line
from arena.sandbox.building import compiled
from arena.sandbox.compiler import UPLOAD, make_engine
from arena.sandbox.errors import CompilingEnded
from arena.sandbox.limits import SandboxLimits, processor_seconds
from arena.sandbox.meter import Usage
from arena.sandbox.module_thread import ModuleThread, OutOfProcessorTime
from arena.sandbox.program import Failed, Program, ProgramInstance, Trapped
from arena.sandbox.wasi import MOST_OUTPUT, WASI, Exited, WasiGuest, functions

_PROGRAMS: Final = 32
_ATTEMPTS: Final = 3
_TABLE_ELEMENTS: Final = 50_000
_TABLES: Final = 4


class _Running(threading.local):
    """The WASI of the module that runs in this thread."""

    guest: WasiGuest


class ModuleHost:
    """The engine of all modules, and the functions that they import."""

    def __init__(self) -> None:
        self.engine: Engine = make_engine(UPLOAD)
        self.running = _Running()
        self.linker = Linker(self.engine)
        for name, kind in functions().items():
            self.linker.define_func(WASI, name, kind, self._function(name))

    def _function(self, name: str) -> Callable[..., int]:
        running = self.running
        return lambda *arguments: running.guest.call(name, arguments)

    def run(self, program: ModuleProgram, store: Store, guest: WasiGuest) -> None:
        """Run a program in this thread until it ends. Raises :class:`~arena.sandbox.wasi.Exited`, and what
        the module's functions raise.
        """
        self.running.guest = guest
        instance = self.linker.instantiate(store, program.module)
        memory = instance.exports(store)["memory"]
        assert isinstance(memory, Memory)
        guest.use_memory(memory)
        raise Exited(program.start(store, instance))


@cache
def module_host() -> ModuleHost:
    """Return the host of this process's modules."""
    return ModuleHost()


class ModuleProgram(Program):
    """A compiled module."""

    limits_processor_time = True

    name = "the module"
    """How errors name the bot."""

    def __init__(self, host: ModuleHost, module: Module) -> None:
        super().__init__()
        self.host = host
        self.module = module

    def start(self, store: Store, instance: Instance) -> int:
        """Run the module until it ends, and return its exit code."""
        start = instance.exports(store)["_start"]
        assert isinstance(start, Func)
        start(store)
        return 0

    def instance(
        self, limits: SandboxLimits, seed: int, print: Callable[[str], None], usage: Usage
    ) -> ProgramInstance:
        """See :meth:`arena.sandbox.program.Program.instance`."""
        return ModuleInstance(self, limits, seed, print, usage)


class ModuleInstance(ProgramInstance):
    """An instance of a module, which runs in a thread of its own."""

    def __init__(
        self,
        program: ModuleProgram,
        limits: SandboxLimits,
        seed: int,
        print: Callable[[str], None],
        usage: Usage,
    ) -> None:
        host = program.host
        self._name = program.name
        store = Store(host.engine)
        store.set_limits(
            memory_size=limits.memory_bytes,
            table_elements=_TABLE_ELEMENTS,
            instances=1,
            tables=_TABLES,
            memories=1,
        )
        super().__init__(program, store, limits, seed, print, usage)
        while _abandoned:
            _close(*_abandoned.pop())
        # The thread must not keep this object alive.
        thread = ModuleThread(store, lambda: host.run(program, store, guest))
        guest = WasiGuest(store, self._meter, seed, thread.next_line, print)
        self._thread, self._guest = thread, guest
        self._store, self._usage = store, usage
        self._games = ""
        self._abandon = weakref.finalize(self, _abandoned.append, (thread, store))
        self._abandon.atexit = False

    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """See :meth:`arena.sandbox.program.ProgramInstance.load`."""
        try:
            opening = read_opening(self._ask(first_line(self._seed), fuel), self._name)
        except InvalidBot as error:
            raise Failed(error.message) from None
        self._games = " ".join(opening.games)
        return opening.rights

    def choose(self, turn: Turn | None, fuel: int) -> str | None:
        """See :meth:`arena.sandbox.program.ProgramInstance.choose`."""
        if turn is None:
            return self._games
        return read_answer(self._ask(turn_line(turn), fuel), turn)

    def close(self) -> None:
        """See :meth:`arena.sandbox.program.ProgramInstance.close`."""
        if self._abandon.detach():
            _close(self._thread, self._store)

    def _ask(self, line: bytes, fuel: int) -> bytes:
        """Pass a line to the module, and return the line with which it answers."""
        output = self._guest.output
        before = self._usage.fuel
        try:
            self._call(fuel, self._thread.call, line, processor_seconds(fuel))
        except Exited as error:
            raise Trapped(f"exit code {error.code}") from None
        most = processor_seconds(self._usage.fuel - before)
        if self._thread.seconds > most:
            self.sound = False
            raise OutOfProcessorTime(most)
        end = output.find(b"\n")
        if end > LINE_BYTES or (end < 0 and len(output) > LINE_BYTES):
            start = bytes(output)
            output.clear()
            raise too_long(start)
        if len(output) > MOST_OUTPUT:
            raise BotFailure("malformed", "it writes without reading turns")
        if end < 0:
            raise BotFailure("malformed", "it read the next line before it answered")
        answer = bytes(output[:end])
        del output[: end + 1]
        return answer

    def _seconds(self, start: float) -> float:
        return self._thread.seconds


_abandoned: Final[list[tuple[ModuleThread, Store]]] = []
"""The threads and stores of instances that were garbage-collected instead of closed. This can happen at any
time, also while a module runs, so the next instance closes them.
"""


def _close(thread: ModuleThread, store: Store) -> None:
    thread.close()
    store.close()


@lru_cache(_PROGRAMS)
def module_program(wasm: bytes) -> ModuleProgram:
    """Return the bot that is this module, compiling it if it is not in the cache. Raises
    :class:`~arena.bots.InvalidBot`.
    """
    host, digest = module_host(), hashlib.sha256(wasm).hexdigest()
    for _ in range(_ATTEMPTS):
        path = compiled(wasm, digest, UPLOAD)
        try:
            return ModuleProgram(host, Module.deserialize_file(host.engine, str(path)))
        except WasmtimeError:
            # Another process can have removed it from the cache in the meantime.
            if path.exists():
                raise
    raise CompilingEnded(f"other processes repeatedly removed {path} from the cache")
