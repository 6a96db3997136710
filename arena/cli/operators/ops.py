"""``botequim ops``: commands for operators, which work on the database of a service."""

from __future__ import annotations

from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import click

from arena.cli.commands import Commands
from arena.cli.online import url_option
from arena.cli.operators import data_option
from arena.cli.output import json_option, show, when
from arena.inputs.reading import read_all
from arena.text import printable

_MOST_OF_ERROR: Final = 1 << 20


@click.group(cls=Commands, examples=("botequim ops status",))
def ops() -> None:
    """Monitor and maintain a running service."""


@ops.command("accept-empty", examples=("botequim ops accept-empty",))
@json_option
@data_option
def accept_empty(data: Path, as_json: bool) -> None:
    """Allow the service to continue with a database that has lost its data.

    The API processes stop being ready when they detect that the database is empty or has been replaced.
    Restore the data if you can. If they are lost, this command makes the service ready again.
    """
    from arena.ops.settings import Settings
    from arena.store.repositories import open_store

    store = open_store(Settings.of_running(data).redis_url)
    store.identity.accept()
    show({"accepted": True}, as_json, "accepted: the service continues with this database")


@ops.command("upgrade", examples=("botequim ops upgrade",))
@json_option
@data_option
def upgrade_data(data: Path, as_json: bool) -> None:
    """Upgrade the data to the format of this installation.

    Stop all processes of the service first, and make a backup. For the embedded database, 'botequim up'
    upgrades the data automatically.
    """
    from arena.ops.settings import Settings
    from arena.records.archive.places import open_objects
    from arena.store.repositories import open_store
    from arena.store.rows import FORMAT
    from arena.upgrade import upgrade

    settings = Settings.of_running(data)
    archive = open_objects(settings.archive) if settings.archive else None
    steps = upgrade(open_store(settings.redis_url), archive)
    text = (
        f"upgraded to format {FORMAT}" if steps else f"nothing to do: the data already have format {FORMAT}"
    )
    show({"format": FORMAT, "steps": steps}, as_json, text)


@ops.command("runtime", examples=("botequim ops runtime", "botequim ops runtime --replace"))
@json_option
@data_option
@click.option("--replace", is_flag=True, help="Make the service use the build of this installation.")
def runtime(data: Path, replace: bool, as_json: bool) -> None:
    """Show or replace the runtime in which all workers run uploaded bots.

    After a replacement, workers finish the groups that they are playing and exit, and must be restarted.
    Workers of a release that builds a different runtime then refuse to start.
    """
    from arena.ops.service import runtimes_of
    from arena.ops.settings import Settings
    from arena.store.repositories import open_store

    runtimes = runtimes_of(open_store(Settings.of_running(data).redis_url))
    text = ""
    value: dict[str, Any] = {"runtime": None}
    if replace:
        before = runtimes.replace()
        value["replaced"] = None if before is None else before.runtime_id
        text += f"replaced:  {value['replaced'] or 'none'}\n"
    current = runtimes.current()
    if current is None:
        text += "runtime:   none yet; the first worker that plays an uploaded bot builds it\n"
    else:
        value |= {"runtime": current.runtime_id, "sha256": current.sha256, "at_ms": current.at_ms}
        text += f"runtime:   {current.runtime_id}\n"
        text += f"sha256:    {current.sha256}\n"
        text += f"since:     {when(current.at_ms)}\n"
    show(value, as_json, text)


@ops.command("status", examples=("botequim ops status", "botequim ops status --url http://127.0.0.1:8001"))
@url_option
@json_option
def show_status(url: str, as_json: bool) -> int:
    """Show whether the service is healthy. The exit code is 1 if something is wrong.

    The command asks one API process. The connections are those of this process; the other figures are for the
    whole service.
    """
    from arena.ops.status import Line, parse, status

    code, body = _get(f"{url}/readyz")
    is_well = code == 200 and '"degraded"' not in body
    lines = [Line("ready", "yes" if is_well else printable(body, 300), "" if is_well else "not-ready")]
    code, text = _get(f"{url}/metrics")
    lines += status(parse(text)) if code == 200 else [Line("metrics", "not available", "not-ready")]
    text = ""
    for line in lines:
        alarm = f"  WRONG: see docs/alarms.md#{line.alarm}" if line.alarm else ""
        text += f"{line.name:20} {line.value}{alarm}\n"
    value = [{"name": line.name, "value": line.value, "alarm": line.alarm or None} for line in lines]
    show({"lines": value}, as_json, text)
    return int(any(line.alarm for line in lines))


def _get(url: str) -> tuple[int, str]:
    """Return the HTTP status and the body, or 0 and the reason if nothing answers."""
    try:
        with urlopen(url, timeout=30) as reply:
            return reply.status, read_all(reply, url, "url").decode(errors="replace")
    except HTTPError as error:
        return error.code, error.read(_MOST_OF_ERROR).decode(errors="replace")
    except (OSError, HTTPException, ValueError) as error:
        return 0, f"{url} does not answer: {error}"
