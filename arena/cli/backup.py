"""``botequim backup`` and ``botequim restore``: the database of a service."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

_DATA = click.option(
    "--data",
    default="botequim-data",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded database, used if REDIS_URL is not set.",
)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--to", "folder", required=True, type=_FOLDER, help="A new or empty folder.")
@_DATA
def backup(folder: Path, data: Path) -> None:
    """Back up the database of a service, which may run.

    The archive of finished records is not in it: 'botequim archive copy' copies that.
    """
    from arena.ops.backup import make_backup, source

    with source(data) as url:
        made = make_backup(url, folder)
    click.echo(
        f"service {made.store.id}: {made.store.keys} keys, {made.size / 1e6:.1f} MB in {folder}; "
        f"writes were paused for {made.store.paused_s:.2f} s"
    )


@click.command()
@click.option("--from", "folder", required=True, type=_FOLDER, help="The folder of a backup.")
@_DATA
def restore(folder: Path, data: Path) -> None:
    """Restore a backup to an empty database.

    Stop the service first. Its archive stays, or is put back, where it is configured (BOTEQUIM_ARCHIVE or
    BOTEQUIM_ARCHIVE_URL, else in the data folder); what was archived after the backup is taken over. If this
    is interrupted, no process serves the database; restore again.
    """
    from arena.ops.backup import restore_backup

    restored, adopted = restore_backup(folder, data)
    at = datetime.fromtimestamp(restored.store.at_ms / 1000, UTC)
    click.echo(f"service {restored.store.id} of {at:%Y-%m-%d %H:%M:%S} UTC: {restored.store.keys} keys")
    click.echo(
        f"from the archive: {adopted.games} games and {adopted.groups} groups that ended since; "
        f"{adopted.lost} tournaments are lost"
    )
