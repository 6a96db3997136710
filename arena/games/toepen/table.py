"""The state of a game of Toepen at one moment, and its serialised form. The rules are elsewhere."""

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
"""What the game waits for: chance to draw the dealer or to deal, a player to exchange or keep, an
opponent to challenge or trust, to stay or leave against poverty, a card, an answer to a knock; nothing."""

CALLS: Final = ("knock", "stay", "fold")
"""What ``calls`` holds."""

NOBODY: Final = -1
NO_SEAT: Final = -2
"""The seat to act when the game is over."""


class ToepenTable(State):
    """The fields of a state; seats that are not known yet are ``NOBODY``.

    ``trick`` holds ``seat * 32 + card`` per card in the order played; ``tricks`` holds, per trick, the
    leader, such a list as a tuple, and the winner. ``laid`` holds, per exchange of the hand, the seat, a
    mask, the challenger, and who lost a life. ``stock`` is the text of the cards still to be drawn, first
    card first. ``calls`` holds, per knock and per answer to a knock or to poverty, the seat, an index of
    ``CALLS``, the lives, the number of finished tricks, and the number of cards in the present trick. ``out``
    is the number of the hand in which a seat went out (0: it has lives).
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
        """See ``NEXT_SEATS``; kept here for speed."""
        self.phase: int = DEALER
        self.asked: int = CHANCE
        """The seat awaited."""
        self.turn: int = NOBODY
        """Who exchanges, or whose turn it is to play."""
        self.todo: int = 0
        """The seats that have not kept yet, or have not played to the trick yet."""
        self.answers: int = 0
        """The seats still to answer an exchange, poverty or a knock."""
        self.dealer: int = NOBODY
        self.number: int = 0
        """Hands dealt so far."""
        self.rubber: int = 1
        self.value: int = 1
        self.knocker: int = NOBODY
        """The last one who knocked in this hand."""
        self.pelt: int = 0
        self.in_hand: int = 0
        """The seats dealt in that have neither folded nor gone out."""
        self.leader: int = NOBODY
        self.legal: tuple[str, ...] = ()
        """What the seat asked may do; this and ``playable`` follow from the rest and are not serialised."""
        self.playable: int = 0
        """The cards that the seat whose turn it is may play, as a mask."""
        self.stock: str = ""
        self.hands: list[int] = [0] * seats
        self.lives: list[int] = [rules.lives] * seats
        self.lost: list[int] = [0] * seats
        """Lives lost in this hand."""
        self.exchanges: list[int] = [0] * seats
        self.said: list[int] = [0] * seats
        self.won: list[int] = [0] * seats
        """Hands won in this game."""
        self.drinks: list[int] = [0] * seats
        self.out: list[int] = [0] * seats
        self.laid: list[tuple[int, int, int, int]] = []
        self.trick: list[int] = []
        self.tricks: list[tuple[int, tuple[int, ...], int]] = []
        self.calls: list[tuple[int, int, int, int, int]] = []

    def copy_from(self, other: ToepenTable) -> None:
        """Become an independent copy of ``other``."""
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
        """Return the content as :class:`~arena.games.kernel.State` defines it, with hands as masks of cards
        and cards as numbers.
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
        raise _corrupt("its kind is not 'toepen'")
    check_format(content, VERSION, FIELDS)
    rules = content.get("rules")
    if not isinstance(rules, dict):
        raise _corrupt("it has no rules")
    try:
        return rules_from(OPTIONS.complete(rules)), content
    except InvalidOption as error:
        raise NewerFormat(f"this is a state of newer rules of toepen: {error}") from None


def fill(state: ToepenTable, content: dict[str, object]) -> None:
    """Set every field of ``state`` from a serialised content. Raises :class:`~arena.errors.CorruptState`."""
    seats = state.rules.seats
    every_seat = (1 << seats) - 1
    numbers = _numbers(content, "numbers", 13)
    lists = content.get("seats")
    if not isinstance(lists, list) or len(lists) != 8:
        raise _corrupt("its 'seats' are not 8 lists")
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
    return CorruptState(f"this is not a state of toepen: {why}", field="state")


def _within(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise _corrupt(f"{value} is not between {low} and {high}")
    return value


def _check_numbers(values: object, name: str, count: int) -> list[int]:
    if not isinstance(values, list) or len(values) != count or not all(type(v) is int for v in values):
        raise _corrupt(f"its {name!r} are not {count} whole numbers")
    return values


def _numbers(content: dict[str, object], name: str, count: int) -> list[int]:
    return _check_numbers(content.get(name), name, count)


def _items(content: dict[str, object], name: str, width: int) -> list[list[Any]]:
    items = content.get(name)
    if not isinstance(items, list) or not all(isinstance(i, list) and len(i) == width for i in items):
        raise _corrupt(f"its {name!r} are not lists of {width}")
    return items


def _codes(values: object, seats: int) -> list[int]:
    if not isinstance(values, list) or not all(type(v) is int and 0 <= v < seats * 32 for v in values):
        raise _corrupt("a trick holds something other than a seat and a card")
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
