"""Panels, which show a person the question of a turn in words and the legal actions as buttons.

A panel is built only from a turn, as its seat sees it. Each game has a function for this in its ``panel.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal, NamedTuple

from arena.games.cards import pretty, spoken

NUMBER: Final = "#"
"""A placeholder in an action for the number chosen with the slider."""

Tone = Literal["go", "call", "leave", "card", "sign"]
"""The kind of an action: to continue, to raise the stake, to leave or change something, to play a card, or to
make a sign.
"""


@dataclass(frozen=True)
class Choice:
    """One button. ``cost`` is a short description of what the action costs or gains. ``card`` is the card
    that it plays.
    """

    action: str
    label: str
    tone: Tone = "leave"
    cost: str = ""
    card: str = ""

    @property
    def words(self) -> str:
        """The label in the form used within a sentence."""
        return pretty(self.card) if self.card else self.label.rstrip("!").lower()


@dataclass(frozen=True)
class Slider:
    """A number that is chosen before a button is pressed."""

    label: str
    low: int
    high: int
    start: int


@dataclass(frozen=True)
class Toggle:
    """A switch that changes actions of the form ``word:...`` to ``other:...``."""

    label: str
    note: str
    word: str
    other: str

    def applied(self, action: str) -> str:
        """Return the action that replaces ``action`` when the switch is on."""
        word, colon, rest = action.partition(":")
        return f"{self.other}{colon}{rest}" if word == self.word else action


@dataclass(frozen=True)
class AnswerHelp:
    """What an answer is called, and what it does and costs."""

    label: str
    text: str


@dataclass(frozen=True)
class Help:
    """What a question means, for somebody who does not know the game, and its possible answers."""

    text: str
    answers: tuple[AnswerHelp, ...]


class QuestionHelp(NamedTuple):
    """The texts for one kind of question: what it means, and the answers by the first word of their
    actions.
    """

    text: str
    answers: Mapping[str, AnswerHelp]


@dataclass(frozen=True)
class Panel:
    """The question and the choices of one turn, in the order used by the rules. ``reason`` explains the
    question in a few sentences: what is at stake, and who said what. ``kind`` is the kind of question, which
    determines ``help``.
    """

    question: str
    choices: tuple[Choice, ...]
    slider: Slider | None = None
    toggle: Toggle | None = None
    reason: str = ""
    kind: str = ""
    help: Help | None = None

    def actions(self) -> set[str]:
        """Return all actions that can be chosen."""
        shown = {choice.action for choice in self.choices}
        if self.slider is not None:
            numbers = range(self.slider.low, self.slider.high + 1)
            shown = {action.replace(NUMBER, str(number)) for action in shown for number in numbers}
        if self.toggle is not None:
            shown |= {self.toggle.applied(action) for action in shown}
        return shown

    def words(self, action: str) -> str:
        """Return a short description of an action for use in a sentence."""
        for choice in self.choices:
            if choice.action == action:
                return choice.words
            if self.toggle is not None and self.toggle.applied(choice.action) == action:
                return f"{choice.words} {self.toggle.label.lower()}"
        return action.replace(":", " ").replace("_", " ")

    def as_json(self) -> dict[str, object]:
        """Return the panel as JSON data for a page."""
        return asdict(self)

    def with_help(self, questions: Mapping[str, QuestionHelp]) -> Panel:
        """Return the panel with the help for its kind of question and for the actions that it offers."""
        texts = questions[self.kind]
        actions = [choice.action for choice in self.choices]
        if self.toggle is not None:
            actions += [self.toggle.applied(action) for action in actions]
        words = dict.fromkeys(action.partition(":")[0] for action in actions)
        return replace(self, help=Help(texts.text, tuple(texts.answers[word] for word in words)))

    def with_signs(self, signs: Iterable[Choice]) -> Panel:
        """Return the panel with these choices appended."""
        return replace(self, choices=(*self.choices, *signs))


def card_choices(legal: Sequence[str]) -> tuple[Choice, ...]:
    """Return the choices for the cards among the legal actions."""
    cards = [action.partition(":")[2] for action in legal if action.startswith("play:")]
    return tuple(Choice(f"play:{card}", spoken(card).capitalize(), "card", card=card) for card in cards)
