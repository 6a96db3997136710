"""Pictures, which describe the table after each move as one viewer sees it. This module contains the part
that all games share.

A picture is built only from the events that one viewer sees (``GameRules.view_event``), so it cannot reveal
cards that are hidden from this viewer. Each game has a subclass in its ``picture.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, TypedDict

UNSEEN: Final = ""
"""A card that is hidden from the viewer."""

OUT: Final = "out"
"""The state of a seat that is out of the game."""

CALL: Final = "call"
ANSWER: Final = "answer"


class Note(TypedDict):
    """A note displayed beside the table."""

    label: str
    cards: list[str]
    text: str


class Turned(TypedDict):
    """A card that was turned up, what it means in words, and the names of the cards that it makes the
    strongest, strongest first.
    """

    label: str
    card: str
    text: str
    titles: dict[str, str]


class Picture(ABC):
    """The table of one game in progress, for one viewer.

    :meth:`shown` returns the table as a flat JSON object that replay pages draw::

        hand      int, the number of the hand in progress, from 1; 0 before the first hand
        trick     int, the number of the current or just finished trick, from 1; 0 before the first trick
        tricks    [seat or null], whose card took each finished trick of the hand; null if it is tied
        taken     str, a sentence about who took the last finished trick, or ""
        turned    null, or {"label": str, "card": card, "text": str, "titles": {card: name}}, the card that
                  was turned up (see :class:`Turned`)
        order     [rank], the ranks from the strongest, without cards that have names; [] if not known yet
        dealer    seat or null
        awaiting  [seat], the seats that must decide, excluding chance
        question  str, a short question for the awaited seat; "" if it must play a card
        stake     int, the value of the hand
        asked     int or null, the stake that was called and is not accepted yet
        ladder    [int], the stakes to display, in order
        score     [int], per side if there are partners, otherwise per seat
        lying     [[seat, card, how], ...] the trick in the order of play; how: "" or "down" (face down)
        winner    the seat whose card took the displayed trick, or null
        notes     [{"label": str, "cards": [card], "text": str}, ...] the notes beside the table
        ended     null, or {"text": str, "score": str} in the last picture of a hand
        cards<n>  [card], the hand of seat n
        said<n>   null, or [kind, text, value or null, past] with kind "call" or "answer"; past: another seat
                  has spoken since
        state<n>  "", "folded" (out of this hand) or "out" (of the game)
        note<n>   str, a remark displayed beside the name

    Cards are written ``4C`` or ``TD``, or ``UNSEEN`` if they are hidden from the viewer.
    """

    unit: ClassVar[tuple[str, str]]
    """The unit of the stake, in singular and plural."""
    counter_clockwise: ClassVar[bool] = False
    """Whether the next seat is to the right."""
    target: ClassVar[int | None] = None
    """The score that wins, or None if scores are lives to be lost."""
    moves: ClassVar[frozenset[str]] = frozenset(("play",))
    """The types of events that count as separate moves, even if another action caused them."""
    calls: ClassVar[frozenset[str]] = frozenset()
    """The types of events that raise the stake."""
    steps: ClassVar[frozenset[str]] = frozenset()
    """The types of events that a table in progress shows one by one, each with what follows from it. The
    first event of every action is of such a type.
    """
    titles: Mapping[str, str] = {}
    """The names of the cards that are the strongest in every hand, strongest first."""
    most_tricks: ClassVar[int] = 0
    """The maximum number of tricks in a hand, for drawing places for their marks."""

    def __init__(self, names: Sequence[str], pack: Sequence[str]) -> None:
        size = len(names)
        self.names = list(names)
        self.you: int | None = None
        """The seat of the viewer, whose name is ``You``, or None."""
        self.pack = tuple(pack)
        self._place = {card: place for place, card in enumerate((*pack, UNSEEN))}
        self.hand = 0
        self.dealer: int | None = None
        self.stake = 1
        self.asked: int | None = None
        self.question = ""
        self.ended: dict[str, str] | None = None
        self.gains: list[int] = []
        """What the hand was worth to each side, or to each seat if there are no partners, as soon as it has
        ended. Lives that are lost count negatively. Scores can change by less, because they have limits.
        """
        self.cards: list[list[str]] = [[] for _ in range(size)]
        self.said: list[tuple[str, str, int | None, bool] | None] = [None] * size
        self.states = [""] * size
        self.remarks = [""] * size
        self._clear_tricks()

    @abstractmethod
    def take(self, event: Any) -> None:
        """Update the table with an event that ``view_event`` returned for this viewer."""

    @abstractmethod
    def ladder(self) -> list[int]:
        """Return the stakes to display."""

    @abstractmethod
    def score(self) -> list[int]:
        """Return the score per side, or per seat if there are no partners."""

    @abstractmethod
    def notes(self) -> list[Note]:
        """Return the notes to display beside the table."""

    @abstractmethod
    def told_score(self, scores: Sequence[int], seat: int) -> str:
        """Return the scores of an outcome as text for ``seat``, to follow “won” or “lost”. The text is empty
        if the scores add nothing.
        """

    def order(self) -> Sequence[str]:
        """Return the ranks from the strongest, without cards that have names. Empty if they are not known."""
        return ()

    def turned(self) -> Turned | None:
        """Return the card that was turned up in this hand."""
        return None

    @property
    def most(self) -> int:
        """The highest possible score, for drawing tallies."""
        return self.target or 0

    def shown(self, awaiting: Sequence[int]) -> dict[str, Any]:
        """Return the current picture in the format documented for the class. ``awaiting`` is the result of
        the state's ``awaiting``.
        """
        seats = [seat for seat in awaiting if seat >= 0]
        shown: dict[str, Any] = {
            "hand": self.hand,
            "trick": self.trick,
            "tricks": list(self.tricks),
            "taken": self.taken,
            "turned": self.turned(),
            "order": list(self.order()),
            "dealer": self.dealer,
            "awaiting": seats,
            "question": self.question if seats else "",
            "stake": self.stake,
            "asked": self.asked,
            "ladder": self.ladder(),
            "score": self.score(),
            "lying": [list(card) for card in self.lying],
            "winner": self.winner,
            "notes": self.notes(),
            "ended": self.ended,
        }
        for seat in range(len(self.names)):
            said = self.said[seat]
            shown[f"cards{seat}"] = list(self.cards[seat])
            shown[f"said{seat}"] = None if said is None else list(said)
            shown[f"state{seat}"] = self.states[seat]
            shown[f"note{seat}"] = self.remarks[seat]
        return shown

    # Helpers shared by the games

    def _clear_tricks(self) -> None:
        self.trick = 0
        self.tricks: list[int | None] = []
        self.taken = ""
        self.winner: int | None = None
        self.lying: list[tuple[int, str, str]] = []
        self._trick_over = True

    def _clear_hand(self, number: int, dealer: int | None) -> None:
        self.hand = number
        self.dealer = dealer
        self.stake = 1
        self.asked = None
        self.question = ""
        self.ended = None
        self.gains = []
        self.cards = [[] for _ in self.names]
        self.said = [None] * len(self.names)
        self._clear_tricks()

    def _give(self, seat: int, cards: Sequence[str] | None, count: int) -> None:
        """Set the hand of ``seat``, in the order of the pack. If ``cards`` is None or empty, the hand
        consists of ``count`` unseen cards.
        """
        self.cards[seat] = sorted(cards or [UNSEEN] * count, key=self._place.__getitem__)

    def _put(self, seat: int, card: str, how: str = "") -> None:
        """Add a card to the trick. If the previous trick is over, clear it first."""
        if self._trick_over:
            self.lying = []
            self.winner = None
            self.trick += 1
            self._trick_over = False
        hand = self.cards[seat]
        if card in hand:
            hand.remove(card)
        elif UNSEEN in hand:
            hand.remove(UNSEEN)
        else:
            # A card from a hand that the viewer knew was played face down; it can be any of them.
            self.cards[seat] = [UNSEEN] * (len(hand) - 1)
        self.lying.append((seat, card, how))
        self.said = [None] * len(self.names)
        self.asked = None

    def _whom(self, seat: int) -> str:
        """Return the name of a seat for use within a sentence."""
        return "you" if seat == self.you else self.names[seat]

    def _end_trick(self, winner: int | None, taken: str) -> None:
        self._trick_over = True
        self.tricks.append(winner)
        self.winner = winner
        self.taken = taken

    def _say(self, seat: int, kind: str, text: str, value: int | None = None) -> None:
        """Set the speech bubble of ``seat``, and mark those of the other seats as past."""
        self._silence()
        self.said[seat] = (kind, text, value, False)

    def _silence(self) -> None:
        """Mark everything that has been said as past."""
        self.said = [None if said is None else (*said[:3], True) for said in self.said]
