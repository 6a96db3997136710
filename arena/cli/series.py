"""``botequim series ...``: season tables over tournaments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from arena.cli.online import service, token_option, url_option
from arena.cli.tournament import TABLE_FORMATS
from arena.ratings.series import BY, SERIES_TIE_BREAKS, InvalidSeries, recomputed
from arena.text import plain_table


def _numbers(text: str) -> list[float]:
    """Points such as ``10,8,6``."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} are not points; expected for instance 10,8,6,5") from None


@click.group()
def series() -> None:
    """Keep a season table over tournaments."""


@series.command()
@click.argument("name")
@click.option("--tournament", "tournaments", multiple=True, help="One of its tournaments; may be repeated.")
@click.option("--points", type=_numbers, help="Points by place. [default: 10,8,6,5,4,3,2,1]")
@click.option("--best", type=int, help="How many results count, the best ones. [default: all]")
@click.option("--by", type=click.Choice(BY), help="Who is in the table. [default: owner]")
@click.option(
    "--tie-break",
    "tie_breaks",
    type=click.Choice(tuple(SERIES_TIE_BREAKS)),
    multiple=True,
    help="A tie-break, in order; may be repeated. [default: wins, best, last]",
)
@url_option
@token_option("the owner")
def create(name: str, tournaments: tuple[str, ...], url: str, token: str, **options: Any) -> None:
    """Create the series NAME and print its id."""
    given = {key: value for key, value in options.items() if value}
    made = service(url, token).create_series(name=name, tournaments=list(tournaments), **given)
    click.echo(made["id"])


@series.command()
@click.argument("series_id", metavar="SERIES")
@click.argument("tournaments", metavar="TOURNAMENT...", nargs=-1, required=True)
@url_option
@token_option("the owner")
def add(series_id: str, tournaments: Sequence[str], url: str, token: str) -> None:
    """Add each TOURNAMENT to SERIES, at the end."""
    client = service(url, token)
    known = client.series(series_id)["tournaments"]
    _print_one(client.change_series(series_id, tournaments=[*known, *tournaments]))


@series.command()
@click.argument("series_id", metavar="SERIES")
@click.argument("tournaments", metavar="TOURNAMENT...", nargs=-1, required=True)
@url_option
@token_option("the owner")
def remove(series_id: str, tournaments: Sequence[str], url: str, token: str) -> None:
    """Remove each TOURNAMENT from SERIES."""
    client = service(url, token)
    known = client.series(series_id)["tournaments"]
    _print_one(client.change_series(series_id, tournaments=[one for one in known if one not in tournaments]))


@series.command()
@click.argument("series_id", metavar="SERIES")
@url_option
@token_option("the owner")
def done(series_id: str, url: str, token: str) -> None:
    """End SERIES for good: its table stays as it is."""
    _print_one(service(url, token).change_series(series_id, done=True))


@series.command()
@click.argument("series_id", metavar="SERIES")
@url_option
@token_option("the owner")
def delete(series_id: str, url: str, token: str) -> None:
    """Delete SERIES. Its tournaments stay."""
    service(url, token).delete_series(series_id)


@series.command("list")
@click.option("--owner", help="Only those of this owner.")
@url_option
def list_series(owner: str | None, url: str) -> None:
    """List the series, the newest first."""
    rows = [
        (one["id"], one["name"], one["owner"], len(one["tournaments"]), "done" if one["done"] else "")
        for one in service(url).series_list(owner)
    ]
    click.echo(plain_table(("id", "name", "owner", "tournaments", ""), rows, left=3), nl=False)


@series.command()
@click.argument("series_id", metavar="SERIES")
@click.option("--format", "form", type=click.Choice(TABLE_FORMATS), default="text", show_default=True)
@url_option
@token_option("the owner, if the series is hidden", required=False)
def show(series_id: str, form: str, url: str, token: str | None) -> None:
    """Print the table of SERIES; as json with all that it follows from."""
    text = service(url, token).series_table(series_id, form)
    click.echo(text, nl=form == "json")


@series.command()
@click.argument("file", type=click.File("rb"))
def verify(file: Any) -> None:
    """Make the table in FILE (json of `series show`) again from its inputs, offline, and print it.

    Fails if it is another one.
    """
    try:
        data = json.loads(file.read())
    except ValueError as error:
        raise InvalidSeries(f"{file.name} is not JSON: {error}", field="file") from None
    click.echo(recomputed(data).as_text(), nl=False)


def _print_one(one: dict[str, Any]) -> None:
    state = ", done" if one["done"] else ""
    click.echo(f"{one['name']}: {len(one['tournaments'])} tournaments{state}")
