"""``botequim completion``: prints scripts for shell completion."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from arena.cli.commands import Command

SHELLS: Final = ("bash", "zsh", "fish")
_VARIABLE: Final = "_BOTEQUIM_COMPLETE"


@click.command(
    cls=Command,
    examples=(
        """echo 'eval "$(botequim completion bash)"' >> ~/.bashrc""",
        """echo 'eval "$(botequim completion zsh)"' >> ~/.zshrc""",
        "botequim completion fish > ~/.config/fish/completions/botequim.fish",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="SHELL")
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL (bash, zsh or fish), for commands, options and names."""
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "botequim", _VARIABLE).source())
