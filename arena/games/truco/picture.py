"""The picture of the table of Brazilian Truco that replay pages draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.cards import RANK_NAMES
from arena.games.options import Rules
from arena.games.pictures import ANSWER, CALL, Note, Picture, Turned
from arena.games.truco.cards import CARD_NUMBER, FIXED, TARGET
from arena.games.truco.narrate import GESTURES, sides, titles
from arena.games.truco.options import rules_from
from arena.games.truco.seen import TrucoNews

TRUCO_CALL: Final = "Truco!"
RAISE_CALLS: Final = {4: "Quatro!", 6: "Seis!", 8: "Oito!", 9: "Nove!", 10: "Dez!", 12: "Doze!"}


class TrucoPicture(Picture):
    """The picture of Brazilian Truco; see :class:`~arena.games.pictures.Picture`. Scores are points, with the
    team of seat 0 first.
    """

    unit = ("point", "points")
    counter_clockwise = True
    target = TARGET
    most_tricks = 3
    moves = frozenset(("play", "hide"))
    calls = frozenset(("truco", "raise"))
    steps = moves | calls | {"dealer", "hand", "cut", "kept", "passed", "burned", "shown"}
    steps |= {"accept", "run", "defer", "signal"}

    def __init__(self, names: Sequence[str], rules: Rules) -> None:
        self.rules = rules_from(rules)
        super().__init__(names, self.rules.pack.cards)
        if not self.rules.turned:
            self.titles = titles(FIXED)
        self.vira = ""
        self.points = [0, 0]
        self.burned: list[str] = []
        self.passed: Sequence[str] = ()
        self.choosing = False
        """Whether the forehand has cards to keep, pass or burn."""
        self.deciding_at_eleven = False

    def take(self, event: TrucoNews) -> None:
        """See :class:`~arena.games.pictures.Picture`."""
        kind = event["type"]
        if kind == "hand":
            self._hand(event)
        elif kind == "hand_over":
            self._hand_over(event)
        elif kind == "trick":
            self._trick(event)
        elif kind == "vira":
            self.vira = event["card"] or ""
        elif kind == "dealer":
            self.dealer = event["seat"]
        elif kind in ("play", "hide"):
            self._put(event["seat"], event["card"] or "", "down" if kind == "hide" else "")
        elif kind in ("dealt", "passed", "burned", "shown"):
            self._cards(kind, event)
        elif kind != "game_over":
            self._said(kind, event["seat"], event)

    def ladder(self) -> list[int]:
        """Return the stakes to display (BT-4.4, TV-6.1)."""
        return list(self.rules.step_of)

    def score(self) -> list[int]:
        """Return the points of each team."""
        return list(self.points)

    def order(self) -> list[str]:
        """Return the ranks from the strongest, without that of turned manilhas (BT-1.4, TV-3.4)."""
        turned = self.turned()
        if turned is None and self.rules.turned:
            return []
        named = () if turned is None else {card[0] for card in turned["titles"]}
        return [rank for rank in reversed(self.rules.pack.ranks) if rank not in named]

    def turned(self) -> Turned | None:
        """Return the vira and its manilhas (TV-3.3, TV-4.4)."""
        if not self.vira:
            return None
        names = titles(self.rules.order(CARD_NUMBER[self.vira]))
        rank = RANK_NAMES[next(iter(names))[0]]
        text = f"manilhas are the {rank}{'es' if rank == 'six' else 's'}"
        return {"label": "Manilhas", "card": self.vira, "text": text, "titles": names}

    def told_score(self, scores: Sequence[int], seat: int) -> str:
        """Return the points of the seat's team, then those of the other team."""
        return f"{scores[seat]} to {scores[1 - seat % 2]}"

    def notes(self) -> list[Note]:
        """Return notes for the hand passed to the partner and the burned hands (BT-2.3)."""
        notes: list[Note] = []
        if self.passed:
            notes.append({"label": "Passed to the partner", "cards": list(self.passed), "text": ""})
        if self.burned:
            notes.append({"label": "Burned", "cards": list(self.burned), "text": ""})
        return notes

    def _hand(self, event: TrucoNews) -> None:
        self._clear_hand(event["number"], event["dealer"])
        self.points = list(event["score"])
        self.burned = []
        self.passed = ()
        self.vira = ""
        self.choosing = self.rules.exchange
        self.deciding_at_eleven = False
        # BT-5.1, TV-7.2
        alone = self.points.count(self.rules.threshold) == 1
        self.stake = self.rules.threshold_stake if alone else self.rules.low
        self.question = "Cut?" if self.rules.cut else ""

    def _cards(self, kind: str, event: TrucoNews) -> None:
        seat = event["seat"]
        cards = event["cards"]
        if kind == "dealt":
            self._give(seat, cards, event["count"])
            both_at_eleven = self.points == [self.rules.threshold] * 2
            self.question = "Keep?" if self.choosing and not both_at_eleven else ""
        elif kind == "shown":
            if cards:
                self._give(seat, cards, 0)
            self.deciding_at_eleven = True
            self.question = f"Play for {self.stake}?"
        else:
            self._say(seat, ANSWER, "Pass" if kind == "passed" else "Burn")
            if kind == "passed":
                self._give((seat + 2) % self.rules.seats, cards, 3)
                self.passed = list(self.cards[(seat + 2) % self.rules.seats])
            else:
                self.burned += cards or []
            self.cards[seat] = []

    def _said(self, kind: str, seat: int, event: TrucoNews) -> None:
        if kind in ("truco", "raise"):
            value = event["value"]
            if kind == "raise":
                self.stake = self.asked or self.stake
            self.asked = value
            self._say(seat, CALL, TRUCO_CALL if kind == "truco" else RAISE_CALLS[value], value)
            self.question = f"Accept {value}?"
        elif kind == "accept":
            self.stake = event["value"]
            self.asked = None
            self.question = ""
            self._say(seat, ANSWER, "Play" if self.deciding_at_eleven else "Accept", event["value"])
            self.deciding_at_eleven = False
        elif kind == "run":
            self._say(seat, ANSWER, "Run", event["points"])
        elif kind == "defer":
            self._say(seat, ANSWER, "Ask partner")
        elif kind == "kept":
            self.choosing = False
            self.question = ""
            self._say(seat, ANSWER, "Keep")
        elif kind == "cut":
            self.question = ""
            self._say(seat, ANSWER, "Cut" if event["lifted"] else "No cut", event["lifted"] or None)
        elif kind == "signal":
            self._say(seat, ANSWER, GESTURES[event["gesture"]])

    def _trick(self, event: TrucoNews) -> None:
        winner, leader, number = event["winner"], event["leader"], event["number"]
        if winner is None:
            self._end_trick(None, f"Trick {number} is tied")
        else:
            self._end_trick(leader, f"{self.names[leader]} took trick {number}")

    def _hand_over(self, event: TrucoNews) -> None:
        team, points = event["winner"], event["points"]
        self.points = list(event["score"])
        self.asked = None
        self.question = ""
        self.gains = [points if side == team else 0 for side in (0, 1)]
        score = f"{self.points[0]}–{self.points[1]}"
        if team is None:
            self.ended = {"text": "nobody wins", "score": score}
            return
        self.ended = {
            "text": f"{sides(self.names, self.you)[team]}, {points} {self.unit[points != 1]}",
            "score": score,
        }
