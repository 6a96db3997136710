"""Re-deals of Brazilian Truco: hands, face-down cards and, during the deal, the rest of the pack."""

from __future__ import annotations

import random

from arena.games.kernel import Turn
from arena.games.truco.state import TRUCO, TrucoState
from arena.games.truco.view import place_cards, unplaced_cards


def redeal(turn: Turn, rng: random.Random) -> TrucoState:
    """Return a re-deal; see :func:`arena.bots.redeal.redeal`. Cards that the seat knows to be its partner's
    remain with the partner.
    """
    observation = turn["observation"]
    order = unplaced_cards(turn["rules"], observation)
    rng.shuffle(order)
    return TRUCO.from_observation(turn["rules"], observation, place_cards(observation, order))
