"""The reason of a question in Brazilian Truco: what is at stake, who said what, and who took the tricks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.cards import pretty
from arena.games.kernel import Turn
from arena.games.texts import counted
from arena.games.truco.cards import CARD_NUMBER, NO_CUT
from arena.games.truco.options import TrucoRules, rules_from
from arena.games.truco.seen import TrucoObservation, TrucoPlay

_CALLS: Final = ("truco", "raise", "accept", "defer")
_MOST_CALLS: Final = 3


def reason(turn: Turn, names: Sequence[str]) -> str:
    """Return the reason of the turn's question. ``names`` are those of the players."""
    return TrucoReason(turn, names).text()


class TrucoReason:
    """The sentences about one turn. Verbs are in the past tense, so that they fit every name."""

    def __init__(self, turn: Turn, names: Sequence[str]) -> None:
        self.legal: Sequence[str] = turn["legal_actions"]
        self.seen: TrucoObservation = turn["observation"]
        self.rules: TrucoRules = rules_from(turn["rules"])
        self.names = names
        self.own = turn["seat"] % 2
        self.partner = names[(turn["seat"] + 2) % self.rules.seats]
        self.we = "You" if self.rules.seats == 2 else "Your side"
        self.they = names[1 - turn["seat"]] if self.rules.seats == 2 else "The other side"

    def text(self) -> str:
        """Return the sentences."""
        if all(action.startswith("signal:") for action in self.legal):
            return "Everybody at the table sees a sign."
        if NO_CUT in self.legal:
            return "Nobody knows the order of the pack."
        if "keep" in self.legal:
            return self._exchange()
        if any(action.startswith("run:") for action in self.legal):
            return self._answer() if self.seen["truco"] else self._threshold()
        return " ".join(part for part in (self._stake(), self._standing(), self._best()) if part)

    def _exchange(self) -> str:
        ways = []
        if "pass" in self.legal:
            ways.append(f"give these cards to {self.partner}")
        if "burn" in self.legal:
            ways.append("lay them open on the table")
        if not ways:
            return "You have to keep these cards."
        return f"You lead. You may {' or '.join(ways)}, and get three new cards."

    def _threshold(self) -> str:
        parts = [
            f"If you run, {_inside(self.they)} gets {counted(self.rules.low, 'point')}.",
            f"If you play, the hand is worth {self.rules.threshold_stake} and nobody may call.",
        ]
        if self.seen["eleven_deferred"]:
            parts.insert(0, f"{self.partner} left the answer to you.")
        return " ".join(parts)

    def _answer(self) -> str:
        parts = [self._called(), self._standing()]
        return " ".join(part for part in parts if part)

    def _called(self) -> str:
        """Return who called, raised and accepted in this hand, the last calls only."""
        parts = []
        for call in [call for call in self.seen["calls"] if call["said"] in _CALLS][-_MOST_CALLS:]:
            who, said, value = self.names[call["seat"]], call["said"], call["value"]
            if said == "truco":
                parts.append(f"{who} called truco for {value}.")
            elif said == "raise":
                parts.append(f"{who} raised to {value}.")
            elif said == "accept":
                parts.append(f"{who} accepted {value}.")
            else:
                parts.append(f"{who} left the answer to you.")
        return " ".join(parts)

    def _stake(self) -> str:
        return f"{counted(self.seen['stake'], 'point')} at stake."

    def _standing(self) -> str:
        """Return what the tricks so far mean for the hand (BT-3.5, BT-4.1, BT-4.7)."""
        if self.seen["extra_trick"]:
            return "This extra trick decides the hand."
        if self.seen["truco"] is not None and not self.rules.whole_hand:
            return "Under truco, this trick alone decides the hand."
        winners = [trick["winner"] for trick in self.seen["tricks"] if trick["over"]]
        if not winners:
            return ""
        won = [winner for winner in winners if winner is not None]
        if not won:
            return "Every trick so far was tied, so this one decides."
        first = winners.index(won[0]) + 1
        if len(set(won)) == 1:
            if won[0] == self.own:
                return f"{self.we} took trick {first}; one more wins the hand."
            return f"{self.they} took trick {first}, so you need the other two."
        leader = self.we if won[0] == self.own else self.they
        return f"One trick each: this one decides, and a tie is for {_inside(leader)}."

    def _best(self) -> str:
        """Return which card wins the trick so far."""
        trick = self.seen["tricks"][-1] if self.seen["tricks"] else None
        plays = [] if trick is None or trick["over"] else [play for play in trick["plays"] if play["card"]]
        strongest = max(map(self._strength, plays), default=0)
        best = [play for play in plays if self._strength(play) == strongest and not play["face_down"]]
        if not best:
            return ""
        cards = " and ".join(f"{pretty(play['card'] or '')} of {_inside(self._name(play))}" for play in best)
        return f"{cards} {'wins' if len(best) == 1 else 'tie'} so far."

    def _name(self, play: TrucoPlay) -> str:
        return self.names[play["seat"]]

    def _strength(self, play: TrucoPlay) -> int:
        if play["face_down"] or play["card"] is None:
            return 0
        vira = CARD_NUMBER[self.seen["vira"]] if self.seen["vira"] else -1
        return self.rules.order(vira).strength[CARD_NUMBER[play["card"]]]


def _inside(name: str) -> str:
    """Return a name as it stands inside a sentence."""
    return name.lower() if name in ("You", "Your side", "The other side") else name
