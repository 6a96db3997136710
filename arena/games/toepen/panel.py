"""The panel that asks a person for a decision in Toepen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.cards import SUIT_NAMES
from arena.games.kernel import Turn
from arena.games.panels import Choice, Panel, card_choices
from arena.games.toepen.cards import rules_from
from arena.games.toepen.help import CARD, CHALLENGE, EXCHANGE, KEEP, KNOCK, POVERTY, RIGHT, questions
from arena.games.toepen.reason import reason
from arena.games.toepen.seen import ToepenObservation

_KEEPS: Final = {"keep": "Keep", "keep_whistle": "Keep, whistle", "keep_stand": "Keep, stand up"}


def panel(turn: Turn, names: Sequence[str]) -> Panel:
    """Return the panel of a turn; see :class:`~arena.games.descriptor.Game`."""
    legal, seen, seat = turn["legal_actions"], turn["observation"], turn["seat"]
    choices = card_choices(legal) + tuple(
        choice for action in legal if (choice := _choice(action, seen, seat)) is not None
    )
    asked = Panel(_question(turn, names), choices, reason=reason(turn, names), kind=_kind(turn))
    return asked.with_help(questions(rules_from(turn["rules"])))


def _choice(action: str, seen: ToepenObservation, seat: int) -> Choice | None:
    word, _, value = action.partition(":")
    if word in _KEEPS:
        return Choice(action, _KEEPS[word], "go")
    if word == "exchange":
        return Choice(action, "Exchange", cost=f"{seen['stock']} in the stock")
    if word == "trust":
        return Choice(action, "Trust", "go")
    if word == "challenge":
        return Choice(action, "Challenge", cost="−1 for one of you")
    if word == "stay":
        return Choice(action, "Stay", "go", f"risk {value} of your {seen['lives'][seat]}")
    if word == "fold":
        return Choice(action, "Fold", cost=f"lose {value} now")
    if word == "knock":
        return Choice(action, "Toep!", "call", f"knock for {value}")
    return None


def _kind(turn: Turn) -> str:
    if turn["optional"]:
        return RIGHT
    phase = turn["observation"]["phase"]
    if phase == "exchange":
        return EXCHANGE if "exchange" in turn["legal_actions"] else KEEP
    return {"challenge": CHALLENGE, "poverty": POVERTY, "knock": KNOCK}.get(phase, CARD)


def _question(turn: Turn, names: Sequence[str]) -> str:
    legal, seen = turn["legal_actions"], turn["observation"]
    phase = seen["phase"]
    if turn["optional"]:
        return f"{names[seen['turn']]} plays. You may knock"
    if phase == "exchange":
        return "Exchange your hand?" if "exchange" in legal else "Keep your hand?"
    if phase == "challenge":
        return f"{names[seen['turn']]} lays a hand away. Do you trust it?"
    if phase == "poverty":
        return f"Poverty. In for {seen['value']}?"
    if phase == "knock":
        return f"{names[seen['knocker']]} knocks. In for {seen['value']}?"
    led = seen["trick"][0]["card"][1] if seen["trick"] else None
    cards = [action for action in legal if action.startswith("play:")]
    if led is not None and all(card[-1] == led for card in cards):
        return f"Follow {SUIT_NAMES[led]}"
    return "Play a card"
