"""Text from strangers, made fit to be shown."""

from __future__ import annotations


def printable(text: str, limit: int = 500) -> str:
    """``text`` on one line of at most ``limit`` characters, with escapes for what has no glyph.

    So a name or a message can neither drive a terminal nor break a line into two.
    """
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text[: limit + 1]
    )
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
