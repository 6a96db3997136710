"""The narrator of Brazilian Truco. It lists cards in the order in which they were dealt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.cards import pretty
from arena.games.narration import Teller
from arena.games.options import Rules
from arena.games.texts import counted
from arena.games.truco.cards import CARD_NUMBER, FIXED, Order
from arena.games.truco.options import rules_from
from arena.games.truco.seen import TrucoNews
from arena.games.truco.view import view_event

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


def sides(names: Sequence[str], you: int | None = None) -> list[str]:
    """Return the two sides, named after their players. The side of seat 0 comes first, and within a side the
    seat ``you``.
    """
    return [
        " and ".join(names[seat] for seat in sorted(range(side, len(names), 2), key=lambda seat: seat != you))
        for side in (0, 1)
    ]


class TrucoTeller(Teller):
    """Narrates one game of Brazilian Truco. Scores list the team of seat 0 first."""

    view = staticmethod(view_event)

    def __init__(self, names: Sequence[str], rules: Rules, you: int | None = None) -> None:
        super().__init__(names, you)
        self.rules = rules_from(rules)
        self.teams = [range(side, self.rules.seats, 2) for side in (0, 1)]
        self.titles = titles(FIXED)
        self.forehand = 0
        self.choosing = False
        """Whether the forehand has cards to keep, pass or burn."""
        self.blind = False
        """Whether nobody looks at the cards."""
        self.looked_at: Sequence[str] | None = None
        """The cards that the forehand looked at, in the order in which they were dealt, if they are known."""
        self.stake = self.rules.low
        self.deciding_at_eleven = False
        self.truco = False
        self.one_more = False
        """Whether a tie under truco will be decided by one more trick, or by the end of the hand."""
        self.runner = 0

    def seen_lines(self, seen: TrucoNews) -> list[str]:
        """See :class:`arena.games.descriptor.Narrator`."""
        kind = seen["type"]
        if kind == "hand":
            return self._hand(seen)
        if kind == "hand_over":
            return self._hand_over(seen)
        if kind == "game_over":
            return self._game_over(seen["winner"], *seen["score"])
        if kind == "vira":
            return [self._vira(seen["card"] or "")]
        if kind == "trick":
            return self._trick(seen)
        if kind == "dealt":
            return self._dealt(seen["seat"], seen["cards"])
        if kind in ("play", "hide"):
            return self._play(kind, seen["seat"], seen["card"])
        if kind in ("accept", "run"):
            return self._answer(kind, seen)
        return [self._said(kind, seen["seat"], seen)]

    def _said(self, kind: str, seat: int, seen: TrucoNews) -> str:
        if kind == "dealer":
            return f"The lot makes {self.whom(seat)} the first dealer."
        if kind == "cut":
            if not seen["lifted"]:
                return self.does(seat, "does not cut.")
            asks = "ask" if seat == self.you else "asks"
            cuts = self.does(seat, f"cuts {counted(seen['lifted'], 'card')}")
            return f"{cuts} and {asks} for the {seen['from']} of the pack."
        if kind == "kept":
            self.choosing = False
            return self.does(seat, "keeps them.")
        if kind in ("passed", "burned", "shown"):
            return self._hand_given(kind, seat, seen["cards"])
        if kind == "truco":
            self.truco = not self.rules.whole_hand
            return self.does(seat, "calls truco!")
        if kind == "raise":
            return self.does(seat, f"raises to {seen['value']}!")
        if kind == "defer":
            return self.does(seat, f"leaves it to {self._partner(seat)}.")
        if kind == "signal":
            return self.does(seat, f"{GESTURES[seen['gesture']]}.")
        raise ValueError(f"not a Truco event: {seen!r}")

    def _partner(self, seat: int) -> str:
        return self.whom((seat + 2) % self.rules.seats)

    def _hand(self, seen: TrucoNews) -> list[str]:
        dealer, points, most = seen["dealer"], seen["score"], self.rules.threshold
        self.forehand = (dealer + 1) % self.rules.seats
        self.choosing = self.rules.exchange
        self.truco = self.one_more = self.deciding_at_eleven = False
        self.stake = self.rules.low
        self.blind = points == [most, most] and self.rules.blind
        lines = [
            "",
            f"Hand {seen['number']}, dealt by {self.whom(dealer)}: {counted(points[0], 'point')} for "
            f"{self.listed(self.teams[0])}, {points[1]} for {self.listed(self.teams[1])}.",
        ]
        if points == [most, most]:
            how = (
                "nobody looks at the cards, and the top ones are played"
                if self.rules.blind
                else "nobody may call truco"
            )
            lines.append(f"Both have {most}: {how}.")
        elif most in points:
            self.stake = self.rules.threshold_stake
            side = self.they(self.teams[points.index(most)], f"has {most}")
            lines.append(f"{side}: the hand is worth {self.stake}, without truco.")
        return lines

    def _vira(self, card: str) -> str:
        order = self.rules.order(CARD_NUMBER[card])
        self.titles = titles(order)
        return f"{pretty(card)} is turned: the manilhas are {_cards(order.manilhas)}."

    def _dealt(self, seat: int, cards: Sequence[str] | None) -> list[str]:
        if self.blind:
            return [self.does(seat, "gets three cards that nobody looks at.")]
        if self.choosing and seat == self.forehand:
            self.looked_at = cards
            return [self.does(seat, f"looks at {_cards(cards) if cards else 'three cards'}.")]
        return [self.does(seat, f"gets {_cards(cards)}.")] if cards else []

    def _hand_given(self, kind: str, seat: int, cards: Sequence[str] | None) -> str:
        """Return the line about a hand that was passed, burned or shown to the partner."""
        if kind == "shown":
            self.deciding_at_eleven = True
            what = _cards(cards) if cards else "three cards"
            return self.does(seat, f"shows {self._partner(seat)} {what}.")
        if kind == "burned":
            return self.does(seat, f"burns them: {_cards(self.looked_at or cards or ())}.")
        # Only the partner learns the cards just now.
        these = f": {_cards(cards)}" if cards and not self.looked_at else ""
        return self.does(seat, f"passes them to {self._partner(seat)}{these}.")

    def _play(self, kind: str, seat: int, card: str | None) -> list[str]:
        lines = []
        if self.one_more:
            lines.append(f"One more trick, for all {self.stake} points.")
            self.one_more = False
        if kind == "hide" or card is None:
            which = f" ({pretty(card)})" if card else ""
            return [*lines, self.does(seat, f"plays a card face down{which}.")]
        title = f", the {self.titles[card]}" if card in self.titles else ""
        return [*lines, self.does(seat, f"plays {pretty(card)}{title}.")]

    def _trick(self, seen: TrucoNews) -> list[str]:
        if seen["winner"] is not None:
            return [self.does(seen["leader"], f"takes trick {seen['number']}.")]
        self.one_more = self.truco
        return [f"Trick {seen['number']} is tied."]

    def _answer(self, kind: str, seen: TrucoNews) -> list[str]:
        seat = seen["seat"]
        if kind == "run":
            self.runner = seat
            return []
        self.stake = seen["value"]
        if self.deciding_at_eleven:
            self.deciding_at_eleven = False
            return [self.does(seat, "decides to play.")]
        what = "hand" if self.rules.whole_hand else "trick"
        return [self.does(seat, f"accepts: the {what} is for {self.stake} points.")]

    def _hand_over(self, seen: TrucoNews) -> list[str]:
        team, points, why = seen["winner"], counted(seen["points"], "point"), seen["reason"]
        score = self._score(seen["score"])
        if team is None:
            return [f"Nobody wins the hand: {score}."]
        gain = f"{points} for {self.listed(self.teams[team])}: {score}."
        if why == "run":
            return [f"{self.does(self.runner, 'runs')}; {gain}"]
        if why == "tied_before_call":
            loss = self.they(self.teams[1 - team], "loses", within=True)
            return [f"A tied card was there before the call, so {loss}; {gain}"]
        return [f"{self.they(self.teams[team], 'wins')} the hand and {points}: {score}."]

    def _game_over(self, team: int | None, ours: int, theirs: int) -> list[str]:
        if team is None:
            return ["", f"The game is a draw, {ours} to {theirs}."]
        most, least = max(ours, theirs), min(ours, theirs)
        return ["", f"{self.they(self.teams[team], 'wins')} the game, {most} to {least}."]

    def _score(self, points: Sequence[int]) -> str:
        """Return the points of both sides, those of the reader first."""
        if self.you is None:
            both = zip(self.teams, points, strict=True)
            return ", ".join(self.they(team, f"has {one}", within=True) for team, one in both)
        return f"you {points[self.you % 2]}, they {points[1 - self.you % 2]}"


def _cards(cards: Sequence[str]) -> str:
    return " ".join(pretty(card) for card in cards)
