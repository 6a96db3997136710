"""What runs in the sandbox: programs, and their instances, each of which plays one seat of one game."""

from __future__ import annotations

import random
import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from wasmtime import Engine, Trap, WasmtimeError

from arena.bots import Turn
from arena.sandbox.compiler import make_engine
from arena.sandbox.limits import FUEL_PER_MS, Limits
from arena.sandbox.wasi import CALL_FUEL, Guest

CHARACTER_FUEL: Final = 10
"""What a printed character costs."""

Result = TypeVar("Result")


class OutOfFuel(Exception):
    """The instance has used the fuel that it had for this call."""


class Trapped(Exception):
    """The instance ended: it did something that WebAssembly does not allow, or ended itself."""


class TooSlow(Exception):
    """The call took far longer than its fuel allows for: this machine is too slow to be fair."""


@cache
def engine() -> Engine:
    """The engine of this process."""
    return make_engine()


class Failed(Exception):
    """The bot raised: a line that says what and where, then the traceback. The instance may be used again."""


class NoAction(Exception):
    """The bot answered with what can be no action: what it was. The instance may be used again."""


class Prepared(NamedTuple):
    """A source compiled: the code, or what is wrong with it, and what was printed meanwhile."""

    code: bytes
    error: str = ""
    said: str = ""


class Program:
    """A bot, or the Python that runs bots: see ``arena.sandbox.python`` and ``arena.sandbox.components``."""

    def __init__(self) -> None:
        self.thread = threading.local()
        """Its ``instance`` is the one that is running in this thread."""

    @property
    def running(self) -> Instance:
        """The instance that is running in this thread."""
        instance: Instance = self.thread.instance
        return instance

    def prepared(self, source: str, limits: Limits) -> Prepared:
        """A source compiled, once for all games. Raises as :meth:`Instance.choose`."""
        return Prepared(b"")

    @abstractmethod
    def instance(self, limits: Limits, seed: int, print: Callable[[str], None], used: int = 0) -> Instance:
        """A fresh instance. Raises as :meth:`Instance.choose`."""


class Fueled(Protocol):
    """What counts an instance's fuel."""

    def get_fuel(self) -> int:
        """The fuel that is left."""

    def set_fuel(self, fuel: int) -> None:
        """Give it this fuel instead of what is left."""


class Instance(Guest):
    """One instance: a memory of its own, and nothing else. It may be used until it raises
    :class:`OutOfFuel`, :class:`Trapped` or :class:`TooSlow`.

    ``print`` gets what it prints; ``used`` is the fuel that instances of the same game had used before it.
    """

    def __init__(
        self,
        program: Program,
        fuel: Fueled,
        limits: Limits,
        seed: int,
        print: Callable[[str], None],
        used: int,
    ) -> None:
        self.print = print
        self.sound = True
        """Whether it may be used."""
        self._program = program
        self._fuel = fuel
        self._limits = limits
        self._seed = seed
        self._random: random.Random | None = None
        self._used = used
        self._given = 0

    @property
    def used(self) -> int:
        """Fuel used in this game so far."""
        return self._used

    @abstractmethod
    def load(self, source: str, code: bytes, fuel: int) -> bool:
        """Get ready to play: whether the bot wants to be offered rights. Raises as :meth:`choose`.

        ``code``: what the program made of the source (:meth:`Program.prepared`).
        """

    @abstractmethod
    def choose(self, turn: Turn, fuel: int) -> str | None:
        """What the bot answered; it may be any text.

        Raises :class:`Failed`, :class:`NoAction`, :class:`OutOfFuel`, :class:`Trapped` or :class:`TooSlow`.
        """

    @abstractmethod
    def close(self) -> None:
        """Free its memory. It happens by itself when the object goes."""

    def charge(self, fuel: int) -> None:
        """Take fuel for work that the host does for the running instance."""
        left = self._fuel.get_fuel()
        self._fuel.set_fuel(max(0, left - fuel))
        if fuel >= left:
            raise OutOfFuel

    def clock_ns(self) -> int:
        """Nanoseconds of thinking so far in this game."""
        return (self._used + self._given - self._fuel.get_fuel()) * 1_000_000 // FUEL_PER_MS

    def random_bytes(self, size: int) -> bytes:
        """Bytes that follow from the seed."""
        if self._random is None:
            self._random = random.Random(f"wasi {self._seed}")
        return self._random.randbytes(size)

    def log(self, text: str) -> None:
        """Print, for the running instance's fuel."""
        self.charge(CALL_FUEL + CHARACTER_FUEL * len(text))
        self.print(text)

    def clock(self) -> int:
        """The clock, for the running instance's fuel."""
        self.charge(CALL_FUEL)
        return self.clock_ns()

    def _call(self, fuel: int, call: Callable[..., Result], *arguments: Any) -> Result:
        fueled, thread = self._fuel, self._program.thread
        self.sound = False
        self._given = fuel
        fueled.set_fuel(fuel)
        thread.instance = self
        start = time.monotonic()
        try:
            result = call(*arguments)
        except (WasmtimeError, Trap) as error:
            # The first lines are a backtrace of machine code.
            text = str(error)
            if "all fuel consumed" in text:
                fueled.set_fuel(0)
                raise OutOfFuel from None
            raise Trapped(text.strip().splitlines()[-1].strip()) from None
        finally:
            thread.instance = None
            self._used += fuel - fueled.get_fuel()
            self._given = 0
            if time.monotonic() - start > self._limits.backstop_seconds:
                raise TooSlow
        self.sound = True
        return result
