"""What a person is asked at a turn of Brazilian Truco."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.games.panels import NUMBER, Choice, Panel, Slider, Toggle, card_choices
from arena.games.truco.cards import CARD_COUNT, NO_CUT

_CALLED: Final = {3: "truco", 6: "six", 9: "nine", 12: "twelve"}
_RAISES: Final = {6: "Seis!", 9: "Nove!", 12: "Doze!"}


def panel(turn: Mapping[str, Any], names: Sequence[str]) -> Panel:
    """The panel of a turn; see :class:`~arena.games.descriptor.Game`."""
    legal = turn["legal_actions"]
    signs = [
        Choice(action, action.partition(":")[2].capitalize(), "sign")
        for action in legal
        if action.startswith("signal:")
    ]
    if len(signs) == len(legal):
        return Panel("You may give your partner a sign", tuple(signs))
    return _asked(turn, names).with_signs(signs)


def _asked(turn: Mapping[str, Any], names: Sequence[str]) -> Panel:
    legal, seen = turn["legal_actions"], turn["observation"]
    partner = names[(turn["seat"] + 2) % 4]
    if NO_CUT in legal:
        return Panel(
            "Cut the pack: how many cards do you lift?",
            (
                Choice(f"cut:{NUMBER}:top", "From the top", "go"),
                Choice(f"cut:{NUMBER}:bottom", "From the bottom"),
                Choice(NO_CUT, "Do not cut"),
            ),
            slider=Slider("Cards to lift", 1, CARD_COUNT - 1, CARD_COUNT // 2),
        )
    if "keep" in legal:
        left = turn["rules"]["max_burns"] - len(seen["burned"])
        shown = {
            "keep": Choice("keep", "Keep", "go"),
            "pass": Choice("pass", "Pass", cost=f"to {partner}, once"),
            "burn": Choice("burn", "Burn", cost=f"{left} left, all see them"),
        }
        words = [shown[action].label.lower() for action in legal if action in shown]
        question = ", ".join(words[:-1]) + f" or {words[-1]}" if len(words) > 1 else words[0]
        return Panel(f"{question.capitalize()}?", tuple(shown[action] for action in legal if action in shown))
    if any(action.startswith("run:") for action in legal):
        return _answer(legal, seen, names, partner)
    toggle = None
    if any(action.startswith("hide:") for action in legal):
        toggle = Toggle("Face down", "it cannot win", "play", "hide")
    calls = (Choice("truco", "Truco!", "call", "for 3"),) if "truco" in legal else ()
    return Panel("Play a card", card_choices(legal) + calls, toggle=toggle)


def _answer(legal: Sequence[str], seen: Mapping[str, Any], names: Sequence[str], partner: str) -> Panel:
    at_eleven = seen["truco"] is None
    choices = []
    for action in legal:
        word, _, value = action.partition(":")
        if word == "run":
            choices.append(Choice(action, "Run", cost=f"they get {value}"))
        elif word == "accept":
            choices.append(Choice(action, "Play" if at_eleven else "Accept", "go", f"play for {value}"))
        elif word == "raise":
            choices.append(Choice(action, _RAISES[int(value)], "call", f"raise to {value}"))
        elif word == "defer":
            choices.append(Choice(action, "Ask partner", cost=f"{partner} decides"))
    if at_eleven:
        return Panel("You have 11 points. Play this hand?", tuple(choices))
    call = seen["truco"]
    return Panel(f"{names[call['proposer']]} says {_CALLED[call['value']]}. Your answer?", tuple(choices))
