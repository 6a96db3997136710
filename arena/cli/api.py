"""``botequim api``: calls any operation of the API with any of its fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO, Any, Final

import click
from click.shell_completion import CompletionItem

from arena.cli.commands import Command, invoked
from arena.cli.messages import did_you_mean
from arena.cli.online import online
from arena.cli.output import json_line, show, show_rows
from arena.cli.params import Text
from arena.client import Client
from arena.errors import ArenaError
from arena.inputs.files import decode_source
from arena.inputs.reading import json_value, read_all, read_file
from arena.operations import OPERATIONS
from arena.operations.operation import EVENT_STREAM, Operation, operation_id

_FIELD: Final = re.compile(r"([a-z]\w*(?:\.\w+)*)(:?=)(@?)(.*)", re.DOTALL)
_FIELD_RULE: Final = "name=text, name:=JSON, name=@FILE or name:=@FILE"


class OperationName(Text):
    """The name of an operation, as in the table or in the OpenAPI document."""

    name = "operation"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name in the table."""
        names = {operation_id(name): name for name in OPERATIONS} | {name: name for name in OPERATIONS}
        if value not in names:
            meant = did_you_mean(value, OPERATIONS)
            hint = f"{meant} " if meant else ""
            self.fail(f"there is no operation {value!r}; {hint}'botequim api --list' lists them", param, ctx)
        return names[value]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with the text typed so far."""
        return [
            CompletionItem(name, help=one.summary)
            for name, one in OPERATIONS.items()
            if name.startswith(incomplete)
        ]


class ApiCommand(Command):
    """A command whose errors use the API's field names, like its command line."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        return invoked(partial(click.Command.invoke, self), ctx)


@click.command(
    cls=ApiCommand,
    examples=(
        "botequim api --list",
        "botequim api get_bot bot=my-bot",
        "botequim api create_tournament kind=truco name=Cup format=swiss rounds:=5 clock.preset=patient",
        "botequim api add_version bot=my-bot label=2 source=@my_bot.py",
        "botequim api list_games bot=my-bot --all",
    ),
)
@click.argument("name", metavar="[OPERATION]", type=OperationName(), required=False)
@click.argument("fields", metavar="[FIELD]...", nargs=-1)
@click.option(
    "--input", "file", type=click.File("rb"), help="A JSON file with more fields; - is standard input."
)
@click.option("--all", "all_pages", is_flag=True, help="Join all pages of a list.")
@click.option("--list", "is_list", is_flag=True, help="List all operations.")
@online("an owner, bot or admin that the operation allows", required=False)
def api(
    name: str | None,
    fields: tuple[str, ...],
    file: IO[bytes] | None,
    all_pages: bool,
    is_list: bool,
    client: Client,
    as_json: bool,
) -> None:
    """Call OPERATION of the API with the FIELDs, and print the reply as JSON, or as text if it is not JSON.

    A FIELD is name=text or name:=JSON (a number, true, null, a list); @FILE reads the value from a file. A
    dot sets a nested field, as in clock.preset=patient. Fields of the path, the query and the body are passed
    in the same way. The service describes all operations at /docs/api. Each event of a stream is printed on
    one line.
    """
    if is_list:
        rows = [{"name": one, **_row(operation)} for one, operation in OPERATIONS.items()]
        columns = {"operation": "name", "method": "method", "path": "path", "summary": "summary"}
        show_rows("operations", rows, columns, as_json)
        return
    if name is None:
        raise click.UsageError("OPERATION is missing; 'botequim api --list' lists them")
    operation = OPERATIONS[name]
    given = {**_object(file), **_fields(fields, operation)}
    missing = [one for one in operation.in_path if one not in given]
    if missing:
        needed = " ".join(f"{one}=..." for one in missing)
        raise click.UsageError(f"{name} needs {needed}: {operation.method} {operation.path}")
    if all_pages and not operation.pages:
        raise click.UsageError(f"{name} does not return pages, and --all works only with operations that do")
    if operation.media == EVENT_STREAM:
        for event in _events(client, name, operation, given):
            click.echo(json_line(event))
        return
    reply = _all(client, name, operation, given) if all_pages else client.call(name, **given)
    if isinstance(reply, str):
        click.echo(reply, nl=not reply.endswith("\n"))
    elif reply is not None:
        show(reply, as_json=True)


def _row(operation: Operation) -> Mapping[str, object]:
    return {
        "method": operation.method,
        "path": operation.path,
        "summary": operation.summary,
        "scopes": operation.scopes,
    }


def _object(file: IO[bytes] | None) -> dict[str, object]:
    """Return the fields in a JSON file."""
    found = {} if file is None else json_value(read_all(file, file.name, "--input"), file.name, "--input")
    if not isinstance(found, dict):
        raise ArenaError(
            "the file does not contain a JSON object",
            field="--input",
            expected='a JSON object such as {"name": "Cup"}',
        )
    return found


def _fields(words: tuple[str, ...], operation: Operation) -> dict[str, object]:
    """Return the fields on a command line. Fields that the operation takes as files remain bytes."""
    found: dict[str, object] = {}
    for word in words:
        match = _FIELD.fullmatch(word)
        if match is None:
            raise ArenaError(f"{word[:80]!r} is not a valid field", field="FIELD", expected=_FIELD_RULE)
        name, sign, at, text = match.groups()
        data = read_file(text, name) if at else text.encode(errors="surrogateescape")
        value: object = data
        if sign == ":=":
            value = json_value(data, name, name)
        elif not at:
            value = text
        elif name not in operation.files:
            value = decode_source(data, name)
        *parents, last = name.split(".")
        into = found
        for parent in parents:
            inner = into.setdefault(parent, {})
            if not isinstance(inner, dict):
                raise ArenaError(
                    f"{parent} is set both as a value and as an object",
                    field=name,
                    expected="only one of them",
                )
            into = inner
        if last in into:
            raise ArenaError(f"{name} is given twice", field=name, expected="one value")
        into[last] = value
    return found


def _all(
    client: Client, name: str, operation: Operation, given: Mapping[str, object]
) -> Mapping[str, object]:
    """Return a list with the elements from all pages."""
    found: dict[str, list[object]] = {member: [] for member in operation.pages}
    cursor = given.get("cursor")
    while True:
        page: Any = client.call(name, **{**given, "cursor": cursor})
        for member, rows in found.items():
            rows += page[member]
        cursor = page["cursor"]
        if cursor is None:
            return found


def _events(
    client: Client, name: str, operation: Operation, given: Mapping[str, object]
) -> Iterator[Mapping[str, object]]:
    stream = getattr(client, operation.client or name)(**given)
    return (dict(event._asdict()) for event in stream)
