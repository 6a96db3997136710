"""The table of Brazilian Truco: the data of one game, and how it is copied and serialised.

The rules that change it are in ``state``, and what a seat sees of it is in ``view``.
"""

from __future__ import annotations

import json
from typing import Any, Final

from arena.errors import CorruptState, InvalidOption, NewerFormat
from arena.games.kernel import CHANCE, State, check_format
from arena.games.truco.cards import (
    CALL_CODES,
    CARD_COUNT,
    FACE_DOWN,
    FIXED,
    KEEP_ONLY,
    KEEP_OR_BURN,
    KEEP_OR_PASS,
    KEEP_PASS_OR_BURN,
    SEATS,
    TARGET,
    Order,
    call_number,
    call_of,
    turn_actions,
)
from arena.games.truco.options import OPTIONS, TrucoRules, rules_from

VERSION: Final = 1
FIELDS: Final = frozenset(
    (
        "kind",
        "version",
        "rules",
        "phase",
        "actor",
        "dealer",
        "hand_number",
        "score",
        "pack",
        "hands",
        "passed",
        "burned",
        "stake",
        "truco",
        "proposer",
        "plays",
        "leaders",
        "winners",
        "signals",
        "calls",
        "vira",
    )
)
"""The fields of a serialised state."""

OVER: Final = 4
"""The actor of a game that is over."""

# The phases of a game.
DEALER: Final = 0
DEAL: Final = 1
CUT: Final = 2
CHOOSE: Final = 3
ELEVEN: Final = 4
PLAY: Final = 5
ANSWER: Final = 6
END: Final = 7
PHASES: Final = ("dealer", "deal", "cut", "choose", "eleven", "play", "answer", "over")

NOTHING: Final[tuple[str, ...]] = ()
TIE: Final = -1
"""The winner of a tied trick or of a hand without a winner."""
NOBODY: Final = -1
"""The seat of an event that belongs to no seat."""
EVERY_SEAT: Final = 15
BOTH: Final = 3
"""Both teams as bits, for ``elevens`` (BT-5.3) and ``right`` (TV-6.2)."""
NO_CARD: Final = -1
"""The value of ``vira`` if no card has been turned."""
NO_CALLS: Final = ("", "")


class TrucoTable(State):
    """The data of one game.

    The state proper consists of ``rules``, ``phase``, ``actor`` (seat, ``CHANCE`` or ``OVER``), ``dealer``
    (-1 before the first is drawn), ``hand_number`` (from 1, in progress or about to be dealt) and ``score``
    (by team). For the hand in progress it also has ``pack`` (card numbers as shuffled), ``top`` and ``end``
    (the indexes in the pack of the next card to be dealt and of the end of dealing; see ``undealt``),
    ``hands`` (by seat), ``passed``, ``burned`` (hands), ``stake``, ``truco_seat`` (the caller, -1 for
    nobody), ``truco_trick`` and ``truco_on_table`` (the index of the trick and the number of cards in it at
    the call), ``proposer`` (the last seat to raise), ``plays`` (codes in order of play), ``leaders`` and
    ``winners`` (by trick), ``signals`` (trick index, seat and gesture as one number), ``calls`` (all actions
    other than playing cards, in order; each is one number made of the number of cards played before, seat,
    value and action code, see ``note``) and ``vira`` (the card turned, TV-4.4).

    These fields are derived, and stored for speed: ``elevens`` (a bit per team that could have won with the
    smallest stake when the hand began, BT-5.1, TV-7.1), ``blind`` (whether nobody looks at the cards,
    BT-5.3), ``order`` (the order of the cards), ``legal`` (the actor's actions without signals),
    ``may_hide``, ``turn_calls`` (for each team the action that raises the stake on a turn of its seats, or ""
    if there is none) and ``may_signal`` (a bit per seat).
    """

    __slots__ = (
        "actor",
        "blind",
        "burned",
        "calls",
        "dealer",
        "elevens",
        "end",
        "hand_number",
        "hands",
        "leaders",
        "legal",
        "may_hide",
        "may_signal",
        "order",
        "pack",
        "passed",
        "phase",
        "plays",
        "proposer",
        "rules",
        "score",
        "signals",
        "stake",
        "top",
        "truco_on_table",
        "truco_seat",
        "truco_trick",
        "turn_calls",
        "vira",
        "winners",
    )

    def __init__(self, rules: TrucoRules) -> None:
        self.rules: TrucoRules = rules
        self.phase: int = DEALER
        self.actor: int = CHANCE
        self.dealer: int = NOBODY
        self.hand_number: int = 1
        self.score: list[int] = [0, 0]
        self.pack: bytes = b""
        self.burned: list[tuple[int, ...]] = []
        self.signals: list[int] = []
        self.calls: list[int] = []
        self.vira: int = NO_CARD
        self.order: Order = FIXED
        self.clear_hand()

    def clear_hand(self) -> None:
        """Clear everything from the last hand off the table."""
        rules = self.rules
        score = self.score
        threshold = rules.threshold
        self.elevens: int = (score[0] == threshold) + 2 * (score[1] == threshold)
        self.blind: bool = self.elevens == BOTH and rules.blind
        self.top: int = 0
        self.end: int = 0
        self.hands: list[tuple[int, ...]] = [()] * rules.seats
        if rules.turned:
            self.vira = NO_CARD
            self.order = FIXED
        self.passed: bool = False
        if self.burned:
            self.burned = []
        self.stake: int = rules.low
        self.truco_seat: int = NOBODY
        self.truco_trick: int = 0
        self.truco_on_table: int = 0
        self.proposer: int = NOBODY
        self.plays: list[int] = []
        self.leaders: list[int] = []
        self.winners: list[int] = []
        if self.signals:
            self.signals = []
        if self.calls:
            self.calls = []
        self.legal: tuple[str, ...] = NOTHING
        self.may_hide: bool = False
        self.turn_calls: tuple[str, str] = NO_CALLS
        self.may_signal: int = 0

    def take_pack(self, numbers: bytes) -> None:
        """Set the pack to deal from to these cards, top card first."""
        self.pack = numbers
        self.top = 0
        self.end = len(numbers)

    def note(self, seat: int, code: int, value: int = 0) -> None:
        """Append an action that plays no card to ``calls``. ``value`` is the number of points that it names,
        if any.
        """
        self.calls.append(call_number(len(self.plays), seat, value, code))

    # What the data mean

    @property
    def forehand(self) -> int:
        """The seat to the dealer's right (BT-2.3)."""
        return (self.dealer + 1) & self.rules.mask

    @property
    def eleven_asked(self) -> int:
        """The seat asked first in the team that alone has 11 (BT-5.2)."""
        forehand = self.forehand
        return forehand if self.elevens >> (forehand & 1) & 1 else (forehand + 1) & self.rules.mask

    @property
    def proposed(self) -> int:
        """The value that the next step of the ladder proposes (BT-4.4)."""
        return self.rules.next_stake[self.stake]

    @property
    def right(self) -> int:
        """The teams that have the right to raise the stake, as one bit per team (TV-6.2)."""
        if self.elevens:
            return 0
        if self.proposer == NOBODY:
            return BOTH
        asked = self.phase == ANSWER
        if (self.proposed if asked else self.stake) == TARGET or not (asked or self.rules.whole_hand):
            return 0
        return 1 << ((self.proposer + 1) & 1)

    def undealt(self) -> bytes:
        """Return the cards still to be dealt, next card first.

        Indexes run from ``top`` to ``end`` (exclusive), upwards or, when dealing from the bottom of the pack,
        downwards. Negative indexes count from the other end of the pack, so that a cut does not move any
        cards (BT-2.2).
        """
        step = 1 if self.top < self.end else -1
        return bytes([self.pack[place] for place in range(self.top, self.end, step)])

    def as_dealt(self, seat: int) -> tuple[int, ...]:
        """Return the cards that ``seat`` was dealt in this hand: those it holds and those it has played."""
        cards = list(self.hands[seat])
        for index, code in enumerate(self.plays):
            if (self.leaders[index >> self.rules.shift] + index) & self.rules.mask == seat:
                cards.append(code & ~FACE_DOWN)
        cards.sort()
        return tuple(cards)

    # Derived data

    def refresh(self) -> None:
        """Recompute the derived data from the state proper."""
        rules = self.rules
        trick = len(self.leaders)
        dealt = self.phase in (CUT, CHOOSE, ELEVEN, PLAY, ANSWER)
        self.elevens = sum(1 << team for team in (0, 1) if self.score[team] == rules.threshold)
        self.blind = self.elevens == BOTH and rules.blind
        self.order = rules.order(self.vira)
        self.may_hide = dealt and not self.blind and trick >= rules.face_down_from
        self.turn_calls = NO_CALLS
        if dealt:
            self.refresh_calls()
        self.may_signal = EVERY_SEAT if rules.signals and dealt and not self.blind else 0
        for signal in self.signals:
            if signal >> 5 == max(trick, 1) - 1:
                self.may_signal &= ~(1 << (signal >> 3 & 3))
        self.legal = self._actor_actions()

    def refresh_calls(self) -> None:
        """Recompute ``turn_calls`` (TV-6.2, TV-6.3, TV-6.10)."""
        self.turn_calls = NO_CALLS
        if self.phase == ANSWER or max(len(self.leaders), 1) < self.rules.truco_from:
            return
        right = self.right
        if right:
            word = self.rules.call_words[self.stake]
            first, second = (
                word if right >> team & 1 and self.may_raise(team, self.stake) else "" for team in (0, 1)
            )
            self.turn_calls = first, second

    def may_raise(self, team: int, value: int) -> bool:
        """Return whether the limit allows ``team`` to propose more than ``value`` (TV-6.9)."""
        limit = self.rules.limit
        if not limit:
            return True
        return (self.score[team] if limit == "own" else min(self.score)) + value < TARGET

    def answers(self, team: int) -> tuple[str, ...]:
        """Return the possible answers of the seat of ``team`` that is asked first (BT-4.2,
        BT-4.4, TV-6.4).
        """
        rules = self.rules
        answers = rules.answers[self.stake]
        if not rules.limit or self.may_raise(team, self.proposed):
            return answers
        return tuple(answer for answer in answers if not answer.startswith("raise:"))

    def choices(self) -> tuple[str, ...]:
        """Return the actions of the forehand with the three cards it looks at (BT-2.3, BT-2.4, BT-5.1)."""
        if self.elevens:
            return KEEP_ONLY
        if len(self.burned) < self.rules.max_burns:
            return KEEP_OR_BURN if self.passed else KEEP_PASS_OR_BURN
        return KEEP_ONLY if self.passed else KEEP_OR_PASS

    def _actor_actions(self) -> tuple[str, ...]:
        phase = self.phase
        if phase == PLAY:
            actor = self.actor
            return turn_actions(self.hands[actor], self.may_hide, self.turn_calls[actor & 1])
        if phase == CUT:
            return self.rules.pack.cuts
        if phase == CHOOSE:
            return self.choices()
        if phase == ELEVEN:
            answers = self.rules.eleven_answers
            return answers if self.actor == self.eleven_asked else answers[:-1]
        if phase == ANSWER:
            asked = (self.proposer + 1) & self.rules.mask
            answers = self.answers(asked & 1)
            return answers if self.actor == asked else answers[:-1]
        return NOTHING

    # Copies

    def copy_to(self, other: TrucoTable) -> None:
        """Copy this table to ``other``, a table with the same rules. The copy is independent."""
        other.phase = self.phase
        other.actor = self.actor
        other.dealer = self.dealer
        other.hand_number = self.hand_number
        other.score = self.score.copy()
        other.pack = self.pack
        other.top = self.top
        other.end = self.end
        other.hands = self.hands.copy()
        other.passed = self.passed
        other.burned = self.burned.copy()
        other.stake = self.stake
        other.truco_seat = self.truco_seat
        other.truco_trick = self.truco_trick
        other.truco_on_table = self.truco_on_table
        other.proposer = self.proposer
        other.plays = self.plays.copy()
        other.leaders = self.leaders.copy()
        other.winners = self.winners.copy()
        other.signals = self.signals.copy()
        other.calls = self.calls.copy()
        other.vira = self.vira
        other.order = self.order
        other.legal = self.legal
        other.elevens = self.elevens
        other.blind = self.blind
        other.may_hide = self.may_hide
        other.turn_calls = self.turn_calls
        other.may_signal = self.may_signal

    def content(self) -> dict[str, object]:
        """Return the content of the state proper, as :class:`~arena.games.kernel.State` defines it. Cards are
        numbers.
        """
        content: dict[str, object] = {
            "kind": "truco",
            "version": VERSION,
            "rules": self.rules.stored,
            "phase": PHASES[self.phase],
            "actor": self.actor,
            "dealer": self.dealer,
            "hand_number": self.hand_number,
            "score": self.score,
            "pack": list(self.undealt()),
            "hands": self.hands,
            "passed": self.passed,
            "burned": self.burned,
            "stake": self.stake,
            "truco": [self.truco_seat, self.truco_trick, self.truco_on_table],
            "proposer": self.proposer,
            "plays": self.plays,
            "leaders": self.leaders,
            "winners": self.winners,
            "signals": self.signals,
            "calls": self.calls,
        }
        if self.rules.turned:
            content["vira"] = self.vira
        return content

    def load(self, data: dict[str, Any]) -> None:
        """Load data that ``serialise`` wrote. Raises KeyError, TypeError or ValueError if it is damaged."""
        self.phase = PHASES.index(data["phase"])
        self.actor = _number(data["actor"], CHANCE, OVER)
        seats = self.rules.seats
        self.dealer = _number(data["dealer"], NOBODY, seats - 1)
        self.hand_number = _number(data["hand_number"], 1, self.rules.max_hands)
        self.score = _numbers(data["score"], 0, TARGET)
        self.take_pack(bytes(_numbers(data["pack"], 0, CARD_COUNT - 1)))
        self.hands = [_hand(numbers) for numbers in data["hands"]]
        self.passed = data["passed"] is True
        self.burned = [_hand(numbers) for numbers in data["burned"]]
        self.stake = _number(data["stake"], 1, TARGET)
        self.truco_seat, self.truco_trick, self.truco_on_table = _numbers(data["truco"], NOBODY, SEATS - 1)
        self.proposer = _number(data["proposer"], NOBODY, seats - 1)
        self.plays = _numbers(data["plays"], 0, FACE_DOWN + CARD_COUNT - 1)
        self.leaders = _numbers(data["leaders"], 0, seats - 1)
        self.winners = _numbers(data["winners"], TIE, 1)
        self.signals = _numbers(data["signals"], 0, 127)
        self.calls = _numbers(data["calls"], 0, call_number(3 * SEATS, SEATS - 1, 15, 511))
        self.vira = _number(data["vira"], NO_CARD, CARD_COUNT - 1) if self.rules.turned else NO_CARD
        if not CALL_CODES.issuperset([call_of(number).code for number in self.calls]):
            raise ValueError("'calls' contains an action that is not a call")
        if len(self.score) != 2 or len(self.hands) != seats or len(self.leaders) > 3:
            raise ValueError("the number of teams, seats or tricks is wrong")
        self.refresh()


def read_serialised(data: bytes) -> tuple[TrucoRules, dict[str, Any]]:
    """Return the rules and the fields of a serialised game, for ``TrucoTable.load``. Raises CorruptState."""
    try:
        fields = json.loads(data)
        if fields["kind"] != "truco":
            raise ValueError(f"unexpected kind {fields['kind']!r}")
        check_format(fields, VERSION, FIELDS)
        return rules_from(OPTIONS.complete(fields["rules"])), fields
    except InvalidOption as error:
        raise NewerFormat(f"the state uses newer rules of truco: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise corrupt(error) from error


def corrupt(error: Exception) -> CorruptState:
    """Return the error for a serialised state that cannot be read."""
    return CorruptState(
        f"invalid serialised state of truco: {error}",
        expected=f"the output of serialise() of version {VERSION}",
    )


def _number(value: object, low: int, high: int) -> int:
    if isinstance(value, int) and low <= value <= high:
        return value
    raise ValueError(f"{value!r} must be a whole number from {low} to {high}")


def _numbers(values: list[object], low: int, high: int) -> list[int]:
    return [_number(value, low, high) for value in values]


def _hand(values: list[object]) -> tuple[int, ...]:
    cards = _numbers(values, 0, CARD_COUNT - 1)
    if len(cards) > 3 or cards != sorted(set(cards)):
        raise ValueError(f"{cards} is not a valid hand")
    return tuple(cards)
