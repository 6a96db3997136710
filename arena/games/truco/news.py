"""Events of Brazilian Truco in words, as one seat sees them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.options import Rules
from arena.games.texts import News, counted, seat_names
from arena.games.truco.cards import TARGET
from arena.games.truco.options import TrucoRules, rules_from
from arena.games.truco.seen import TrucoNews, TrucoPlay


def news(rules: Rules, seat: int, events: Sequence[News]) -> tuple[str, ...]:
    """Return a line for each event; see :class:`~arena.games.descriptor.Game`."""
    words = TrucoWords(rules_from(rules), seat)
    return tuple(line for event in events if (line := words.event(event)))


class TrucoWords:
    """The words of one seat's texts: names of seats and teams, and lines for events."""

    def __init__(self, rules: TrucoRules, own: int) -> None:
        self.rules = rules
        self.own = own
        self.names = seat_names(rules.seats, own)
        if rules.seats > 2:
            self.names[(own + 2) % 4] += " (partner)"

    # Words

    def name(self, seat: int) -> str:
        """Return the short name of a seat."""
        return "you" if seat == self.own else f"seat {seat}"

    def seat(self, seat: int | None) -> str:
        """Return the name of a seat, which says whether it is the partner's."""
        return "nobody" if seat is None else self.names[seat]

    def team(self, team: int) -> str:
        """Return the name of a team."""
        if self.rules.seats == 2:
            return self.name(team)
        return "your team" if team == self.own % 2 else "the other team"

    def points(self, score: Sequence[int]) -> str:
        """Return the points of both teams."""
        own = self.own % 2
        other = "others" if self.rules.seats > 2 else self.name(1 - own)
        return f"points: you {score[own]}, {other} {score[1 - own]}"

    def per_seat(self, values: Sequence[int]) -> str:
        """Return one value per seat, each with the seat's name."""
        return ", ".join(f"{name} {value}" for name, value in zip(self.names, values, strict=True))

    def card(self, play: TrucoPlay) -> str:
        """Return how a card was played."""
        card = play["card"] or "a card"
        return f"hide {card}" if play["face_down"] else f"play {card}"

    # Events

    def event(self, event: TrucoNews) -> str:
        """Return the line for an event."""
        kind = event["type"]
        if kind == "hand":
            dealer = self.name(event["dealer"])
            return f"hand {event['number']}, dealt by {dealer}: {self.points(event['score'])}"
        if kind == "vira":
            return f"turned: {event['card']}"
        if kind == "trick":
            winner = event["winner"]
            result = "tied" if winner is None else f"won by {self.team(winner)}"
            return f"trick {event['number']}: {result}"
        if kind == "hand_over":
            return self._hand_over(event)
        if kind == "game_over":
            return self._game_over(event)
        return self._said(event)

    def _said(self, event: TrucoNews) -> str:
        kind, who = event["type"], self.name(event["seat"])
        cards = " ".join(event.get("cards") or ())
        if kind == "dealer":
            return f"first dealer: {who}"
        if kind == "dealt":
            return f"{who}: dealt {cards}" if cards else ""
        if kind == "cut":
            return f"{who}: cut {event['lifted']} {event['from']}" if event["lifted"] else f"{who}: no cut"
        if kind in ("passed", "burned", "shown"):
            word = {"passed": "pass", "burned": "burn", "shown": "show the partner"}[kind]
            return f"{who}: {word} {cards}".rstrip()
        if kind in ("truco", "raise", "accept"):
            return f"{who}: {kind} {event['value']}"
        if kind == "run":
            return f"{who}: run {event['points']}"
        if kind in ("play", "hide"):
            play: TrucoPlay = {"seat": event["seat"], "card": event["card"], "face_down": kind == "hide"}
            return f"{who}: {self.card(play)}"
        if kind == "signal":
            return f"{who}: signal {event['gesture']}"
        return f"{who}: {'keep' if kind == 'kept' else kind}"

    def _hand_over(self, event: TrucoNews) -> str:
        score, winner = self.points(event["score"]), event["winner"]
        if winner is None:
            return f"hand over, nobody wins: {score}"
        why = {
            "run": f"{self.team(1 - winner)} ran",
            "tricks": "by tricks",
            "truco": "by the trick under truco",
            "tied_before_call": "a tied card lay before the call",
        }[event["reason"]]
        return f"hand over, {counted(event['points'], 'point')} for {self.team(winner)}, {why}: {score}"

    def _game_over(self, event: TrucoNews) -> str:
        winner, score = event["winner"], event["score"]
        result = "a draw" if winner is None else f"won by {self.team(winner)}"
        why = f"at {TARGET} points" if TARGET in score else "after the last hand"
        return f"game over {why}, {result}: {self.points(score)}"
