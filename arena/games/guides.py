"""Guides, which explain a game to people who want to play it: the rules in one minute, and cards to look at.

Each game has a function for this in its ``guide.py``. The rules with all their details are in ``docs/rules``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.games.options import Rules


@dataclass(frozen=True)
class GuideCard:
    """A card to draw, with the text under it."""

    card: str
    caption: str = ""


@dataclass(frozen=True)
class GuideSection:
    """A part of a guide: its title, its paragraphs, and rows of cards with a label each."""

    title: str
    paragraphs: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GuideCard, ...]], ...] = ()


@dataclass(frozen=True)
class Guide:
    """The guide of a game. ``sections`` takes complete rules. ``title`` takes them too, and names the
    variant. ``variants`` are the rules for which there are links.
    """

    title: Callable[[Rules], str]
    sections: Callable[[Rules], tuple[GuideSection, ...]]
    variants: tuple[Rules, ...]
