"""``botequim leaderboard``: ratings computed from records."""

from __future__ import annotations

import json
from importlib.util import find_spec

import click

from arena.errors import ArenaError
from arena.games import game_of
from arena.play.players import DIVISIONS
from arena.ratings.results import Results


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--kind", help="Only this game.")
@click.option("--division", type=click.Choice(DIVISIONS), help="Only this division.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True
)
def leaderboard(files: tuple[str, ...], kind: str | None, division: str | None, form: str) -> None:
    """Rate the bots in the game records of each FILE (JSON lines, also gzipped; - is stdin).

    Prints one leaderboard per game and division, equal to that of an arena with these records. The order of
    records does not matter, and duplicates are ignored. Hashes are checked; 'botequim verify' checks
    everything else.
    """
    if kind is not None:
        game_of(kind)
    if find_spec("numpy") is None:
        raise ArenaError(
            "'botequim leaderboard' needs the library numpy, which is not installed",
            code="not_installed",
            expected="pip install 'botequim[ratings]'",
        )
    from arena.ratings.board import boards, boards_csv

    results = Results()
    for file in files:
        results.add_file(file)
    groups = [
        group
        for group in results.groups()
        if kind in (None, group.kind) and division in (None, group.division)
    ]
    found = boards(groups)
    if form == "json":
        click.echo(json.dumps({"boards": [board.as_json() for board in found]}, indent=2, ensure_ascii=False))
    elif form == "csv":
        click.echo(boards_csv(found), nl=False)
    else:
        click.echo("\n".join(board.as_text() for board in found), nl=False)
        left_out = sum(not group.counts_for for group in groups)
        click.echo(
            f"{results.games} records; left out: {results.unrated} games that are not rated, "
            f"{left_out} groups that do not count"
        )
