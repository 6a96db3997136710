"""The text of a turn of Brazilian Truco."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.kernel import Turn
from arena.games.texts import TurnText, counted, in_order
from arena.games.truco.news import TrucoWords, news
from arena.games.truco.options import rules_from
from arena.games.truco.panel import panel
from arena.games.truco.seen import TrucoObservation, TrucoPlay, TrucoSaid


def turn_text(turn: Turn) -> TurnText:
    """Return the text of a turn; see :class:`~arena.games.descriptor.Game`."""
    return _Writer(turn).text()


class _Writer:
    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.seen: TrucoObservation = turn["observation"]
        self.rules = rules_from(turn["rules"])
        self.words = TrucoWords(self.rules, turn["seat"])

    def text(self) -> TurnText:
        seen = self.seen
        blind = self.rules.blind and len(seen["elevens"]) == 2
        hand = "not to be looked at" if blind else " ".join(seen["hand"])
        asked = panel(self.turn, self.words.names).question
        happened = news(self.turn["rules"], self.turn["seat"], self.turn["events"])
        return TurnText(asked, tuple(self._standing()), happened, hand)

    # Where the game stands

    def _standing(self) -> list[str]:
        seen = self.seen
        lines = [
            f"Hand {seen['hand_number']}. P{self.words.points(seen['score'])[1:]}; 12 win.",
            f"Dealer: {self.words.seat(seen['dealer'])}. First to play: {self.words.seat(seen['forehand'])}.",
            f"Worth: {counted(seen['stake'], 'point')}. {self._right()}",
        ]
        if seen["vira"] is not None:
            lines.append(f"Turned: {seen['vira']}.")
        if seen["manilhas"] is not None:
            lines.append(f"Cards, strongest first: {self._order(seen['manilhas'])}.")
        if seen["elevens"]:
            who = " and ".join(self.words.team(team) for team in seen["elevens"])
            lines.append(f"One hand from the end: {who}.")
        if seen["passed_cards"]:
            lines.append(f"Passed to the partner: {' '.join(seen['passed_cards'])}.")
        if seen["partner_dealt"]:
            lines.append(f"Your partner was dealt: {' '.join(seen['partner_dealt'])}.")
        lines += [f"Burned: {' '.join(cards)}." for cards in seen["burned"]]
        lines.append("Cards held: " + self.words.per_seat(seen["held"]) + ".")
        return lines + self._tricks()

    def _order(self, manilhas: Sequence[str]) -> str:
        """Return the manilhas and then the ranks of the other cards, strongest first."""
        ranks = [rank for rank in reversed(self.rules.pack.ranks) if {rank} != {card[0] for card in manilhas}]
        return f"manilhas {' '.join(manilhas)}, then {' '.join(ranks)}"

    def _right(self) -> str:
        call, right = self.seen["truco"], self.seen["right"]
        if call is not None and call["pending"]:
            return f"{self.words.name(call['proposer'])} called for {call['value']}."
        if right is None:
            return "Nobody may raise it."
        if right == "either":
            return "Either side may raise it."
        return f"May be raised by: {self.words.team(right)}."

    def _tricks(self) -> list[str]:
        tricks = self.seen["tricks"]
        lines = in_order([trick["plays"] for trick in tricks], self.seen["calls"])
        written = []
        for number, line in enumerate(lines):
            acts = ", ".join(self._act(act) for act in line)
            end = ""
            if number < len(tricks) and tricks[number]["over"]:
                winner = tricks[number]["winner"]
                end = "; tied" if winner is None else f"; won by {self.words.team(winner)}"
            if acts:
                written.append(f"Trick {number + 1}: {acts}{end}.")
        if self.seen["extra_trick"]:
            written.append("This trick decides, after a tie under truco.")
        return written

    def _act(self, act: TrucoPlay | TrucoSaid) -> str:
        who = self.words.name(act["seat"])
        if "said" not in act:
            return f"{who} {self.words.card(act)}"
        said, value = act["said"], act["value"]
        if said == "accept" and len(self.seen["elevens"]) == 1:
            return f"{who} play the hand for {value}"
        if said == "cut":
            return f"{who} cut {value} {act['from']}"
        if said == "signal":
            return f"{who} signal {act['gesture']}"
        return f"{who} {said}" + (f" {value}" if value is not None else "")
