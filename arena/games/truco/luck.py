"""Luck measurement for Brazilian Truco; see :class:`~arena.games.descriptor.LuckModel`."""

from __future__ import annotations

from typing import Final

from arena.games.descriptor import LuckModel, Standing
from arena.games.kernel import State
from arena.games.options import Rules
from arena.games.truco.bots.regular import TrucoRegular
from arena.games.truco.cards import TARGET
from arena.games.truco.options import rules_from
from arena.games.truco.state import TrucoState
from arena.games.truco.table import CUT, DEAL, END


def _rules(rules: Rules) -> Rules:
    """Return the rules without the cut. The seat that cuts has not seen any cards, so a cut does not change
    the value of a pack.
    """
    return {**rules, "cut": "none"}


def _standings(rules: Rules) -> list[tuple[int, int]]:
    scores = range(0, TARGET, rules_from(rules).low)
    return [(own, other) for own in scores for other in scores]


def _start(rules: Rules, own: int, other: int) -> State:
    """Return a state with these values in which the forehand is seat 1."""
    state = TrucoState(rules_from(rules))
    state.dealer = 0
    state.phase = DEAL
    state.score = [other, own]
    state.clear_hand()
    return state


def _standing(state: State) -> Standing:
    """Return the standing from the point of view of the forehand's team."""
    assert isinstance(state, TrucoState)
    # The deal has already passed to the next seat unless the game is over (BT-1.5).
    team = (state.forehand + (state.phase == END)) & 1
    return Standing(team, state.score[team], state.score[1 - team])


def _is_blind(state: State) -> bool:
    assert isinstance(state, TrucoState)
    return state.phase == CUT


LUCK: Final = LuckModel(
    level="regular",
    version="0.6.0",
    player=lambda random: TrucoRegular(random).choose_in,
    plays=8,
    weight=1.0,
    hand=3,
    rules=_rules,
    standings=_standings,
    start=_start,
    standing=_standing,
    is_blind=_is_blind,
)
