"""Fault reports for the author of a bot that runs in this process. They show the exception, where it was
raised, and the legal actions.
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
"""The number of innermost frames of a traceback that are kept."""

_CHARACTERS: Final = 4000
"""The number of final characters of a traceback that are kept."""

_LEGAL: Final = 20
"""The number of legal actions that are printed."""

_SANDBOX_FRAME: Final = re.compile(r'^  File "/\d+/arena/[^\n]*\n(    [^\n]*\n)*', re.MULTILINE)
"""Matches a traceback frame of arena code that runs in the sandbox."""


class Trace(NamedTuple):
    """A traceback as text. ``where`` is ``file:line`` in the bot's own file, or empty if unknown."""

    text: str
    where: str


@dataclass(frozen=True)
class FaultReport:
    """A fault of a bot: its type (one of ``FAULTS``), the turn in the format of records, the legal actions at
    that turn, and the reason.

    ``trace`` is None if no exception was raised.
    """

    type: str
    turn: str
    legal: tuple[str, ...]
    detail: str
    trace: Trace | None = None

    @property
    def kind(self) -> tuple[str, ...]:
        """A key shared by faults with the same cause. Such faults have the same type. Exceptions also have
        the same class and line, and illegal answers the same form (the part before the colon). Messages can
        differ.
        """
        if self.type == "illegal":
            return self.type, self.detail.partition(":")[0]
        if self.type == "malformed":
            return self.type, self.detail
        if self.type != "crashed" or self.trace is None:
            return (self.type,)
        # The sandbox puts the file and line in parentheses at the end.
        place = self.trace.where or self.detail.rpartition("(")[2]
        return self.type, self.detail.partition(":")[0], place

    def described(self) -> str:
        """Return the fault as lines: the reason, the traceback if an exception was raised, and the turn."""
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
    """Return the traceback to show to the author of the bot that raised ``error``. Frames of the arena around
    the bot, and of the file ``around``, are omitted.
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
    """Return the message of an exception, whose class the bot may have defined."""
    try:
        return str(error)
    except Exception:
        return "(the message could not be created)"


_ARENA: Final = frozenset(
    str(file)
    for file in (
        *(
            Path(__file__).parent / name
            for name in ("match.py", "programs.py", "saved_files.py", "javascript/__init__.py")
        ),
        loader.__file__,
        time_limits.__file__,
    )
)


def _shown(file: str) -> str:
    """Return the path relative to the working directory if the file is in it, otherwise the full path."""
    path = os.path.relpath(file)
    return file if path.startswith(os.pardir) else path
