"""The shapes of what a game shows, with their documentation. The API's schemas are built from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shape:
    """One value. Every field is always present; ``nullable`` says whether it may be null."""

    doc: str = ""
    nullable: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class NumberShape(Shape):
    """A whole number."""


@dataclass(frozen=True)
class TruthShape(Shape):
    """True or false."""


@dataclass(frozen=True)
class TextShape(Shape):
    """A text, which is one of ``choices`` if there are any. ``pattern`` is a regular expression for the whole
    text.
    """

    choices: tuple[str, ...] = field(default=(), kw_only=True)
    pattern: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class ChoiceShape(Shape):
    """One of ``choices``, whatever their types."""

    choices: tuple[str | int, ...] = field(kw_only=True)


@dataclass(frozen=True)
class ListShape(Shape):
    """A list whose items have the shape ``of``."""

    of: Shape = field(kw_only=True)


@dataclass(frozen=True)
class ObjectShape(Shape):
    """An object. ``name`` is unique among all games, since it names the schema."""

    name: str = field(kw_only=True)
    fields: Mapping[str, Shape] = field(kw_only=True)


@dataclass(frozen=True)
class EventShape:
    """Events of ``types`` as a viewer sees them: their ``fields`` besides ``type``.

    ``name`` is unique among all games, since it names the schema.
    """

    name: str
    types: tuple[str, ...]
    doc: str
    fields: Mapping[str, Shape]


@dataclass(frozen=True)
class ActionForm:
    """One form of action. ``pattern`` is a regular expression for the whole action, with alternatives in
    brackets. ``example`` is an action of this form; it may be left out if only the pattern itself matches.
    """

    pattern: str
    meaning: str
    by_chance: bool = False
    example: str = ""

    def __post_init__(self) -> None:
        if not self.example:
            object.__setattr__(self, "example", self.pattern)


def numbers(doc: str, *, nullable_items: bool = False) -> ListShape:
    """Return the shape of a list of whole numbers."""
    return ListShape(doc, of=NumberShape(nullable=nullable_items))


def cards(doc: str, pattern: str = "", *, nullable: bool = False) -> ListShape:
    """Return the shape of a list of cards, each written as rank and suit."""
    return ListShape(doc, of=TextShape(pattern=pattern), nullable=nullable)
