"""The state of a game of Toepen at one moment, and its serialised form. The rules are in ``state``."""

from __future__ import annotations

import json
from typing import Any, Final

from arena.errors import CorruptState, InvalidOption, NewerFormat
from arena.games.kernel import CHANCE, State, check_format
from arena.games.toepen.cards import OPTIONS, PACK, SAID, WHOLE_PACK, ToepenRules, mask_of, rules_from

VERSION: Final = 1
"""The version of the rules and of the serialised form."""

FIELDS: Final = frozenset(
    ("kind", "version", "rules", "numbers", "seats", "stock", "laid", "trick", "tricks", "calls")
)
"""The fields of a serialised state."""

DEALER: Final = 0
DEAL: Final = 1
EXCHANGE: Final = 2
CHALLENGE: Final = 3
POVERTY: Final = 4
PLAY: Final = 5
KNOCKED: Final = 6
OVER: Final = 7

PHASES: Final = ("dealer", "deal", "exchange", "challenge", "poverty", "play", "knock", "over")
"""What the game waits for, in this order: chance to draw the dealer, chance to deal, a player to exchange or
keep, an opponent to challenge or trust, a player to stay or fold in poverty, a card, an answer to a knock,
nothing.
"""

CALLS: Final = ("knock", "stay", "fold")
"""The possible calls in ``calls``."""

NOBODY: Final = -1
NO_SEAT: Final = -2
"""The awaited seat when the game is over."""


class ToepenTable(State):
    """The fields of a state. Unknown seats are ``NOBODY``.

    ``trick`` holds ``seat * 32 + card`` for each card, in the order of play. ``tricks`` holds for each
    finished trick the leader, a tuple of such cards, and the winner. ``laid`` holds for each exchange of the
    hand the seat, the mask of its cards, the challenger, and the seat that lost a life. ``stock`` is the
    string of the cards still to be drawn, first card first. ``calls`` holds for each knock, and for each
    answer to a knock or to poverty, the seat, an index of ``CALLS``, the lives, the number of finished
    tricks, and the number of cards in the current trick. ``out`` holds the number of the hand in which each
    seat went out, or 0 if it has lives.
    """

    __slots__ = (
        "answers",
        "asked",
        "calls",
        "dealer",
        "drinks",
        "exchanges",
        "hands",
        "in_hand",
        "knocker",
        "laid",
        "leader",
        "legal",
        "lives",
        "lost",
        "next_seats",
        "number",
        "out",
        "pelt",
        "phase",
        "playable",
        "rubber",
        "rules",
        "said",
        "stock",
        "todo",
        "trick",
        "tricks",
        "turn",
        "value",
        "won",
    )

    def __init__(self, rules: ToepenRules) -> None:
        seats = rules.seats
        self.rules: ToepenRules = rules
        self.next_seats: tuple[int, ...] = rules.next_seats
        """See ``NEXT_SEATS``; stored here for speed."""
        self.phase: int = DEALER
        self.asked: int = CHANCE
        """The awaited seat."""
        self.turn: int = NOBODY
        """The seat that is exchanging or must play."""
        self.todo: int = 0
        """The seats that have not yet kept their hand, or not yet played to the trick."""
        self.answers: int = 0
        """The seats that have yet to answer an exchange, poverty or a knock."""
        self.dealer: int = NOBODY
        self.number: int = 0
        """The number of hands dealt so far."""
        self.rubber: int = 1
        self.value: int = 1
        self.knocker: int = NOBODY
        """The last seat to knock in this hand."""
        self.pelt: int = 0
        self.in_hand: int = 0
        """The seats dealt in that have neither folded nor gone out."""
        self.leader: int = NOBODY
        self.legal: tuple[str, ...] = ()
        """The legal actions of the awaited seat. This and ``playable`` are derived from the other fields and
        are not serialised.
        """
        self.playable: int = 0
        """The mask of the cards that the seat whose turn it is can play."""
        self.stock: str = ""
        self.hands: list[int] = [0] * seats
        self.lives: list[int] = [rules.lives] * seats
        self.lost: list[int] = [0] * seats
        """The number of lives that each seat lost in this hand."""
        self.exchanges: list[int] = [0] * seats
        self.said: list[int] = [0] * seats
        self.won: list[int] = [0] * seats
        """The number of hands that each seat won in this game."""
        self.drinks: list[int] = [0] * seats
        self.out: list[int] = [0] * seats
        self.laid: list[tuple[int, int, int, int]] = []
        self.trick: list[int] = []
        self.tricks: list[tuple[int, tuple[int, ...], int]] = []
        self.calls: list[tuple[int, int, int, int, int]] = []

    def copy_from(self, other: ToepenTable) -> None:
        """Copy all fields from ``other``. The copy is independent."""
        self.phase = other.phase
        self.asked = other.asked
        self.turn = other.turn
        self.todo = other.todo
        self.answers = other.answers
        self.dealer = other.dealer
        self.number = other.number
        self.rubber = other.rubber
        self.value = other.value
        self.knocker = other.knocker
        self.pelt = other.pelt
        self.in_hand = other.in_hand
        self.leader = other.leader
        self.legal = other.legal
        self.playable = other.playable
        self.stock = other.stock
        self.hands = other.hands[:]
        self.lives = other.lives[:]
        self.lost = other.lost[:]
        self.exchanges = other.exchanges[:]
        self.said = other.said[:]
        self.won = other.won[:]
        self.drinks = other.drinks[:]
        self.out = other.out[:]
        self.laid = other.laid[:]
        self.trick = other.trick[:]
        self.tricks = other.tricks[:]
        self.calls = other.calls[:]

    def content(self) -> dict[str, object]:
        """Return the content of the state, as :class:`~arena.games.kernel.State` defines it. Hands are masks
        of cards, and cards are numbers.
        """
        return {
            "kind": "toepen",
            "version": VERSION,
            "rules": self.rules.options,
            "numbers": [
                self.phase,
                self.asked,
                self.turn,
                self.todo,
                self.answers,
                self.dealer,
                self.number,
                self.rubber,
                self.value,
                self.knocker,
                self.pelt,
                self.in_hand,
                self.leader,
            ],
            "seats": [
                self.hands,
                self.lives,
                self.lost,
                self.exchanges,
                self.said,
                self.won,
                self.drinks,
                self.out,
            ],
            "stock": self.stock,
            "laid": self.laid,
            "trick": self.trick,
            "tricks": self.tricks,
            "calls": self.calls,
        }


def rules_of(data: bytes) -> tuple[ToepenRules, dict[str, object]]:
    """Return the rules and the content of a serialised state. Raises :class:`~arena.errors.CorruptState`."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise _corrupt("it is not JSON") from None
    if not isinstance(content, dict) or content.get("kind") != "toepen":
        raise _corrupt("'kind' must be 'toepen'")
    check_format(content, VERSION, FIELDS)
    rules = content.get("rules")
    if not isinstance(rules, dict):
        raise _corrupt("'rules' must be an object")
    try:
        return rules_from(OPTIONS.complete(rules)), content
    except InvalidOption as error:
        raise NewerFormat(f"the state uses newer rules of toepen: {error}") from None


def fill(state: ToepenTable, content: dict[str, object]) -> None:
    """Set all fields of ``state`` from serialised content. Raises :class:`~arena.errors.CorruptState`."""
    seats = state.rules.seats
    every_seat = (1 << seats) - 1
    numbers = _numbers(content, "numbers", 13)
    lists = content.get("seats")
    if not isinstance(lists, list) or len(lists) != 8:
        raise _corrupt("'seats' must have 8 lists")
    for values in lists:
        _check_numbers(values, "seats", seats)
    state.phase = _within(numbers[0], DEALER, OVER)
    state.asked = _within(numbers[1], NO_SEAT, seats - 1)
    state.turn = _within(numbers[2], NOBODY, seats - 1)
    state.todo = _within(numbers[3], 0, every_seat)
    state.answers = _within(numbers[4], 0, every_seat)
    state.dealer = _within(numbers[5], NOBODY, seats - 1)
    state.number = numbers[6]
    state.rubber = numbers[7]
    state.value = _within(numbers[8], 1, max(2, state.rules.lives))
    state.knocker = _within(numbers[9], NOBODY, seats - 1)
    state.pelt = _within(numbers[10], 0, every_seat)
    state.in_hand = _within(numbers[11], 0, every_seat)
    state.leader = _within(numbers[12], NOBODY, seats - 1)
    state.hands, state.lives, state.lost, state.exchanges = lists[0], lists[1], lists[2], lists[3]
    state.said, state.won, state.drinks, state.out = lists[4], lists[5], lists[6], lists[7]
    for hand, lives, said in zip(state.hands, state.lives, state.said, strict=True):
        _within(hand, 0, WHOLE_PACK)
        _within(hand.bit_count(), 0, 4)
        _within(lives, 0, state.rules.lives)
        _within(said, 0, len(SAID) - 1)
    state.stock = _stock(content)
    if state.phase == PLAY and (state.turn == NOBODY or not state.hands[state.turn]):
        raise _corrupt("nobody can play")
    state.trick = _codes(content.get("trick"), seats)
    state.laid, state.tricks = [], []
    for laid in _items(content, "laid", 4):
        _check_numbers(laid, "laid", 4)
        seat, mask, challenger, loser = laid
        _within(mask, 0, WHOLE_PACK)
        _within(mask.bit_count(), 4, 4)
        for player in (seat, challenger, loser):
            _within(player, NOBODY, seats - 1)
        state.laid.append((seat, mask, challenger, loser))
    for leader, codes, winner in _items(content, "tricks", 3):
        _check_numbers([leader, winner], "tricks", 2)
        _within(leader, 0, seats - 1)
        _within(winner, 0, seats - 1)
        state.tricks.append((leader, tuple(_codes(codes, seats)), winner))
    for call in _items(content, "calls", 5):
        _check_numbers(call, "calls", 5)
        seat, said, lives, done, on_table = call
        _within(seat, 0, seats - 1)
        _within(said, 0, len(CALLS) - 1)
        state.calls.append((seat, said, lives, done, on_table))


def _corrupt(why: str) -> CorruptState:
    return CorruptState(f"invalid state of toepen: {why}", field="state")


def _within(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise _corrupt(f"{value} is not between {low} and {high}")
    return value


def _check_numbers(values: object, name: str, count: int) -> list[int]:
    if not isinstance(values, list) or len(values) != count or not all(type(v) is int for v in values):
        raise _corrupt(f"{name!r} must have {count} whole numbers")
    return values


def _numbers(content: dict[str, object], name: str, count: int) -> list[int]:
    return _check_numbers(content.get(name), name, count)


def _items(content: dict[str, object], name: str, width: int) -> list[list[Any]]:
    items = content.get(name)
    if not isinstance(items, list) or not all(isinstance(i, list) and len(i) == width for i in items):
        raise _corrupt(f"each item of {name!r} must be a list of {width}")
    return items


def _codes(values: object, seats: int) -> list[int]:
    if not isinstance(values, list) or not all(type(v) is int and 0 <= v < seats * 32 for v in values):
        raise _corrupt("a trick must consist of codes of seat and card")
    return list(values)


def _stock(content: dict[str, object]) -> str:
    stock = content.get("stock")
    if not isinstance(stock, str) or len(stock) > 2 * len(PACK) or len(stock) % 2:
        raise _corrupt("its 'stock' is not a text of cards")
    try:
        mask_of(stock[i : i + 2] for i in range(0, len(stock), 2))
    except KeyError:
        raise _corrupt("its 'stock' is not a text of cards") from None
    return stock
