"""The reason of a question in Toepen: what is at stake, who said what, and which card wins the trick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.cards import pretty
from arena.games.kernel import Turn
from arena.games.texts import counted
from arena.games.toepen.cards import RANKS
from arena.games.toepen.seen import ToepenObservation

_COURT: Final = "AKQJ"
_TRICKS: Final = 4


def reason(turn: Turn, names: Sequence[str]) -> str:
    """Return the reason of the turn's question. ``names`` are those of the players."""
    legal, seen, seat = turn["legal_actions"], turn["observation"], turn["seat"]
    phase = seen["phase"]
    if phase == "exchange":
        return _exchange(legal, seen)
    if phase == "challenge":
        who = names[seen["turn"]]
        return (
            f"{who} may lay away only a hand without a 10, 9, 8 or 7. If you look and see one, {who} loses a "
            "life; if not, you lose one."
        )
    if phase == "poverty":
        poor = [names[one] for one in seen["pelt"]]
        have = "has one life" if len(poor) == 1 else "have one life each"
        return (
            f"{' and '.join(poor)} {have}, so this hand is worth {seen['value']}. "
            "Whoever stays and does not win the last trick loses that."
        )
    if phase == "knock":
        return f"{_said(seen, names)} Whoever stays and does not win the last trick loses {seen['value']}."
    if turn["optional"]:
        return f"{_stake(seen)} A knock adds one, and the others stay or fold."
    return " ".join(part for part in (_stake(seen), _last(seen), _best(seen, seat, names)) if part)


def _exchange(legal: Sequence[str], seen: ToepenObservation) -> str:
    """Return what an exchange is (TP-2.2, TP-2.5), or why only keeping is left (TP-3.2)."""
    if "exchange" not in legal:
        return "You cannot exchange now; with three tens you have to whistle, with four to stand up."
    own = "yours is one" if all(card[0] in _COURT for card in seen["hand"]) else "yours would be a bluff"
    return (
        f"A hand without a 10, 9, 8 or 7 may be exchanged; {own}. "
        "If somebody looks, you lose a life for a bluff, or else they lose one."
    )


def _said(seen: ToepenObservation, names: Sequence[str]) -> str:
    """Return the last knock and the answers to it."""
    calls = seen["calls"]
    knock = max(place for place, call in enumerate(calls) if call["said"] == "knock")
    words = {"knock": "knocked", "stay": "stayed", "fold": "folded"}
    return " ".join(f"{names[call['seat']]} {words[call['said']]}." for call in calls[knock:])


def _stake(seen: ToepenObservation) -> str:
    return f"{counted(seen['value'], 'life', 'lives')} at stake."


def _last(seen: ToepenObservation) -> str:
    if len(seen["tricks"]) == _TRICKS - 1:
        return "This last trick wins the hand."
    return "Only the last trick counts."


def _best(seen: ToepenObservation, seat: int, names: Sequence[str]) -> str:
    """Return which card wins the trick so far (TP-4.1, TP-4.3)."""
    if not seen["trick"]:
        return ""
    led = seen["trick"][0]["card"][1]
    plays = [play for play in seen["trick"] if play["card"][1] == led and seen["in_hand"][play["seat"]]]
    if not plays:
        return ""
    best = max(plays, key=lambda play: RANKS.index(play["card"][0]))
    who = "you" if best["seat"] == seat else names[best["seat"]]
    return f"{pretty(best['card'])} of {who} wins so far."
