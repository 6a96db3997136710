"""Rule options: what a game allows, checked with errors that name the option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import InvalidOption


@dataclass(frozen=True)
class Option:
    """One rule option. ``choices`` for words, ``low``/``high`` (inclusive) for whole numbers,
    neither for a truth value.
    """

    name: str
    default: str | int | bool
    doc: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    @property
    def allowed(self) -> str:
        """What values are allowed, for people."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        return f"a whole number from {self.low} to {self.high}"

    def accepts(self, value: object) -> bool:
        """Whether ``value`` has the right type and range."""
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if isinstance(self.default, bool):
            return isinstance(value, bool)
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


class OptionSet:
    """The options of one game."""

    def __init__(self, kind: str, options: Sequence[Option]) -> None:
        self.kind = kind
        self.by_name = {option.name: option for option in options}

    def complete(self, rules: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """All options with the defaults filled in, in the order of their declaration.

        Raises :class:`~arena.errors.InvalidOption`: unknown option, wrong type, value out of range.
        """
        given = dict(rules or {})
        for name, value in given.items():
            option = self.by_name.get(name)
            if option is None:
                raise InvalidOption(
                    f"{self.kind} has no rule option {name!r}",
                    field=f"rules.{name}",
                    expected="one of " + ", ".join(self.by_name),
                )
            if not option.accepts(value):
                raise InvalidOption(
                    f"{value!r} is not a value for {self.kind}'s rule option {name!r}",
                    field=f"rules.{name}",
                    expected=option.allowed,
                )
        return {name: given.get(name, option.default) for name, option in self.by_name.items()}

    def parse(self, texts: Sequence[str]) -> dict[str, Any]:
        """Options from ``name=value`` texts, as typed on a command line; not completed."""
        rules: dict[str, Any] = {}
        for text in texts:
            name, separator, value = text.partition("=")
            option = self.by_name.get(name)
            if not separator:
                raise InvalidOption(f"{text!r} is not a rule option", field="rules", expected="name=value")
            if option is None or option.choices:
                rules[name] = value
            elif isinstance(option.default, bool):
                rules[name] = {"true": True, "false": False}.get(value.lower(), value)
            else:
                rules[name] = int(value) if value.lstrip("-").isdecimal() else value
        self.complete(rules)
        return rules
