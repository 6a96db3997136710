"""Re-deals of Brazilian Truco: hands, face-down cards and, during the deal, the rest of the pack."""

from __future__ import annotations

import random
from collections.abc import Sequence

from arena.games.kernel import Turn
from arena.games.truco.state import TRUCO, TrucoState
from arena.games.truco.view import place_cards, unplaced_cards


def redeal(turn: Turn, rng: random.Random) -> TrucoState:
    """Return a re-deal; see :func:`arena.bots.redeal.redeal`. Cards that the seat knows to be its partner's
    remain with the partner.
    """
    order = unplaced_cards(turn["rules"], turn["observation"])
    rng.shuffle(order)
    return _state(turn, order)


def state_at(turn: Turn) -> TrucoState:
    """Return a state in which the seat sees what it sees at ``turn``. The cards that it cannot see are placed
    in the order of the pack.
    """
    return _state(turn, unplaced_cards(turn["rules"], turn["observation"]))


def _state(turn: Turn, order: Sequence[str]) -> TrucoState:
    observation = turn["observation"]
    return TRUCO.from_observation(turn["rules"], observation, place_cards(observation, order))
