"""The bill of jobs: a worker measures the processor time of every job that it runs, and charges it once,
afterwards, to the account that the job belongs to.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Final

from arena.accounts.allowances import Budgets
from arena.sandbox.checking import children_seconds
from arena.sandbox.progress import PROGRESS, EndedJob
from arena.store.connection import StoreUnavailable

_LEAST_MS: Final = 100
"""The processor time outside of jobs that is charged together."""


class Bill:
    """Measures the jobs of this process, which runs one at a time."""

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets
        self._payer = ""
        self._start_ms = math.inf
        self._charged_ms = 0.0
        self._around_ms = 0.0
        self._owed: SimpleQueue[tuple[str, float, float]] = SimpleQueue()

    @contextmanager
    def job(self) -> Iterator[None]:
        """Charge the processor time of the block, with all threads and with the children that ended in it,
        also if the block raises. The arena itself pays unless the block calls :meth:`to`. The charge is at
        least what the calls of bots in the block cost, each the larger of its fuel and its processor time.
        """
        self._start_ms = processor_ms()
        self.to("")
        PROGRESS.take_charges()
        try:
            yield
        finally:
            used, payer = processor_ms() - self._start_ms, self._payer
            self._start_ms = math.inf
            self._charged_ms += used
            self.to("")
            self._charge(payer, used, PROGRESS.take_charges())

    def to(self, payer: str) -> None:
        """Charge the running job to an account. The arena itself has the empty name."""
        self._payer = payer
        PROGRESS.bill(payer, self._start_ms)

    def rest_to(self, payer: str) -> None:
        """Charge an account only for what the running job uses from now on."""
        if self._start_ms < math.inf:
            now_ms = processor_ms()
            used, self._start_ms = now_ms - self._start_ms, now_ms
            self._charged_ms += used
            self._charge(self._payer, used)
        self.to(payer)

    @contextmanager
    def around(self) -> Iterator[None]:
        """Charge the arena itself for what the block, which runs a job of a queue, uses outside of the job.
        Small amounts are charged together.
        """
        start, before = processor_ms(), self._charged_ms
        try:
            yield
        finally:
            self._around_ms += processor_ms() - start - (self._charged_ms - before)
            if self._around_ms >= _LEAST_MS:
                self._charge("", self._around_ms)
                self._around_ms = 0.0

    def ended(self, job: EndedJob) -> None:
        """Charge a job that ended with its worker."""
        self._charge(job.payer, job.used_ms, job.charged_ms)

    def _charge(self, payer: str, used_ms: float, charged_ms: float = 0.0) -> None:
        """Charge an account now or, if the database is unavailable, together with the next charge. A job that
        is done does not fail because of it.
        """
        self._owed.put((payer, used_ms, charged_ms))
        with suppress(Empty):
            while True:
                owed = self._owed.get_nowait()
                try:
                    self._budgets.charge(*owed)
                except StoreUnavailable:
                    self._owed.put(owed)
                    return


def processor_ms() -> float:
    """Return the processor time of this process so far, with all threads and with the children that ended."""
    return 1000 * (time.process_time() + children_seconds())
