"""Bots that are Python sources: they run in the Python of the sandbox."""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Final

from wasmtime import FuncType, Linker, Module, ValType

from arena.bots import Turn
from arena.sandbox.guest.protocol import DONE, FAILED, MARSHAL_VERSION, NOTHING, RIGHTS
from arena.sandbox.limits import FUEL_PER_MS, Limits
from arena.sandbox.linking import HOST
from arena.sandbox.machine import Function, Machines, OutsideMemory
from arena.sandbox.program import Failed, Instance, NoAction, Prepared, Program, Trapped, engine
from arena.sandbox.runtime import compiled_runtime

_PREPARED: Final = 32

_MOST_ANSWER: Final = 1 << 16
"""Bytes of an action or an error."""


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
            return Prepared(instance.prepare(source, limits.load_ms * FUEL_PER_MS), "", "".join(said))
        except Failed as error:
            return Prepared(b"", str(error), "".join(said))
        finally:
            instance.close()

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

    def prepare(self, source: str, fuel: int) -> bytes:
        """The source compiled, for :meth:`load`. Raises as :meth:`choose`."""
        _, code = self._told(fuel, self.machine.prepare, source, self._limits.memory_bytes)
        return code

    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """See :meth:`arena.sandbox.program.Instance.load`."""
        kind, _ = self._told(fuel, self.machine.load, (source, code, self._seed))
        return kind == RIGHTS

    def choose(self, turn: Turn, fuel: int) -> str | None:
        """See :meth:`arena.sandbox.program.Instance.choose`."""
        kind, answer = self._told(fuel, self.machine.choose, turn)
        if kind == NOTHING:
            return None
        try:
            text = answer.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise NoAction("a text that is not UTF-8") from None
        if kind != DONE or len(text) > self._limits.answer_chars:
            raise NoAction(text)
        return text

    def close(self) -> None:
        """Keep the machine for another game, or free its memory.

        That happens to an object that merely goes as well, but then the machine goes with it: what the
        garbage collector has taken apart cannot be used again.
        """
        if self._closed:
            return
        self._closed = True
        machine = self.machine
        # It belongs to another instance now, and is to go with that one.
        del self.machine, self._fuel
        if self.sound:
            self._machines.give_back(machine)
        else:
            machine.close()

    def _told(self, fuel: int, function: Function, told: Any, most: int = _MOST_ANSWER) -> tuple[int, bytes]:
        try:
            kind, answer = self._call(fuel, self.machine.tell, function, _marshalled(told), most)
        except OutsideMemory as error:
            raise Trapped(str(error)) from None
        if kind == FAILED:
            raise Failed(answer.decode("utf-8", "backslashreplace"))
        return kind, answer


def _marshalled(told: Any) -> bytes:
    try:
        return marshal.dumps(told, MARSHAL_VERSION)
    except ValueError:
        # Not of the plainest types.
        return marshal.dumps(json.loads(json.dumps(told)), MARSHAL_VERSION)


@cache
def python_program() -> PythonProgram:
    """The Python of the sandbox. Raises :class:`~arena.sandbox.binary.BuildFailed`."""
    return PythonProgram(Module.deserialize_file(engine(), str(compiled_runtime())))
