"""Parses tables as saved by spreadsheets: CSV with commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Final

from arena.errors import ArenaError
from arena.inputs.text import Refuse, clean

_DELIMITERS: Final = (",", ";", "\t")
_SEPARATOR: Final = re.compile(r'\ufeff?"?sep=(.)"?[,;\t]*(?:\r\n?|\n)', re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"]*"')


def read_table(text: str, field: str, error: Refuse = ArenaError) -> Iterator[tuple[int, list[str]]]:
    """Yield the non-empty rows of a table, each with the number of its last line.

    The separator is the one declared by a first line such as ``sep=;``, else the most frequent of comma,
    semicolon and tab in the first row. Only line feeds and carriage returns end a row. Raises ``error``.
    """
    separator = _SEPARATOR.match(text)
    if separator:
        text, delimiter = text[separator.end() :], separator[1]
    else:
        first = next((line for line in io.StringIO(text, newline=None) if line.strip()), "")
        delimiter = max(_DELIMITERS, key=_QUOTED.sub("", first).count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines_before = 1 if separator else 0
    try:
        for row in rows:
            cells = [clean(cell) for cell in row]
            if any(cells):
                yield rows.line_num + lines_before, cells
    except csv.Error as wrong:
        what = "a quotation mark is not closed" if "unexpected end" in str(wrong) else str(wrong)
        line = rows.line_num + lines_before
        raise error(f"line {line}: {what}", field=field, expected="CSV") from None
