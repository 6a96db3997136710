"""The text of a turn of Toepen."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.kernel import Turn
from arena.games.texts import TurnText, counted, in_order, verb
from arena.games.toepen.cards import RANKS
from arena.games.toepen.news import ToepenWords, news
from arena.games.toepen.panel import panel
from arena.games.toepen.seen import ToepenExchange, ToepenObservation, ToepenPlay, ToepenSaid


def turn_text(turn: Turn) -> TurnText:
    """Return the text of a turn; see :class:`~arena.games.descriptor.Game`."""
    return _Writer(turn).text()


class _Writer:
    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.seen: ToepenObservation = turn["observation"]
        self.words = ToepenWords(len(self.seen["lives"]), turn["seat"])
        self.names = self.words.names

    def text(self) -> TurnText:
        asked = panel(self.turn, self.names).question
        happened = news(self.turn["rules"], self.turn["seat"], self.turn["events"])
        return TurnText(asked, tuple(self._standing()), happened, " ".join(self.seen["hand"]))

    # Where the game stands

    def _standing(self) -> list[str]:
        seen, rules = self.seen, self.turn["rules"]
        rubber = f" of rubber {seen['rubber']} of {rules['rubbers']}" if rules["end"] == "rubber" else ""
        lines = [
            f"Hand {seen['hand_number']}{rubber}, worth {counted(seen['value'], 'life', 'lives')}.",
            "Lives: " + self.words.per_seat(seen["lives"]) + ".",
            f"Dealer: {self.words.name(seen['dealer'])}." + self._leader(),
        ]
        if rubber and any(seen["drinks"]):
            lines.append("Drinks bought: " + self.words.per_seat(seen["drinks"]) + ".")
        held = [f"{name} {count}" for name, count in self._in_hand(seen["held"])]
        lines.append(f"Cards held: {', '.join(held)}; stock {seen['stock']}.")
        left = [name for name, is_in, alive in self._places() if alive and not is_in]
        if left:
            lines.append(f"Out of this hand: {', '.join(left)}.")
        lines += self._poverty_to_come()
        if seen["pelt"]:
            lines.append("On the last life: " + ", ".join(map(self.words.name, seen["pelt"])) + ".")
        if seen["knocker"] is not None:
            lines.append(f"Last to knock: {self.words.name(seen['knocker'])}.")
        for laid in seen["laid_away"]:
            lines.append(self._laid(laid))
        said = [
            f"{name} {what}"
            for name, what in zip(self.names, seen["announcements"], strict=True)
            if what not in (None, "none")
        ]
        if said:
            lines.append(f"Announced: {', '.join(said)}.")
        return [*lines, *self._tricks(), f"Ranks, strongest first: {' '.join(reversed(RANKS))}."]

    def _poverty_to_come(self) -> list[str]:
        """Return a line about the poverty that begins after the exchanges (TP-6.1, TP-6.2)."""
        seen, dealer = self.seen, self.seen["dealer"]
        if seen["phase"] not in ("exchange", "challenge") or dealer is None:
            return []
        after_dealer = [*range(dealer + 1, len(self.names)), *range(dealer + 1)]
        pelt = [seat for seat in after_dealer if seen["in_hand"][seat] and seen["lives"][seat] == 1]
        if not pelt:
            return []
        who = ", ".join(map(self.words.name, pelt))
        leads = verb(self.words.name(pelt[0]), "lead")
        return [f"Poverty follows the exchanges, on the last life: {who}. {leads}, worth 2 lives."]

    def _leader(self) -> str:
        leader = self.seen["leader"]
        return "" if leader is None else f" Leads: {self.words.name(leader)}."

    def _places(self) -> list[tuple[str, bool, bool]]:
        return list(zip(self.names, self.seen["in_hand"], self.seen["in_game"], strict=True))

    def _in_hand(self, values: Sequence[int]) -> list[tuple[str, int]]:
        pairs = zip(self.names, values, self.seen["in_hand"], strict=True)
        return [(name, value) for name, value, is_in in pairs if is_in]

    def _laid(self, laid: ToepenExchange) -> str:
        cards = "" if laid["cards"] is None else " " + " ".join(laid["cards"])
        text = f"Laid away by {self.words.name(laid['seat'])}:{cards or ' four cards'}"
        if laid["challenger"] is None:
            return text + "."
        challenger, loser = self.words.name(laid["challenger"]), self.words.name(laid["loser"])
        return f"{text}; challenged by {challenger}, {loser} lost a life."

    def _tricks(self) -> list[str]:
        done = self.seen["tricks"]
        cards = [trick["cards"] for trick in done]
        if self.seen["trick"]:
            cards.append(self.seen["trick"])
        lines = []
        for number, acts in enumerate(in_order(cards, self.seen["calls"])):
            end = f"; won by {self.words.name(done[number]['winner'])}" if number < len(done) else ""
            lines.append(f"Trick {number + 1}: {', '.join(map(self._act, acts))}{end}.")
        return lines

    def _act(self, act: ToepenPlay | ToepenSaid) -> str:
        who = self.words.name(act["seat"])
        return f"{who} {act['said']} {act['value']}" if "said" in act else f"{who} play {act['card']}"
