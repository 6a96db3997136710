"""Exploiters for Toepen."""

from __future__ import annotations

from typing import Final

from arena.bots import Turn
from arena.bots.redeal import redeal
from arena.games.kernel import CHANCE
from arena.games.toepen.bots.habits import Habits
from arena.games.toepen.bots.laundry import Laundry
from arena.games.toepen.bots.regular import ToepenRegular
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.toepen.bots.worth import Stakes, Worth
from benchmarks.zoo.exploiter import Exploiter, Habit

_IMAGINED: Final = 8
"""The number of deals in which ``minding`` imagines the answers to a knock."""
_BELIEVED: Final = 0.6
"""The share of them in which all must fold: a knock gains one life then, and often loses two otherwise."""


def unseen(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Lays weak hands away while nobody who counts exchanges would challenge, and challenges nobody while
    four or more play.
    """
    sight = ToepenSight(turn)
    players = sight.in_hand.bit_count()
    if sight.phase == "challenge" and players >= 4:
        return "trust"
    if sight.phase != "exchange" or "exchange" not in sight.legal or sight.lives[sight.seat] == 1:
        return usual
    gain = 1 / players - sight.spot.hand_chance()
    least = 0.18 if players == 2 else 0.1
    return "exchange" if gain > least and not _is_suspect(bot, turn, sight) else usual


def _is_suspect(bot: Exploiter, turn: Turn, sight: ToepenSight) -> bool:
    """Whether a challenge of one more exchange gains somebody, as far as the number of exchanges tells."""
    habits = Habits(sight.seats)
    habits.note({**turn, "events": bot.events})
    habits.exchanged[sight.seat] += 1
    honest = habits.honesty(sight.seat)
    stakes = Stakes(Worth(turn), sight.lives, sight.in_hand)
    laundry = Laundry(stakes, sight.lives, sight.in_hand, sight.seat)
    opponents = (other for other in range(sight.seats) if sight.others >> other & 1)
    return any(honest < laundry.fair_honesty(other) for other in opponents)


def trusting(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Never challenges, and lays only dirty laundry away."""
    if turn["observation"]["phase"] == "challenge":
        return "trust"
    if usual == "exchange" and not ToepenSight(turn).dirty:
        return next(action for action in turn["legal_actions"] if action != "exchange")
    return usual


def accusing(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Challenges every exchange."""
    return "challenge" if turn["observation"]["phase"] == "challenge" else usual


def exchanging(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Lays every hand away as often as it may."""
    return "exchange" if "exchange" in turn["legal_actions"] else usual


def keeping(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Never lays a hand away."""
    return bot.usual_without(turn, "exchange") if usual == "exchange" else usual


def knocking(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Knocks with any hand as soon as it may, unless somebody has knocked in the hand."""
    seen = turn["observation"]
    knock = f"knock:{seen['value'] + 1}"
    return knock if knock in turn["legal_actions"] and seen["knocker"] is None else usual


def silent(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Never knocks."""
    return bot.usual_without(turn, "knock") if usual.startswith("knock") else usual


def staying(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Stays after every knock and against poverty."""
    return next((action for action in turn["legal_actions"] if action.startswith("stay")), usual)


def folding(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Folds after every knock and against poverty."""
    return next((action for action in turn["legal_actions"] if action.startswith("fold")), usual)


def minding(bot: Exploiter, turn: Turn, usual: str) -> str:
    """Knocks if all opponents would fold in most of the deals that it imagines, whatever it holds.

    It reasons with a first-order theory of mind: it puts itself in the place of each opponent, with cards
    that it could hold, and asks what it would do there.
    """
    seen = turn["observation"]
    knock = f"knock:{seen['value'] + 1}"
    if knock not in turn["legal_actions"]:
        return usual
    folds = 0
    for _ in range(_IMAGINED):
        state = redeal(turn, bot.random)
        state.apply(turn["seat"], knock)
        while state.answer_pending():
            (other,) = state.awaiting()
            state.apply(other, ToepenRegular(bot.random).choose_in(state))
        folds += CHANCE in state.awaiting() or not state.awaiting()
    return knock if folds > _BELIEVED * _IMAGINED else usual


HABITS: Final[dict[str, Habit]] = {
    "unseen": unseen,
    "trusting": trusting,
    "accusing": accusing,
    "exchanging": exchanging,
    "keeping": keeping,
    "knocking": knocking,
    "silent": silent,
    "staying": staying,
    "folding": folding,
    "minding": minding,
}
