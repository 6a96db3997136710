"""``python -m tests.soak.submit``: from two files to the leaderboards, and every decision made again.

A service is started as ``make up`` does, or one that runs already is used (``--url``). A stranger signs up
and hands in one bot of Truco and one of Toepen by ``botequim bot submit``. Both must qualify, be entered in
a sealed tournament and stand on its leaderboard; the records must name the sandbox, and
``botequim verify --replay-bots`` must find every decision of the bots as it is recorded.
"""

from __future__ import annotations

import json
import re
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import click

from arena.client import Client
from arena.sandbox.runtime import runtime_id
from tests.service import ROOT, Service, botequim, environment

BOTS: Final = {"truco": "examples/truco_careful.py", "toepen": "examples/toepen_last_trick.py"}
GAMES_OF_A_GROUP: Final = 2
ADMIN: Final = secrets.token_hex(32)
_LOOKED_AT: Final = 20

Say = Callable[[str], object]


def command(url: str, token: str, *arguments: str) -> str:
    """What a command of ``botequim`` prints; it must succeed."""
    done = subprocess.run(
        botequim(*arguments),
        cwd=ROOT,
        env=environment(BOTEQUIM_URL=url, BOTEQUIM_TOKEN=token),
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def prove(url: str, folder: Path, say: Say, seconds: float = 1800) -> dict[str, Any]:
    """Hand in the bots at ``url``, wait for their tournaments, and play these again. ``say`` prints what
    happens. Returns how many ``games`` were played again, and how many ``decisions`` were compared.
    """
    mark = secrets.token_hex(3)
    token = command(url, "", "signup", f"stranger-{mark}").strip()
    names = {kind: f"{kind}-{mark}" for kind in BOTS}
    began = time.monotonic()
    for kind, file in BOTS.items():
        say(f"$ botequim bot submit {file} --name {names[kind]} --kind {kind}")
        output = command(url, token, "bot", "submit", file, "--name", names[kind], "--kind", kind)
        assert f"{kind}: qualified" in output, output
        for line in output.splitlines():
            say(f"  {line}")
    client = Client(url, token, patience=120)
    files, played = [], 0
    for kind, name in names.items():
        event = _tournament_of(client, kind, name, began + seconds)
        files.append(folder / f"{kind}.jsonl")
        with urlopen(f"{url}/v1/tournaments/{event}/records", timeout=120) as reply:
            files[-1].write_bytes(reply.read())
        own = _own(files[-1], name)
        assert own, f"{name} has played nothing in {event}"
        assert {record["info"].get("sandbox") for record in own} == {runtime_id()}
        played += len(own)
        say(f"{kind}: {len(own)} games of it in tournament {event}, all records name {runtime_id()}")
        row, rows = _row(client, kind, name, len(own) // GAMES_OF_A_GROUP, began + seconds)
        say(
            f"{kind}: {name} is on the board of {rows} bots, rank {row['rank']}: {row['rating']} "
            f"({row['low']}-{row['high']}), {row['groups']} groups; {time.monotonic() - began:.0f} s "
            "after it was handed in"
        )
        for page in (f"{url}/leaderboards/{kind}", f"{url}/tournaments/{event}"):
            with urlopen(page, timeout=120) as reply:
                assert name in reply.read().decode(), f"{name} is not on {page}"
            say(f"{kind}: it is on the page {page}")
    sources = [f"--source={names[kind]}@1={file}" for kind, file in BOTS.items()]
    say(f"$ botequim verify {' '.join(file.name for file in files)} --replay-bots {' '.join(sources)}")
    output = command(url, "", "verify", *map(str, files), "--replay-bots", *sources)
    for line in output.splitlines():
        say(f"  {line}")
    assert "all verified" in output, output
    found = re.search(
        r"(\d+) games replayed, (\d+) decisions of uploaded bots compared, all as recorded", output
    )
    assert found, output
    assert int(found[1]) == played > 0 < int(found[2])
    return {"games": played, "decisions": int(found[2])}


def _tournament_of(client: Client, kind: str, name: str, deadline: float) -> str:
    """The sealed tournament that the bot has played in, as soon as that is over."""
    while True:
        for one in client.tournaments(state="finished", kind=kind, limit=_LOOKED_AT):
            view = client.tournament(one["id"]) if one["division"] == "sealed" else None
            if view is not None and name in [entry["bot"] for entry in view["entries"]]:
                assert view["voids"] == []
                return str(view["id"])
        assert time.monotonic() < deadline, f"{name} is entered in no tournament"
        time.sleep(1)


def _row(client: Client, kind: str, name: str, groups: int, deadline: float) -> tuple[dict[str, Any], int]:
    """The bot's row on the sealed leaderboard as soon as it has that many groups, and the number of rows."""
    while True:
        rows = json.loads(client.leaderboard(kind, "sealed"))["rows"]
        for row in rows:
            if row["name"] == name and row["groups"] >= groups:
                return row, len(rows)
        assert time.monotonic() < deadline, f"{name} is not on the leaderboard"
        time.sleep(1)


def _own(file: Path, name: str) -> list[dict[str, Any]]:
    """The records of the bot's games."""
    records = [json.loads(line) for line in file.read_text().splitlines()]
    return [
        record for record in records if name in [player["name"] for player in record["canonical"]["players"]]
    ]


def every_minute(url: str, kind: str) -> None:
    """Let a small sealed tournament come every minute, in place of those that a new service is given."""
    options = ["--format", "swiss", "--groups", "2", "--division", "sealed", "--auto-enter", "--entry", "5s"]
    house = ["--house", "rookie", "--house", "random", "--house", "regular"]
    rules = ["--rule", "seats=2"] if kind == "toepen" else []
    cron = ["--cron", "* * * * *"]
    command(url, ADMIN, "schedule", "create", f"often-{kind}", "Often", kind, *options, *house, *rules, *cron)


def play(folder: Path, say: Say, *, soon: bool) -> dict[str, Any]:
    """The whole proof on a service of its own in ``folder``. ``soon``: not with the tournaments that a new
    service is given, but with smaller ones every minute.
    """
    seed = "0" if soon else "1"
    with Service(folder, workers=2, BOTEQUIM_SEED=seed, BOTEQUIM_ADMIN_TOKEN=ADMIN) as service:
        say(f"$ botequim up --bind 127.0.0.1:{service.port}")
        if soon:
            for kind in BOTS:
                every_minute(service.url, kind)
        return prove(service.url, folder, say)


@click.command()
@click.option("--url", help="A service that runs already. [default: one of its own]")
@click.option("--soon", is_flag=True, help="Small tournaments every minute: two minutes instead of six.")
def main(url: str | None, soon: bool) -> None:
    """Hand in, wait, play again, and say what was found."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counts = play(folder, click.echo, soon=soon) if url is None else prove(url, folder, click.echo)
    click.echo(
        f"proven: 2 bots handed in, qualified and ranked; {counts['games']} games of theirs played again, "
        f"{counts['decisions']} decisions, all as recorded; {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
