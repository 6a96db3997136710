"""The constants of Toepen: lookup tables for cards, options and actions.

A card is represented by its index in ``PACK``, which is ``suit * 8 + strength``. Within a suit, the higher
number wins. A set of cards is a bit mask of these numbers, and a set of seats is a bit mask of seats.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import permutations
from typing import Any, Final

from arena.games.cards import DealReader, pack, split_cards
from arena.games.options import Option, OptionSet, Rules, RuleValue

RANKS: Final = "JQKA789T"
"""The ranks of the pack, weakest first (TP-1.2)."""

PACK: Final = pack(RANKS)
"""The canonical order of the pack: clubs, hearts, spades, diamonds, and the weakest card of each
suit first.
"""

DEAL_READER: Final = DealReader(RANKS)

MAX_SEATS: Final = 8
MAX_LIVES: Final = 30
WHOLE_PACK: Final = (1 << 32) - 1

JACKS: Final = 0x01010101
TENS: Final = 0x80808080
NO_CARD: Final = -1
CLEAN: Final = 0xF0F0F0F0
"""The mask of the tens, nines, eights and sevens, which dirty laundry cannot contain (TP-2.5)."""

BIT: Final[tuple[int, ...]] = tuple(1 << number for number in range(32))
"""The masks of a single card or seat."""

CARD_NUMBER: Final[dict[str, int]] = {card: number for number, card in enumerate(PACK)}
CARD_BIT: Final[dict[str, int]] = {card: 1 << number for number, card in enumerate(PACK)}
PAIR_BITS: Final[dict[str, int]] = {
    one + other: CARD_BIT[one] | CARD_BIT[other] for one, other in permutations(PACK, 2)
}
"""The masks of pairs of different cards, by the text of the pair."""
PLAY_CARD: Final[dict[str, int]] = {f"play:{card}": number for number, card in enumerate(PACK)}

PLAY_EVENTS: Final[list[tuple[Any, ...]]] = [
    ("play", seat, card) for seat in range(MAX_SEATS) for card in PACK
]
"""The ``play`` events, indexed by ``seat * 32 + card``."""

LOWEST_FIRST: Final[tuple[str, ...]] = tuple(
    "play:" + PACK[suit * 8 + strength] for strength in range(8) for suit in (3, 2, 1, 0)
)
"""All actions that play a card, in the order in which a late seat plays its cards: by rank, then ♦ ♠ ♥ ♣
(TP-8.3).
"""


def _cards_of_suit(suit: int) -> tuple[tuple[str, ...], ...]:
    """Return all sets of cards of one suit, indexed by the eight bits of that suit in a mask."""
    cards = PACK[8 * suit : 8 * suit + 8]
    return tuple(tuple(card for place, card in enumerate(cards) if bits >> place & 1) for bits in range(256))


def _plays_of_suit(suit: int) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(f"play:{card}" for card in cards) for cards in _cards_of_suit(suit))


def _texts_of_suit(suit: int) -> tuple[str, ...]:
    return tuple("".join(cards) for cards in _cards_of_suit(suit))


_CLUB_PLAYS: Final[tuple[tuple[str, ...], ...]] = _plays_of_suit(0)
_HEART_PLAYS: Final[tuple[tuple[str, ...], ...]] = _plays_of_suit(1)
_SPADE_PLAYS: Final[tuple[tuple[str, ...], ...]] = _plays_of_suit(2)
_DIAMOND_PLAYS: Final[tuple[tuple[str, ...], ...]] = _plays_of_suit(3)

_CLUB_TEXTS: Final[tuple[str, ...]] = _texts_of_suit(0)
_HEART_TEXTS: Final[tuple[str, ...]] = _texts_of_suit(1)
_SPADE_TEXTS: Final[tuple[str, ...]] = _texts_of_suit(2)
_DIAMOND_TEXTS: Final[tuple[str, ...]] = _texts_of_suit(3)

SUIT_OF_CODE: Final[tuple[int, ...]] = tuple(255 << (code & 24) for code in range(32 * MAX_SEATS))
"""The masks of all cards of the same suit as a card on the table, indexed by ``seat * 32 + card``."""


_STRENGTHS_OF_SUIT: Final = tuple(
    tuple(code % 8 + 1 if code // 8 % 4 == suit else 0 for code in range(32 * MAX_SEATS)) for suit in range(4)
)
STRENGTHS: Final[tuple[tuple[int, ...], ...]] = tuple(
    _STRENGTHS_OF_SUIT[code // 8 % 4] for code in range(32 * MAX_SEATS)
)
"""``STRENGTHS[led][played]``, for two cards on the table written as ``seat * 32 + card``, is the strength of
the played card from 1 to 8, or 0 if it did not follow suit (TP-1.2, TP-4.1).
"""


def plays_of(mask: int) -> tuple[str, ...]:
    """Return the actions that play one of these cards, in the pack's order."""
    return (
        _CLUB_PLAYS[mask & 255]
        + _HEART_PLAYS[mask >> 8 & 255]
        + _SPADE_PLAYS[mask >> 16 & 255]
        + _DIAMOND_PLAYS[mask >> 24]
    )


def text_of(mask: int) -> str:
    """Return the cards of a mask as one string, in the pack's order."""
    return (
        _CLUB_TEXTS[mask & 255]
        + _HEART_TEXTS[mask >> 8 & 255]
        + _SPADE_TEXTS[mask >> 16 & 255]
        + _DIAMOND_TEXTS[mask >> 24]
    )


def cards_of(mask: int) -> list[str]:
    """Return the cards of a mask in the pack's order."""
    return split_cards(text_of(mask))


def mask_of(cards: Iterable[str]) -> int:
    """Return the mask of distinct cards. Raises ``KeyError`` for anything that is not a card."""
    mask = 0
    for card in cards:
        mask |= CARD_BIT[card]
    return mask


KNOCK: Final[tuple[tuple[str, ...], ...]] = tuple((f"knock:{value}",) for value in range(MAX_LIVES + 2))
ANSWERS: Final[tuple[tuple[tuple[str, ...], ...], ...]] = tuple(
    tuple((f"stay:{value}", f"fold:{due}") for due in range(MAX_LIVES + 1)) for value in range(MAX_LIVES + 1)
)
"""The answers to a knock or to poverty, indexed by ``[value to stay for][lives lost by folding]``."""

CHALLENGE_ANSWERS: Final[tuple[str, ...]] = ("challenge", "trust")
EXCHANGE_OR_KEEP: Final[tuple[str, ...]] = ("exchange", "keep")

NOTHING_SAID: Final = 1
WHISTLED: Final = 2
STOOD: Final = 3
"""The announcement of a seat that stood up when it kept its hand (TP-3.2). It is 0 until the seat keeps its
hand.
"""

KEEP_SAYS: Final[dict[str, int]] = {"keep": NOTHING_SAID, "keep_whistle": WHISTLED, "keep_stand": STOOD}
SAID: Final[tuple[str, ...]] = ("", "none", "whistle", "stand")
"""The names of announcements in events, by number."""


def keep_actions(hand: int) -> tuple[str, ...]:
    """Return the actions that keep ``hand`` if tens and jacks are announced (TP-3.1, TP-3.2)."""
    tens = (hand & TENS).bit_count()
    jacks = (hand & JACKS).bit_count()
    if tens == 4:
        return ("keep_stand",)
    if tens == 3:
        return ("keep_whistle",)
    if jacks == 4:
        return ("keep", "keep_stand")
    if jacks == 3:
        return ("keep", "keep_whistle")
    return ("keep",)


KEEP_EVENTS: Final[list[tuple[Any, ...]]] = [
    ("keep", seat, said) for seat in range(MAX_SEATS) for said in SAID
]
"""The ``keep`` events, indexed by ``seat * 4 + said``."""
TRUST_EVENTS: Final[list[tuple[Any, ...]]] = [
    ("trust", seat, exchanger) for seat in range(MAX_SEATS) for exchanger in range(MAX_SEATS)
]
"""The ``trust`` events, indexed by ``seat * 8 + exchanger``."""

SEATS_OF: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(seat for seat in range(MAX_SEATS) if mask >> seat & 1) for mask in range(1 << MAX_SEATS)
)
"""The seats of each mask in ascending order."""


def _next_seats(seats: int) -> tuple[int, ...]:
    table = []
    for mask in range(1 << seats):
        for seat in range(MAX_SEATS):
            clockwise = [(seat + step) % seats for step in range(1, seats + 1)]
            table.append(next((other for other in clockwise if mask >> other & 1), -1))
    return tuple(table)


NEXT_SEATS: Final = tuple(_next_seats(seats) if seats >= 2 else () for seats in range(MAX_SEATS + 1))
"""``NEXT_SEATS[seats][mask * 8 + seat]`` is the first seat of the mask clockwise after ``seat``, which is
itself checked last (TP-1.1). It is -1 if the mask is empty.
"""

OPTIONS: Final = OptionSet(
    "toepen",
    (
        Option("seats", 4, "the number of players (TP-1.1)", low=2, high=MAX_SEATS),
        Option(
            "lives", 10, "the number of lives of each player at the start (TP-1.3)", low=1, high=MAX_LIVES
        ),
        Option(
            "max_exchanges", 6, "the maximum number of exchanges per player and hand (TP-2.3)", low=0, high=6
        ),
        Option("whistling", False, "whether tens and jacks are announced (TP-3.1)"),
        Option("knocking", "anytime", "when a player may knock (TP-5.6)", ("anytime", "on_turn")),
        Option("end", "elimination", "how the game ends (TP-7.1, TP-7.2)", ("elimination", "rubber")),
        Option("rubbers", 3, "the number of rubbers in a game with end=rubber (TP-7.2)", low=1, high=20),
    ),
)


class ToepenRules:
    """The options of one game in a form that is quick to use. They never change, so states share them."""

    __slots__ = (
        "anytime",
        "lives",
        "max_exchanges",
        "next_seats",
        "options",
        "rubber",
        "rubbers",
        "seats",
        "whistling",
    )

    def __init__(
        self,
        seats: int,
        lives: int,
        max_exchanges: int,
        whistling: bool,
        knocking: str,
        end: str,
        rubbers: int,
    ) -> None:
        self.seats: int = seats
        self.lives: int = lives
        self.max_exchanges: int = max_exchanges
        self.whistling: bool = whistling
        self.anytime: bool = knocking == "anytime"
        self.rubber: bool = end == "rubber"
        self.rubbers: int = rubbers
        self.next_seats: tuple[int, ...] = NEXT_SEATS[seats]
        values = (seats, lives, max_exchanges, whistling, knocking, end, rubbers)
        self.options: dict[str, RuleValue] = dict(zip(OPTIONS.by_name, values, strict=True))


_cached_rules: Final = lru_cache(maxsize=64)(ToepenRules)


def rules_from(options: Rules) -> ToepenRules:
    """Return the rules for complete and valid options; see ``OPTIONS.complete``."""
    return _cached_rules(
        options["seats"],
        options["lives"],
        options["max_exchanges"],
        options["whistling"],
        options["knocking"],
        options["end"],
        options["rubbers"],
    )
