"""Fault reports for the author of a bot that plays in this process: what was raised and where, and what was
legal.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from traceback import TracebackException
from typing import Final, NamedTuple

from arena.bots import BotFailure, loader
from arena.play import time_limits
from arena.text import printable, printable_lines

_FRAMES: Final = 12
"""The innermost frames of a traceback that are kept."""

_CHARACTERS: Final = 4000
"""The last characters of a traceback that are kept."""

_LEGAL: Final = 20
"""The legal actions that are printed."""

_SANDBOX_FRAME: Final = re.compile(r'^  File "/\d+/arena/[^\n]*\n(    [^\n]*\n)*', re.MULTILINE)
"""A frame of the arena around a bot in the sandbox."""


class Trace(NamedTuple):
    """The traceback as lines, and ``where``: ``file:line`` in the bot's own file, or empty if unknown."""

    text: str
    where: str


@dataclass(frozen=True)
class FaultReport:
    """A fault of a bot: its type (``FAULTS``), the turn (as in records), what was legal then, and the reason.

    ``trace`` is None if nothing was raised.
    """

    type: str
    turn: str
    legal: tuple[str, ...]
    detail: str
    trace: Trace | None = None

    @property
    def kind(self) -> tuple[str, ...]:
        """A key that is equal for faults with one cause: they have the same type, errors have the same class
        and line, and illegal answers the same form (what is before the colon). Messages may differ.
        """
        if self.type == "illegal":
            return self.type, self.detail.partition(":")[0]
        if self.type == "malformed":
            return self.type, self.detail
        if self.type != "crashed" or self.trace is None:
            return (self.type,)
        # The sandbox names file and line in parentheses at the end.
        place = self.trace.where or self.detail.rpartition("(")[2]
        return self.type, self.detail.partition(":")[0], place

    def described(self) -> str:
        """Return the fault as lines: its reason, the traceback if something was raised, the turn."""
        what = f"{self.type}, {printable(self.detail)}"
        if self.trace is not None and self.trace.where:
            what += f" ({self.trace.where})"
        lines = [what]
        if self.trace is not None and self.trace.text:
            lines.append(indent(printable_lines(self.trace.text.rstrip()), "    "))
        legal = list(self.legal[:_LEGAL])
        if len(self.legal) > _LEGAL:
            legal.append(f"and {len(self.legal) - _LEGAL} more")
        lines.append(f"    at turn {self.turn}; legal: {', '.join(legal)}")
        return "\n".join(lines)


def trace_of(error: BaseException, around: str = "") -> Trace:
    """Return what the bot's author is shown of ``error``, which the bot raised. The frames of the arena
    around the bot, and those of the file ``around``, are left out.
    """
    if isinstance(error, BotFailure):
        return Trace(_SANDBOX_FRAME.sub("", error.report)[-_CHARACTERS:], "")
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


def message_of(error: BaseException) -> str:
    """Return the text of an error, whose class the bot may define."""
    try:
        return str(error)
    except Exception:
        return "(its text cannot be made)"


_ARENA: Final = frozenset(
    str(file)
    for file in (
        *(Path(__file__).with_name(name) for name in ("match.py", "saved_files.py")),
        loader.__file__,
        time_limits.__file__,
    )
)


def _shown(file: str) -> str:
    """Return the path relative to the working directory, if it is below it."""
    path = os.path.relpath(file)
    return file if path.startswith(os.pardir) else path
