"""All commands, read from the program."""

from __future__ import annotations

from collections.abc import Iterator

import click

from arena.cli import botequim


def walk(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """The name and object of every command below, groups too."""
    if path:
        yield " ".join(path), command
    if isinstance(command, click.Group):
        ctx = click.Context(command, info_name="botequim")
        for name in command.list_commands(ctx):
            child = command.get_command(ctx, name)
            assert child is not None
            yield from walk(child, (*path, name))


TREE: dict[str, click.Command] = dict(walk(botequim))
LEAVES = {name: command for name, command in TREE.items() if not isinstance(command, click.Group)}
