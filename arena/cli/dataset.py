"""``botequim dataset``: writes the decisions of recorded games for machine learning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource

from arena.cli.commands import Command
from arena.cli.online import service, url_option
from arena.cli.output import json_option, show
from arena.cli.progress import progress_bar
from arena.cli.records import read_state
from arena.client import Client
from arena.errors import ArenaError
from arena.games import game_of
from arena.inputs.times import read_period
from arena.installation import not_installed
from arena.records.record import Record, load_records, parse_record, source_name


@click.command(
    cls=Command,
    examples=(
        "botequim dataset truco/base@1 --from 2026-11 --out data.parquet",
        "botequim dataset toepen/duel@1 --records records.jsonl --out data.parquet",
    ),
)
@click.argument("name", metavar="KIND/PRESET")
@click.option(
    "--from", "begin", metavar="DATE", help="Only games that ended in or after this year, month or day."
)
@click.option(
    "--to", "end", metavar="DATE", help="Only games that ended in or before this year, month or day."
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The Parquet file."
)
@click.option(
    "--records",
    "file",
    type=click.Path(allow_dash=True),
    help="Read records from a file (JSON lines, also gzipped; - is stdin) instead of the service.",
)
@click.option(
    "--without", multiple=True, metavar="BOT", help="Leave out the decisions of this bot; repeatable."
)
@url_option
@json_option
def dataset(
    name: str,
    begin: str | None,
    end: str | None,
    out: Path,
    file: str | None,
    without: tuple[str, ...],
    url: str,
    as_json: bool,
) -> None:
    """Write the decisions of the public games of a preset to a Parquet file, one row each.

    A row contains what the seat knew (as a vector), the legal actions, the chosen action, the bot, and the
    outcome. It never contains what the seat could not know. docs/research.md explains the columns. Dates are
    UTC, such as 2026-11 or 2026-11-22.

    Decisions are left out if they are by people, by bots that were deleted or whose owners opted out
    ('botequim bot change --no-datasets'), or in annulled groups. With --records, the service that is asked
    about bots is the one from which 'botequim records --out' downloaded the file, or the one set by --url or
    BOTEQUIM_URL. If there is none, all bots are included.
    """
    try:
        from arena.research.dataset import LICENCE, DataSet, Wanted
    except ModuleNotFoundError as error:
        raise not_installed("'botequim dataset'", str(error.name), "rl") from None

    kind, _, preset = name.partition("/")
    made = DataSet(game_of(kind), preset)
    client, records, source = _source(file, url, kind)
    if client is None:
        click.echo(
            "No service was asked which bots to leave out, so all are included; set one with --url.",
            err=True,
        )
    wanted = Wanted(
        None if begin is None else read_period(begin, "from")[0],
        None if end is None else read_period(end, "to")[1],
        _kept(client, without),
    )
    with progress_bar(name, None, "games") as on_game:
        written = made.write(
            out,
            records,
            wanted,
            source=source,
            licence=LICENCE if client is not None else None,
            on_game=on_game,
        )
    size = out.stat().st_size
    value = {**vars(written), "bytes": size}
    show(
        value,
        as_json,
        f"{out}: {written.rows} decisions of {written.games} games, {size / 1e6:.1f} MB; "
        f"{written.skipped} games of the preset were left out, {written.others} had other rules",
    )


_NAMED: Final = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def _source(file: str | None, url: str, kind: str) -> tuple[Client | None, Iterator[Record], str]:
    """Return the service to ask about bots, the records, and their source."""
    if file is None:
        client = service(url)
        return client, (parse_record(line) for line in client.records(kind)), client.url
    state = None if file == "-" else read_state(Path(file))
    if state is None:
        is_named = click.get_current_context().get_parameter_source("url") in _NAMED
        return service(url) if is_named else None, load_records(file), source_name(file)
    if not state.finished:
        raise ArenaError(
            f"the download of {file} is not finished",
            code="invalid_state",
            field="records",
            expected=f"to finish it with 'botequim records --out {file}'",
        )
    return service(state.url), load_records(file), state.url


def _kept(client: Client | None, without: tuple[str, ...]) -> Callable[[str, bool], bool]:
    allowed = None if client is None else {bot["name"] for bot in client.bots() if bot["datasets"]}
    left_out = set(without)

    def is_in(name: str, house: bool) -> bool:
        return name not in left_out and (house or allowed is None or name in allowed)

    return is_in
