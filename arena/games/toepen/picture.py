"""The picture of the Toepen table that replay pages draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.options import Rules
from arena.games.pictures import ANSWER, CALL, OUT, Note, Picture
from arena.games.toepen.cards import PACK, RANKS, rules_from
from arena.games.toepen.seen import ToepenNews

_ANNOUNCED: Final = {"none": "Keep", "whistle": "Whistle", "stand": "Stand up"}
_LAST_NOTES: Final = 2
"""The number of hands laid away that are displayed."""


class ToepenPicture(Picture):
    """The picture of Toepen; see :class:`~arena.games.pictures.Picture`. Scores are the lives of
    each seat.
    """

    unit = ("life", "lives")
    most_tricks = 4
    calls = frozenset(("knock",))
    steps = Picture.moves | calls | {"dealer", "hand", "exchange", "trust", "challenge", "keep"}
    steps |= {"poverty", "stay", "fold"}

    def __init__(self, names: Sequence[str], rules: Rules) -> None:
        super().__init__(names, PACK)
        self.rules = rules_from(rules)
        self.lives: list[int] = [self.rules.lives] * len(names)
        self.lost = [0] * len(names)
        self.drinks = [0] * len(names)
        self.stakes = [1]
        self.kept: set[int] = set()
        self.to_answer: set[int] = set()
        self.stock = 0
        self.laid: list[Note] = []
        """The hands laid away in this hand, as notes."""

    @property
    def most(self) -> int:
        """The number of lives at the start (TP-1.3)."""
        return self.rules.lives

    def take(self, event: ToepenNews) -> None:
        """See :class:`~arena.games.pictures.Picture`."""
        kind, seat = event["type"], event["seat"]
        if kind == "result":
            self._result(event)
            return
        assert seat is not None
        if kind == "hand":
            self._hand(event, seat)
        elif kind == "dealer":
            self.dealer = seat
        elif kind in ("dealt", "new_cards"):
            self._give(seat, event["cards"], event["count"])
            self.stock -= event["count"]
            self._ask_exchange()
        elif kind in ("exchange", "trust", "challenge", "keep"):
            self._exchange(kind, seat, event)
        elif kind in ("poverty", "knock", "stay", "fold"):
            self._stake(kind, seat, event)
        elif kind == "play":
            self._put(seat, event["card"])
        elif kind == "trick":
            self._end_trick(seat, f"{self.names[seat]} took trick {event['trick']}")
        elif kind == "out":
            self.states[seat] = OUT
            self._remark(seat)
        elif kind == "drinks":
            self.drinks[seat] = event["drinks"]
            self._remark(seat)

    def ladder(self) -> list[int]:
        """Return the stakes reached so far in this hand."""
        return list(self.stakes)

    def score(self) -> list[int]:
        """Return the lives of each seat."""
        return list(self.lives)

    def order(self) -> list[str]:
        """Return the ranks from the strongest (TP-1.2)."""
        return list(reversed(RANKS))

    def told_score(self, scores: Sequence[int], seat: int) -> str:
        """Return the remaining lives (TP-7.1), or the number of rounds of drinks bought (TP-7.2)."""
        score = scores[seat]
        if self.rules.rubber:
            return (
                f"with {-score} round{'s' * (score != -1)} of drinks bought"
                if score
                else "without buying a drink"
            )
        return f"with {score} {self.unit[score != 1]} left" if score > 0 else ""

    def notes(self) -> list[Note]:
        """Return notes for the last hands that were laid away (TP-2.2) and for the stock."""
        notes = self.laid[-_LAST_NOTES:]
        more = len(self.laid) - len(notes)
        if more:
            notes = [{"label": f"{more} more laid away", "cards": [], "text": ""}, *notes]
        if self.hand:
            cards = "1 card" if self.stock == 1 else f"{self.stock} cards"
            notes = [*notes, {"label": "", "cards": [], "text": f"Stock: {cards}"}]
        return [{**note} for note in notes]

    def _in_hand(self) -> set[int]:
        return {seat for seat, state in enumerate(self.states) if not state}

    def _hand(self, event: ToepenNews, dealer: int) -> None:
        self._clear_hand(event["hand"], dealer)
        self.stake = event["value"]
        self.stakes = [self.stake]
        self.lives = list(event["lives"])
        self.lost = [0] * len(self.names)
        self.kept, self.to_answer = set(), set()
        self.laid = []
        self.stock = len(PACK)
        for seat, lives in enumerate(self.lives):
            self.states[seat] = "" if lives else OUT
            self._remark(seat)

    def _remark(self, seat: int) -> None:
        lost = f"−{self.lost[seat]}" if self.lost[seat] and self.states[seat] != OUT else ""
        drinks = self.drinks[seat]
        bought = f"{drinks} drink{'s' * (drinks > 1)}" if drinks else ""
        self.remarks[seat] = ", ".join(part for part in (self.states[seat], lost, bought) if part)

    def _ask_exchange(self) -> None:
        self.question = "Exchange?" if self._in_hand() - self.kept else ""

    def _exchange(self, kind: str, seat: int, event: ToepenNews) -> None:
        if kind == "exchange":
            self._say(seat, ANSWER, "Exchange")
            self.laid.append(
                {"label": f"Laid away by {self._whom(seat)}", "cards": event["cards"] or [""] * 4, "text": ""}
            )
            self.cards[seat] = []
            self.question = "Trust?"
        elif kind == "trust":
            self._say(seat, ANSWER, "Trust")
        elif kind == "challenge":
            self._say(seat, ANSWER, "Challenge")
            loser = event["loser"]
            self._lose(loser, 1)
            what = "a bluff" if loser == event["exchanger"] else "dirty laundry"
            self.laid[-1]["cards"] = event["cards"] or []
            self.laid[-1]["text"] = f"{self.names[seat]} looked: {what}, {self.names[loser]} −1"
            self._ask_exchange()
        else:
            self.kept.add(seat)
            self._say(seat, ANSWER, _ANNOUNCED[event["announcement"]])
            self._ask_exchange()

    def _stake(self, kind: str, seat: int, event: ToepenNews) -> None:
        if kind in ("poverty", "knock"):
            self.stake = event["value"]
            self.stakes.append(self.stake)
            self.to_answer = self._in_hand() - {seat}
            if kind == "poverty":
                self.to_answer -= set(event["pelt"])
                self._silence()
            else:
                self._say(seat, CALL, "Toep!", self.stake)
        else:
            self.to_answer.discard(seat)
            if kind == "stay":
                self._say(seat, ANSWER, "Stay", event["value"])
            else:
                self._say(seat, ANSWER, "Fold")
                self.states[seat] = "folded"
                self._lose(seat, event["lives"])
        self.question = "Stay or fold?" if self.to_answer else ""

    def _lose(self, seat: int, lives: int) -> None:
        self.lives[seat] -= lives
        self.lost[seat] += lives
        self._remark(seat)

    def _result(self, event: ToepenNews) -> None:
        winner = event["seat"]
        self.lives = list(event["lives"])
        self.lost = list(event["lost"])
        self.gains = [-lives for lives in self.lost]
        self.question = ""
        self.to_answer = set()
        for seat in range(len(self.names)):
            self._remark(seat)
        text = "nobody wins" if winner is None else f"won by {self._whom(winner)}"
        self.ended = {"text": text, "score": " ".join(map(str, self.lives))}
