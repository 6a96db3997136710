"""The panel that asks a person for a decision in Brazilian Truco."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from arena.games.kernel import Turn
from arena.games.panels import NUMBER, Choice, Panel, Slider, Toggle, card_choices
from arena.games.truco.cards import NO_CUT
from arena.games.truco.help import CALL, CARD, CUT, EXCHANGE, SIGN, THRESHOLD, questions
from arena.games.truco.options import TrucoRules, rules_from
from arena.games.truco.picture import RAISE_CALLS, TRUCO_CALL
from arena.games.truco.reason import reason
from arena.games.truco.seen import TrucoObservation

_NUMBERS: Final = {4: "four", 6: "six", 8: "eight", 9: "nine", 10: "ten", 12: "twelve"}


def panel(turn: Turn, names: Sequence[str]) -> Panel:
    """Return the panel of a turn; see :class:`~arena.games.descriptor.Game`."""
    return replace(_panel(turn, names), reason=reason(turn, names))


def _panel(turn: Turn, names: Sequence[str]) -> Panel:
    legal = turn["legal_actions"]
    signs = [
        Choice(action, action.partition(":")[2].capitalize(), "sign")
        for action in legal
        if action.startswith("signal:")
    ]
    if len(signs) == len(legal):
        asked = Panel("You may give your partner a sign", tuple(signs), kind=SIGN)
    else:
        asked = _asked(turn, names).with_signs(signs)
    return asked.with_help(questions(rules_from(turn["rules"])))


def _asked(turn: Turn, names: Sequence[str]) -> Panel:
    legal, seen = turn["legal_actions"], turn["observation"]
    rules = rules_from(turn["rules"])
    partner = names[(turn["seat"] + 2) % rules.seats]
    if NO_CUT in legal:
        return Panel(
            "Cut the pack: how many cards do you lift?",
            (
                Choice(f"cut:{NUMBER}:top", "From the top", "go"),
                Choice(f"cut:{NUMBER}:bottom", "From the bottom"),
                Choice(NO_CUT, "Do not cut"),
            ),
            slider=Slider("Cards to lift", 1, len(rules.pack.cards) - 1, len(rules.pack.cards) // 2),
            kind=CUT,
        )
    if "keep" in legal:
        left = rules.max_burns - len(seen["burned"])
        shown = {
            "keep": Choice("keep", "Keep", "go"),
            "pass": Choice("pass", "Pass", cost=f"to {partner}, once"),
            "burn": Choice("burn", "Burn", cost=f"{left} left, shown"),
        }
        words = [shown[action].label.lower() for action in legal if action in shown]
        question = ", ".join(words[:-1]) + f" or {words[-1]}" if len(words) > 1 else words[0]
        choices = tuple(shown[action] for action in legal if action in shown)
        return Panel(f"{question.capitalize()}?", choices, kind=EXCHANGE)
    if any(action.startswith("run:") for action in legal):
        return _answer(legal, seen, names, partner, rules)
    toggle = None
    if any(action.startswith("hide:") for action in legal):
        toggle = Toggle("Face down", "it cannot win", "play", "hide")
    calls = tuple(_call(action, rules) for action in legal if action.startswith(("truco", "raise:")))
    return Panel("Play a card", card_choices(legal) + calls, toggle=toggle, kind=CARD)


def _call(action: str, rules: TrucoRules) -> Choice:
    """Return the choice for a call on the seat's own turn (TV-6.3)."""
    if action == "truco":
        return Choice(action, TRUCO_CALL, "call", f"for {rules.threshold_stake}")
    value = int(action.partition(":")[2])
    return Choice(action, RAISE_CALLS[value], "call", f"raise to {value}")


def _answer(
    legal: Sequence[str], seen: TrucoObservation, names: Sequence[str], partner: str, rules: TrucoRules
) -> Panel:
    call = seen["truco"]
    choices = []
    for action in legal:
        word, _, value = action.partition(":")
        if word == "run":
            choices.append(Choice(action, "Run", cost=f"they get {value}"))
        elif word == "accept":
            choices.append(Choice(action, "Play" if call is None else "Accept", "go", f"play for {value}"))
        elif word == "raise":
            choices.append(_call(action, rules))
        elif word == "defer":
            choices.append(Choice(action, "Ask partner", cost=f"{partner} decides"))
    if call is None:
        return Panel(f"You have {rules.threshold} points. Play this hand?", tuple(choices), kind=THRESHOLD)
    called = "truco" if call["value"] == rules.threshold_stake else _NUMBERS[call["value"]]
    return Panel(f"{names[call['proposer']]} says {called}. Your answer?", tuple(choices), kind=CALL)
