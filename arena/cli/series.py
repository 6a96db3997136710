"""``botequim series ...``: manages season tables over tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Final

import click

from arena.cli.commands import Commands
from arena.cli.derived import fields_of, options
from arena.cli.online import online
from arena.cli.output import Columns, json_option, named, show_rows
from arena.cli.output import show as show_one
from arena.cli.tournament import TABLE_FORMATS
from arena.client import Client
from arena.client.shapes import WrongShape, check_reply
from arena.inputs.reading import json_value, read_all
from arena.ratings.series import recomputed
from arena.ratings.series_rules import InvalidSeries, SeriesContents, SeriesRules

_OPTIONS: Final = {"tie_breaks": "--tie-break", "tournaments": "--tournament"}

if TYPE_CHECKING:
    from arena.client.types import Series


@click.group(
    cls=Commands,
    examples=("botequim series create Autumn --tournament CUP --best 8", "botequim series show SERIES"),
)
def series() -> None:
    """Manage season tables over tournaments."""


@series.command(examples=("botequim series create Autumn --tournament CUP --points 10,8,6,5 --best 8",))
@click.argument("name")
@options(SeriesContents, SeriesRules, names=_OPTIONS, without=("name",))
@online("the owner")
def create(name: str, client: Client, as_json: bool, **settings: object) -> None:
    """Create the series NAME and print its id."""
    made = client.create_series(name=name, **fields_of(settings))
    show_one(made, as_json, made["id"])


@series.command(examples=("botequim series edit SERIES --best 6 --points 10,6,4",))
@click.argument("series_id", metavar="SERIES")
@options(SeriesContents, SeriesRules, names=_OPTIONS, edits=True)
@online("the owner")
def edit(series_id: str, client: Client, as_json: bool, **settings: object) -> None:
    """Change the name of SERIES, its tournaments or its scoring. Other settings stay unchanged."""
    changes = fields_of(settings)
    if not changes:
        raise click.UsageError("nothing to change; expected an option such as --name or --best")
    _print_one(as_json, client.change_series(series_id, **changes))


@series.command(examples=("botequim series add SERIES CUP",))
@click.argument("series_id", metavar="SERIES")
@click.argument("tournaments", metavar="TOURNAMENT...", nargs=-1, required=True)
@online("the owner")
def add(series_id: str, tournaments: Sequence[str], client: Client, as_json: bool) -> None:
    """Add tournaments to the end of SERIES."""
    known = client.series(series_id)["tournaments"]
    _print_one(as_json, client.change_series(series_id, tournaments=[*known, *tournaments]))


@series.command(examples=("botequim series remove SERIES CUP",))
@click.argument("series_id", metavar="SERIES")
@click.argument("tournaments", metavar="TOURNAMENT...", nargs=-1, required=True)
@online("the owner")
def remove(series_id: str, tournaments: Sequence[str], client: Client, as_json: bool) -> None:
    """Remove tournaments from SERIES."""
    known = client.series(series_id)["tournaments"]
    _print_one(
        as_json, client.change_series(series_id, tournaments=[one for one in known if one not in tournaments])
    )


@series.command(examples=("botequim series done SERIES",))
@click.argument("series_id", metavar="SERIES")
@online("the owner")
def done(series_id: str, client: Client, as_json: bool) -> None:
    """End SERIES permanently, which freezes its table."""
    _print_one(as_json, client.change_series(series_id, done=True))


@series.command(examples=("botequim series delete SERIES",))
@click.argument("series_id", metavar="SERIES")
@online("the owner")
def delete(series_id: str, client: Client, as_json: bool) -> None:
    """Delete SERIES. Its tournaments remain."""
    client.delete_series(series_id)
    show_one({"deleted": series_id}, as_json, f"{series_id} is deleted")


@series.command("list", examples=("botequim series list --owner ana",))
@click.option("--owner", help="Only series of this owner.")
@online()
def list_series(owner: str | None, client: Client, as_json: bool) -> None:
    """List the series, newest first."""
    columns: Columns[Series] = {
        **named("id", "name", "owner", "done"),
        "tournaments": lambda one: len(one["tournaments"]),
    }
    show_rows("series", client.series_list(owner), columns, as_json, right=1)


@series.command(examples=("botequim series show SERIES --format json > table.json",))
@click.argument("series_id", metavar="SERIES")
@click.option("--format", "form", type=click.Choice(TABLE_FORMATS), default="text", show_default=True)
@online("the owner, if the series is hidden", required=False)
def show(series_id: str, form: str, client: Client, as_json: bool) -> None:
    """Print the table of SERIES. The JSON includes all data behind it."""
    form = "json" if as_json else form
    text = client.series_table(series_id, form)
    click.echo(text, nl=form == "json")


@series.command(examples=("botequim series verify table.json",))
@click.argument("file", type=click.File("rb"))
@json_option
def verify(file: IO[bytes], as_json: bool) -> None:
    """Recompute the table in FILE (JSON from 'series show') offline, from its inputs, and print it. Fails if
    the tables differ.
    """
    data = json_value(read_all(file, file.name, "file", InvalidSeries), file.name, "file", InvalidSeries)
    try:
        check_reply("get_series_table", data)
    except WrongShape as error:
        raise InvalidSeries(
            f"{file.name} is not a valid series table: {error.where or 'the top'} is {error.found}",
            field="file",
            expected=error.expected,
        ) from None
    table = recomputed(data)
    show_one(table.as_json(), as_json, table.as_text())


def _print_one(as_json: bool, one: Series) -> None:
    state = ", done" if one["done"] else ""
    count = len(one["tournaments"])
    show_one(one, as_json, f"{one['name']}: {count} tournament{'s' if count != 1 else ''}{state}")
