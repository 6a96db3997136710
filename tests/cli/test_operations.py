"""Every operation of the specification has a command."""

from __future__ import annotations

import pytest

from tests.cli.operations import ALSO, COMMANDS, WITHOUT
from tests.cli.tree import LEAVES
from tests.documents import openapi

SPEC = openapi()


def operations() -> set[str]:
    """The ids of all operations of the specification."""
    return {
        operation["operationId"]
        for item in SPEC["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    }


def test_every_operation_has_a_command_or_a_reason() -> None:
    assert COMMANDS.keys() | WITHOUT.keys() == operations()
    assert COMMANDS.keys() & WITHOUT.keys() == set()


@pytest.mark.parametrize(
    "line", sorted({*COMMANDS.values(), *(line for lines in ALSO.values() for line in lines)})
)
def test_the_commands_exist(line: str) -> None:
    name, _, option = line.partition(" --")
    assert name in LEAVES
    options = {opt for parameter in LEAVES[name].params for opt in parameter.opts}
    assert not option or f"--{option}" in options
