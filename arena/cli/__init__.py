"""The ``botequim`` program. Each command has its own module; this module finds and runs them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, NoReturn

import click

from arena import __version__
from arena.cli.commands import Command, Commands
from arena.cli.messages import one_line, with_suggestion
from arena.cli.terminal import escaping
from arena.errors import ArenaError
from arena.installation import not_installed
from arena.text import printable

COMMANDS: Final = {
    "admin": "arena.cli.admin:admin",
    "api": "arena.cli.api:api",
    "archive": "arena.cli.operators.archive:archive",
    "backup": "arena.cli.operators.backup:backup",
    "bot": "arena.cli.bots:bot",
    "compare": "arena.cli.compare:compare",
    "completion": "arena.cli.completion:completion",
    "dataset": "arena.cli.dataset:dataset",
    "explain": "arena.cli.explain:explain",
    "game": "arena.cli.games:game",
    "leaderboard": "arena.cli.leaderboard:leaderboard",
    "login": "arena.cli.login:login",
    "logout": "arena.cli.login:logout",
    "luck": "arena.cli.luck:luck",
    "new": "arena.cli.new:new",
    "ops": "arena.cli.operators.ops:ops",
    "owner": "arena.cli.owners:owner",
    "play": "arena.cli.play:play",
    "records": "arena.cli.records:records",
    "replay": "arena.cli.replay:replay",
    "restore": "arena.cli.operators.backup:restore",
    "roster": "arena.cli.roster:roster",
    "schedule": "arena.cli.schedule:schedule",
    "series": "arena.cli.series:series",
    "signup": "arena.cli.owners:signup",
    "tournament": "arena.cli.tournament:tournament",
    "up": "arena.cli.operators.up:up",
    "verify": "arena.cli.verify:verify",
    "watch": "arena.cli.watch:watch",
    "web": "arena.cli.owners:web",
    "webhook": "arena.cli.webhook:webhook",
    "whoami": "arena.cli.login:whoami",
}
"""The commands in this package, as ``name: "module:object"``, which are loaded on use."""

SECTIONS: Final = {
    "On this machine": (
        "new",
        "play",
        "watch",
        "compare",
        "explain",
        "luck",
        "leaderboard",
        "replay",
        "verify",
    ),
    "Online": (
        "signup",
        "login",
        "logout",
        "whoami",
        "owner",
        "web",
        "bot",
        "game",
        "tournament",
        "series",
        "schedule",
        "roster",
        "records",
        "dataset",
        "webhook",
        "api",
    ),
    "Running a service": ("up", "serve", "admin", "ops", "backup", "restore", "archive"),
    "This program": ("completion",),
}
"""The sections of ``botequim --help``. Commands in no section come last."""

PLUGIN_GROUP: Final = "botequim.commands"
"""The entry point group with which other packages add commands."""

_PACKAGES: Final = frozenset({"arena", "api", "queues", "workers"})


class CommandGroup(Commands):
    """A group of commands that are imported on use: those in ``built_in`` (``name: "module:object"``) and the
    entry points of ``plugin_group``. ``sections`` are the sections of the help.
    """

    def __init__(
        self,
        *args: Any,
        built_in: Mapping[str, str],
        plugin_group: str,
        sections: Mapping[str, Sequence[str]],
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._built_in = built_in
        self._plugin_group = plugin_group
        self._sections = sections

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self._built_in, *self._plugins()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._built_in:
            module, _, name = self._built_in[cmd_name].partition(":")
            command = getattr(import_module(module), name)
        elif (plugin := self._plugins().get(cmd_name)) is not None:
            command = _load(plugin, f"{ctx.command_path} {cmd_name}")
        else:
            return None
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, section by section."""
        rest = self.list_commands(ctx)
        width = max(map(len, rest)) + 2
        sections = [
            (title, [name for name in names if name in rest]) for title, names in self._sections.items()
        ]
        placed = {name for _, names in sections for name in names}
        for title, names in (*sections, ("More", [name for name in rest if name not in placed])):
            if not names:
                continue
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                assert command is not None
                # This is the whole first sentence, which can span several lines.
                rows.append((name.ljust(width - 2), command.get_short_help_str(limit=200)))
            with formatter.section(title):
                formatter.write_dl(rows)

    def _plugins(self) -> dict[str, EntryPoint]:
        return {plugin.name: plugin for plugin in entry_points(group=self._plugin_group)}


def _load(plugin: EntryPoint, called: str) -> click.Command:
    """Return the command of another package. If a library is missing, return a command that reports this when
    used.
    """
    try:
        command: click.Command = plugin.load()
    except ModuleNotFoundError as error:
        missing = not_installed(f"'{called}'", str(error.name))

        @click.command(
            plugin.name,
            cls=Command,
            help=f"(not installed: needs {error.name})",
            context_settings={"ignore_unknown_options": True, "help_option_names": []},
        )
        @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
        def command(arguments: tuple[str, ...]) -> NoReturn:
            raise missing

    return command


def _imported_here(error: ModuleNotFoundError) -> bool:
    """Return whether a module of this package, instead of a bot, imported the missing module."""
    frame = None
    trace = error.__traceback__
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
    return frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PACKAGES


@click.group(
    cls=CommandGroup,
    built_in=COMMANDS,
    plugin_group=PLUGIN_GROUP,
    sections=SECTIONS,
    invoke_without_command=True,
    examples=(
        "botequim play truco my_bot.py rookie --groups 20",
        "botequim signup ana | botequim login",
        "botequim bot submit my_bot.py --name my-bot",
        "botequim tournament list --state running",
    ),
    epilog="docs/commands.md lists all commands. Each service has a manual at /docs.",
)
@click.version_option(__version__, prog_name="botequim")
@click.pass_context
def botequim(ctx: click.Context) -> None:
    """Brazilian Truco and Toepen for bots: play, record, verify."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and exit. For invalid input, print one line to stderr and exit with code 2.

    Otherwise, the exit code is the integer returned by the command, or 0.
    """
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None, command: click.Command | None = None) -> int:
    """Run the program, or another ``command`` with the same error handling, and return the exit code."""
    with escaping():
        return _run(arguments, command)


def _run(arguments: Sequence[str] | None, command: click.Command | None) -> int:
    try:
        result = (command or botequim).main(arguments, prog_name="botequim", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        return _fail(_usage(error))
    except click.ClickException as error:
        return _fail(with_suggestion(error.format_message()))
    except ArenaError as error:
        return _fail(one_line(error))
    except ModuleNotFoundError as error:
        # Without the extra "server", all commands are listed but not all can run.
        if not _imported_here(error):
            raise
        return _fail(one_line(not_installed("this command", str(error.name))))
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        # The reader closed the pipe, so nothing must be written at exit either. Inside commands, Click
        # handles this with the same exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(f"{error.filename or 'the system'}: {error.strerror or error}")
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption) and error.ctx is not None and error.ctx.command is botequim:
        return f"No such option {error.option_name!r} before the command; options come after it"
    where = error.ctx.command_path if error.ctx else "botequim"
    return f"{with_suggestion(error.format_message())} (see '{where} --help')"


def _fail(message: str) -> int:
    line = printable(" ".join(message.split()), 1000)
    click.echo(f"botequim: error: {line}", err=True)
    return 2
