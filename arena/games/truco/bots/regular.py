"""The house bots ``regular`` and ``barfly`` for Brazilian Truco, which play by a solved table."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar, Final

from arena.games.kernel import State, Turn
from arena.games.truco.bots.manner import BARFLY, REGULAR, Manner
from arena.games.truco.bots.race import Race
from arena.games.truco.bots.solved import choice
from arena.games.truco.redeal import TrucoRedealer
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, CHOOSE, ELEVEN, PLAY

WORTH: Final[tuple[int, ...]] = (0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 8, 13, 15, 18, 20)
"""The value of a card of each strength, in hundredths of a hand."""
_PASS_FROM: Final = 16


class TrucoRegular:
    """The player of one seat in one game."""

    manner: ClassVar[Manner] = REGULAR

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if turn["optional"]:
            return None
        return action_of(TrucoRedealer(turn).state, turn["legal_actions"], self.manner, self._random)

    def choose_in(self, state: State) -> str:
        """Return the action of the awaited seat, which depends only on what that seat can see."""
        assert isinstance(state, TrucoState)
        return action_of(state, state.legal, self.manner, self._random)


class TrucoBarfly(TrucoRegular):
    """A player with the numbers of ``barfly``."""

    manner = BARFLY


def finish(state: TrucoState, manner: Manner, random: random.Random) -> None:
    """Play a hand from a card or an answer to its end, in all seats."""
    while state.phase in (PLAY, ANSWER):
        state.apply(state.actor, action_of(state, state.legal, manner, random))


def action_of(state: TrucoState, legal: Sequence[str], manner: Manner, random: random.Random) -> str:
    """Return one of the ``legal`` actions of the awaited seat, chosen by what that seat can see."""
    if state.phase in (PLAY, ANSWER):
        action = choice(state, legal, manner.sharpness, random)
        return state.default_action(state.actor) if action is None else action
    if state.phase == CHOOSE:
        return kept_hand(state, manner.keep_from)
    return _eleven(state) if state.phase == ELEVEN else random.choice(legal)


def kept_hand(state: TrucoState, keep_from: int) -> str:
    """Pass a good hand to the partner while better hands are still possible, and burn a bad hand."""
    value = _worth(state, state.hands[state.actor])
    if "pass" in state.legal and value >= _PASS_FROM and len(state.burned) < state.rules.max_burns:
        return "pass"
    return "burn" if value < keep_from and "burn" in state.legal else "keep"


def _eleven(state: TrucoState) -> str:
    """Play for the second stake unless all hands of the team, which the seat can see, are poor."""
    rules = state.rules
    team = state.actor & 1
    cards = [card for seat in range(team, rules.seats, 2) for card in state.hands[seat]]
    chance = min(0.95, 0.2 + _worth(state, cards) / (20 * rules.seats))
    race = Race(state, team)
    ours, theirs = state.score[team], state.score[1 - team]
    run, accept, *_ = state.legal
    won = race.chance_at(ours + rules.threshold_stake, theirs)
    lost = race.chance_at(ours, theirs + rules.threshold_stake)
    return accept if chance * won + (1 - chance) * lost > race.chance_at(ours, theirs + rules.low) else run


def _worth(state: TrucoState, cards: Sequence[int]) -> int:
    return sum([WORTH[state.order.strength[card]] for card in cards])
