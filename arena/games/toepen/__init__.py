"""Toepen."""

from arena.games.toepen.state import TOEPEN, ToepenState

__all__ = ["TOEPEN", "ToepenState"]
