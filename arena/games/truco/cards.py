"""What never changes in Brazilian Truco: cards, strengths, actions and options, as lookup tables.

A card is a number here, its place in ``PACK``; a hand is a tuple of those numbers, ascending.
A *code* is a card as it lies on the table: the number, plus ``FACE_DOWN`` if nobody sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.errors import ArenaError
from arena.games.cards import DealReader, pack
from arena.games.options import Option, OptionSet

SEATS: Final = 4
RANKS: Final = "4567QJKA23"
"""The ranks of the pack, weakest first (BT-1.4, manilhas apart)."""

PACK: Final = pack(RANKS)
"""The canonical order of the pack (BT-1.2)."""

CARD_COUNT: Final = 40
CARD_NUMBER: Final[dict[str, int]] = {card: number for number, card in enumerate(PACK)}
MANILHAS: Final = ("4C", "7H", "AS", "7D")
"""Strongest first (BT-1.3)."""

FACE_DOWN: Final = 64
"""Added to a card's number when it is played face down (BT-3.2)."""

GESTURES: Final = ("wink", "eyebrow", "cheek", "tongue", "shoulder", "nose")
TARGET: Final = 12
"""Points that win the game (BT-1.6)."""

OPTIONS: Final = OptionSet(
    "truco",
    (
        Option(
            "cut", "player", "who cuts the pack: the cutting seat, or nobody (BT-2.2)", ("player", "none")
        ),
        Option("max_burns", 3, "how many hands the forehand may burn (BT-2.4)", low=0, high=9),
        Option("max_hands", 100, "after how many hands the game ends (BT-1.7)", low=1, high=1000),
        Option(
            "face_down",
            "any",
            "when a card may be played face down (BT-3.2)",
            ("any", "after_first_trick", "never"),
        ),
        Option("signals", "off", "whether gestures are part of the game (BT-6.2)", ("off", "table")),
    ),
)


class TrucoRules:
    """The options of one game, ready for use. Never changed, so copies of a state share it."""

    __slots__ = ("cut", "face_down_from", "max_burns", "max_hands", "options", "signals")

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options: dict[str, Any] = dict(options)
        self.cut: bool = options["cut"] == "player"
        self.max_burns: int = options["max_burns"]
        self.max_hands: int = options["max_hands"]
        self.face_down_from: int = {"any": 1, "after_first_trick": 2, "never": 4}[options["face_down"]]
        """The number of the first trick in which a card may be hidden."""
        self.signals: bool = options["signals"] == "table"


def card_strength(card: str) -> int:
    """Higher beats lower, equal ties (BT-1.3, BT-1.4): 1 for a 4, 14 for the zap."""
    if card in MANILHAS:
        return len(RANKS) + len(MANILHAS) - MANILHAS.index(card)
    return 1 + RANKS.index(card[0])


STRENGTH: Final[list[int]] = [card_strength(card) for card in PACK] + [0] * (2 * FACE_DOWN - CARD_COUNT)
"""By code: what the card counts in a trick; 0 face down (BT-3.2)."""

_SUIT_WEAKEST_FIRST: Final = "DSHC"
WEAKEST_FIRST: Final[list[int]] = sorted(
    range(CARD_COUNT), key=lambda n: (STRENGTH[n], _SUIT_WEAKEST_FIRST.index(PACK[n][1]))
)
"""The order in which a late seat's cards are played (BT-7.3)."""

# The code of an action: below RUN the code of the card played, from CUT_TOP on the number of cards lifted.
RUN: Final = 128
ACCEPT: Final = 129
RAISE: Final = 130
DEFER: Final = 131
TRUCO: Final = 132
KEEP: Final = 133
PASS: Final = 134
BURN: Final = 135
SIGNAL: Final = 136
"""Plus the gesture's index."""
CUT_TOP: Final = 200
"""Plus the number of cards lifted."""
CUT_BOTTOM: Final = 300
NO_ACTION: Final = 999
"""Not an action of the game."""

SAID: Final = ("cut", "no_cut", "keep", "pass", "burn", "truco", "raise", "accept", "defer", "signal")
"""The words of the actions that play no card and do not end the hand."""
NO_CUT: Final = "no_cut"
SIGNAL_ACTIONS: Final[tuple[str, ...]] = tuple("signal:" + gesture for gesture in GESTURES)
CUT_ACTIONS: Final[tuple[str, ...]] = (
    NO_CUT,
    *(f"cut:{lifted}:{end}" for lifted in range(1, CARD_COUNT) for end in ("top", "bottom")),
)
ANSWERS: Final[dict[int, tuple[str, ...]]] = {
    1: ("run:1", "accept:3", "raise:6", "defer"),
    3: ("run:3", "accept:6", "raise:9", "defer"),
    6: ("run:6", "accept:9", "raise:12", "defer"),
    9: ("run:9", "accept:12", "defer"),
}
"""By what the hand is worth if the answering team runs (BT-4.2, BT-4.4)."""
KEEP_ONLY: Final[tuple[str, ...]] = ("keep",)
KEEP_OR_PASS: Final[tuple[str, ...]] = ("keep", "pass")
KEEP_OR_BURN: Final[tuple[str, ...]] = ("keep", "burn")
KEEP_PASS_OR_BURN: Final[tuple[str, ...]] = ("keep", "pass", "burn")
ELEVEN_ANSWERS: Final[tuple[str, ...]] = ("run:1", "accept:3", "defer")


def _action_codes() -> dict[str, int]:
    codes = {"play:" + card: number for number, card in enumerate(PACK)}
    codes.update({"hide:" + card: number + FACE_DOWN for number, card in enumerate(PACK)})
    codes.update({"truco": TRUCO, "keep": KEEP, "pass": PASS, "burn": BURN, "defer": DEFER, NO_CUT: CUT_TOP})
    codes.update({action: SIGNAL + index for index, action in enumerate(SIGNAL_ACTIONS)})
    for answers in ANSWERS.values():
        for answer in answers:
            codes[answer] = {"run": RUN, "accept": ACCEPT, "raise": RAISE, "defer": DEFER}[
                answer.split(":")[0]
            ]
    for action in CUT_ACTIONS[1:]:
        _, lifted, end = action.split(":")
        codes[action] = int(lifted) + (CUT_TOP if end == "top" else CUT_BOTTOM)
    return codes


ACTION_CODE: Final[dict[str, int]] = _action_codes()

CALL_CODES: Final[frozenset[int]] = frozenset(code for code in ACTION_CODE.values() if code > RUN)
"""The actions that play no card and do not end the hand."""

PLAY_EVENTS: Final[list[tuple[Any, ...]]] = [
    (("hide" if code & FACE_DOWN else "play"), seat, PACK[code & 63] if code & 63 < CARD_COUNT else "")
    for code in range(2 * FACE_DOWN)
    for seat in range(SEATS)
]
"""By ``code * 4 + seat``."""

MAY_HIDE: Final = 1
MAY_CALL: Final = 2
_PLAY: Final[list[str]] = ["play:" + card for card in PACK]
_HIDE: Final[list[str]] = ["hide:" + card for card in PACK]


def turn_actions(hand: tuple[int, ...], flags: int) -> tuple[str, ...]:
    """What a seat with these cards may do on its turn to play; ``flags``: ``MAY_HIDE``, ``MAY_CALL``.

    Written out for the hands and flags that come up all the time.
    """
    if flags & MAY_HIDE:
        if len(hand) == 3:
            a, b, c = hand[0], hand[1], hand[2]
            if flags & MAY_CALL:
                return (_PLAY[a], _PLAY[b], _PLAY[c], _HIDE[a], _HIDE[b], _HIDE[c], "truco")
            return (_PLAY[a], _PLAY[b], _PLAY[c], _HIDE[a], _HIDE[b], _HIDE[c])
        if len(hand) == 2:
            a, b = hand[0], hand[1]
            if flags & MAY_CALL:
                return (_PLAY[a], _PLAY[b], _HIDE[a], _HIDE[b], "truco")
            return (_PLAY[a], _PLAY[b], _HIDE[a], _HIDE[b])
    actions = [_PLAY[card] for card in hand]
    if flags & MAY_HIDE:
        actions += [_HIDE[card] for card in hand]
    if flags & MAY_CALL:
        actions.append("truco")
    return tuple(actions)


def cards_of(hand: tuple[int, ...]) -> tuple[str, ...]:
    """The cards with these numbers."""
    if len(hand) == 3:
        return (PACK[hand[0]], PACK[hand[1]], PACK[hand[2]])
    return tuple([PACK[number] for number in hand])


def numbers_of(cards: Sequence[str]) -> tuple[int, ...]:
    """The numbers of these cards, ascending. Raises KeyError for a card that is not in this pack."""
    return tuple(sorted([CARD_NUMBER[card] for card in cards]))


def hand_of(a: int, b: int, c: int) -> tuple[int, ...]:
    """The hand of these three cards."""
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
        if a > b:
            a, b = b, a
    return (a, b, c)


def without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    """The hand after a card of it was played; the same hand if it does not hold the card."""
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


BIT: Final[list[int]] = [1 << (code & ~FACE_DOWN) for code in range(2 * FACE_DOWN)]
"""By code: the card as a set, a bit mask of numbers."""
ALL_CARDS: Final = (1 << CARD_COUNT) - 1


def mask_of(cards: Sequence[str]) -> int:
    """The cards as a set. Raises KeyError for a card that is not in this pack."""
    mask = 0
    for card in cards:
        mask |= BIT[CARD_NUMBER[card]]
    return mask


DEAL_READER: Final = DealReader(RANKS)


def partners_by_draw(cards: Sequence[str]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Who plays with whom when four players have drawn ``cards`` (BT-1.5).

    The two highest cards play together, in the order A K Q J 7 6 5 4 3 2. Returns the two pairs of
    players (indices into ``cards``), the higher cards first, or None if the second and the third
    highest rank are equal: draw again. Raises ArenaError (``invalid_draw``) unless ``cards`` are
    four different cards of the pack. The arena seats its players itself: this is for a table of people.
    """
    if len(cards) != SEATS or len(set(cards)) != SEATS or any(card not in CARD_NUMBER for card in cards):
        raise ArenaError(
            f"{list(cards)!r} is not a draw for partners",
            code="invalid_draw",
            expected="four different cards of the pack",
        )
    height = ["AKQJ765432".index(card[0]) for card in cards]
    first, second, third, fourth = sorted(range(SEATS), key=lambda player: height[player])
    if height[second] == height[third]:
        return None
    return (min(first, second), max(first, second)), (min(third, fourth), max(third, fourth))
