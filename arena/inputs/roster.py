"""Parses rosters: the people to invite, as listed in an organiser's spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.inputs.names import NAME_PATTERN, NAME_RULE
from arena.inputs.tables import read_table
from arena.inputs.text import read_line
from arena.text import printable

MAX_PEOPLE: Final = 500
"""The maximum number of invitations created at once."""

MAX_BYTES: Final = 1 << 20
"""The maximum size of a file with a roster."""

MAX_PERSON: Final = 80
MAX_EMAIL: Final = 254

COLUMNS: Final = ("name", "handle", "email")
_OTHER_HEADINGS: Final = {
    **dict.fromkeys(("full name", "nome", "nome completo", "naam"), "name"),
    **dict.fromkeys(("e-mail", "email address", "endereço de e-mail", "e-mailadres"), "email"),
}
_LINES: Final = f"a header line with name, and optionally {' and '.join(COLUMNS[1:])}; then a line per person"


class InvalidRoster(ArenaError):
    """The roster is not a valid table of people."""

    code = "invalid_roster"


class Person(NamedTuple):
    """Somebody to invite. ``handle`` is the owner name proposed to them. ``email`` is for the organiser's
    reference only; the service sends nothing to it.
    """

    name: str = ""
    handle: str = ""
    email: str = ""


def parse_roster(text: str) -> list[Person]:
    """Return the people in a table. It has a header line with the columns of :data:`COLUMNS` in any order,
    then one line per person. Other columns are ignored.

    Raises :class:`InvalidRoster`, naming the line.
    """
    rows = read_table(text, "people", InvalidRoster)
    line, cells = next(rows, (0, []))
    if not cells:
        raise InvalidRoster("the roster is empty", field="people", expected=_LINES)
    headings = [_heading(cell) for cell in cells]
    used = [heading for heading in headings if heading in COLUMNS]
    if "name" not in used or len(set(used)) < len(used):
        shown = printable(", ".join(cells), 80)
        raise InvalidRoster(
            f"line {line} is not a valid header line: {shown!r}", field="people", expected=_LINES
        )
    found = []
    for line, cells in rows:
        if any(cells[len(headings) :]):
            raise InvalidRoster(
                f"line {line} has {len(cells)} cells",
                field="people",
                expected=f"at most {len(headings)}, as in the header line",
            )
        named = zip(headings, cells, strict=False)
        found.append(check_person(line, **{name: cell for name, cell in named if name in COLUMNS}))
    check_people(found)
    return found


def _heading(cell: str) -> str:
    folded = cell.casefold()
    return _OTHER_HEADINGS.get(folded, folded)


def check_people(people: Sequence[Person]) -> None:
    """Check the number of people, and that no two have the same handle. Raises :class:`InvalidRoster`."""
    if not 1 <= len(people) <= MAX_PEOPLE:
        raise InvalidRoster(
            f"the roster has {len(people)} people", field="people", expected=f"1 to {MAX_PEOPLE}"
        )
    handles = [person.handle for person in people if person.handle]
    twice = next((handle for handle in handles if handles.count(handle) > 1), None)
    if twice is not None:
        raise InvalidRoster(
            f"two people have the handle {twice!r}", field="people", expected="each handle once"
        )


def check_person(line: int, name: str = "", handle: str = "", email: str = "") -> Person:
    """Return the person on a line, if its texts are valid. Raises :class:`InvalidRoster`."""

    def refuse(message: str, field: str, expected: str) -> InvalidRoster:
        return InvalidRoster(f"line {line}: {message}", field=field, expected=expected)

    if not name:
        raise InvalidRoster(f"line {line} has no name", field="people", expected="a name")
    if handle and not re.fullmatch(NAME_PATTERN, handle):
        raise refuse(f"{printable(handle, 60)!r} is not a valid handle", field="people", expected=NAME_RULE)
    return Person(
        read_line(name, "people", MAX_PERSON, error=refuse),
        handle,
        read_line(email, "people", MAX_EMAIL, error=refuse),
    )
