"""Did you mean: the one place that compares a name with those that exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_MOST: Final = 3
_CUTOFF: Final = 0.6

_QUOTED: Final = re.compile(r"'([^'\s]{1,64})'")
_NAME: Final = re.compile(r"[A-Za-z0-9][\w@./:-]*")


def similar(word: str, names: Iterable[str]) -> list[str]:
    """The names most like ``word``, the best first; empty if it is one of them or none is alike."""
    known = {name.casefold(): name for name in names}
    if word.casefold() in known and known[word.casefold()] == word:
        return []
    close = get_close_matches(word.casefold(), known, n=_MOST, cutoff=_CUTOFF)
    return [known[name] for name in close]


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """``did you mean 'truco'?``, or nothing."""
    found = similar(word, names)
    return f"did you mean {' or '.join(repr(name) for name in found)}?" if found else ""


def suggestion(message: str, expected: str) -> str:
    """``did you mean ...?`` for an error that quotes a name and says which ones there are; else nothing."""
    quoted = _QUOTED.findall(message)
    if not quoted:
        return ""
    known = [name.rstrip(".:") for name in _NAME.findall(expected) if len(name) > 1]
    is_list = "," in expected or expected.startswith("one of ")
    return did_you_mean(quoted[0], known) if is_list and len(known) > 1 else ""
