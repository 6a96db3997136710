"""``botequim leaderboard``: ratings computed from records, or as a service published them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.downloads import read_state
from arena.cli.online import service, url_option
from arena.client import Client
from arena.errors import ArenaError
from arena.games import game_of
from arena.play.players import DIVISIONS
from arena.ratings.results import GroupResult, Results

if TYPE_CHECKING:
    from arena.ratings.board import Board

Wanted = Callable[[str, str], bool]
"""Whether a board, by kind and division, is to be shown."""


@click.command()
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--kind", help="Only this game.")
@click.option("--division", type=click.Choice(DIVISIONS), help="Only this division.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True
)
@click.option(
    "--online",
    is_flag=True,
    help="Show the boards that the service has published; with FILEs, compare the computed ones with them.",
)
@url_option
def leaderboard(
    files: tuple[str, ...], kind: str | None, division: str | None, form: str, online: bool, url: str
) -> int:
    """Rate the bots in the game records of each FILE (JSON lines, also gzipped; - is stdin).

    Prints one leaderboard per game and division, equal to that of an arena with these records, and the hash
    of the records. The order of records does not matter, and duplicates are ignored. Hashes are checked;
    'botequim verify' checks everything else. 'botequim records' downloads the records of a service.

    Says if the records are only a part: if games of a group are missing, if a download was interrupted, or
    if the service had published a board of other records then. With --online, compares with what the
    service publishes now; the exit code is 1 if a board differs.
    """
    if kind is not None:
        game_of(kind)

    def wanted(own_kind: str, own_division: str) -> bool:
        return kind in (None, own_kind) and division in (None, own_division)

    if not files:
        if not online:
            raise click.UsageError("Missing argument 'FILE...'. --online shows the boards of a service.")
        click.echo(_published(service(url), wanted, form), nl=False)
        return 0
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
    groups = [group for group in results.groups() if wanted(group.kind, group.division)]
    found = boards(groups)
    remarks, complete = _downloads(files, found, wanted)
    differences: list[str] = []
    if online:
        differences = _differences(service(url).leaderboards(), found, wanted, f"{url} publishes")
        remarks += differences
        complete = complete or not differences
    if not complete:
        remarks = [*_incomplete(groups), *remarks]
    if form == "json":
        shown: dict[str, Any] = {"boards": [board.as_json() for board in found]}
        if remarks:
            shown["partial"] = remarks
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    elif form == "csv":
        click.echo(boards_csv(found), nl=False)
        for remark in remarks:
            click.echo(f"botequim: {remark}", err=True)
    else:
        click.echo("\n".join(board.as_text() for board in found), nl=False)
        if online and not differences:
            click.echo(f"These are the boards that {url} publishes.")
        for remark in remarks:
            click.echo(f"ONLY A PART: {remark}")
        left_out = sum(not group.counts_for for group in groups)
        click.echo(
            f"{results.games} records; left out: {results.unrated} games that are not rated, "
            f"{left_out} groups that do not count"
        )
    return 1 if differences else 0


def _published(client: Client, wanted: Wanted, form: str) -> str:
    """The published boards of a service, as far as they have records."""
    places = [
        (board["kind"], board["division"])
        for board in client.leaderboards()
        if wanted(board["kind"], board["division"]) and board["published_ms"] is not None
    ]
    if form == "json":
        boards = [json.loads(client.leaderboard(*place)) for place in places]
        for board in boards:
            del board["cursor"]
        return json.dumps({"boards": boards}, indent=2, ensure_ascii=False) + "\n"
    texts = [client.leaderboard(*place, form=form) for place in places]
    if form == "text":
        return "\n".join(texts) if texts else "no board has been published\n"
    # One line of headings for all.
    return "".join(text if number == 0 else text.partition("\n")[2] for number, text in enumerate(texts))


def _incomplete(groups: Sequence[GroupResult]) -> list[str]:
    count = sum(group.lacks_games for group in groups)
    return [f"games of {count} groups are missing, which do not count"] if count else []


def _downloads(files: Sequence[str], found: Sequence[Board], wanted: Wanted) -> tuple[list[str], bool]:
    """What the states of downloaded files say they lack, and whether one says that it lacks nothing."""
    states = [
        (file, state) for file in files if file != "-" and (state := read_state(Path(file))) is not None
    ]
    remarks = [
        f"the download of {file} is not complete; 'botequim records --out {file}' continues it"
        for file, state in states
        if not state.finished
    ]
    if len(files) == 1 and states and states[0][1].finished:
        ((_, state),) = states
        remarks += _differences(state.boards, found, wanted, f"{state.url} had published")
        return remarks, not remarks
    return remarks, False


def _differences(
    published: Sequence[Mapping[str, Any]], found: Sequence[Board], wanted: Wanted, who: str
) -> list[str]:
    """What the computed boards lack of the published ones. ``who``: published them.

    The other way round is no difference: a board is published some seconds after the records.
    """
    computed = {(board.kind, board.division): board for board in found}
    remarks = []
    for other in published:
        place = other["kind"], other["division"]
        if not wanted(*place) or not other["records"]:
            continue
        own = computed.get(place)
        records, digest = (0, "") if own is None else (own.records, own.records_hash)
        if digest != other["records_hash"] and records <= other["records"]:
            remarks.append(
                f"{', '.join(place)}: {records} records count here, but {who} the board of "
                f"{other['records']} records with the hash {other['records_hash']}"
            )
    return remarks
