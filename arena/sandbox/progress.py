"""The progress of a worker, in memory that it shares with its parent, ``workers.watchdog``."""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

BEAT: Final = 0
"""The steps that have a time limit: a pause between two beats of a thread, a job, a call of an uploaded bot.
"""

JOB: Final = 1
CALL: Final = 2
STEPS: Final = (BEAT, JOB, CALL)

ASLEEP_SECONDS: Final = 150.0
"""The seconds for which a worker can sleep in a call of a bot before the call counts as hung."""

PROCESSOR_MARGIN: Final = 10.0
"""The seconds of processor time by which a call can exceed its limit before it counts as hung. By then, the
thread that interrupts modules should have acted.
"""

_STEP: Final = struct.Struct("Qdd")
_NAME: Final = struct.Struct("64p")
_SIZE: Final = struct.Struct("H")
_NAME_AT: Final = len(STEPS) * _STEP.size
_SIZE_AT: Final = _NAME_AT + _NAME.size
_CHARGED: Final = struct.Struct("=d")
_CHARGED_AT: Final = _SIZE_AT + _SIZE.size
_BILL: Final = struct.Struct("=d64p")
_BILL_AT: Final = _CHARGED_AT + _CHARGED.size
_GROUP_AT: Final = _BILL_AT + _BILL.size


class StepLimit(NamedTuple):
    """The step of a given kind that is currently running. ``number`` differs from the previous step's number.
    The step counts as hung when the whole process has slept in it for ``seconds``, or has used
    ``processor_seconds``; 0 means never. Time in which the process waits for a processor or is stopped does
    not count.
    """

    number: int
    seconds: float
    processor_seconds: float


class GroupAttempt(NamedTuple):
    """An attempt to play a group of a tournament. ``uploaded`` lists the uploaded bots in the group;
    ``calling`` is the bot whose call is running, or empty if none is.
    """

    tournament: str
    group: str
    attempt: int
    uploaded: tuple[str, ...]
    calling: str = ""


class EndedJob(NamedTuple):
    """The job that a worker ran when it hung or crashed. ``id`` is unique, ``group`` is the group that the
    job played, or None, ``payer`` is the account that pays for the job, ``used_ms`` is the processor time of
    the job, and ``charged_ms`` is what the calls of bots cost in it.
    """

    id: str
    group: GroupAttempt | None
    payer: str
    used_ms: float
    charged_ms: float


class Progress:
    """The progress of a worker. One process writes it, with one thread per kind of step; its parent reads
    it.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)
        self._numbers = [0] * len(STEPS)
        self._charged = 0.0
        self._names: dict[int, bytes] = {}

    def clear(self) -> None:
        """Clear all data, before another process writes."""
        self._memory[:] = bytes(len(self._memory))
        self.bill("", math.inf)

    def begin(self, step: int, seconds: float, processor_seconds: float = 0.0) -> None:
        """Begin a step of the given kind, ending the previous one."""
        self._numbers[step] = number = self._numbers[step] + 1
        _STEP.pack_into(self._memory, step * _STEP.size, number, seconds, processor_seconds)

    def end(self, step: int) -> None:
        """End the step of a kind."""
        self.begin(step, 0.0)

    @contextmanager
    def playing(self, attempt: GroupAttempt, names: Mapping[int, str]) -> Iterator[None]:
        """Record, during the block, that the group is being played. ``names`` are its uploaded bots."""
        data = json.dumps(attempt[:4]).encode()
        self._names = {player: name.encode() for player, name in names.items()}
        self._memory[_GROUP_AT : _GROUP_AT + len(data)] = data
        _SIZE.pack_into(self._memory, _SIZE_AT, len(data))
        try:
            yield
        finally:
            _SIZE.pack_into(self._memory, _SIZE_AT, 0)

    def decides(self, player: int) -> None:
        """Record that a player of the group is about to be created or to make a decision."""
        _NAME.pack_into(self._memory, _NAME_AT, self._names.get(player, b""))

    def charge(self, ms: float) -> None:
        """Charge the milliseconds of a call of an uploaded bot."""
        self._charged += ms
        _CHARGED.pack_into(self._memory, _CHARGED_AT, self._charged)

    def take_charges(self) -> float:
        """Return the milliseconds charged since this was last called."""
        charged, self._charged = self._charged, 0.0
        _CHARGED.pack_into(self._memory, _CHARGED_AT, 0.0)
        return charged

    def bill(self, payer: str, used_ms: float) -> None:
        """Record who pays for the running job, and the processor time that the process had used when the job
        began, which is infinite if no job is running.
        """
        _BILL.pack_into(self._memory, _BILL_AT, used_ms, payer.encode())

    def step(self, step: int) -> StepLimit:
        """Return the currently running step of a kind."""
        return StepLimit(*_STEP.unpack_from(self._memory, step * _STEP.size))

    def attempt(self) -> GroupAttempt | None:
        """Return the group that is being played, or None if none is."""
        (size,) = _SIZE.unpack_from(self._memory, _SIZE_AT)
        if not size:
            return None
        tournament, group, attempt, uploaded = json.loads(self._memory[_GROUP_AT : _GROUP_AT + size])
        calling = ""
        if self.step(CALL).seconds:
            (name,) = _NAME.unpack_from(self._memory, _NAME_AT)
            calling = name.decode()
        return GroupAttempt(tournament, group, attempt, tuple(uploaded), calling)

    def ended_job(self, used_ms: float) -> EndedJob | None:
        """Return the running job of a process that ended after ``used_ms`` of processor time, or None if no
        job was running.
        """
        if not self.step(JOB).seconds:
            return None
        start_ms, payer = _BILL.unpack_from(self._memory, _BILL_AT)
        (charged,) = _CHARGED.unpack_from(self._memory, _CHARGED_AT)
        used_ms = max(0.0, used_ms - start_ms)
        return EndedJob(os.urandom(8).hex(), self.attempt(), payer.decode(), used_ms, charged)


PROGRESS: Final = Progress()
"""The progress of this process, which is shared with forked processes."""
