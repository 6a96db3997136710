"""Rosters: who is to be invited, as an organiser has it in a table of a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.accounts.names import NAME_PATTERN, NAME_RULE
from arena.errors import ArenaError
from arena.text import printable

MAX_PEOPLE: Final = 500
"""The maximum number of invitations that are made at once."""

MAX_PERSON: Final = 80
MAX_EMAIL: Final = 254

COLUMNS: Final = ("name", "handle", "email")
_DELIMITERS: Final = (",", ";", "\t")
_LINES: Final = f"a heading line with name, and if wanted {' and '.join(COLUMNS[1:])}; then a line per person"


class InvalidRoster(ArenaError):
    """The roster is not a table of people."""

    code = "invalid_roster"


class Person(NamedTuple):
    """Somebody to invite. ``handle``: the owner's name that is proposed to them. ``email``: a note for the
    organiser; nothing is sent there.
    """

    name: str = ""
    handle: str = ""
    email: str = ""


def parse_roster(text: str) -> list[Person]:
    """The people of a CSV text: a heading line with the columns of :data:`COLUMNS` in any order, then a line
    per person. Cells are apart by commas, semicolons or tabs, whichever the heading line has.

    Raises :class:`InvalidRoster` with the number of the line.
    """
    lines = text.removeprefix("\ufeff").strip("\r\n").splitlines()
    if not lines:
        raise InvalidRoster("the roster is empty", field="people", expected=_LINES)
    delimiter = max(_DELIMITERS, key=lines[0].count)
    rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter)
    try:
        headings = [cell.strip().lower() for cell in next(rows)]
        unknown = [heading for heading in headings if heading not in COLUMNS]
        if "name" not in headings or unknown or len(set(headings)) < len(headings):
            shown = printable(lines[0], 80)
            raise InvalidRoster(f"line 1 is not a heading line: {shown!r}", field="people", expected=_LINES)
        found = []
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if len(cells) > len(headings):
                raise InvalidRoster(
                    f"line {rows.line_num} has {len(cells)} cells",
                    field="people",
                    expected=f"at most {len(headings)}, as the heading line",
                )
            found.append(Person(**dict(zip(headings, cells, strict=False))))
            check_person(found[-1], f"line {rows.line_num}")
    except csv.Error as error:
        raise InvalidRoster(f"line {rows.line_num}: {error}", field="people", expected="CSV") from None
    check_people(found)
    return found


def check_people(people: Sequence[Person]) -> None:
    """Check the number of people, and that no two have the same handle. Raises :class:`InvalidRoster`."""
    if not 1 <= len(people) <= MAX_PEOPLE:
        raise InvalidRoster(
            f"the roster has {len(people)} people", field="people", expected=f"1 to {MAX_PEOPLE}"
        )
    handles = [person.handle for person in people if person.handle]
    twice = next((handle for handle in handles if handles.count(handle) > 1), None)
    if twice is not None:
        raise InvalidRoster(f"two people have the handle {twice!r}", field="people", expected="one of them")


def check_person(person: Person, where: str) -> None:
    """Check the texts of one person. Raises :class:`InvalidRoster`."""
    for field, text, most in (("name", person.name, MAX_PERSON), ("email", person.email, MAX_EMAIL)):
        if len(text) > most or not text.isprintable():
            raise InvalidRoster(
                f"{where}: {printable(text, 60)!r} is not a text for {field}",
                field="people",
                expected=f"at most {most} printable characters",
            )
    if not person.name:
        raise InvalidRoster(f"{where} has no name", field="people", expected="a name")
    if person.handle and not re.fullmatch(NAME_PATTERN, person.handle):
        raise InvalidRoster(
            f"{where}: {printable(person.handle, 60)!r} is not a handle", field="people", expected=NAME_RULE
        )
