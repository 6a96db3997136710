"""Events of Toepen in words, as one seat sees them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.options import Rules
from arena.games.texts import News, counted, seat_names, verb
from arena.games.toepen.seen import ToepenNews


def news(rules: Rules, seat: int, events: Sequence[News]) -> tuple[str, ...]:
    """Return a line for each event; see :class:`~arena.games.descriptor.Game`."""
    words = ToepenWords(int(rules["seats"]), seat)
    return tuple(line for event in events if (line := words.event(event)))


class ToepenWords:
    """The words of one seat's texts: names of seats, and lines for events."""

    def __init__(self, seats: int, own: int) -> None:
        self.names = seat_names(seats, own)

    def name(self, seat: int | None) -> str:
        """Return the name of a seat."""
        return "nobody" if seat is None else self.names[seat]

    def per_seat(self, values: Sequence[int]) -> str:
        """Return one value per seat, each with the seat's name."""
        return ", ".join(f"{name} {value}" for name, value in zip(self.names, values, strict=True))

    def event(self, event: ToepenNews) -> str:
        """Return the line for an event."""
        kind, seat = event["type"], event["seat"]
        who = self.name(seat)
        if kind == "hand":
            return f"hand {event['hand']}, dealt by {who}, worth {_lives(event['value'])}"
        if kind == "result":
            winner = "nobody wins" if seat is None else f"won by {who}"
            lost, lives = self.per_seat(event["lost"]), self.per_seat(event["lives"])
            return f"hand over, {winner}. Lost: {lost}. Lives: {lives}"
        if kind == "trick":
            return f"trick {event['trick']}: won by {who}"
        if kind == "over":
            places, scores = self.per_seat(event["places"]), self.per_seat(event["scores"])
            return f"game over. Places: {places}. Scores: {scores}"
        if kind == "dealer":
            return f"first dealer: {who}"
        if kind == "poverty":
            pelt = ", ".join(map(self.name, event["pelt"]))
            return f"poverty, on the last life: {pelt}. {verb(who, 'lead')}, worth {_lives(event['value'])}"
        return self._did(event, who)

    def _did(self, event: ToepenNews, who: str) -> str:
        kind = event["type"]
        cards = " ".join(event.get("cards") or ())
        if kind in ("dealt", "new_cards"):
            return f"{who}: {kind.replace('_', ' ')} {cards}" if cards else ""
        if kind == "exchange":
            return f"{who}: exchange {cards}".rstrip()
        if kind == "trust":
            return f"{who}: trust {self.name(event['exchanger'])}"
        if kind == "challenge":
            exchanger, loser = self.name(event["exchanger"]), self.name(event["loser"])
            return f"{who}: challenge {exchanger}, who laid away {cards}; {loser} lost a life"
        if kind == "keep":
            said = event["announcement"]
            return f"{who}: keep" + ("" if said == "none" else f" {said}")
        if kind == "play":
            return f"{who}: play {event['card']}"
        if kind in ("knock", "stay"):
            return f"{who}: {kind} {event['value']}"
        if kind == "fold":
            return f"{who}: fold {event['lives']}"
        if kind == "drinks":
            return f"{who}: bought the drinks, {counted(event['drinks'], 'round')} so far"
        return f"{who}: {kind}"


def _lives(number: int) -> str:
    return counted(number, "life", "lives")
