"""The options and arguments of commands that give fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import click

from arena.cli.commands import Command
from arena.cli.messages import option_of, shown_parameter
from tests.api.fields.request_fields import Field
from tests.cli.operations import commands_of
from tests.cli.tree import LEAVES

_CONNECTION: Final = ("--url", "--token", "--profile", "--json")
_DEFAULT: Final = re.compile(r"\s*\[default: (.*)\]\Z")
_OF_LISTS: Final = re.compile(r" Repeatable\.(?: An empty value clears the list\.)?\Z")


@dataclass(frozen=True)
class Option:
    """What a command says about a field."""

    command: str
    shown: str
    parameter: click.Parameter

    @property
    def flags(self) -> tuple[str, ...]:
        """All ways to write it."""
        return (self.shown, *self.parameter.secondary_opts)

    @property
    def text(self) -> str:
        """Its help, without the default, and without how a list is given."""
        return _OF_LISTS.sub("", _DEFAULT.sub("", self._help))

    @property
    def default(self) -> str | None:
        """Its default in words."""
        said = _DEFAULT.search(self._help)
        if said:
            return said[1]
        default = self.parameter.default
        known = default not in (None, (), False, "") and isinstance(default, str | int | float)
        return str(default) if known else None

    @property
    def tells_default(self) -> bool:
        """Whether its help says the default in words."""
        return _DEFAULT.search(self._help) is not None

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and largest number that it takes."""
        type = self.parameter.type
        # Those of click are generic in type checkers only.
        return (type.min, type.max) if isinstance(type, click.IntRange | click.FloatRange) else (None, None)

    @property
    def choices(self) -> tuple[str, ...]:
        """What it takes, if that is a choice."""
        type = self.parameter.type
        return tuple(map(str, type.choices)) if isinstance(type, click.Choice) else ()

    @property
    def _help(self) -> str:
        return (self.parameter.help or "") if isinstance(self.parameter, click.Option) else ""


def options_of(field: Field) -> Iterator[Option]:
    """The options of the commands of the field's operation that give it."""
    for name in commands_of(field.operation):
        command = LEAVES[name]
        assert isinstance(command, Command)
        shown = option_of(field.name, command, command.fields)
        for parameter in command.params:
            if shown not in _CONNECTION and shown_parameter(parameter) == shown:
                yield Option(name, shown, parameter)
