"""Two house bots, the re-deal and the narrator of high card."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from arena.games.cards import pretty
from arena.games.kernel import Turn
from arena.games.narration import Teller
from tests.highcard.rules import PACK, RULES, HighCardState, strength


class Lowest:
    """Always plays its lowest card."""

    def __init__(self, random: random.Random) -> None:
        pass

    def choose(self, turn: Turn) -> str | None:
        cards = turn["observation"]["hand"]
        return "play:" + str(min(cards, key=strength))


class Cheapest:
    """Takes the trick with the lowest card that does, if one of its cards does."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, turn: Turn) -> str | None:
        seen = turn["observation"]
        lying = len(seen["played"]) % len(seen["held"])
        best = max((strength(play["card"]) for play in seen["played"][-lying:]), default=0) if lying else 60
        winning = [card for card in seen["hand"] if strength(card) > best]
        if not lying:
            return "play:" + str(max(seen["hand"], key=strength))
        return "play:" + str(min(winning or seen["hand"], key=strength))


def redeal(turn: Turn, rng: random.Random) -> HighCardState:
    """The cards that the seat cannot see, at random."""
    seen = turn["observation"]
    known = {*seen["hand"], *(play["card"] for play in seen["played"])}
    unseen = [card for card in PACK if card not in known]
    rng.shuffle(unseen)
    hands = {}
    for seat, count in enumerate(seen["held"]):
        if seat != seen["seat"]:
            hands[seat] = sorted(unseen[:count], key=PACK.index)
            del unseen[:count]
    return RULES.from_observation(turn["rules"], seen, {"hands": hands})


class Storyteller(Teller):
    """Tells a game of high card."""

    view = staticmethod(RULES.view_event)

    def __init__(self, names: Sequence[str], rules: Mapping[str, Any], you: int | None = None) -> None:
        super().__init__(names, you)

    def seen_lines(self, seen: Mapping[str, Any]) -> list[str]:
        type = seen["type"]
        if type == "hand":
            return [f"Hand {seen['number']}."]
        if type == "dealt":
            cards = seen["cards"]
            return [self.does(seen["seat"], f"gets {' '.join(map(pretty, cards))}.")] if cards else []
        if type == "play":
            return [self.does(seen["seat"], f"plays {pretty(seen['card'])}.")]
        if type == "trick":
            return [self.does(seen["seat"], "takes the trick.")]
        winners = [seat for seat, place in enumerate(seen["places"]) if place == 1]
        return [f"The game goes to {self.listed(winners)}."]
