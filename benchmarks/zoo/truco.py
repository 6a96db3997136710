"""Exploiters for Brazilian Truco."""

from __future__ import annotations

from typing import Final

from arena.bots import Turn
from arena.games.truco.bots.sight import TrucoSight
from benchmarks.zoo.exploiter import Exploiter, Habit


def _legal(turn: Turn, *words: str) -> str | None:
    """Return the first legal action that begins with one of ``words``, in the order of the words."""
    actions = turn["legal_actions"]
    return next((action for word in words for action in actions if action.startswith(word)), None)


def _answers(turn: Turn) -> bool:
    return bool(turn["observation"]["phase"] == "answer")


def calling(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Calls truco with any hand as soon as it may."""
    return _legal(turn, "truco") or usual


def silent(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Never calls and never raises."""
    return bot.usual_without(turn, "truco", "raise") if usual.startswith(("truco", "raise")) else usual


def running(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Runs from every call."""
    return (_answers(turn) and _legal(turn, "run")) or usual


def staying(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Accepts every call, never raises it, and plays every hand at eleven."""
    return usual if turn["observation"]["phase"] == "play" else _legal(turn, "accept") or usual


def ahead(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Calls truco with any hand once it has won more tricks than the other team."""
    call = _legal(turn, "truco")
    return call if call and TrucoSight(turn).lead > 0 else usual


def behind(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Calls truco with any hand once it has won fewer tricks than the other team."""
    call = _legal(turn, "truco")
    return call if call and TrucoSight(turn).lead < 0 else usual


def late(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Calls truco with any hand when it has one card left."""
    call = _legal(turn, "truco")
    return call if call and len(turn["observation"]["hand"]) == 1 else usual


def bluffing(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Calls truco half the time when the house bot would not."""
    call = _legal(turn, "truco")
    return call if call and bot.random.random() < 0.5 else usual


def raising(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Raises every call as far as it can."""
    return (_answers(turn) and _legal(turn, "raise")) or usual


def maniac(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Calls and raises as soon as it may, and accepts what it cannot raise."""
    return _legal(turn, "truco", "raise") or (_answers(turn) and _legal(turn, "accept")) or usual


HABITS: Final[dict[str, Habit]] = {
    "calling": calling,
    "silent": silent,
    "running": running,
    "staying": staying,
    "ahead": ahead,
    "behind": behind,
    "late": late,
    "bluffing": bluffing,
    "raising": raising,
    "maniac": maniac,
}
