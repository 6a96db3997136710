"""``python -m tests.soak.processes``: four separate processes play many games at once over HTTP.

They share nothing but the service's address. With ``--curl`` the first of them is the loop of
``docs/five-minutes.md``, which is nothing but bash, curl and jq.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path

import click

from tests.blocks import file_of
from tests.service import Service
from tests.soak.season import Season

KINDS = ("truco", "toepen")
CURL_BOT = ["bash", "-c", 'exec bash bot.sh >> "$BOTEQUIM_JOURNAL"']


def play(folder: Path, games: int, *, curl: bool, seconds: float = 3600) -> Counter[str]:
    """``games`` games of each kind; what was counted."""
    with Service(folder, workers=0, BOTEQUIM_LOG_LEVEL="warning") as service:
        season = Season(service, folder)
        season.enter(4)
        season.create(KINDS, games)
        commands = []
        if curl:
            (folder / "bot.sh").write_text(file_of("docs/five-minutes.md", "bot.sh"))
            commands = [CURL_BOT]
        with season.playing(commands):
            season.wait(seconds)
        return season.prove()


@click.command()
@click.option("--games", default=20, show_default=True, help="Games of each kind.")
@click.option("--curl/--no-curl", default=False, help="Let the curl loop be one of the bots.")
def main(games: int, curl: bool) -> None:
    """Play, prove, and say what was counted."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        counts = play(Path(folder), games, curl=curl)
    click.echo(f"{sum(counts[kind] for kind in KINDS)} games, all records verified: {dict(counts)}")
    click.echo(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
