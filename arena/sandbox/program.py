"""Programs of the sandbox, their instances (each of which plays one seat of one game), and the interface of
the engines that run them.
"""

from __future__ import annotations

import math
import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol, TypeVar

from wasmtime import Trap, WasmtimeError

from arena.bots import Turn
from arena.sandbox.limits import FUEL_PER_MS, SandboxLimits, processor_seconds
from arena.sandbox.processor_time import OutOfProcessorTime
from arena.sandbox.progress import CALL, PROCESSOR_MARGIN, PROGRESS, WALL_MARGIN
from arena.sandbox.wasi import CALL_FUEL, Guest

CHARACTER_FUEL: Final = 10
"""The fuel that a printed character costs."""

Result = TypeVar("Result")


class OutOfFuel(Exception):
    """The instance has used up its fuel for this call."""


class Trapped(Exception):
    """The instance terminated: it violated a rule of WebAssembly, or ended itself."""


class TooSlow(Exception):
    """The call took far longer than its fuel allows, so this machine is too slow for fair play."""


class Failed(Exception):
    """The bot raised an exception, which is described by one line, followed by the traceback. The instance
    can be used again.
    """


class NoAction(Exception):
    """The bot returned something that is not an action. The instance can be used again."""


class TooLong(Exception):
    """A text is longer than :data:`~arena.sandbox.limits.MOST_TEXT`."""

    def __init__(self, size: int, *, is_error: bool) -> None:
        super().__init__(size)
        self.size = size
        self.is_error = is_error


class Prepared(NamedTuple):
    """A compiled source: the code or the error, and the output from compiling it."""

    code: bytes
    error: str = ""
    output: str = ""


class Program(ABC):
    """A component that is a bot, or the Python that runs source bots."""

    limits_processor_time = False
    """Whether the program's calls are limited in processor time as well as in fuel."""

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
        self, limits: SandboxLimits, seed: int, print: Callable[[str], None], used: int = 0
    ) -> ProgramInstance:
        """Return an instance in the state of a new one. It must be closed after the game. Raises what
        :meth:`ProgramInstance.choose` raises.

        ``print`` receives its output; ``used`` is the fuel that earlier instances of the same game used.
        """


class SandboxEngine(ABC):
    """A way to run programs with wasmtime. The implementations are in ``arena.sandbox.engine.fast`` and
    ``arena.sandbox.components``. Bots make the same decisions in both, but use different amounts of fuel.
    """

    runtime_id: str
    """The id of the engine and its build of Python in records. With the same id, bots replay exactly."""

    python: Program
    """The Python of the sandbox, which runs source bots."""

    @abstractmethod
    def component(self, wasm: bytes) -> Program:
        """Return a bot that is a component. Raises :class:`~arena.bots.InvalidBot`."""


class FuelCounter(Protocol):
    """Counts an instance's fuel."""

    def get_fuel(self) -> int:
        """Return the remaining fuel."""

    def set_fuel(self, fuel: int) -> None:
        """Replace the remaining fuel."""


class ProgramInstance(Guest):
    """One instance, with its own memory and no other state. It can be used until it raises
    :class:`OutOfFuel`, :class:`~arena.sandbox.processor_time.OutOfProcessorTime`, :class:`Trapped` or
    :class:`TooSlow`. The parameters are those of :meth:`Program.instance`.
    """

    def __init__(
        self,
        program: Program,
        fuel: FuelCounter,
        limits: SandboxLimits,
        seed: int,
        print: Callable[[str], None],
        used: int,
    ) -> None:
        self.print = print
        self.sound = True
        """Whether the instance can be used."""
        self._program = program
        self._fuel = fuel
        self._limits = limits
        self._seed = seed
        self._random: random.Random | None = None
        self._used = used
        self._given = 0

    @property
    def used(self) -> int:
        """The fuel used in this game so far."""
        return self._used

    @abstractmethod
    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """Prepare to play, and return whether the bot wants to be offered optional turns. Raises what
        :meth:`choose` raises.

        ``code`` is the compiled source (:meth:`Program.prepared`).
        """

    @abstractmethod
    def choose(self, turn: Turn | None, fuel: int) -> str | None:
        """Return the bot's answer, which can be any string, or None. Without a turn, which only the sandbox's
        Python supports, return the games that the bot says it plays, separated by spaces.

        Raises :class:`Failed`, :class:`NoAction`, :class:`OutOfFuel`,
        :class:`~arena.sandbox.processor_time.OutOfProcessorTime`, :class:`Trapped` or :class:`TooSlow`.
        """

    @abstractmethod
    def close(self) -> None:
        """Free the instance's memory. This also happens when the object is garbage-collected."""

    def charge(self, fuel: int) -> None:
        """Charge fuel for work that the host does for the running instance."""
        left = self._fuel.get_fuel()
        self._fuel.set_fuel(max(0, left - fuel))
        if fuel >= left:
            raise OutOfFuel

    def clock_ns(self) -> int:
        """Return the nanoseconds of thinking time in this game so far."""
        return (self._used + self._given - self._fuel.get_fuel()) * 1_000_000 // FUEL_PER_MS

    def random_bytes(self, size: int) -> bytes:
        """Return bytes derived from the seed."""
        if self._random is None:
            self._random = random.Random(f"wasi {self._seed}")
        return self._random.randbytes(size)

    def log(self, text: str, length: int = 0) -> None:
        """Print a text at the expense of the running instance's fuel. If ``text`` is only the beginning of a
        longer text, ``length`` is the length of the whole text.
        """
        self.charge(CALL_FUEL + CHARACTER_FUEL * max(length, len(text)))
        self.print(text)

    def clock(self) -> int:
        """Return the clock, at the expense of the running instance's fuel."""
        self.charge(CALL_FUEL)
        return self.clock_ns()

    def _call(self, fuel: int, call: Callable[..., Result], *arguments: object) -> Result:
        counter, thread = self._fuel, self._program.thread
        self.sound = False
        self._given = fuel
        counter.set_fuel(fuel)
        thread.instance = self
        seconds = self._limits.backstop_seconds
        latest = time.monotonic() + seconds
        PROGRESS.begin(CALL, seconds + WALL_MARGIN, processor_seconds(fuel) + PROCESSOR_MARGIN)
        try:
            result = call(*arguments)
        except OutOfProcessorTime:
            # This is the bot's fault, however busy the machine is.
            latest = math.inf
            raise
        except (WasmtimeError, Trap) as error:
            # The first lines are a backtrace of machine code.
            text = str(error)
            if "all fuel consumed" in text:
                counter.set_fuel(0)
                raise OutOfFuel from None
            raise Trapped(text.strip().splitlines()[-1].strip()) from None
        finally:
            PROGRESS.end(CALL)
            thread.instance = None
            self._used += fuel - counter.get_fuel()
            self._given = 0
            if time.monotonic() > latest:
                raise TooSlow
        self.sound = True
        return result
