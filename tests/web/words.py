"""The words of programmers, which are not for visitors."""

from __future__ import annotations

import re
from typing import Any, Final

_WORDS: Final = {
    "the address of a version": re.compile(r"\S*@\d\S*"),
    "a cron line": re.compile(r"(?<!\S)(?=\S* ?\S* ?\S* ?\S* ?\S*\*)(?:[\d*/,-]+ ){4}[\d*/,-]+(?!\S)"),
    "the number of a seat": re.compile(r"\bseat \d+\b", re.IGNORECASE),
    "a hash": re.compile(r"\b[0-9a-f]{64}\b"),
}


def words_in(text: str) -> list[str]:
    """The words of programmers in a text."""
    return [f"{what}: {found}" for what, pattern in _WORDS.items() for found in pattern.findall(text)]


def words_of_programmers(page: Any) -> list[str]:
    """What the visible text of the page should not have."""
    return words_in(page.inner_text("body"))
