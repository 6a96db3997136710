"""``botequim records``: download all public records of a service."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from arena.cli.commands import Command
from arena.cli.downloads import Download, opened_download, state_path
from arena.cli.online import online
from arena.cli.params import KIND
from arena.client import Client


@click.command(
    cls=Command,
    examples=(
        "botequim records --out all.jsonl",
        "botequim records --kind toepen | botequim verify -",
    ),
)
@click.option("--kind", type=KIND, help="Only records of this game.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write. [default: standard output]",
)
@online(json=False)
def records(client: Client, kind: str | None, out: Path | None) -> None:
    """Download all public records of a service, oldest first, as JSON lines.

    With --out, an interrupted download continues where it ended, and a later one adds the new records; older
    ones receive what changed in them since (a group was annulled). FILE.state beside the file says how far it
    is. 'botequim verify' and 'botequim leaderboard' read the file.
    """
    if out is None:
        for line in client.records(kind):
            sys.stdout.write(line + "\n")
        return
    with opened_download(client, out, kind) as download:
        before = download.state.records
        _run(client, download, kind)
        state = download.state
    click.echo(f"{out}: {state.records} records, {state.records - before} of them new")
    for board in state.boards:
        click.echo(
            f"{board['kind']}, {board['division']}: {board['records']} records on the published board, "
            f"records hash {board['records_hash']}"
        )


def _run(client: Client, download: Download, kind: str | None) -> None:
    """Download with a progress bar. Its total is the number of rated records, although there
    may be others.
    """
    console = Console(stderr=True)
    rated = 0
    if console.is_terminal:
        rated = sum(board["records"] for board in client.leaderboards() if kind in (None, board["kind"]))
    progress = Progress(
        TextColumn("{task.completed} records"),
        BarColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
    )
    state = download.state
    with progress:
        task = progress.add_task("", total=max(rated, state.records) or None, completed=state.records)

        def show(count: int) -> None:
            progress.update(task, completed=count, total=max(rated, count))

        try:
            download.run(show)
        except BaseException:
            progress.stop()
            click.echo(
                f"interrupted after {state.records} records; the same command continues "
                f"({state_path(download.path).name} says where)",
                err=True,
            )
            raise
