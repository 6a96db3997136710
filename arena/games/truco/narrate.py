"""The narration of Brazilian Truco: cards in the order in which they were dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.games.cards import pretty
from arena.games.kernel import Event

TITLES: Final = {"4C": "zap", "7H": "escopeta", "AS": "espadilha", "7D": "pica-fumo"}
"""The names of the manilhas (BT-1.3)."""

GESTURES: Final = {
    "wink": "winks",
    "eyebrow": "raises an eyebrow",
    "cheek": "puffs out a cheek",
    "tongue": "shows the tip of the tongue",
    "shoulder": "lifts a shoulder",
    "nose": "wrinkles the nose",
}


class TrucoTeller:
    """Narrates one game of Brazilian Truco. Scores have the team of seat 0 first."""

    def __init__(self, names: Sequence[str], rules: Mapping[str, Any]) -> None:
        self.names = list(names)
        self.teams = [f"{names[team]} and {names[team + 2]}" for team in (0, 1)]
        self.forehand = 0
        self.choosing = False
        """Whether the forehand has cards to keep, pass or burn."""
        self.looked_at: Sequence[str] = ()
        """Those cards, in the order in which they were dealt."""
        self.stake = 1
        self.deciding_at_eleven = False
        self.truco = False
        self.one_more = False
        """Whether a tie under truco waits for one more trick (or for the end of the hand)."""
        self.runner = ""

    def line(self, event: Event) -> list[str]:
        """See :class:`arena.games.descriptor.Narrator`."""
        kind, seat = event[0], event[1]
        who = self.names[seat] if seat >= 0 else ""
        if kind == "hand":
            return self._hand(event)
        if kind == "dealt":
            return self._dealt(seat, event[2], event[3])
        if kind in ("play", "hide"):
            return self._play(kind, who, event[2])
        if kind == "trick":
            return self._trick(who, event[2], event[3])
        if kind in ("accept", "run"):
            return self._answer(kind, who, event[2])
        if kind == "hand_over":
            return self._hand_over(event)
        if kind == "game_over":
            return self._game_over(event[2], event[3], event[4])
        return self._said(event, who)

    def _said(self, event: Event, who: str) -> list[str]:
        kind, seat = event[0], event[1]
        partner = self.names[(seat + 2) % 4]
        if kind == "dealer":
            return [f"The lot makes {who} the first dealer."]
        if kind == "cut":
            if not event[2]:
                return [f"{who} does not cut."]
            return [f"{who} cuts {_count(event[2], 'card')} and asks for the {event[3]} of the pack."]
        if kind == "kept":
            self.choosing = False
            return [f"{who} keeps them."]
        if kind == "passed":
            return [f"{who} passes them to {partner}."]
        if kind == "burned":
            return [f"{who} burns them: {_cards(self.looked_at)}."]
        if kind == "shown":
            self.deciding_at_eleven = True
            return [f"{who} shows {partner} {_cards(event[2])}."]
        if kind == "truco":
            self.truco = True
            return [f"{who} calls truco!"]
        if kind == "raise":
            return [f"{who} raises to {event[2]}!"]
        if kind == "defer":
            return [f"{who} leaves it to {partner}."]
        if kind == "signal":
            return [f"{who} {GESTURES[event[2]]}."]
        raise ValueError(f"no event of truco: {event!r}")

    def _hand(self, event: Event) -> list[str]:
        _, dealer, number, *points = event
        self.forehand = (dealer + 1) % 4
        self.choosing = True
        self.truco = self.one_more = self.deciding_at_eleven = False
        self.stake = 1
        lines = [
            "",
            f"Hand {number}, dealt by {self.names[dealer]}: {_count(points[0], 'point')} for "
            f"{self.teams[0]}, {points[1]} for {self.teams[1]}.",
        ]
        if points == [11, 11]:
            lines.append("Both have 11: nobody looks at the cards, and the top ones are played.")
        elif 11 in points:
            self.stake = 3
            lines.append(f"{self.teams[points.index(11)]} have 11: the hand is worth 3, without truco.")
        return lines

    def _dealt(self, seat: int, cards: Sequence[str], blind: bool) -> list[str]:
        if blind:
            return [f"{self.names[seat]} gets three cards that nobody looks at."]
        verb = "gets"
        if self.choosing and seat == self.forehand:
            self.looked_at = cards
            verb = "looks at"
        return [f"{self.names[seat]} {verb} {_cards(cards)}."]

    def _play(self, kind: str, who: str, card: str) -> list[str]:
        lines = []
        if self.one_more:
            lines.append(f"One more trick, for all {self.stake} points.")
            self.one_more = False
        if kind == "hide":
            return [*lines, f"{who} plays a card face down ({pretty(card)})."]
        title = f", the {TITLES[card]}" if card in TITLES else ""
        return [*lines, f"{who} plays {pretty(card)}{title}."]

    def _trick(self, leader: str, number: int, winner: int) -> list[str]:
        if winner >= 0:
            return [f"{leader} takes trick {number}."]
        self.one_more = self.truco
        return [f"Trick {number} is tied."]

    def _answer(self, kind: str, who: str, value: int) -> list[str]:
        if kind == "run":
            self.runner = who
            return []
        self.stake = value
        if self.deciding_at_eleven:
            self.deciding_at_eleven = False
            return [f"{who} decides to play."]
        return [f"{who} accepts: the trick is for {value} points."]

    def _hand_over(self, event: Event) -> list[str]:
        _, _, team, points, ours, theirs, why = event
        if team < 0:
            return [f"Nobody wins the hand: {ours}-{theirs}."]
        gain = f"{_count(points, 'point')} for {self.teams[team]}: {ours}-{theirs}."
        if why == "run":
            return [f"{self.runner} runs; {gain}"]
        if why == "tied_before_call":
            return [f"A tied card was there before the call, so {self.teams[1 - team]} lose; {gain}"]
        return [f"{self.teams[team]} win the hand and {_count(points, 'point')}: {ours}-{theirs}."]

    def _game_over(self, team: int, ours: int, theirs: int) -> list[str]:
        if team < 0:
            return ["", f"The game is a draw, {ours}-{theirs}."]
        return ["", f"{self.teams[team]} win the game {ours}-{theirs}."]


def _cards(cards: Sequence[str]) -> str:
    return " ".join(pretty(card) for card in cards)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
