"""Reports of faults for the author of a bot that plays in this process: what was raised and where, and what
was legal.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from traceback import TracebackException
from typing import Final, NamedTuple

from arena.bots import BotFailure, loader
from arena.play import time_limits

_FRAMES: Final = 12
"""The innermost frames of a traceback that are kept."""

_CHARACTERS: Final = 4000
"""The last characters of a traceback that are kept."""


class Trace(NamedTuple):
    """What was raised, as lines, and ``where``: ``file:line`` in the bot's own file; empty if unknown."""

    text: str
    where: str


@dataclass(frozen=True)
class FaultReport:
    """A fault of a bot: its type (``FAULTS``), the turn (as in records), what was legal then, and the reason.

    ``trace``: None if nothing was raised.
    """

    type: str
    turn: str
    legal: tuple[str, ...]
    detail: str
    trace: Trace | None = None

    @property
    def kind(self) -> tuple[str, ...]:
        """Equal for faults with one cause: the same type, error and line. Messages may differ."""
        if self.type != "crashed" or self.trace is None:
            return (self.type,)
        # The sandbox names file and line in parentheses at the end.
        place = self.trace.where or self.detail.rpartition("(")[2]
        return self.type, self.detail.partition(":")[0], place


def trace_of(error: BaseException, around: str = "") -> Trace:
    """What ``error``, raised by a bot, shows its author: without the frames of the arena around the bot, and
    of the file ``around``.
    """
    if isinstance(error, BotFailure):
        return Trace(error.report[-_CHARACTERS:], "")
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (around, *_ARENA):
        trace = trace.tb_next
    file = "" if trace is None else trace.tb_frame.f_code.co_filename
    line = loader.line_in(error, file)
    lines = TracebackException(type(error), error, trace, limit=-_FRAMES)
    if isinstance(error, time_limits.OutOfTime):
        text = "".join(line for line in lines.stack.format() if time_limits.__file__ not in line)
    else:
        text = "".join(lines.format())
    return Trace(text[-_CHARACTERS:], f"{_shown(file)}:{line}" if line else "")


_ARENA: Final = frozenset(
    str(file) for file in (Path(__file__).with_name("match.py"), loader.__file__, time_limits.__file__)
)


def _shown(file: str) -> str:
    """The path from the working directory, if it is below it."""
    path = os.path.relpath(file)
    return file if path.startswith(os.pardir) else path
