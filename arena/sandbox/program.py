"""Programs of the sandbox, their instances (each of which plays one seat of one game), and the interface of
the engines that run them.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from wasmtime import Trap, WasmtimeError

from arena.bots import Turn
from arena.sandbox.limits import BYTE_FUEL, CALL_FUEL, FUEL_PER_MS, SandboxLimits, processor_seconds
from arena.sandbox.meter import FuelCounter, FuelMeter, OutOfFuel, Usage
from arena.sandbox.progress import ASLEEP_SECONDS, CALL, PROCESSOR_MARGIN, PROGRESS

Result = TypeVar("Result")


class Trapped(Exception):
    """The instance terminated: it violated a rule of WebAssembly, or ended itself."""


class Failed(Exception):
    """The bot raised an exception, which is described by one line, followed by the traceback. The instance
    can be used again.
    """


class NoAction(Exception):
    """The bot returned something that is not an action. The instance can be used again."""


class Prepared(NamedTuple):
    """A compiled source: the code or the error, and the output from compiling it."""

    code: bytes
    error: str = ""
    output: str = ""


class Program(ABC):
    """A module that is a bot, or the Python that runs source bots."""

    limits_processor_time = False
    """Whether the program's calls and games are limited in processor time as well as in fuel."""

    def __init__(self) -> None:
        self.thread = threading.local()
        """Thread-local data; ``instance`` is the instance that is running in this thread."""

    @property
    def running(self) -> ProgramInstance:
        """The instance that is running in this thread."""
        instance: ProgramInstance = self.thread.instance
        return instance

    def prepared(self, source: str, limits: SandboxLimits) -> Prepared:
        """Compile the source once for all games, if the program supports it. Raises what
        :meth:`ProgramInstance.choose` raises.
        """
        return Prepared(b"")

    @abstractmethod
    def instance(
        self, limits: SandboxLimits, seed: int, print: Callable[[str], None], usage: Usage
    ) -> ProgramInstance:
        """Return an instance in the state of a new one. It must be closed after the game. Raises what
        :meth:`ProgramInstance.choose` raises.

        ``print`` receives its output. What the instance uses is added to ``usage``, which all instances of
        the same seat and game share.
        """


class SandboxEngine(ABC):
    """A way to run the sandbox's Python with wasmtime. The implementations are in
    ``arena.sandbox.engine.fast`` and ``arena.sandbox.plain``. Bots make the same decisions in both, but use
    different amounts of fuel.
    """

    runtime_id: str
    """The id of the engine and its build of Python in records. With the same id, bots replay exactly."""

    python: Program
    """The Python of the sandbox, which runs source bots."""


class ProgramInstance(ABC):
    """One instance, with its own memory and no other state. It can be used until it raises
    :class:`~arena.sandbox.meter.OutOfFuel`, :class:`~arena.sandbox.module_thread.OutOfProcessorTime` or
    :class:`Trapped`. The parameters are those of :meth:`Program.instance`.
    """

    def __init__(
        self,
        program: Program,
        fuel: FuelCounter,
        limits: SandboxLimits,
        seed: int,
        print: Callable[[str], None],
        usage: Usage,
    ) -> None:
        self.print = print
        self.sound = True
        """Whether the instance can be used."""
        self._program = program
        self._meter = FuelMeter(fuel, usage)
        self._limits = limits
        self._seed = seed

    @abstractmethod
    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """Prepare to play, and return whether the bot wants to be offered optional turns. Raises what
        :meth:`choose` raises.

        ``code`` is the compiled source (:meth:`Program.prepared`).
        """

    @abstractmethod
    def choose(self, turn: Turn | None, fuel: int) -> str | None:
        """Return the bot's answer, which can be any string, or None. Without a turn, return the games that
        the bot says it plays, separated by spaces.

        Raises :class:`Failed`, :class:`NoAction`, :class:`~arena.sandbox.meter.OutOfFuel`,
        :class:`~arena.sandbox.module_thread.OutOfProcessorTime` or :class:`Trapped`.
        """

    @abstractmethod
    def close(self) -> None:
        """Free the instance's memory. This also happens when the object is garbage-collected."""

    def log(self, text: str, length: int = 0) -> None:
        """Print a text at the expense of the running instance's fuel. If ``text`` is only the beginning of a
        longer text, ``length`` is the length of the whole text.
        """
        self._meter.charge(CALL_FUEL + BYTE_FUEL * max(length, len(text)))
        self.print(text)

    def clock(self) -> int:
        """Return the clock, at the expense of the running instance's fuel."""
        self._meter.charge(CALL_FUEL)
        return self._meter.clock_ns()

    def _seconds(self, start: float) -> float:
        """Return the processor time of a call that began when this thread's processor time was ``start``."""
        return time.thread_time() - start

    def _call(self, fuel: int, call: Callable[..., Result], *arguments: object) -> Result:
        meter, thread = self._meter, self._program.thread
        self.sound = False
        thread.instance = self
        PROGRESS.begin(CALL, ASLEEP_SECONDS, processor_seconds(fuel) + PROCESSOR_MARGIN)
        meter.begin(fuel)
        start = time.thread_time()
        try:
            result = call(*arguments)
        except (WasmtimeError, Trap) as error:
            # The first lines are a backtrace of machine code.
            text = str(error)
            if "all fuel consumed" in text:
                meter.empty()
                raise OutOfFuel from None
            raise Trapped(text.strip().splitlines()[-1].strip()) from None
        finally:
            charge = meter.end(self._seconds(start))
            PROGRESS.end(CALL)
            PROGRESS.charge(charge / FUEL_PER_MS)
            thread.instance = None
        self.sound = True
        return result
