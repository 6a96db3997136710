"""Suggestions of names in the messages of commands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from arena.text import similar

_QUOTED: Final = re.compile(r"'([^'\s]{1,64})'")
_NAME: Final = re.compile(r"[A-Za-z0-9][\w@./:-]*")


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return a text such as ``did you mean 'truco'?``, or an empty one."""
    found = similar(word, names)
    return f"did you mean {' or '.join(repr(name) for name in found)}?" if found else ""


def suggestion(message: str, expected: str) -> str:
    """Return ``did you mean ...?`` for an error that quotes a name and lists the existing ones; otherwise an
    empty text.
    """
    quoted = _QUOTED.findall(message)
    if not quoted:
        return ""
    known = [name.rstrip(".:") for name in _NAME.findall(expected) if len(name) > 1]
    is_list = "," in expected or expected.startswith("one of ")
    return did_you_mean(quoted[0], known) if is_list and len(known) > 1 else ""
