"""A bot that uses every name that there is for bots, as somebody may have uploaded it."""

import botequim.cards
import botequim.toepen
import botequim.truco
from botequim import (
    CHANCE,
    DECLINE,
    ArenaError,
    BarflyBot,
    Bot,
    Chance,
    Features,
    IllegalAction,
    Layout,
    Outcome,
    RandomBot,
    RegularBot,
    RookieBot,
    SharkBot,
    State,
    Turn,
    features_of,
    redeal,
)
from botequim.cards import RANK_NAMES, SUIT_NAMES, SUIT_SYMBOLS, SUITS, pack, pretty, split_cards, spoken
from botequim.toepen import CARD_NUMBER, PACK, RANKS
from botequim.truco import CLEAN_RANKS, MANILHAS, Order, order_seen


def check_cards(turn: Turn) -> None:
    hand = turn["observation"]["hand"]
    assert split_cards("".join(hand)) == hand
    for card in hand:
        assert pretty(card)[-1] == SUIT_SYMBOLS[card[1]]
        assert spoken(card) == f"{RANK_NAMES[card[0]]} of {SUIT_NAMES[card[1]]}"
        assert card[1] in SUITS
    if turn["kind"] == "toepen":
        assert pack(RANKS) == PACK
        assert [PACK[CARD_NUMBER[card]] for card in hand] == hand
        return
    order: Order = order_seen(turn["observation"])
    strengths = [order.strength[botequim.truco.CARD_NUMBER[card]] for card in hand]
    assert all(1 <= strength <= 14 for strength in strengths)
    assert order.strength[botequim.truco.CARD_NUMBER[(turn["observation"]["manilhas"] or MANILHAS)[0]]] > 10
    assert CLEAN_RANKS in botequim.truco.RANKS
    assert pack(botequim.truco.RANKS) == botequim.truco.PACK


def check_vector(turn: Turn) -> None:
    features: Features = features_of(turn["kind"], turn["rules"])
    layout: Layout = features.layout
    assert len(features.vector(turn["observation"])) == layout.size
    assert {*turn["legal_actions"]} <= {*features.actions}
    assert DECLINE not in features.actions


class Stored(Bot):
    """Asks one house bot after the other, and plays a world on at every turn."""

    def __init__(self) -> None:
        self.turns = 0

    def choose(self, turn: Turn) -> str | None:
        check_cards(turn)
        check_vector(turn)
        self.check_world(turn)
        # The search of shark takes long.
        levels = [RandomBot, RookieBot, RegularBot, BarflyBot] if self.turns else [SharkBot]
        player = levels[self.turns % len(levels)]()
        player.random = self.random
        self.turns += 1
        return player.choose(turn)

    def check_world(self, turn: Turn) -> None:
        world: State = redeal(turn, self.random)
        assert [*world.legal_actions(turn["seat"])] == [*turn["legal_actions"]]
        try:
            world.apply(turn["seat"], "nothing")
        except IllegalAction as error:
            refused: ArenaError = error
        assert refused.code == "illegal_action"
        chance: Chance | None = None
        outcome: Outcome | None = None
        while chance is None and outcome is None:
            seat = world.awaiting()[0]
            world.apply(seat, self.random.choice(world.legal_actions(seat)))
            chance, outcome = world.chance(), world.outcome()
        assert world.awaiting() == (() if chance is None else (CHANCE,))
