"""Rule options: the values that a game allows, and their validation with errors that name the option."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

from arena.errors import InvalidOption

RuleValue: TypeAlias = str | int
"""The value of a rule option: a word, a whole number, or a truth value (``bool`` is a subclass of ``int``).
"""

Rules: TypeAlias = Mapping[str, RuleValue]
"""Values of rule options by name. Complete rules have a value for every option."""


@dataclass(frozen=True)
class Option:
    """One rule option. A word option has ``choices``, and a whole number has ``low`` and ``high``
    (inclusive). An option with none of these is a truth value.

    ``follows`` is the name of an earlier option, and ``defaults`` maps some of its values to defaults of this
    option. For other values, and without ``follows``, the default is ``default``. If ``later`` is set, stored
    rules omit the option while it has its default value.
    """

    name: str
    default: RuleValue
    doc: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    follows: str = ""
    defaults: Mapping[RuleValue, RuleValue] = field(default_factory=dict)
    later: bool = False

    @property
    def allowed(self) -> str:
        """A description of the allowed values."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        return f"a whole number from {self.low} to {self.high}"

    @property
    def default_text(self) -> str:
        """A description of the default, with the exceptions for values of another option, in Markdown."""
        texts = [f"`{_text(self.default)}`"]
        for other in dict.fromkeys(self.defaults.values()):
            values = (value for value, default in self.defaults.items() if default == other)
            where = " or ".join(f"`{self.follows}={_text(value)}`" for value in values)
            texts.append(f"`{_text(other)}` with {where}")
        return ", ".join(texts)

    def default_in(self, rules: Rules) -> RuleValue:
        """Return the default that applies for the given values of earlier options."""
        return self.defaults.get(rules[self.follows], self.default) if self.follows else self.default

    def accepts(self, value: object) -> TypeGuard[RuleValue]:
        """Return whether ``value`` has the right type and is in range."""
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if isinstance(self.default, bool):
            return isinstance(value, bool)
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True)
class Refusal:
    """An invalid combination of option values. ``values`` lists these values by option; the error is reported
    for the first option. ``why`` is the reason, as text for users.
    """

    values: Mapping[str, Container[RuleValue]]
    why: str


class OptionSet:
    """The set of rule options of one game."""

    def __init__(self, kind: str, options: Sequence[Option], refused: Sequence[Refusal] = ()) -> None:
        self.kind = kind
        self.by_name = {option.name: option for option in options}
        self.refused = tuple(refused)

    def complete(self, rules: Mapping[str, object] | None = None) -> dict[str, RuleValue]:
        """Return all options in the order of their declaration, with defaults for missing ones.

        Raises :class:`~arena.errors.InvalidOption` for an unknown option, a wrong type, a value out of range,
        or values that cannot be combined.
        """
        given: dict[str, RuleValue] = {}
        for name, value in dict(rules or {}).items():
            option = self.by_name.get(name)
            if option is None:
                raise InvalidOption(
                    f"{self.kind} has no rule option {name!r}",
                    field=f"rules.{name}",
                    expected="one of " + ", ".join(self.by_name),
                )
            if not option.accepts(value):
                raise InvalidOption(
                    f"{value!r} is not a valid value for {self.kind}'s rule option {name!r}",
                    field=f"rules.{name}",
                    expected=option.allowed,
                )
            given[name] = value
        complete: dict[str, RuleValue] = {}
        for name, option in self.by_name.items():
            complete[name] = given[name] if name in given else option.default_in(complete)
        for refusal in self.refused:
            if all(complete[name] in values for name, values in refusal.values.items()):
                self._refuse(refusal, complete)
        return complete

    def _refuse(self, refusal: Refusal, rules: Rules) -> None:
        field, *_ = refusal.values
        in_force = " and ".join(f"{name}={_text(rules[name])}" for name in refusal.values)
        raise InvalidOption(
            f"{self.kind} cannot be played with {in_force}: {refusal.why}",
            field=f"rules.{field}",
            expected=f"a different value of {' or '.join(refusal.values)}",
        )

    def missing(self, rules: Mapping[str, object]) -> list[str]:
        """Return the options that are missing from rules that should be complete, such as a record's."""
        return [name for name in self.by_name if name not in rules]

    def stored(self, rules: Rules) -> dict[str, RuleValue]:
        """Return complete rules without the ``later`` options that have their default values.
        :meth:`complete` reverses this.
        """
        return {
            name: rules[name]
            for name, option in self.by_name.items()
            if not option.later or rules[name] != option.default_in(rules)
        }

    def changed(self, rules: Rules) -> dict[str, RuleValue]:
        """Return the options of complete rules that differ from their defaults, given the other options."""
        return {
            name: rules[name]
            for name, option in self.by_name.items()
            if rules[name] != option.default_in(rules)
        }

    def parse(self, texts: Sequence[str]) -> dict[str, RuleValue]:
        """Parse options from ``name=value`` arguments of a command line and validate them. Missing options
        are not filled in.
        """
        rules = self.read(texts)
        self.complete(rules)
        return rules

    def read(self, texts: Sequence[str]) -> dict[str, RuleValue]:
        """Parse options like :meth:`parse`, but without validating their values."""
        rules: dict[str, RuleValue] = {}
        for text in texts:
            name, separator, value = text.partition("=")
            option = self.by_name.get(name)
            if not separator:
                raise InvalidOption(
                    f"{text!r} is not a valid rule option", field="rules", expected="name=value"
                )
            if option is None or option.choices:
                rules[name] = value
            elif isinstance(option.default, bool):
                rules[name] = {"true": True, "false": False}.get(value.lower(), value)
            else:
                rules[name] = int(value) if _is_number(value) else value
        return rules


def _is_number(text: str) -> bool:
    """Return whether ``text`` is a whole number. Longer ones than these are in no range."""
    digits = text.removeprefix("-")
    return len(digits) < 20 and digits.isascii() and digits.isdecimal()


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
