"""Rules of thumb over the text of a turn."""

from __future__ import annotations

import re


def thumb(text: str) -> tuple[str, str] | None:
    """The turn in a text and an action by rules of thumb; None if there is none."""
    turn, legal = (
        re.search(r"^turn (\S+):", text, re.MULTILINE),
        re.search(r"^Legal: (.*)", text, re.MULTILINE),
    )
    if turn is None or legal is None:
        return None
    actions = legal[1].split(", ")
    calm = [action for action in actions if not action.startswith(("truco", "raise", "knock", "exchange"))]
    return turn[1], (calm or actions)[0].replace(":", " ")
