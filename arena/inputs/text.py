"""Cleans and checks texts that people type and paste.

They are converted to NFC, and every kind of space becomes a plain space. Spaces and invisible characters are
trimmed from the ends, and soft hyphens and zero-width spaces are removed everywhere. Emoji, and characters
that join letters or mark their direction, are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from unicodedata import normalize

from arena.errors import ArenaError
from arena.text import JOINERS

Refuse = Callable[..., ArenaError]
"""Builds the caller's error from a message, ``field`` and ``expected``."""

_BLANKS: Final = re.compile(r"[\t\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]")
"""Spaces of all kinds, and blank letters."""

_LINE_ENDS: Final = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_UNSEEN: Final = re.compile(
    # The tag letters in the flag of a region are invisible, too.
    r"(\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f)|"
    r"[\xad\u180e\u200b\u2061-\u2064\u206a-\u206f\ufeff\ufff0-\ufffb\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Characters that are invisible and join nothing."""

_TURNS: Final = "\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
"""Characters that begin or end text of the other direction; spreadsheets and address books put them around
cells.
"""

_AT_ENDS: Final = f" \n\r\v\f\x85\u2028\u2029\u115f\u1160\u17b4\u17b5{JOINERS}{_TURNS}"
_SELECTORS: Final = "".join(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Variation selectors, which change the preceding letter or emoji."""

_DIRECTION: Final = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_UNUSABLE: Final = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\uf8ff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 15))
    + r"\U000f0000-\U0010ffff]"
)
"""Control characters, direction overrides, surrogates, private-use characters and noncharacters. Unassigned
code points are allowed, because they can be new emoji.
"""

_LONGEST_SHOWN: Final = 60
ONE_LINE: Final = "on one line, without control characters or text-direction overrides"
MANY_LINES: Final = "without control characters or text-direction overrides"


def read_line(text: str, field: str, most: int, *, least: int = 0, error: Refuse = ArenaError) -> str:
    """Return a one-line text of ``least`` to ``most`` characters, cleaned. Raises ``error``."""
    return _checked(clean(text), field, least, most, ONE_LINE, error)


def read_lines(text: str, field: str, most: int, *, error: Refuse = ArenaError) -> str:
    """Return a text of any number of lines and at most ``most`` characters, cleaned. Raises ``error``."""
    return _checked(clean_lines(text), field, 0, most, MANY_LINES, error)


def clean(text: str) -> str:
    """Return the text, cleaned as described above. Invalid characters are kept."""
    seen = _UNSEEN.sub(r"\1", _BLANKS.sub(" ", text))
    return normalize("NFC", seen.lstrip(_AT_ENDS + _SELECTORS).rstrip(_AT_ENDS))


def clean_lines(text: str) -> str:
    """Return the text cleaned like :func:`clean`, with uniform line endings."""
    return clean(_LINE_ENDS.sub("\n", text))


def _checked(text: str, field: str, least: int, most: int, rule: str, error: Refuse) -> str:
    bad = _UNUSABLE.search(text)
    if rule == ONE_LINE and _LINE_ENDS.search(text):
        what = "has several lines"
    elif bad:
        why = "overrides the text direction" if _DIRECTION.match(bad[0]) else "is not allowed in text"
        what = f"has the character U+{ord(bad[0]):04X}, which {why}"
    elif not least <= len(text) <= most:
        what = f"has {len(text)} characters"
    else:
        return text
    shown = text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
    expected = f"{f'{least} to' if least else 'at most'} {most} characters {rule}"
    raise error(f"{shown!r} {what}", field=field, expected=expected)
