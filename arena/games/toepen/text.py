"""The text of a turn of Toepen."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.kernel import Turn
from arena.games.texts import TurnText, counted, in_order, seat_names
from arena.games.toepen.panel import panel
from arena.games.toepen.seen import ToepenExchange, ToepenNews, ToepenObservation, ToepenPlay, ToepenSaid


def turn_text(turn: Turn) -> TurnText:
    """Return the text of a turn; see :class:`~arena.games.descriptor.Game`."""
    return _Writer(turn).text()


class _Writer:
    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.seen: ToepenObservation = turn["observation"]
        self.names = seat_names(len(self.seen["lives"]), turn["seat"])

    def text(self) -> TurnText:
        asked = panel(self.turn, self.names).question
        news = tuple(line for event in self.turn["events"] if (line := self._event(event)))
        return TurnText(asked, tuple(self._standing()), news, " ".join(self.seen["hand"]))

    # Where the game stands

    def _standing(self) -> list[str]:
        seen, rules = self.seen, self.turn["rules"]
        rubber = f" of rubber {seen['rubber']} of {rules['rubbers']}" if rules["end"] == "rubber" else ""
        lines = [
            f"Hand {seen['hand_number']}{rubber}, worth {counted(seen['value'], 'life', 'lives')}.",
            "Lives: " + self._per_seat(seen["lives"]) + ".",
            f"Dealer: {self._name(seen['dealer'])}." + self._leader(),
        ]
        if rubber and any(seen["drinks"]):
            lines.append("Drinks bought: " + self._per_seat(seen["drinks"]) + ".")
        held = [f"{name} {count}" for name, count in self._in_hand(seen["held"])]
        lines.append(f"Cards held: {', '.join(held)}; stock {seen['stock']}.")
        left = [name for name, is_in, alive in self._places() if alive and not is_in]
        if left:
            lines.append(f"Out of this hand: {', '.join(left)}.")
        if seen["pelt"]:
            lines.append("On the last life: " + ", ".join(map(self._name, seen["pelt"])) + ".")
        if seen["knocker"] is not None:
            lines.append(f"Last to knock: {self._name(seen['knocker'])}.")
        for laid in seen["laid_away"]:
            lines.append(self._laid(laid))
        said = [
            f"{name} {what}"
            for name, what in zip(self.names, seen["announcements"], strict=True)
            if what not in (None, "none")
        ]
        if said:
            lines.append(f"Announced: {', '.join(said)}.")
        return lines + self._tricks()

    def _leader(self) -> str:
        leader = self.seen["leader"]
        return "" if leader is None else f" Leads: {self._name(leader)}."

    def _places(self) -> list[tuple[str, bool, bool]]:
        return list(zip(self.names, self.seen["in_hand"], self.seen["in_game"], strict=True))

    def _in_hand(self, values: Sequence[int]) -> list[tuple[str, int]]:
        pairs = zip(self.names, values, self.seen["in_hand"], strict=True)
        return [(name, value) for name, value, is_in in pairs if is_in]

    def _laid(self, laid: ToepenExchange) -> str:
        cards = "" if laid["cards"] is None else " " + " ".join(laid["cards"])
        text = f"Laid away by {self._name(laid['seat'])}:{cards or ' four cards'}"
        if laid["challenger"] is None:
            return text + "."
        challenger, loser = self._name(laid["challenger"]), self._name(laid["loser"])
        return f"{text}; challenged by {challenger}, {loser} lost a life."

    def _tricks(self) -> list[str]:
        done = self.seen["tricks"]
        cards = [trick["cards"] for trick in done]
        if self.seen["trick"]:
            cards.append(self.seen["trick"])
        lines = []
        for number, acts in enumerate(in_order(cards, self.seen["calls"])):
            end = f"; won by {self._name(done[number]['winner'])}" if number < len(done) else ""
            lines.append(f"Trick {number + 1}: {', '.join(map(self._act, acts))}{end}.")
        return lines

    def _act(self, act: ToepenPlay | ToepenSaid) -> str:
        who = self._name(act["seat"])
        return f"{who} {act['said']} {act['value']}" if "said" in act else f"{who} play {act['card']}"

    # What has happened

    def _event(self, event: ToepenNews) -> str:
        kind, seat = event["type"], event["seat"]
        who = self._name(seat)
        if kind == "hand":
            worth = counted(event["value"], "life", "lives")
            lives = self._per_seat(event["lives"])
            return f"hand {event['hand']}, dealt by {who}, worth {worth}. Lives: {lives}"
        if kind == "result":
            winner = "nobody wins" if seat is None else f"won by {who}"
            return f"hand over, {winner}. Lost: {self._per_seat(event['lost'])}"
        if kind == "trick":
            return f"trick {event['trick']}: won by {who}"
        if kind == "over":
            return f"game over. Places: {self._per_seat(event['places'])}"
        if kind == "dealer":
            return f"first dealer: {who}"
        if kind == "poverty":
            pelt = ", ".join(map(self._name, event["pelt"]))
            return f"poverty, on the last life: {pelt}. {who} leads, worth {event['value']}"
        return self._did(event, who)

    def _did(self, event: ToepenNews, who: str) -> str:
        kind = event["type"]
        cards = " ".join(event.get("cards") or ())
        if kind in ("dealt", "new_cards"):
            return f"{who}: {kind.replace('_', ' ')} {cards}" if cards else ""
        if kind == "exchange":
            return f"{who}: exchange {cards}".rstrip()
        if kind == "trust":
            return f"{who}: trust {self._name(event['exchanger'])}"
        if kind == "challenge":
            exchanger, loser = self._name(event["exchanger"]), self._name(event["loser"])
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

    # Words

    def _name(self, seat: int | None) -> str:
        return "nobody" if seat is None else self.names[seat]

    def _per_seat(self, values: Sequence[int]) -> str:
        return ", ".join(f"{name} {value}" for name, value in zip(self.names, values, strict=True))
