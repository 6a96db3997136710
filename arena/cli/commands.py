"""The classes of all commands: examples in the help, suggestions, and errors in a command's own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from arena.cli.messages import own_words
from arena.cli.suggest import did_you_mean
from arena.errors import ArenaError

SETTINGS: Final = {"help_option_names": ["-h", "--help"]}


class Command(click.Command):
    """A command. ``examples``: command lines for its help; ``fields``: fields of the API with the options or
    arguments that give them, where their names differ.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        fields: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        options.setdefault("context_settings", SETTINGS)
        super().__init__(*args, **options)
        self.examples = tuple(examples)
        self.fields = dict(fields or {})

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Return the context, or an error in this command's words."""
        try:
            return super().make_context(*args, **extra)
        except ArenaError as error:
            own_words(error, self, self.fields)
            raise

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; errors are in its words."""
        try:
            return super().invoke(ctx)
        except ArenaError as error:
            own_words(error, self, self.fields)
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and the epilog."""
        write_examples(self.examples, formatter)
        super().format_epilog(ctx, formatter)


class Commands(click.Group):
    """A group of such commands, which suggests names like an unknown one."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, examples: Sequence[str] = (), **options: Any) -> None:
        options.setdefault("context_settings", SETTINGS)
        super().__init__(*args, **options)
        self.examples = tuple(examples)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the arguments. Raises :class:`click.UsageError` with names that are alike."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            meant = did_you_mean(name, self.list_commands(ctx))
            ctx.fail(f"No such command {name!r}." + (f" {meant[0].upper()}{meant[1:]}" if meant else ""))
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and the epilog."""
        write_examples(self.examples, formatter)
        super().format_epilog(ctx, formatter)


def write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    """Write the examples as a section, a line each: they can be copied."""
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
