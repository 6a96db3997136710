"""The commands that the API adds to the ``botequim`` program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from arena.cli.commands import Command
from arena.cli.operators import data_option
from arena.ops.data_check import check_data
from arena.ops.logs import set_up_foreground_logging
from arena.ops.settings import Settings, maxmemory, redis_url, set_archive
from arena.ops.signals import stop_on_signals
from arena.store.embedded import EmbeddedStore


@click.command(cls=Command, examples=("botequim serve --bind 0.0.0.0:8000 --workers 2",))
@click.option(
    "--bind", default="127.0.0.1:8000", show_default=True, help="The address and port to listen on."
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes.")
@data_option
def serve(bind: str, workers: int, data: Path) -> None:
    """Serve only the HTTP API. House bots and tournaments also need workers.

    The command uses the database at REDIS_URL, or else an embedded one in the data folder.
    """
    environment = {**os.environ, "BOTEQUIM_BIND": bind, "BOTEQUIM_WORKERS": str(workers)}
    command = [sys.executable, "-m", "gunicorn", "-c", "python:api.http.gunicorn_conf"]
    if redis_url():
        check_data(Settings.from_environment(environment))
        os.execve(sys.executable, command, environment)
    set_up_foreground_logging()
    with EmbeddedStore(data, maxmemory=maxmemory()) as store:
        environment["REDIS_URL"] = store.url
        set_archive(environment, store.folder)
        check_data(Settings.from_environment(environment), is_alone=True)
        click.echo(f"database in {store.folder}, API at http://{bind}, documentation at http://{bind}/docs")
        sys.exit(_run(command, environment))


def _run(command: list[str], environment: dict[str, str]) -> int:
    """Run a command until it ends. Forward the signals that stop it, and wait until it has drained."""
    server = subprocess.Popen(command, env=environment, start_new_session=True)
    stop_on_signals(server.terminate)
    return server.wait()
