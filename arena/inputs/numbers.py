"""Parses numbers as people type them: digits with a decimal point or comma."""

from __future__ import annotations

import re
from typing import Final

from arena.inputs.text import clean

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}").fullmatch
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}(?:[.,][0-9]{1,18})?").fullmatch


def whole(text: str) -> int | None:
    """Return the whole number in the text, or None if it is not one."""
    text = clean_number(text)
    return int(text) if _WHOLE(text) else None


def decimal(text: str) -> float | None:
    """Return the number in the text, or None if it is not one."""
    text = clean_number(text)
    return float(text.replace(",", ".")) if _DECIMAL(text) else None


def clean_number(text: str) -> str:
    """Return the text without invisible characters, and with the minus sign of word processors replaced by a
    hyphen.
    """
    return clean(text).replace("\u2212", "-")
