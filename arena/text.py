"""Formats text and tables for display, escapes untrusted text, and suggests names for a mistyped one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from rich.cells import cell_len

Cell = str | int | float | None

JOINERS: Final = "\u034f\u061c\u200c\u200d\u200e\u200f\u2060"
"""Characters that join or separate letters and emoji, or mark the direction of a letter."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes that make a spreadsheet read a text as a formula."""

_LONGEST_NAME: Final = 80
_ALIKE: Final = 0.7


def printable(text: str, limit: int = 500) -> str:
    """Return ``text`` on one line of at most ``limit`` characters, escaping unprintable characters other than
    :data:`JOINERS`.

    A name or a message can then neither control a terminal nor start a new line.
    """
    shown = text[: limit + 1]
    if not shown.isprintable():
        shown = "".join(
            char if char.isprintable() or char in JOINERS else char.encode("unicode_escape").decode()
            for char in shown
        )
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def printable_lines(text: str) -> str:
    """Return ``text`` with its line breaks and tabs, escaping other unprintable characters so that it cannot
    control a terminal.
    """
    return "\n".join(
        "\t".join(printable(cell, len(cell) * 10 + 1) for cell in line.split("\t"))
        for line in text.split("\n")
    )


def similar(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return up to ``most`` of the ``known`` names that are similar to ``given``, most similar first, or none
    if ``given`` is itself known. A name that differs only in case or separators is returned alone, and so is
    the last of those that differ only in their version: what follows an ``@``.
    """
    names = list(known)
    if given in names:
        return []
    folded = {_folded(name): name for name in names}
    word = _folded(given[:_LONGEST_NAME])
    if word in folded:
        return [folded[word]]
    versions = [name for name in names if "@" in name and _stem(name) == _stem(given)]
    if versions:
        return versions[-1:]
    return [folded[name] for name in get_close_matches(word, folded, most, _ALIKE)]


def _stem(name: str) -> str:
    return _folded(name[:_LONGEST_NAME].partition("@")[0])


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold())


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return the table as CSV with a header line. None becomes an empty cell.

    A text that a spreadsheet would read as a formula is prefixed with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    for row in rows:
        writer.writerow(_as_text(cell) if isinstance(cell, str) else cell for cell in row)
    return out.getvalue()


def _as_text(cell: str) -> str:
    # The writer quotes cells with line feeds, but not those with carriage returns.
    safe = f"'{cell}" if cell.startswith(_FORMULA) else cell
    return safe.replace("\r", "\n")


def plain_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    left: int = 1,
    longest: int = 80,
    most: int | None = None,
) -> str:
    """Return the table as aligned columns. The first ``left`` columns are left-aligned and the rest
    right-aligned; cells are cut to ``longest`` characters. If the table would be wider than ``most``, each
    cell becomes a line with its heading and value instead.
    """
    lines = [list(headings)] + [
        ["" if cell is None else printable(str(cell), longest) for cell in row] for row in rows
    ]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(headings))]
    if most is not None and sum(widths) + 2 * (len(widths) - 1) > most:
        return "\n".join(_block(lines[0], line) for line in lines[1:]) or " ".join(lines[0]) + "\n"
    text = []
    for line in lines:
        cells = []
        for column, (cell, width) in enumerate(zip(line, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            cells.append(cell + space if column < left else space + cell)
        text.append("  ".join(cells).rstrip() + "\n")
    return "".join(text)


def _block(headings: Sequence[str], cells: Sequence[str]) -> str:
    width = max(map(cell_len, headings))
    lines = zip(headings, cells, strict=True)
    return "".join(f"{name}{' ' * (width - cell_len(name))}  {cell}\n" for name, cell in lines if cell)


def relative(ms: int, now_ms: int) -> str:
    """Return ``ms`` relative to ``now_ms``, both in Unix milliseconds: ``in 4 min``, ``3 days ago``, ``just
    now``.
    """
    minutes = round(abs(ms - now_ms) / 60_000)
    hours = round(minutes / 60)
    if minutes < 1:
        return "in less than a minute" if ms > now_ms else "just now"
    if minutes < 60:
        words = f"{minutes} min"
    elif hours < 48:
        words = f"{hours} h"
    else:
        words = f"{round(hours / 24)} days"
    return f"in {words}" if ms > now_ms else f"{words} ago"
