"""Bots that are Python sources: they run in the Python of the sandbox."""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from wasmtime import FuncType, Linker, Module, ValType

from arena.bots import Turn
from arena.sandbox.limits import FUEL_PER_MS, Limits
from arena.sandbox.linking import HOST
from arena.sandbox.machine import Machines, OutsideMemory
from arena.sandbox.program import Instance, Prepared, Program, Trapped, engine
from arena.sandbox.runtime import compiled_runtime

_PREPARED: Final = 32

_MARSHAL_VERSION: Final = 2
"""The last in which equal values have equal bytes, whoever else holds them: fuel depends on the bytes."""


class PythonProgram(Program):
    """The Python of the sandbox, linked."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        linker = Linker(engine())
        i32, i64 = ValType.i32(), ValType.i64()
        linker.define_func(HOST, "log", FuncType([i32, i32], []), self._log)
        linker.define_func(HOST, "clock", FuncType([], [i64]), self._clock)
        self.machines = Machines(engine(), linker, module)
        self._compiled = lru_cache(_PREPARED)(self._compile)

    def prepared(self, source: str, limits: Limits) -> Prepared:
        """See :meth:`arena.sandbox.program.Program.prepared`: in an instance that runs nothing of it."""
        return self._compiled(source, limits)

    def instance(
        self, limits: Limits, seed: int, print: Callable[[str], None], used: int = 0
    ) -> PythonInstance:
        """See :meth:`arena.sandbox.program.Program.instance`."""
        return PythonInstance(self, limits, seed, print, used)

    def _compile(self, source: str, limits: Limits) -> Prepared:
        said: list[str] = []
        instance = self.instance(limits, 0, said.append)
        try:
            ready, text = instance.prepare(source, limits.load_ms * FUEL_PER_MS)
        finally:
            instance.close()
        return Prepared(ready, str(text), "".join(said))

    def _log(self, at: int, size: int) -> None:
        instance = self.running
        assert isinstance(instance, PythonInstance)
        instance.log(instance.machine.text(at & 0xFFFF_FFFF, size & 0xFFFF_FFFF))

    def _clock(self) -> int:
        return self.running.clock()


class PythonInstance(Instance):
    """An instance of the sandbox's Python."""

    def __init__(
        self, program: PythonProgram, limits: Limits, seed: int, print: Callable[[str], None], used: int
    ) -> None:
        self.machine = program.machines.take(limits.memory_bytes)
        super().__init__(program, self.machine, limits, seed, print, used)
        self._machines = program.machines
        self._closed = False

    def prepare(self, source: str, fuel: int) -> tuple[bool, bool | str]:
        """Whether the source could be compiled, and the code or what is wrong. Raises as :meth:`choose`."""
        return self._asked(fuel, self.machine.prepare, source.encode())

    def load(self, source: str, code: str, fuel: int) -> tuple[bool, bool | str]:
        """See :meth:`arena.sandbox.program.Instance.load`."""
        return self._asked(fuel, self.machine.load, source.encode(), code.encode(), b"%d" % self._seed)

    def choose(self, turn: Turn, fuel: int) -> tuple[bool, bool | str]:
        """See :meth:`arena.sandbox.program.Instance.choose`."""
        return self._asked(fuel, self.machine.choose, _marshalled(turn))

    def close(self) -> None:
        """Keep the machine for another game, or free its memory.

        That happens to an object that merely goes as well, but then the machine goes with it: what the
        garbage collector has taken apart cannot be used again.
        """
        if self._closed:
            return
        self._closed = True
        if self.sound:
            self._machines.give_back(self.machine)
        else:
            self.machine.close()

    def _asked(
        self, fuel: int, function: Callable[..., tuple[bool, bool | str]], *texts: bytes
    ) -> tuple[bool, bool | str]:
        try:
            return self._call(fuel, function, *texts)
        except OutsideMemory as error:
            raise Trapped(str(error)) from None


def _marshalled(turn: Turn) -> bytes:
    try:
        data = marshal.dumps(dict(turn), _MARSHAL_VERSION)
    except ValueError:
        # Not of the plainest types.
        data = marshal.dumps(json.loads(json.dumps(turn)), _MARSHAL_VERSION)
    return data if data.isascii() else data.decode("latin-1").encode()


@cache
def python_program() -> PythonProgram:
    """The Python of the sandbox. Raises :class:`~arena.sandbox.binary.BuildFailed`."""
    return PythonProgram(Module.deserialize_file(engine(), str(compiled_runtime())))
