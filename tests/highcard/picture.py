"""The table of high card as replay pages draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.games.pictures import Picture
from tests.highcard.rules import CARDS, PACK


class HighCardPicture(Picture):
    """Scores are tricks won."""

    unit = ("trick", "tricks")

    def __init__(self, names: Sequence[str], rules: Mapping[str, Any]) -> None:
        super().__init__(names, PACK)
        self.rules = rules
        self.points = [0] * len(names)

    @property
    def most(self) -> int:
        hands: int = self.rules["hands"]
        return CARDS * hands

    def take(self, event: Mapping[str, Any]) -> None:
        kind = event["type"]
        if kind == "hand":
            self._clear_hand(event["number"], None)
        elif kind == "dealt":
            self._give(event["seat"], event["cards"], CARDS)
        elif kind == "play":
            self._put(event["seat"], event["card"])
        elif kind == "trick":
            self.points[event["seat"]] += 1
            self._end_trick(event["seat"], f"{self.names[event['seat']]} took trick {self.trick}")
            if self.trick == CARDS:
                self.ended = {"text": "", "score": " ".join(map(str, self.points))}

    def ladder(self) -> list[int]:
        return [1]

    def score(self) -> list[int]:
        return list(self.points)

    def told_score(self, scores: Sequence[int], seat: int) -> str:
        return f"with {scores[seat]} tricks"

    def notes(self) -> list[dict[str, Any]]:
        return []
