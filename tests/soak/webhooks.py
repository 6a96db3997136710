"""``python -m tests.soak.webhooks``: bots that are called play many games at a whole service.

One receiver is Python's ``http.server``, the other Node where that is installed; both are the samples of
``examples/``. Every game must end without a fault, and every record verify.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import click

from arena.client import Client
from arena.records.verify import verify
from tests.service import Service
from tests.webhooks.parts import SECRET, node_receiver, python_receiver

CLOCK = {"per_turn_ms": 20_000, "bank_ms": 60_000}
SETTINGS = {"BOTEQUIM_WEBHOOK_HTTP": "1", "BOTEQUIM_WEBHOOK_NETWORKS": "127.0.0.0/8"}


def other_receiver() -> str:
    """The sample that the second bot is."""
    return "examples/webhook-receiver.mjs" if shutil.which("node") else "examples/webhook_receiver.py"


def play(folder: Path, games: int, *, seconds: float = 3600) -> Counter[str]:
    """``games`` games, half of each kind; what was counted."""
    second = node_receiver if shutil.which("node") else python_receiver
    with (
        Service(folder, BOTEQUIM_LOG_LEVEL="warning", **SETTINGS) as service,
        python_receiver() as here,
        second() as there,
    ):
        owner = Client(service.url, service.client().sign_up("season"), patience=120)
        for name, url in (("python-bot", here), ("other-bot", there)):
            body = {"name": name, "transport": "webhook", "url": url, "secret": SECRET}
            assert owner.request("POST", "/v1/bots", body)["webhook_secret"] == SECRET
        seats = [{"bot": "python-bot"}, {"bot": "other-bot"}]
        made = []
        for number in range(games):
            kind = ("truco", "toepen")[number % 2]
            turned = seats if number % 4 < 2 else seats[::-1]
            options = {"rules": {"lives": 3}} if kind == "toepen" else {}
            table = turned * 2 if kind == "truco" else turned
            made.append(owner.create_game(kind, table, clock=CLOCK, **options)["game"])
        deadline = time.monotonic() + seconds
        while owner.request("GET", "/v1/games", query={"state": "running", "limit": 1})["games"]:
            assert time.monotonic() < deadline, "the games do not end"
            time.sleep(0.5)
        counts: Counter[str] = Counter()
        for game in made:
            record = owner.record(game, wait=True)
            assert verify(record) == [], game
            canonical = record["canonical"]
            counts[canonical["kind"]] += 1
            counts["actions"] += len(canonical["actions"])
            counts["faults"] += len(canonical["faults"])
        for name in ("python-bot", "other-bot"):
            assert owner.request("GET", f"/v1/bots/{name}")["webhook"]["circuit"] == "closed"
        return counts


@click.command()
@click.option("--games", default=20, show_default=True, help="Games altogether.")
def main(games: int) -> None:
    """Play, prove, and say what was counted."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        counts = play(Path(folder), games)
    click.echo(f"examples/webhook_receiver.py against {other_receiver()}, both called by `botequim up`")
    click.echo(
        f"{counts['truco']} games of Truco and {counts['toepen']} of Toepen, {counts['actions']} actions, "
        f"{counts['faults']} faults; all records verified"
    )
    click.echo(f"{time.monotonic() - began:.0f} s")
    if counts["faults"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
