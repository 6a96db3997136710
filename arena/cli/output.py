"""The output of commands: a table or lines for people or, with ``--json``, the API's response."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import click
from rich.cells import cell_len

from arena.play.stats import MARGINS_SPAN, is_telling
from arena.text import Cell, plain_table

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON in the API's format.")

Row = TypeVar("Row", bound=Mapping[str, object])

Column = str | Callable[[Row], Cell]
"""The name of a field of a row, or a function that returns a cell for the row."""

Columns = Mapping[str, Column[Row]]
"""The columns of a table, by heading."""

NEVER: Final = "never"

_NARROW: Final = 60
"""A terminal with fewer columns is narrow: a table that does not fit is printed row by row."""


def show(value: object, as_json: bool, text: str | Callable[[], str] = "") -> None:
    """Print ``value`` as JSON, or otherwise ``text``, unless it is empty."""
    if as_json:
        click.echo(json.dumps(value, indent=2, ensure_ascii=False))
        return
    shown = text() if callable(text) else text
    if shown:
        click.echo(shown, nl=not shown.endswith("\n"))


def show_rows(key: str, rows: Iterable[Row], columns: Columns[Row], as_json: bool, right: int = 0) -> None:
    """Print rows as a :func:`table`, or as JSON ``{key: rows}``. For an empty list, print ``no bots`` or the
    like, depending on ``key``.
    """
    found = list(rows)
    show({key: found}, as_json, lambda: table(found, columns, right) if found else f"no {key}")


def json_line(value: object) -> str:
    """Return a value as one line of JSON, for streams."""
    return json.dumps(value, ensure_ascii=False)


def table(rows: Iterable[Row], columns: Columns[Row], right: int = 0) -> str:
    """Return the rows in columns with headings. The last ``right`` columns are right-aligned."""
    cells = [[_cell(row, column) for column in columns.values()] for row in rows]
    return plain_table(tuple(columns), cells, left=len(columns) - right, most=narrow())


def narrow() -> int | None:
    """Return the number of columns of a narrow terminal, or None if standard output is not one."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _NARROW
    return columns if columns < _NARROW else None


def fitting(text: str, as_csv: Callable[[], str]) -> str:
    """Return ``text``. If it does not fit on a narrow terminal, return the CSV of ``as_csv`` instead, with a
    line of heading and value for each cell.
    """
    columns = narrow()
    if columns is None or max(map(cell_len, text.splitlines()), default=0) <= columns:
        return text
    headings, *rows = csv.reader(io.StringIO(as_csv()))
    return plain_table(headings, rows, most=columns)


def _cell(row: Row, column: Column[Row]) -> Cell:
    cell: Any = column(row) if callable(column) else row.get(column)
    return ("yes" if cell else "no") if isinstance(cell, bool) else cell


def named(*fields: str) -> dict[str, Column[Any]]:
    """Return columns with the names of their fields as headings."""
    return {field: field for field in fields}


def details(value: Row, columns: Columns[Row]) -> str:
    """Return an object as lines with a name and a value each, omitting names without a value."""
    cells = {name: _cell(value, column) for name, column in columns.items()}
    shown = {name: cell for name, cell in cells.items() if cell is not None and cell != ""}
    width = max(map(len, shown), default=0) + 1
    return "".join(f"{name + ':':{width}} {cell}\n" for name, cell in shown.items())


def moment(field: str) -> Callable[[Mapping[str, Any]], str]:
    """Return a column that shows a field in Unix milliseconds as a time in UTC."""
    return lambda row: when(row.get(field))


def when(ms: int | None) -> str:
    """Return Unix milliseconds as a time in UTC."""
    if ms is None:
        return NEVER
    try:
        return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return f"{ms} ms"


@contextmanager
def redirected(as_json: bool) -> Iterator[None]:
    """Inside the block, redirect progress messages to stderr if the result is JSON."""
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        yield


def with_interval(value: float | None, half_width: float | None) -> str:
    """Return a margin with its interval, such as ``+0.123 ± 0.045``. A missing margin, and an interval that
    is missing or as wide as all margins, from -1 to 1, are shown as ``-``.
    """
    if value is None:
        return "-"
    half = f"{half_width:.3f}" if is_telling(half_width, MARGINS_SPAN) else "-"
    return f"{value:+.3f} ± {half}"
