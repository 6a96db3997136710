"""Renders a game as text or HTML for users of an environment."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from arena.games.cards import RANK_NAMES, SUITS, pretty
from arena.games.kernel import CHANCE
from arena.play.turn_texts import turn_text
from arena.research.serial import SerialPlay

_CARD: Final = re.compile(rf"\b([{''.join(RANK_NAMES)}][{SUITS}])\b")
_RED: Final = "HD"


def text(play: SerialPlay) -> str:
    """Return the turn of the seat to act, or the result of the game."""
    seat = play.to_act
    if seat is None:
        outcome = play.state.outcome()
        assert outcome is not None
        places = ", ".join(
            f"seat {seat}: place {place}, score {score}"
            for seat, (place, score) in enumerate(zip(outcome.places, outcome.scores, strict=True))
        )
        return f"The game is over. {places}\n"
    assert seat != CHANCE
    shown = turn_text(play.turn())
    return shown.rstrip("\n") + (" (or decline)\n" if play.is_right else "\n")


def html(play: SerialPlay) -> str:
    """Return the same as :func:`text`, as one HTML element with coloured cards."""
    return f'<pre class="botequim">{_CARD.sub(_drawn, escape(text(play)))}</pre>'


def _drawn(match: re.Match[str]) -> str:
    colour = "#b3261e" if match[1][1] in _RED else "inherit"
    return f'<b style="color:{colour}">{pretty(match[1])}</b>'
