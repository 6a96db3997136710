"""Luck measurement for Toepen with two seats; see :class:`~arena.games.descriptor.LuckModel`."""

from __future__ import annotations

from typing import Final

from arena.games.descriptor import LuckModel, Standing
from arena.games.kernel import State
from arena.games.options import Rules
from arena.games.toepen.bots.regular import ToepenRegular
from arena.games.toepen.cards import rules_from
from arena.games.toepen.state import ToepenState
from arena.games.toepen.table import DEAL


def _rules(rules: Rules) -> Rules:
    return rules


def _standings(rules: Rules) -> list[tuple[int, int]]:
    lives = range(1, rules_from(rules).lives + 1)
    return [(own, other) for own in lives for other in lives]


def _start(rules: Rules, own: int, other: int) -> State:
    """Return a state with these values in which the dealer is seat 0."""
    state = ToepenState(rules_from(rules))
    state.dealer = 0
    state.phase = DEAL
    state.lives = [own, other]
    return state


def _standing(state: State) -> Standing:
    """Return the standing from the dealer's point of view."""
    assert isinstance(state, ToepenState)
    dealer = state.dealer
    return Standing(dealer, state.lives[dealer], state.lives[1 - dealer])


def _is_blind(state: State) -> bool:
    return False


LUCK: Final = LuckModel(
    level="regular",
    version="0.2.0",
    player=lambda random: ToepenRegular(random).choose_in,
    plays=1,
    weight=0.65,
    hand=4,
    rules=_rules,
    standings=_standings,
    start=_start,
    standing=_standing,
    is_blind=_is_blind,
)
