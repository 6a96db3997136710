"""``botequim ops``: for the operator of a service, on its database."""

from __future__ import annotations

from pathlib import Path

import click

_DATA = click.option(
    "--data",
    default="botequim-data",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded database, used if REDIS_URL is not set.",
)


@click.group()
def ops() -> None:
    """Look after a running service."""


@ops.command("accept-empty")
@_DATA
def accept_empty(data: Path) -> None:
    """Let the service go on with a database that lost its data.

    Its API processes are not ready after they have seen that the database is empty or another one. Restore
    the data if you can; if they are lost, this makes the service ready again.
    """
    from arena.ops.settings import Settings
    from arena.store.repositories import open_store

    store = open_store(Settings.of_running(data).redis_url)
    store.identity.accept()
    click.echo("accepted: the service goes on with this database")
