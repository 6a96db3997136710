"""The house bots ``regular`` and ``barfly`` for Brazilian Truco, which count cards and consider what the
points are worth.
"""

from __future__ import annotations

import random
from typing import ClassVar, Final

from arena.games.kernel import Turn
from arena.games.truco.bots.chances import Chances, Trick
from arena.games.truco.bots.manner import BARFLY, HOPELESS_BELOW, REGULAR, Manner, Manners
from arena.games.truco.bots.race import Race
from arena.games.truco.bots.sight import TrucoSight, hide, play
from arena.games.truco.bots.solved import solved_action
from arena.games.truco.bots.whole import (
    RUNS_FROM_RAISE,
    RaceState,
    chance_of_hand,
    raise_from,
    runs_of,
    stay_from,
)
from arena.games.truco.cards import PACK

WORTH: Final[tuple[int, ...]] = (0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 8, 13, 15, 18, 20)
"""The value of a card of each strength, in hundredths of a hand."""

_PASS_FROM: Final = 16
_ACCEPTED: Final = 0.6
"""The factor for a chance to win if the other team stays, or has called."""
_MARGIN: Final = 0.015


def worth(sight: TrucoSight, cards: list[int]) -> int:
    """Return the value of a hand."""
    return sum(WORTH[sight.strength[card]] for card in cards)


class TrucoRegular:
    """The player of one seat in one game."""

    manners: ClassVar[Manners] = REGULAR

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if turn["optional"]:
            return None
        sight = TrucoSight(turn)
        if sight.whole_hand and sight.seats == 2 and sight.phase in ("play", "answer"):
            action = solved_action(sight, self.manners.sharpness, self._random)
            if action is not None:
                return action
        if sight.phase == "play":
            return self._play(sight)
        if sight.phase == "answer":
            return _answer(sight, self._manner(sight))
        if sight.phase == "eleven":
            return _eleven(sight)
        if sight.phase == "choose":
            return _choose(sight, self.manners.keep_from)
        return sight.legal[int(self._random.random() * len(sight.legal))]

    def _play(self, sight: TrucoSight) -> str:
        manner = self._manner(sight)
        trick = Trick(sight, manner.bold)
        if sight.whole_hand:
            card, chance = _best_card(sight, trick)
            if sight.call and (_should_raise(sight, chance, manner) or self._bluffs(sight, chance, manner)):
                return sight.call
            return play(card)
        if sight.call:
            chances = max((trick.with_card(strength) for strength in sight.strengths), key=lambda c: c.win)
            if _should_call(sight, chances) or self._bluffs(sight, chances.win, manner):
                return sight.call
        return _card(sight, trick)

    def _manner(self, sight: TrucoSight) -> Manner:
        return self.manners.whole_hand if sight.whole_hand else self.manners.trick

    def _bluffs(self, sight: TrucoSight, chance: float, manner: Manner) -> bool:
        """Return whether to call with a hopeless hand, so that calls say less about the cards."""
        share = manner.bluffs if sight.stake == sight.stakes[0] else 0.0
        return share > 0 and chance < HOPELESS_BELOW and self._random.random() < share


class TrucoBarfly(TrucoRegular):
    """A player with the numbers of ``barfly``."""

    manners = BARFLY


def _race(sight: TrucoSight) -> Race:
    return Race(sight.score, sight.hands_left, sight.stakes)


def _best_card(sight: TrucoSight, trick: Trick) -> tuple[int, float]:
    """Return the card with the best chance to win the hand, and that chance."""
    best: tuple[float, int] | None = None
    chosen = sight.hand[0]
    for card in sight.hand:
        rest = [other for other in sight.hand if other != card]
        chance = _chance_with(sight, trick, trick.with_card(sight.strength[card]), rest)
        key = (round(chance, 9), -sight.strength[card])
        if best is None or key > best:
            best, chosen = key, card
    assert best is not None
    return chosen, best[0]


def _chance_with(sight: TrucoSight, trick: Trick, chances: Chances, rest: list[int]) -> float:
    """Return the chance to win the hand, given the ``chances`` in the trick in progress and the cards
    ``rest`` left after it.
    """
    later = last = 0.0
    if rest:
        later = trick.later(sight.strength[rest[-1]], len(rest))
        last = trick.later(sight.strength[rest[0]], 1)
    return chance_of_hand(sight.results, chances, later, last, sight.all_tied)


def _should_raise(sight: TrucoSight, chance: float, manner: Manner) -> bool:
    """Return whether a hand with this chance is worth more at the next stake (TV-6.3)."""
    value = sight.stakes[sight.stakes.index(sight.stake) + 1]
    return chance > raise_from(_race_state(sight), sight.stake, value, runs_of(sight.lead), manner.doubt)


def _race_state(sight: TrucoSight) -> RaceState:
    return RaceState(*sight.score, sight.hands_left, sight.stakes)


def _card(sight: TrucoSight, trick: Trick) -> str:
    """Return the card with the highest value in this trick, after subtracting its later value."""
    decides = sight.truco is not None or sight.trick == 2
    best: tuple[float, int] | None = None
    chosen = sight.hand[0]
    for card in sight.hand:
        chances = trick.with_card(sight.strength[card])
        value = chances.win + _tie_value(sight) * chances.tie
        later = 0.0 if decides else WORTH[sight.strength[card]] / 100
        key = (round(value - later, 9), -sight.strength[card])
        if best is None or key > best:
            best, chosen = key, card
    cannot_win = trick.with_card(sight.strength[chosen]) == trick.with_card(0)
    if cannot_win and hide(chosen) in sight.legal and not decides and sight.strength[chosen] >= 8:
        return hide(chosen)
    return play(chosen)


def _tie_value(sight: TrucoSight) -> float:
    """Return the value of a tied trick, on a scale from 0 for a lost trick to 1 for a won trick."""
    truco = sight.truco
    if truco is not None:
        if sight.extra_trick or sight.trick == 2:
            return 0.5
        called_by_us = truco["team"] == sight.seat & 1
        return (0.25 if called_by_us else 0.75) if truco["on_table"] else 0.5
    if not sight.results:
        return 0.55
    first = sight.results[0]
    return 1.0 if first == 1 else 0.0 if first == -1 else 0.5


def _hand_chance(sight: TrucoSight, chances: Chances) -> float:
    """Return a rough estimate of the probability that the seat's team wins the hand, given the chances in the
    trick in progress.
    """
    rest = sight.hand[:-1]
    later = min(0.9, max(0.1, 0.42 + worth(sight, rest) / 60))
    results = sight.results
    if len(results) == 2:
        return chances.win + _tie_value(sight) * chances.tie
    if len(results) == 1:
        if results[0] == 1:
            return chances.win + chances.tie + chances.lose * later
        if results[0] == -1:
            return chances.win * later
        return chances.win + chances.tie * later
    ahead = 1 - (1 - later) * (1 - later)
    return chances.win * ahead + chances.tie * later + chances.lose * later * later


def _should_call(sight: TrucoSight, chances: Chances) -> bool:
    """Return whether calling now is worth more than playing on, given the ``chances`` with the best card
    (BT-4.1: this trick alone would decide).
    """
    race = _race(sight)
    quiet = _hand_chance(sight, chances)
    low, value = sight.stakes[:2]
    now = race.played(low, quiet)
    win = chances.win * _ACCEPTED if chances.win < 0.999 else 1.0
    # BT-4.7: a tie with a card played before the call is lost.
    tie = 0.0 if sight.place else chances.tie
    stayed = win * race.won(value) + tie * race.nobody + (1 - win - tie) * race.lost(value)
    runs = runs_of(sight.lead)
    called = runs * race.won(low) + (1 - runs) * stayed
    return called > now + _MARGIN


def _answer(sight: TrucoSight, manner: Manner) -> str:
    """Run, accept or raise, based on the odds of this trick and the worth of the points."""
    truco = sight.truco
    trick = Trick(sight, manner.bold_of(sight.lead), None if truco is None else truco["proposer"])
    if sight.whole_hand:
        return _answer_hand(sight, trick, manner)
    if sight.seat in sight.to_play:
        chances = max((trick.with_card(strength) for strength in sight.strengths), key=lambda c: c.win)
    else:
        chances = trick.without_card()
    race = _race(sight)
    answers = {action.split(":")[0]: action for action in sight.legal}
    value = int(answers["accept"].split(":")[1])
    given_up = int(answers["run"].split(":")[1])
    win, tie = chances.win, chances.tie
    tie_wins = sight.place > 0 and truco is not None and truco["team"] != sight.seat & 1

    def staying(points: int, win: float) -> float:
        tied = race.won(points) if tie_wins else race.nobody
        return win * race.won(points) + tie * tied + (1 - win - tie) * race.lost(points)

    accept = staying(value, win)
    run = race.lost(given_up)
    if "raise" in answers:
        higher = int(answers["raise"].split(":")[1])
        shrunk = win * _ACCEPTED if win < 0.999 else 1.0
        raised = RUNS_FROM_RAISE * race.won(value) + (1 - RUNS_FROM_RAISE) * staying(higher, shrunk)
        if raised > max(accept, run) + _MARGIN:
            return answers["raise"]
    if accept > run:
        return answers["accept"]
    if "defer" in answers and sight.partner in sight.to_play:
        return answers["defer"]
    return answers["run"]


def _answer_hand(sight: TrucoSight, trick: Trick, manner: Manner) -> str:
    """Run, accept or raise if calls are about the whole hand (TV-6.8)."""
    if sight.seat in sight.to_play:
        chance = _best_card(sight, trick)[1]
    else:
        chance = _chance_with(sight, trick, trick.without_card(), sight.hand)
    answers = {action.split(":")[0]: action for action in sight.legal}
    race = _race_state(sight)
    stakes = sight.stakes[sight.stakes.index(sight.stake) :]
    doubt = manner.doubt
    if "raise" in answers and chance > raise_from(race, stakes[1], stakes[2], RUNS_FROM_RAISE, doubt):
        return answers["raise"]
    if chance > stay_from(race, stakes[0], stakes[1]):
        return answers["accept"]
    return answers.get("defer", answers["run"])


def _choose(sight: TrucoSight, keep_from: int) -> str:
    """Pass a good hand to the partner while better hands are still possible, and burn a bad hand."""
    value = worth(sight, sight.hand)
    if "pass" in sight.legal and value >= _PASS_FROM and sight.burns_left:
        return "pass"
    if value < keep_from and "burn" in sight.legal:
        return "burn"
    return "keep"


def _eleven(sight: TrucoSight) -> str:
    """Play for 3 unless both hands of the team, which the seat can see, are poor."""
    partners = [card for card in range(len(PACK)) if sight.partners >> card & 1]
    race = _race(sight)
    chance = min(0.95, 0.2 + worth(sight, sight.hand + partners) / (20 * sight.seats))
    run, accept, *_ = sight.legal
    points = int(accept.split(":")[1])
    playing = chance * race.won(points) + (1 - chance) * race.lost(points)
    return accept if playing > race.lost(int(run.split(":")[1])) else run
