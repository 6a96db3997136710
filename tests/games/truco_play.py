"""Stated deals and short scripts for the tests of Brazilian Truco.

Most tests have seat 3 deal, so that seat 0 is the forehand and the seats play in the order 0 1 2 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from arena.games.cards import split_cards
from arena.games.kernel import CHANCE, Event
from arena.games.truco.cards import PACK
from arena.games.truco.options import OPTIONS
from arena.games.truco.state import TRUCO, TrucoState
from tests.contract.playouts import random_rules as contract_rules

PAULISTA: Final[dict[str, Any]] = {"variant": "paulista"}
MINEIRO: Final[dict[str, Any]] = {"variant": "mineiro"}
TWO: Final[dict[str, Any]] = {"variant": "paulista", "seats": 2}
THIRD: Final = ("KS6H6C", "6S7C4S", "JSJC3S", "QSQC4H")
TWO_TRICKS: Final = ("KS", "6S", "JS", "QS", "7C", "JC", "QC", "6H")
"""Two tricks of the hands ``THIRD`` with vira 5D, one for each team; seat 0 leads the third."""


def legal(state: TrucoState) -> list[str]:
    """What the awaited seat may do."""
    return list(state.legal_actions(state.awaiting()[0]))


def seen(state: TrucoState, seat: int | None = None) -> dict[str, Any]:
    """What a seat observes, or a spectator."""
    return state.observation(seat)


def pack_of(*threes: str, cards: Sequence[str] = PACK) -> str:
    """The deal action of a pack of ``cards`` that begins with these (``"4C7HAS"``), then in any order."""
    first = split_cards("".join(threes))
    assert len(set(first)) == len(first), first
    return "deal:" + "".join(first + [card for card in cards if card not in first])


def hands(zero: str = "", one: str = "", two: str = "", three: str = "", dealer: int = 3) -> str:
    """The deal action that gives the seats these hands when the forehand keeps its first three cards.

    Hands that are not given are filled with what is left.
    """
    stated = [split_cards(hand) for hand in (zero, one, two, three)]
    left = [card for card in PACK if not any(card in hand for hand in stated)]
    for hand in stated:
        while len(hand) < 3:
            hand.append(left.pop())
    order = [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    return pack_of(*("".join(stated[seat]) for seat in order))


def new_game(dealer: int = 3, **rules: Any) -> TrucoState:
    """A game that waits for its first deal; without a cut unless ``cut`` is given."""
    state = TRUCO.new_state(TRUCO.options.complete({"cut": "none", **rules}))
    state.apply(CHANCE, f"dealer:{dealer}")
    return state


def first_hand(
    *threes: str, vira: str = "", dealer: int = 3, points: tuple[int, int] = (0, 0), **rules: Any
) -> TrucoState:
    """A variant's game in which a hand was just dealt, without a cut or an exchange: the hands in the order
    of the deal, the forehand's first, and the card that is turned. What is not given is filled. ``points``:
    the score at the deal.
    """
    state = game_at(*points, dealer=dealer, **rules)
    cards = deck(state)
    stated = [split_cards(hand) for hand in threes]
    stated += [[] for _ in range(len(seats_of(state)) - len(threes))]
    left = [card for card in cards if card != vira and not any(card in hand for hand in stated)]
    for hand in stated:
        while len(hand) < 3:
            hand.append(left.pop())
    do(state, pack_of(*("".join(hand) for hand in stated), vira, cards=cards))
    return state


def deck(state: TrucoState) -> Sequence[str]:
    """The cards that chance puts in order."""
    chance = state.chance()
    assert chance is not None
    return chance.items


def seats_of(state: TrucoState) -> range:
    """The seats of the game."""
    return range(len(state.observation(None)["held"]))


def do(state: TrucoState, *actions: str) -> list[Event]:
    """Apply the actions, each for the awaited seat, and return all events.

    ``"4C"`` stands for ``play:4C`` and ``"x4C"`` for ``hide:4C``.
    """
    events: list[Event] = []
    for action in actions:
        full = action
        if action in PACK:
            full = "play:" + action
        elif action[0] == "x" and action[1:] in PACK:
            full = "hide:" + action[1:]
        events += state.apply(state.awaiting()[0], full)
    return events


def started(deal: str, dealer: int = 3, **rules: Any) -> TrucoState:
    """A game in its first hand, the forehand's cards kept."""
    state = new_game(dealer, **rules)
    do(state, deal, "keep")
    return state


def score(state: TrucoState) -> list[int]:
    """The points of teams 0 and 1."""
    points: list[int] = state.observation(None)["score"]
    return points


def give_stake(state: TrucoState, team: int) -> None:
    """Play a hand that ends with the lowest stake for ``team``: it calls, and the others run."""
    do(state, pack_of(cards=deck(state)))
    while state.awaiting() not in ((CHANCE,), ()):
        seat = state.awaiting()[0]
        calls = seat % 2 == team and "truco" in state.legal_actions(seat)
        do(state, "truco" if calls else state.default_action(seat))


def game_at(ours: int, theirs: int, dealer: int = 3, **rules: Any) -> TrucoState:
    """A game with ``ours`` points for team 0 and ``theirs`` for team 1 (at most the threshold), about to be
    dealt by ``dealer``; as many hands were played as lowest stakes were made.
    """
    state = TRUCO.new_state(TRUCO.options.complete({"cut": "none", **rules}))
    stakes = [points // state.rules.low for points in (ours, theirs)]
    state.apply(CHANCE, f"dealer:{(dealer - sum(stakes)) % len(seats_of(state))}")
    # The last stake of each team comes last, so that no hand at the threshold comes before it must.
    early = [team for team in (0, 1) for _ in range(stakes[team] - 1)]
    for team in early + [team for team in (0, 1) if stakes[team]]:
        give_stake(state, team)
    assert score(state) == [ours, theirs]
    return state


def random_rules(random: Random) -> dict[str, Any]:
    """Any complete rules of the base game; often with so few hands that they end the game."""
    rules = {name: value for name, value in any_rules(random).items() if not OPTIONS.by_name[name].later}
    if rules["max_burns"] == 0:
        rules["max_burns"] = random.randint(0, 9)
    return OPTIONS.complete(rules)


def any_rules(random: Random) -> dict[str, Any]:
    """The same of all variants."""
    return {**contract_rules(TRUCO, random), "max_hands": random.choice([1, 2, 5, 100, 100, 100])}


def of_type(events: list[Event], kind: str) -> list[Event]:
    """The events of that type."""
    return [event for event in events if event[0] == kind]


def last_result(events: list[Event]) -> tuple[int, int]:
    """The winning team (-1: none) and its points in the hand that ended last."""
    event = of_type(events, "hand_over")[-1]
    return event[2], event[3]
