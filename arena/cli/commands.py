"""The base classes of all commands, with examples in the help, suggestions, and errors that name a command's
own options.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.messages import did_you_mean, own_words
from arena.client.replies import InvalidReply
from arena.errors import ArenaError
from arena.text import printable

SETTINGS: Final = {"help_option_names": ["-h", "--help"]}


SERVICE: Final = "arena.cli.service"
"""The key of the URL, in the ``meta`` of a context, of the service that the command has called."""

_UNUSABLE: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What computing with unexpected values raises."""


def invoked(run: Callable[[click.Context], object], ctx: click.Context) -> object:
    """Run a command. Raises ``invalid_reply`` if it cannot use the values that the service sent.

    The client has checked the types of the values, but not whether they fit together.
    """
    try:
        return run(ctx)
    except _UNUSABLE as error:
        if SERVICE not in ctx.meta:
            raise
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        raise InvalidReply(
            f"{ctx.meta[SERVICE]} sent values that this command cannot use "
            f"({type(error).__name__} in {where}: {printable(str(error), 200)})"
        ) from error


class _WithExamples(click.Command):
    """A command whose help contains examples."""

    examples: Sequence[str] = ()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as a section, one per line so that they can be copied, and then the epilog."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
        super().format_epilog(ctx, formatter)


class Command(_WithExamples):
    """A command. ``examples`` are command lines for its help. ``fields`` maps API fields to the options or
    arguments that set them, if their names differ.
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
        """Return the context. Errors name the options of this command."""
        try:
            return super().make_context(*args, **extra)
        except ArenaError as error:
            own_words(error, self, self.fields)
            raise

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. Errors name its own options."""
        try:
            return invoked(super().invoke, ctx)
        except ArenaError as error:
            own_words(error, self, self.fields)
            raise


class Commands(_WithExamples, click.Group):
    """A group of such commands, which suggests similar names for an unknown command."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, examples: Sequence[str] = (), **options: Any) -> None:
        options.setdefault("context_settings", SETTINGS)
        super().__init__(*args, **options)
        self.examples = tuple(examples)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name. Raises :class:`click.UsageError`, suggesting similar
        names.
        """
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            meant = did_you_mean(name, self.list_commands(ctx))
            ctx.fail(f"No such command {name!r}." + (f" {meant[0].upper()}{meant[1:]}" if meant else ""))
        return super().resolve_command(ctx, args)
