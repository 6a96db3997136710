"""The thread in which a module runs. Between two turns, it waits for the next line.

Fuel counts the instructions of a module, but hardly what some of them cost: growing and filling tables and
memories, or loading from memory that is in no cache of the processor. Therefore, the thread that waits for an
answer looks at the clock of the module's thread, and interrupts the call through the engine's epoch. The
module notices this at its next function call or loop. A single operation of wasmtime is short, since the
store limits memories and tables. If a call still does not return, the worker's watchdog
(``workers.watchdog``) kills the process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from wasmtime import Store, Trap, WasmtimeError

_PERIOD: Final = 0.02
"""The seconds between two looks at a running call."""

_INTERRUPTED: Final = "wasm trap: interrupt"

_ONE_CALL: Final = threading.Lock()
"""Held during each call, because all stores of an engine share its epoch."""


class OutOfProcessorTime(Exception):
    """The call used more than ``seconds`` of processor time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Closed(Exception):
    """The instance is closed, and its thread ends."""


class ModuleThread:
    """Runs ``body``, which calls :meth:`next_line` for each line of input. ``store`` is where it runs; its
    engine has epoch interruption.
    """

    def __init__(self, store: Store, body: Callable[[], None]) -> None:
        self.seconds = 0.0
        """The processor time of the last call."""
        self._store = store
        self._body: Callable[[], None] | None = body
        self._line = b""
        self._failure: BaseException | None = None
        self._is_closed = False
        self._clock: int | None = None
        self._began = 0.0
        self._go, self._done = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._done.acquire()
        self._thread = threading.Thread(target=self._run, name="module", daemon=True)

    def call(self, line: bytes, seconds: float) -> None:
        """Pass a line of input to the module, and wait until it asks for another one.

        Raises what ``body`` raises, and :class:`OutOfProcessorTime` after ``seconds`` of processor time.
        ``body`` must not return.
        """
        with _ONE_CALL:
            if self._failure is not None:
                raise self._failure
            self._line = line
            self.seconds = 0.0
            self._store.set_epoch_deadline(1)
            if self._thread.ident is None:
                self._thread.start()
            else:
                self._go.release()
            try:
                while not self._done.acquire(timeout=_PERIOD):
                    if self._spent() > seconds:
                        self._store.engine.increment_epoch()
            except BaseException:
                # A signal. Nobody may use the store while the module runs in it.
                while not self._done.acquire(timeout=_PERIOD):
                    self._store.engine.increment_epoch()
                raise
            if self._failure is None:
                return
            failure = self._failure
            is_interrupted = isinstance(failure, WasmtimeError | Trap) and _INTERRUPTED in str(failure)
            if is_interrupted and self.seconds > seconds:
                raise OutOfProcessorTime(seconds)
            raise failure

    def next_line(self) -> bytes:
        """Return the next line of input; called by ``body``. Raises :class:`Closed`."""
        if not self._line:
            self._stop()
            self._go.acquire()
            self._begin()
            if self._is_closed:
                raise Closed
        line, self._line = self._line, b""
        return line

    def close(self) -> None:
        """End the thread. Can be repeated."""
        if self._body is None:
            return
        self._body = None
        if self._thread.ident is None:
            return
        self._is_closed = True
        if self._failure is None:
            with _ONE_CALL:
                self._store.set_epoch_deadline(1)
                self._go.release()
                self._thread.join()
        else:
            self._thread.join()

    def _begin(self) -> None:
        if self._clock is None:
            self._clock = _clock_of(threading.get_ident())
        self._began = time.clock_gettime(self._clock)

    def _spent(self) -> float:
        """Return the processor time of the running call so far."""
        try:
            return 0.0 if self._clock is None else time.clock_gettime(self._clock) - self._began
        except OSError:
            # The thread has just ended.
            return 0.0

    def _stop(self) -> None:
        self.seconds = self._spent()
        self._done.release()

    def _run(self) -> None:
        assert self._body is not None
        self._begin()
        try:
            self._body()
        except BaseException as error:
            # The traceback would keep the module's memory alive.
            self._failure = error.with_traceback(None)
            self._failure.__context__ = None
        self._stop()


def _clock_of(thread: int) -> int:
    """Return the clock of a thread's processor time. If threads have no such clock, return the clock of the
    process.
    """
    if hasattr(time, "pthread_getcpuclockid"):
        return time.pthread_getcpuclockid(thread)
    return time.CLOCK_PROCESS_CPUTIME_ID
