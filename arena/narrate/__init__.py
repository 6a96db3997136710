"""Games told as people at a table would tell them.

The narrator of a game is ``Teller`` in the module of the game's kind. It is fed every event of a game
in full, in order, so its story shows all cards: it is for games that may be shown to everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from arena.games import game_of
from arena.games.kernel import Event

__all__ = ["Narrator", "narrator"]


class Narrator(Protocol):
    """Tells one game."""

    def line(self, event: Event) -> list[str]:
        """The lines that tell ``event`` (a full event tuple, as ``State.apply`` returns them); often one."""


def narrator(kind: str, names: Sequence[str], rules: Mapping[str, Any]) -> Narrator:
    """A narrator for one game of that kind. ``names``: one per seat; ``rules``: complete.

    Raises :class:`~arena.errors.UnknownGame`.
    """
    teller: Narrator = import_module(f"arena.narrate.{game_of(kind).kind}").Teller(names, rules)
    return teller
