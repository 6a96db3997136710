"""The shapes and descriptions of the data that a game shows. The schemas of the API are built from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shape:
    """A single value. Every field is always present; ``nullable`` means that it can be null."""

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
    """A string, which is one of ``choices`` if any are given. ``pattern`` is a regular expression for the
    whole string.
    """

    choices: tuple[str, ...] = field(default=(), kw_only=True)
    pattern: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class ChoiceShape(Shape):
    """One of ``choices``, which can be of any type."""

    choices: tuple[str | int, ...] = field(kw_only=True)


@dataclass(frozen=True)
class ListShape(Shape):
    """A list of items of the shape ``of``."""

    of: Shape = field(kw_only=True)


@dataclass(frozen=True)
class ObjectShape(Shape):
    """An object. ``name`` must be unique across all games, because it names the schema."""

    name: str = field(kw_only=True)
    fields: Mapping[str, Shape] = field(kw_only=True)


@dataclass(frozen=True)
class EventShape:
    """Events of the given ``types`` as a viewer sees them. ``fields`` are their fields other than ``type``.

    ``name`` must be unique across all games, because it names the schema.
    """

    name: str
    types: tuple[str, ...]
    doc: str
    fields: Mapping[str, Shape]


@dataclass(frozen=True)
class ActionForm:
    """One form of action. ``pattern`` is a regular expression for the whole action, with alternatives in
    parentheses. ``example`` is an action of this form. It can be omitted if only the pattern itself matches.
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
