"""Cards written as two characters, rank then suit: ``4C`` ``7H`` ``AS`` ``TD``."""

from __future__ import annotations

from binascii import unhexlify
from collections.abc import Mapping
from typing import Final

SUITS: Final = "CHSD"
"""The canonical order of suits: clubs, hearts, spades, diamonds."""

SUIT_SYMBOLS: Final = {"C": "♣", "H": "♥", "S": "♠", "D": "♦"}
SUIT_NAMES: Final = {"C": "clubs", "H": "hearts", "S": "spades", "D": "diamonds"}
RANK_NAMES: Final = {
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "T": "ten",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}


def pack(ranks: str) -> tuple[str, ...]:
    """Return a pack in canonical order: by suit (``SUITS``), then by rank in the given order."""
    return tuple(rank + suit for suit in SUITS for rank in ranks)


def card_pattern(ranks: str) -> str:
    """Return a regular expression for one card of a pack with these ranks."""
    return f"[{ranks}][{SUITS}]"


def split_cards(text: str) -> list[str]:
    """Split a string such as ``"4C7H"`` into its cards: ``["4C", "7H"]``."""
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def pretty(card: str) -> str:
    """Return a card in printed notation: ``10♦``, ``4♣``."""
    rank = "10" if card[0] == "T" else card[0]
    return rank + SUIT_SYMBOLS[card[1]]


def spoken(card: str) -> str:
    """Return the spoken name of a card: ``ten of diamonds``."""
    return f"{RANK_NAMES[card[0]]} of {SUIT_NAMES[card[1]]}"


class DealReader:
    """Parses ``deal:<cards>`` for a pack with these ranks (at most ten), all cards at once.

    Each rank is mapped to a decimal digit and each suit to a digit from A to D, so that a card is one byte in
    hexadecimal. ``number_of`` maps cards to numbers; by default, a card's number is its index in the
    canonical pack.
    """

    def __init__(self, ranks: str, number_of: Mapping[str, int] | None = None) -> None:
        cards = pack(ranks)
        numbers = [number_of[card] for card in cards] if number_of else range(len(cards))
        digit_of = dict(zip(ranks + SUITS, "0123456789"[: len(ranks)] + "ABCD", strict=True))
        bytes_read = [int(digit_of[card[0]] + digit_of[card[1]], 16) for card in cards]
        number_read = dict(zip(bytes_read, numbers, strict=True))
        self.length: int = len("deal:") + 2 * len(cards)
        # Every character that is not a rank or a suit maps to F, so anything that is not a card becomes 255.
        self.digits: bytes = "".join([digit_of.get(chr(byte), "F") for byte in range(256)]).encode()
        self.numbers: bytes = bytes([number_read.get(byte, 255) for byte in range(256)])
        self.every_number: bytes = bytes(numbers)

    def read(self, action: str) -> bytes | None:
        """Return the numbers of the cards, top card first, or None unless every card occurs exactly once."""
        if len(action) != self.length or not action.isascii() or not action.startswith("deal:"):
            return None
        numbers = unhexlify(action.encode()[5:].translate(self.digits)).translate(self.numbers)
        missing = self.every_number.translate(None, numbers)
        return None if missing else numbers
