"""``botequim up``: runs the whole service on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import click

from arena.cli.commands import Command
from arena.cli.operators import data_option


@click.command(cls=Command, examples=("botequim up", "botequim up --bind 127.0.0.1:8001 --data other-data"))
@click.option(
    "--bind",
    envvar="BOTEQUIM_BIND",
    default="127.0.0.1:8000",
    show_default=True,
    help="Address and port of the API.",
)
@click.option("--workers", default=os.cpu_count() or 1, show_default="the cores", type=click.IntRange(0, 64))
@data_option
def up(bind: str, workers: int, data: Path) -> None:
    """Run the database, the API and the workers in the foreground until Ctrl-C.

    The data are kept between runs.
    """
    from arena.ops.logs import set_up_foreground_logging
    from arena.ops.signals import stop_on_signals
    from arena.ops.supervisor import Supervisor

    set_up_foreground_logging()
    supervisor = Supervisor(bind, workers, data, say=lambda line: click.echo(line))
    stop_on_signals(supervisor.stop)
    supervisor.run()
