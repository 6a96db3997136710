"""Playing-style statistics of a bot, compared with other bots on its leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from api.services import services
from arena.games import game_of
from arena.games.descriptor import Figure
from arena.play.board_names import BoardName

OTHERS_MOST: Final = 50
"""The maximum number of other bots that are shown as dots: the first ones on the board."""

LEAST: Final = 20
"""The minimum number of observations in a figure's denominator for another bot to be shown as a dot."""


class StyleRow(NamedTuple):
    """A figure of a bot: ``done`` out of ``of`` times, the ``share`` in per cent (None if ``of`` is 0), and
    the shares of the ``others``.
    """

    figure: Figure
    done: int
    of: int
    share: float | None
    others: Sequence[float]


def style_rows(board: BoardName, bot: str, others: Sequence[str]) -> list[StyleRow]:
    """Return the figures of a bot, if any have been counted. ``others`` are the bots on the board."""
    style = game_of(board.kind).style
    bots = services().styles.read(*board).bots
    own = bots.get(bot)
    if style is None or own is None:
        return []
    shown = [bots[other].counts for other in others if other != bot and other in bots][:OTHERS_MOST]
    rows = []
    for number, (figure, (count, of)) in enumerate(zip(style.figures, own.counts, strict=False)):
        dots = [counts[number] for counts in shown if counts[number][1] >= LEAST]
        rows.append(StyleRow(figure, count, of, _share(count, of), [_share(*dot) or 0.0 for dot in dots]))
    return rows


def _share(count: int, of: int) -> float | None:
    return round(100 * count / of, 1) if of else None
