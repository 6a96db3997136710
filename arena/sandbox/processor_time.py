"""Limits the processor time of calls into uploaded components.

Fuel counts WebAssembly instructions, but hardly the work that wasmtime does for a component between two
instructions (converting strings between nested components, growing and filling tables and memories).
Therefore, a thread watches the clock of the calling thread, and interrupts the call through the engine's
epoch. WebAssembly code notices this at its next function call or loop. A single operation of wasmtime is
short, since the store limits memories and tables. If a call still does not return, the worker's watchdog
(``workers.watchdog``) kills the process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from wasmtime import Engine, Store, Trap, WasmtimeError

_PERIOD: Final = 0.02
"""The seconds between two checks of a running call."""

_IDLE_PERIODS: Final = 250
"""The number of periods without a call after which the thread sleeps until the next call."""

_INTERRUPTED: Final = "wasm trap: interrupt"

Result = TypeVar("Result")


class OutOfProcessorTime(Exception):
    """The call used more than ``seconds`` of processor time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class _Call(NamedTuple):
    """A running call, which is interrupted when ``clock`` (of its thread's processor time) reaches ``until``,
    or when the wall clock reaches ``wall_until``.
    """

    engine: Engine
    clock: int
    until: float
    wall_until: float

    def is_over(self) -> bool:
        return time.clock_gettime(self.clock) > self.until or time.monotonic() > self.wall_until


class _Watch:
    """Runs one call at a time, because all stores of an engine share its epoch."""

    def __init__(self) -> None:
        self._one_call = threading.Lock()
        self._awake = threading.Event()
        self._running: _Call | None = None
        self._thread: threading.Thread | None = None

    def call(
        self,
        store: Store,
        seconds: float,
        wall_seconds: float,
        call: Callable[..., Result],
        *arguments: object,
    ) -> Result:
        """Return ``call(*arguments)``, which runs code in ``store``, whose engine has epoch interruption.

        Raises :class:`OutOfProcessorTime` if it used more than ``seconds`` of processor time. After
        ``wall_seconds`` it is interrupted with a :class:`wasmtime.WasmtimeError`.
        """
        with self._one_call:
            clock = _thread_clock()
            until = time.clock_gettime(clock) + seconds
            store.set_epoch_deadline(1)
            self._running = _Call(store.engine, clock, until, time.monotonic() + wall_seconds)
            self._wake()
            try:
                result = call(*arguments)
            except (WasmtimeError, Trap) as error:
                if _INTERRUPTED in str(error) and time.clock_gettime(clock) > until:
                    raise OutOfProcessorTime(seconds) from None
                raise
            finally:
                self._running = None
            if time.clock_gettime(clock) > until:
                raise OutOfProcessorTime(seconds)
            return result

    def _wake(self) -> None:
        # A forked process does not have the thread.
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="processor time", daemon=True)
            self._thread.start()
        if not self._awake.is_set():
            self._awake.set()

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(_PERIOD)
            running = self._running
            if running is not None:
                idle = 0
                if running.is_over():
                    running.engine.increment_epoch()
                continue
            idle += 1
            if idle > _IDLE_PERIODS:
                idle = 0
                self._awake.clear()
                # A call that began before the event was cleared does not wake this thread.
                if self._running is None:
                    self._awake.wait()


def _thread_clock() -> int:
    """Return the clock of this thread's processor time, which other threads can read. If threads do not have
    such a clock, return the clock of the process.
    """
    if hasattr(time, "pthread_getcpuclockid"):
        return time.pthread_getcpuclockid(threading.get_ident())
    return time.CLOCK_PROCESS_CPUTIME_ID


_WATCH: Final = _Watch()

watched_call: Final = _WATCH.call
