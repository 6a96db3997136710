"""Standard output and error of commands, where texts cannot control the terminal.

Texts of services and files reach the terminal through many commands, and all of them write through this
module: while a command runs, :func:`escaping` replaces both streams, and what Rich draws goes through
:func:`console`.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from arena.text import JOINERS

_UNUSUAL: Final = re.compile(r"\r(?!\n)|[^\r\n\t\x20-\x7e]")


def escaped(text: str) -> str:
    """Return ``text`` with its line ends and tabs, escaping other unprintable characters as JSON does: JSON
    stays the same JSON.
    """
    return _UNUSUAL.sub(lambda found: _escape(found[0]), text)


def _escape(char: str) -> str:
    if char.isprintable() or char in JOINERS:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))


class _Escaping:
    """A text stream whose texts are escaped. Bytes for its ``buffer`` are written as they are."""

    def __init__(self, stream: TextIO) -> None:
        self.unescaped = stream

    def write(self, text: str) -> int:
        """Write the text, and return its length."""
        self.unescaped.write(escaped(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write the lines, which have their own line ends."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unescaped, name)


@contextmanager
def escaping() -> Iterator[None]:
    """Inside the block, escape what is written to standard output and standard error."""
    streams = sys.stdout, sys.stderr
    for stream in streams:
        _make_tolerant(stream)
    sys.stdout, sys.stderr = (cast(TextIO, _Escaping(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def _make_tolerant(stream: TextIO) -> None:
    """Let the stream replace characters that its encoding cannot represent. Tests can have other streams."""
    if isinstance(stream, io.TextIOWrapper):
        # Click would write UTF-8 to the buffer of an ASCII stream, and bypass the escaping.
        is_ascii = stream.encoding.lower().replace("-", "") in ("ascii", "usascii", "ansi_x3.41968")
        stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="replace")


class _Console(Console):
    """A console whose texts are escaped, unlike its own control sequences."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the parts of an object, with their texts escaped."""
        for part in super().render(renderable, options):
            yield part if part.control else Segment(escaped(part.text), part.style)


def console(*, stderr: bool = True) -> Console:
    """Return a console for what Rich draws, on standard error or else on standard output."""
    stream = sys.stderr if stderr else sys.stdout
    return _Console(file=getattr(stream, "unescaped", stream), highlight=False, markup=False, emoji=False)
