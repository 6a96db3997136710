"""``python -m tests.soak.kills``: parts of the service are killed at random while many games are played.

All games must end, all records verify, and no accepted action may be missing.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import click

from tests.service import Service
from tests.soak.season import Season

KINDS = ("truco", "toepen")
TARGETS = ("api", "worker", "database")
HOUSE = {"api": (), "worker": ("random", "rookie"), "database": ("random",)}
"""House bots at every table, so that there is something for the workers to do."""


def play(
    folder: Path, games: int, target: str, *, pause: float = 1.5, seed: int = 1, seconds: float = 3600
) -> Counter[str]:
    """``games`` games, half of each kind, with ``target`` killed every ``pause`` seconds or so."""
    source = random.Random(seed)
    kills = 0
    with Service(folder, workers=2, BOTEQUIM_LOG_LEVEL="warning") as service:

        def kill() -> None:
            nonlocal kills
            time.sleep(source.uniform(0.2, 2 * pause - 0.2))
            pids = service.pids(target)
            if pids:
                with suppress(ProcessLookupError):
                    os.kill(source.choice(pids), signal.SIGKILL)
                    kills += 1

        season = Season(service, folder)
        house = HOUSE[target]
        season.enter(4 - len(house))
        season.create(KINDS, (games + 1) // 2, house)
        with season.playing():
            season.wait(seconds, kill)
        counts = season.prove()
    counts["kills"] = kills
    return counts


@click.command()
@click.option(
    "--target", "targets", multiple=True, type=click.Choice(TARGETS), help="[default: each in turn]"
)
@click.option("--games", default=20, show_default=True, help="Games per target.")
@click.option("--pause", default=1.5, show_default=True, help="Mean seconds between two kills.")
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--keep", type=click.Path(path_type=Path), help="Folder for data, logs and journals, to be kept."
)
def main(targets: tuple[str, ...], games: int, pause: float, seed: int, keep: Path | None) -> None:
    """Play, kill, prove, and say what was counted."""
    for target in targets or TARGETS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as temporary:
            folder = keep / target if keep else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            counts = play(folder, games, target, pause=pause, seed=seed)
        click.echo(
            f"{target} killed {counts['kills']} times: {sum(counts[kind] for kind in KINDS)} games ended, "
            f"all records verified, no accepted action missing: {dict(counts)}"
        )
        click.echo(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
