"""Brazilian Truco."""

from arena.games.truco.state import TRUCO, TrucoState

__all__ = ["TRUCO", "TrucoState"]
