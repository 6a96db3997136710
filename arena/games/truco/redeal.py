"""Re-deals of Brazilian Truco: hands, face-down cards and, during the deal, the rest of the pack."""

from __future__ import annotations

import random
from collections.abc import Sequence

from arena.games.kernel import Turn
from arena.games.truco.cards import CARD_NUMBER, FACE_DOWN, numbers_of
from arena.games.truco.state import TRUCO, TrucoState
from arena.games.truco.table import CHOOSE, CUT
from arena.games.truco.view import place_cards, unplaced_cards


def redeal(turn: Turn, rng: random.Random) -> TrucoState:
    """Return a re-deal; see :func:`arena.bots.redeal.redeal`. Cards that the seat knows to be its partner's
    remain with the partner.
    """
    order = unplaced_cards(turn["rules"], turn["observation"])
    rng.shuffle(order)
    return _state(turn, order)


class TrucoRedealer:
    """Draws re-deals of one turn, in less time than :func:`redeal` takes for each.

    ``state`` is a state in which the seat sees what it sees at the turn. The cards that it cannot see are
    placed in the order of the pack.
    """

    def __init__(self, turn: Turn) -> None:
        self._observation = turn["observation"]
        self._unplaced = unplaced_cards(turn["rules"], self._observation)
        self.state = _state(turn, self._unplaced)

    def draw(self, rng: random.Random) -> TrucoState:
        """Return a re-deal; see :func:`redeal`."""
        order = self._unplaced.copy()
        rng.shuffle(order)
        hidden = place_cards(self._observation, order)
        state = self.state.clone()
        for seat, cards in hidden["hands"].items():
            state.hands[seat] = numbers_of(cards)
        for trick, seat, card in hidden["face_down"]:
            place = (seat - state.leaders[trick]) & state.rules.mask
            state.plays[trick * state.rules.seats + place] = CARD_NUMBER[card] + FACE_DOWN
        if state.phase in (CUT, CHOOSE):
            state.take_pack(bytes([CARD_NUMBER[card] for card in hidden["rest"]]))
        return state


def _state(turn: Turn, order: Sequence[str]) -> TrucoState:
    observation = turn["observation"]
    return TRUCO.from_observation(turn["rules"], observation, place_cards(observation, order))
