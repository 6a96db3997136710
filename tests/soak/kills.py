"""``python -m tests.soak.kills``: parts of the service are killed at random while many games are played.

All games must end, all records verify, and no accepted action may be missing. Meanwhile the records move to
an archive (``--archive``), the archivers are killed too, and every record must be there once.
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
from tests.soak import archives
from tests.soak.season import Season

KINDS = ("truco", "toepen")
TARGETS = ("api", "worker", "database")
HOUSE = {"api": (), "worker": ("random", "rookie"), "database": ("random",)}
"""House bots at every table, so that there is something for the workers to do."""

_BATCH = 4
"""The games of a segment of the archive."""


def play(
    folder: Path,
    games: int,
    target: str,
    *,
    archive: str = "folder",
    pause: float = 1.5,
    seed: int = 1,
    seconds: float = 3600,
) -> Counter[str]:
    """``games`` games, half of each kind, with ``target`` or an archiver killed every ``pause`` seconds or
    so. ``archive``: one of :data:`tests.soak.archives.KINDS`. Returns counts.
    """
    source = random.Random(seed)
    targets = [target, "archiver"]
    killed: Counter[str] = Counter()
    with (
        archives.archive_of(folder, archive, _BATCH) as place,
        Service(folder, workers=2, BOTEQUIM_LOG_LEVEL="warning", **place.settings) as service,
        place.archiving(service),
    ):
        season = Season(service, folder)

        def kill() -> None:
            time.sleep(source.uniform(0.2, 2 * pause - 0.2))
            victim = source.choice(targets)
            pids = place.pids(service) if victim == "archiver" else service.pids(victim)
            if pids:
                with suppress(ProcessLookupError):
                    os.kill(source.choice(pids), signal.SIGKILL)
                    killed[victim] += 1
            place.tend(service)
            season.read()

        house = HOUSE[target]
        season.enter(4 - len(house))
        season.create(KINDS, (games + 1) // 2, house, private=True)
        with season.playing():
            season.wait(seconds, kill)
        deadline = time.monotonic() + seconds
        while not place.is_whole(service, len(season.games)):
            assert time.monotonic() < deadline, "the records are not archived"
            kill()
        counts: Counter[str] = Counter()
        place.prove(service, len(season.games), counts)
        counts.update(season.prove())
    counts.update({f"{name} kills": count for name, count in killed.items()})
    return counts


@click.command()
@click.option(
    "--target", "targets", multiple=True, type=click.Choice(TARGETS), help="[default: each in turn]"
)
@click.option("--games", default=20, show_default=True, help="Games per target.")
@click.option("--archive", type=click.Choice(archives.KINDS), default="folder", show_default=True)
@click.option("--pause", default=1.5, show_default=True, help="Mean seconds between two kills.")
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--keep", type=click.Path(path_type=Path), help="Folder for data, logs and journals, to be kept."
)
def main(
    targets: tuple[str, ...], games: int, archive: str, pause: float, seed: int, keep: Path | None
) -> None:
    """Play, kill, prove, and say what was counted."""
    for target in targets or TARGETS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as temporary:
            folder = keep / target if keep else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            counts = play(folder, games, target, archive=archive, pause=pause, seed=seed)
        starts = counts.pop("archiver starts", 0)
        kills = {name: counts.pop(f"{name} kills", 0) for name in (target, "archiver")}
        click.echo(
            f"killed {kills}: {sum(counts[kind] for kind in KINDS)} games ended, all records verified, "
            f"no accepted action missing: {dict(counts)}"
        )
        click.echo(
            f"archive ({archive}): {counts['archived']} records in it, each once, the same as before; its "
            f"archiver was started {starts} times; `botequim archive check` finds nothing"
        )
        click.echo(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
