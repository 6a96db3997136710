"""``botequim backup`` and ``botequim restore``: back up and restore the database of a service."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from arena.cli.commands import Command
from arena.cli.operators import data_option
from arena.cli.output import json_option, show

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(cls=Command, examples=("botequim backup --to backup-1",))
@click.option("--to", "folder", required=True, type=_FOLDER, help="A new or empty folder.")
@data_option
@json_option
def backup(folder: Path, data: Path, as_json: bool) -> None:
    """Back up the database of a service, which can keep running.

    The backup does not contain the archive of finished records. To copy the archive, use 'botequim archive
    copy'.
    """
    from arena.ops.backup import make_backup, source

    with source(data) as url:
        made = make_backup(url, folder)
    value = {
        "service": made.store.id,
        "keys": made.store.keys,
        "bytes": made.size,
        "paused_s": made.store.paused_s,
        "folder": str(folder),
    }
    text = (
        f"service {made.store.id}: {made.store.keys} keys, {made.size / 1e6:.1f} MB in {folder}; "
        f"writes were paused for {made.store.paused_s:.2f} s"
    )
    show(value, as_json, text)


@click.command(cls=Command, examples=("botequim restore --from backup-1 --data restored",))
@click.option("--from", "folder", required=True, type=_FOLDER, help="The folder of a backup.")
@data_option
@json_option
def restore(folder: Path, data: Path, as_json: bool) -> None:
    """Restore a backup to an empty database.

    Stop the service first. Its archive must be where it is configured (BOTEQUIM_ARCHIVE or
    BOTEQUIM_ARCHIVE_URL, else in the data folder). Games archived after the backup are restored from it. If
    this command is interrupted, no process uses the database; restore the backup to an empty database again.
    """
    from arena.ops.backup import restore_backup

    restored, adopted = restore_backup(folder, data)
    at = datetime.fromtimestamp(restored.store.at_ms / 1000, UTC)
    value = {
        "service": restored.store.id,
        "at_ms": restored.store.at_ms,
        "keys": restored.store.keys,
        "games": adopted.games,
        "groups": adopted.groups,
        "lost": adopted.lost,
    }
    text = (
        f"service {restored.store.id} of {at:%Y-%m-%d %H:%M:%S} UTC: {restored.store.keys} keys\n"
        f"from the archive: {adopted.games} games and {adopted.groups} groups that ended after the backup; "
        f"{adopted.lost} tournaments are lost"
    )
    show(value, as_json, text)
