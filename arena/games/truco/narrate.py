"""The narrator of Brazilian Truco. It lists cards in the order in which they were dealt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.cards import pretty
from arena.games.kernel import Event
from arena.games.options import Rules
from arena.games.truco.cards import CARD_NUMBER, FIXED, Order
from arena.games.truco.options import rules_from

TITLES: Final = ("zap", "escopeta", "espadilha", "pica-fumo")
"""The names of the manilhas, strongest first (BT-1.3)."""

GESTURES: Final = {
    "wink": "winks",
    "eyebrow": "raises an eyebrow",
    "cheek": "puffs out a cheek",
    "tongue": "shows the tip of the tongue",
    "shoulder": "lifts a shoulder",
    "nose": "wrinkles the nose",
}


def titles(order: Order) -> dict[str, str]:
    """Return the names of the manilhas by card."""
    return dict(zip(order.manilhas, TITLES, strict=True))


def sides(names: Sequence[str]) -> list[str]:
    """Return the two sides, named after their players. The side of seat 0 comes first."""
    return [" and ".join(names[side::2]) for side in (0, 1)]


class TrucoTeller:
    """Narrates one game of Brazilian Truco. Scores list the team of seat 0 first."""

    def __init__(self, names: Sequence[str], rules: Rules) -> None:
        self.names = list(names)
        self.rules = rules_from(rules)
        self.teams = sides(names)
        self.s = "s" if self.rules.seats == 2 else ""
        """The ending of a verb whose subject is a side."""
        self.titles = titles(FIXED)
        self.forehand = 0
        self.choosing = False
        """Whether the forehand has cards to keep, pass or burn."""
        self.looked_at: Sequence[str] = ()
        """The cards that the forehand looked at, in the order in which they were dealt."""
        self.stake = self.rules.low
        self.deciding_at_eleven = False
        self.truco = False
        self.one_more = False
        """Whether a tie under truco will be decided by one more trick, or by the end of the hand."""
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
        partner = self.names[(seat + 2) % self.rules.seats]
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
        if kind == "vira":
            return [self._vira(event[2])]
        if kind == "truco":
            self.truco = not self.rules.whole_hand
            return [f"{who} calls truco!"]
        if kind == "raise":
            return [f"{who} raises to {event[2]}!"]
        if kind == "defer":
            return [f"{who} leaves it to {partner}."]
        if kind == "signal":
            return [f"{who} {GESTURES[event[2]]}."]
        raise ValueError(f"not a Truco event: {event!r}")

    def _hand(self, event: Event) -> list[str]:
        _, dealer, number, *points = event
        self.forehand = (dealer + 1) % self.rules.seats
        self.choosing = self.rules.exchange
        self.truco = self.one_more = self.deciding_at_eleven = False
        self.stake = self.rules.low
        lines = [
            "",
            f"Hand {number}, dealt by {self.names[dealer]}: {_count(points[0], 'point')} for "
            f"{self.teams[0]}, {points[1]} for {self.teams[1]}.",
        ]
        most = self.rules.threshold
        if points == [most, most]:
            how = (
                "nobody looks at the cards, and the top ones are played"
                if self.rules.blind
                else "nobody may call truco"
            )
            lines.append(f"Both have {most}: {how}.")
        elif most in points:
            self.stake = self.rules.threshold_stake
            has = "has" if self.s else "have"
            side = self.teams[points.index(most)]
            lines.append(f"{side} {has} {most}: the hand is worth {self.stake}, without truco.")
        return lines

    def _vira(self, card: str) -> str:
        order = self.rules.order(CARD_NUMBER[card])
        self.titles = titles(order)
        return f"{pretty(card)} is turned: the manilhas are {_cards(order.manilhas)}."

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
        title = f", the {self.titles[card]}" if card in self.titles else ""
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
        what = "hand" if self.rules.whole_hand else "trick"
        return [f"{who} accepts: the {what} is for {value} points."]

    def _hand_over(self, event: Event) -> list[str]:
        _, _, team, points, ours, theirs, why = event
        if team < 0:
            return [f"Nobody wins the hand: {ours}-{theirs}."]
        gain = f"{_count(points, 'point')} for {self.teams[team]}: {ours}-{theirs}."
        if why == "run":
            return [f"{self.runner} runs; {gain}"]
        if why == "tied_before_call":
            return [f"A tied card was there before the call, so {self.teams[1 - team]} lose{self.s}; {gain}"]
        return [f"{self.teams[team]} win{self.s} the hand and {_count(points, 'point')}: {ours}-{theirs}."]

    def _game_over(self, team: int, ours: int, theirs: int) -> list[str]:
        if team < 0:
            return ["", f"The game is a draw, {ours}-{theirs}."]
        return ["", f"{self.teams[team]} win{self.s} the game {ours}-{theirs}."]


def _cards(cards: Sequence[str]) -> str:
    return " ".join(pretty(card) for card in cards)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
