"""The constants of Brazilian Truco: lookup tables for cards, strengths and actions.

A card is represented by its index in ``PACK``, and a hand is an ascending tuple of these numbers. A *code*
represents a card on the table: its number, plus ``FACE_DOWN`` if it lies face down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from arena.errors import ArenaError
from arena.games.cards import DealReader, pack

SEATS: Final = 4
"""The maximum number of seats. With two seats, the tables for four are used."""

RANKS: Final = "4567QJKA23"
"""The ranks of the pack, weakest first, apart from manilhas (BT-1.4)."""

CLEAN_RANKS: Final = "QJKA23"
"""The ranks of the clean pack (TV-3.1)."""

PACK: Final = pack(RANKS)
"""The canonical order of the pack (BT-1.2)."""

CARD_COUNT: Final = 40
CARD_NUMBER: Final[dict[str, int]] = {card: number for number, card in enumerate(PACK)}
MANILHAS: Final = ("4C", "7H", "AS", "7D")
"""The manilhas, strongest first (BT-1.3)."""

FACE_DOWN: Final = 64
"""The number added to a card's number when it is played face down (BT-3.2)."""

GESTURES: Final = ("wink", "eyebrow", "cheek", "tongue", "shoulder", "nose")
TARGET: Final = 12
"""The number of points that wins the game (BT-1.6)."""

_SUIT_STRONGEST_FIRST: Final = "CHSD"
_SUIT_WEAKEST_FIRST: Final = _SUIT_STRONGEST_FIRST[::-1]


class Order:
    """The order of the cards: a higher ``strength`` beats a lower one, and equal strengths tie.

    ``strength`` is indexed by code. It is 1 for a 4, 10 for a 3, 11 to 14 for the manilhas, and 0 for a card
    face down (BT-3.2). ``stronger`` has a bit for each card of the whole pack that beats a strength.
    ``weakest_first`` lists the cards in the order in which they are played for a late seat (BT-7.3, TV-9.1).
    """

    __slots__ = ("manilhas", "strength", "stronger", "weakest_first")

    def __init__(self, manilhas: Sequence[str]) -> None:
        """Compute the order for these ``manilhas``, strongest first."""
        self.manilhas = tuple(manilhas)
        top = len(RANKS) + len(self.manilhas)
        self.strength: list[int] = [
            top - self.manilhas.index(card) if card in self.manilhas else 1 + RANKS.index(card[0])
            for card in PACK
        ] + [0] * (2 * FACE_DOWN - CARD_COUNT)
        cards = self.strength[:CARD_COUNT]
        self.stronger: list[int] = [
            sum(1 << number for number, card in enumerate(cards) if card > strength)
            for strength in range(top + 1)
        ]
        self.weakest_first: list[int] = sorted(
            range(CARD_COUNT), key=lambda n: (self.strength[n], _SUIT_WEAKEST_FIRST.index(PACK[n][1]))
        )


FIXED: Final = Order(MANILHAS)
"""The order with fixed manilhas (BT-1.3, BT-1.4)."""

TURNED: Final[dict[str, Order]] = {
    rank: Order([rank + suit for suit in _SUIT_STRONGEST_FIRST]) for rank in RANKS
}
"""The orders with turned manilhas, by the rank of the manilhas (TV-3.4)."""


class Pack:
    """A pack: its ``ranks``, and the ``cards`` in canonical order."""

    __slots__ = ("cards", "cuts", "orders", "ranks", "reader")

    def __init__(self, ranks: str) -> None:
        self.ranks = ranks
        self.cards = pack(ranks)
        self.reader = DealReader(ranks, CARD_NUMBER)
        self.cuts: tuple[str, ...] = (
            NO_CUT,
            *(f"cut:{lifted}:{end}" for lifted in range(1, len(self.cards)) for end in ("top", "bottom")),
        )
        following = dict(zip(ranks, ranks[1:] + ranks[:1], strict=True))
        self.orders: dict[int, Order] = {CARD_NUMBER[card]: TURNED[following[card[0]]] for card in self.cards}
        """The order that results from each vira, by its card number (TV-3.3)."""


# The codes of actions. Below RUN, the code is that of the card played; from CUT_TOP on, it includes the
# number of cards lifted.
RUN: Final = 128
ACCEPT: Final = 129
RAISE: Final = 130
DEFER: Final = 131
TRUCO: Final = 132
KEEP: Final = 133
PASS: Final = 134
BURN: Final = 135
SIGNAL: Final = 136
"""The code of a signal is this number plus the index of the gesture."""
CUT_TOP: Final = 200
"""The code of a cut is this number, or ``CUT_BOTTOM``, plus the number of cards lifted."""
CUT_BOTTOM: Final = 300
NO_ACTION: Final = 999
"""A code that is not an action of the game."""

SAID: Final = ("cut", "no_cut", "keep", "pass", "burn", "truco", "raise", "accept", "defer", "signal")
"""The first words of the actions that neither play a card nor end the hand."""
NO_CUT: Final = "no_cut"
SIGNAL_ACTIONS: Final[tuple[str, ...]] = tuple("signal:" + gesture for gesture in GESTURES)
KEEP_ONLY: Final[tuple[str, ...]] = ("keep",)
KEEP_OR_PASS: Final[tuple[str, ...]] = ("keep", "pass")
KEEP_OR_BURN: Final[tuple[str, ...]] = ("keep", "burn")
KEEP_PASS_OR_BURN: Final[tuple[str, ...]] = ("keep", "pass", "burn")
LADDERS: Final = ("1-3-6-9-12", "2-4-6-10-12", "2-4-8-10-12", "2-4-8-12")
"""The possible stakes of a hand (TV-6.1), lowest first."""


_PLAY: Final[list[str]] = ["play:" + card for card in PACK]
_HIDE: Final[list[str]] = ["hide:" + card for card in PACK]


def _action_codes() -> dict[str, int]:
    # The keys are the same string objects as the actions offered, so that a lookup compares no characters.
    codes = {action: number for number, action in enumerate(_PLAY)}
    codes.update({action: number + FACE_DOWN for number, action in enumerate(_HIDE)})
    codes.update({"truco": TRUCO, "keep": KEEP, "pass": PASS, "burn": BURN, "defer": DEFER, NO_CUT: CUT_TOP})
    codes.update({action: SIGNAL + index for index, action in enumerate(SIGNAL_ACTIONS)})
    for ladder in LADDERS:
        for value in ladder.split("-"):
            codes.update({f"run:{value}": RUN, f"accept:{value}": ACCEPT, f"raise:{value}": RAISE})
    for lifted in range(1, CARD_COUNT):
        codes.update({f"cut:{lifted}:top": CUT_TOP + lifted, f"cut:{lifted}:bottom": CUT_BOTTOM + lifted})
    return codes


ACTION_CODE: Final[dict[str, int]] = _action_codes()

CALL_CODES: Final[frozenset[int]] = frozenset(code for code in ACTION_CODE.values() if code > RUN)
"""The codes of the actions that neither play a card nor end the hand."""


class Call(NamedTuple):
    """An action that neither plays a card nor ends the hand. ``played`` is the number of cards that were
    played in the hand before it, and ``value`` the number of points that it names, or 0.
    """

    played: int
    seat: int
    value: int
    code: int


def call_number(played: int, seat: int, value: int, code: int) -> int:
    """Return the number that stands for a :class:`Call` in a state."""
    return played << 15 | seat << 13 | value << 9 | code


def call_of(number: int) -> Call:
    """Return the call for which a number stands."""
    return Call(number >> 15, number >> 13 & 3, number >> 9 & 15, number & 511)


PLAY_EVENTS: Final[list[tuple[Any, ...]]] = [
    (("hide" if code & FACE_DOWN else "play"), seat, PACK[code & 63] if code & 63 < CARD_COUNT else "")
    for code in range(2 * FACE_DOWN)
    for seat in range(SEATS)
]
"""The events of playing a card, indexed by ``code * 4 + seat``."""


def turn_actions(hand: tuple[int, ...], may_hide: bool, call: str) -> tuple[str, ...]:
    """Return the actions of a seat with these cards on its turn to play. ``call`` is the action with which it
    can raise the stake, or "" if it cannot.

    The most frequent sizes of hands are written out.
    """
    if may_hide:
        if len(hand) == 3:
            a, b, c = hand[0], hand[1], hand[2]
            if call:
                return (_PLAY[a], _PLAY[b], _PLAY[c], _HIDE[a], _HIDE[b], _HIDE[c], call)
            return (_PLAY[a], _PLAY[b], _PLAY[c], _HIDE[a], _HIDE[b], _HIDE[c])
        if len(hand) == 2:
            a, b = hand[0], hand[1]
            if call:
                return (_PLAY[a], _PLAY[b], _HIDE[a], _HIDE[b], call)
            return (_PLAY[a], _PLAY[b], _HIDE[a], _HIDE[b])
    actions = [_PLAY[card] for card in hand]
    if may_hide:
        actions += [_HIDE[card] for card in hand]
    if call:
        actions.append(call)
    return tuple(actions)


def cards_of(hand: tuple[int, ...]) -> tuple[str, ...]:
    """Return the cards with these numbers."""
    if len(hand) == 3:
        return (PACK[hand[0]], PACK[hand[1]], PACK[hand[2]])
    return tuple([PACK[number] for number in hand])


def numbers_of(cards: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of these cards, ascending. Raises KeyError for a card that is not in this pack."""
    return tuple(sorted([CARD_NUMBER[card] for card in cards]))


def hand_of(a: int, b: int, c: int) -> tuple[int, ...]:
    """Return the hand of these three cards."""
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
        if a > b:
            a, b = b, a
    return (a, b, c)


def without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    """Return the hand without a card that was played. If the hand does not contain the card, it is returned
    unchanged.
    """
    if len(hand) == 3:
        a, b, c = hand[0], hand[1], hand[2]
        if card == a:
            return (b, c)
        if card == b:
            return (a, c)
        return (a, b) if card == c else hand
    if len(hand) == 2:
        a, b = hand[0], hand[1]
        if card == a:
            return (b,)
        return (a,) if card == b else hand
    return () if card in hand else hand


FULL: Final = Pack(RANKS)
PACKS: Final[dict[str, Pack]] = {"full": FULL, "clean": Pack(CLEAN_RANKS)}
"""The packs, by the value of the option ``pack`` (TV-3.1)."""


def partners_by_draw(cards: Sequence[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the teams that result when four players have drawn ``cards`` (BT-1.5).

    The two players with the highest cards, in the order A K Q J 7 6 5 4 3 2, play together. The result is two
    pairs of players (indexes of ``cards``), with the higher cards first. It is None if the second and the
    third highest rank are equal, and the players must draw again. Raises ArenaError (``invalid_draw``) unless
    ``cards`` are four different cards of the pack. The arena seats its players itself; this function is for a
    table of people.
    """
    if len(cards) != SEATS or len(set(cards)) != SEATS or any(card not in CARD_NUMBER for card in cards):
        raise ArenaError(
            f"{list(cards)!r} is not a valid draw for partners",
            code="invalid_draw",
            expected="four different cards of the pack",
        )
    height = ["AKQJ765432".index(card[0]) for card in cards]
    first, second, third, fourth = sorted(range(SEATS), key=lambda player: height[player])
    if height[second] == height[third]:
        return None
    return (min(first, second), max(first, second)), (min(third, fourth), max(third, fourth))
