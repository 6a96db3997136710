"""All commands: each has help, examples that parse, and JSON where it prints results."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from arena.cli import SECTIONS, botequim
from arena.cli.commands import Command, Commands
from arena.cli.reference import reference
from tests.cli.tree import LEAVES, TREE

ROOT = Path(__file__).parent.parent.parent

NO_JSON = {
    "admin metrics": "the text format of Prometheus",
    "archive cat": "JSON lines already",
    "owner export": "JSON already",
    "bot run": "runs until it is stopped, and reports events on stderr",
    "completion": "a script for a shell",
    "game record": "JSON already",
    "records": "JSON lines already",
    "replay": "a text or a page of a record, which is JSON",
    "serve": "runs until it is stopped",
    "tournament records": "JSON lines already",
    "tournament results": "CSV; the standings and entries are JSON",
    "up": "runs until it is stopped",
    "watch": "runs until it is stopped",
}
"""Commands without ``--json``, and why."""


@pytest.mark.parametrize("name", sorted(TREE))
def test_every_command_has_help_and_an_example(name: str) -> None:
    command = TREE[name]
    assert isinstance(command, Command | Commands), "made without cls=Command or cls=Commands"
    text = (command.help or "").strip()
    assert text.partition("\n\n")[0].rstrip().endswith(".")
    assert command.examples
    assert any(f"botequim {name}" in example for example in command.examples)
    ctx = click.Context(command, info_name=f"botequim {name}")
    shown = command.get_help(ctx)
    assert all(example in shown for example in command.examples)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help or parameter.name in ("form", "limit", "workers"), parameter.opts


EXAMPLES = sorted({example for command in TREE.values() for example in command.examples})  # type: ignore[attr-defined]


def calls(example: str) -> list[list[str]]:
    """The words of each call of the program in a line of a shell."""
    found, words = [], shlex.split(example.replace("$(", " ; ").replace(")", " "))
    for index, word in enumerate(words):
        if word == "botequim":
            rest = words[index + 1 :]
            end = next((at for at, one in enumerate(rest) if one in ("|", ">", ">>", ";")), len(rest))
            found.append(rest[:end])
    return found


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_are_understood(example: str) -> None:
    """Each names a command, its options exist, and no argument is missing."""
    for words in calls(example) or calls(shlex.split(example)[1]):
        command: click.Command = botequim
        ctx = click.Context(botequim, info_name="botequim")
        while isinstance(command, click.Group):
            child = command.get_command(ctx, words[0])
            assert child is not None, words[0]
            command, words = child, words[1:]
            ctx = click.Context(command, info_name=words[0] if words else "", parent=ctx)
        values, rest, _ = command.make_parser(ctx).parse_args(list(words))
        assert rest == []
        for parameter in command.params:
            if parameter.required:
                assert values.get(parameter.name) not in (None, ()), parameter.name


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_results_come_as_json_too(name: str) -> None:
    options = {opt for parameter in LEAVES[name].params for opt in parameter.opts}
    assert ("--json" in options) != (name in NO_JSON)


def test_every_command_is_in_a_section_of_the_help() -> None:
    named = [name for names in SECTIONS.values() for name in names]
    assert len(named) == len(set(named))
    assert {name for name in TREE if " " not in name} == set(named)


def test_the_page_of_all_commands_is_up_to_date() -> None:
    """``python -m arena.cli.reference > docs/commands.md``."""
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == reference()
