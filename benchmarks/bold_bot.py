"""A bot for :mod:`benchmarks.luck` that plays unlike the house bots: it raises the stake whenever it may on
its own turn, and is ``regular`` otherwise.
"""

from __future__ import annotations

from botequim import RegularBot, Turn

_RAISES = ("truco", "raise", "knock")


class BoldBot(RegularBot):
    """See the module."""

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`botequim.Bot.choose`."""
        usual = super().choose(turn)
        if turn["observation"]["phase"] != "play":
            return usual
        return next((action for action in turn["legal_actions"] if action.startswith(_RAISES)), usual)
