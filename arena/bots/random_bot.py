"""The house bot ``random``: any legal action, each as likely."""

from __future__ import annotations

from arena.bots.base import Bot, Turn


class RandomBot(Bot):
    """Chooses uniformly among the legal actions of its own turns; lets optional ones pass."""

    def choose(self, turn: Turn) -> str:
        """A uniformly random legal action."""
        actions = turn["legal_actions"]
        return str(actions[int(self.random.random() * len(actions))])
