"""``python -m tests.soak.arena``: parts of the service are killed at random while a tournament is played.

A tournament of house bots with a fixed seed is played twice, once undisturbed. Final
standings and the records' hash must be the same. The records of the disturbed one are written to an archive
(``--archive``) while the killing goes on, the archivers included, and every record must be there once.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from arena.client import Client
from arena.errors import ArenaError
from arena.ratings.results import collect, record_set_hash
from arena.records.verify import verify
from tests.live.arenas import Arena
from tests.service import Service
from tests.soak import archives
from tests.soak.season import prove_downloads

KINDS: Final = ("truco", "toepen")
TARGETS: Final = ("archiver", "worker", "scheduler", "api", "database")
HOUSE: Final = ("random", "rookie", "regular")
PAIRS: Final = 3
GAMES_OF_A_GROUP: Final = 2
_BATCH: Final = 11
"""The groups of a segment of the archive."""

Meanwhile = Callable[[Service, archives.SoakArchive], object]


class Outcome(NamedTuple):
    """What must depend neither on kills nor on an archive."""

    standings: dict[str, Any]
    hashes: tuple[str, ...]
    records_hash: str
    records: int


def play(
    folder: Path, kind: str, groups: int, archive: str, meanwhile: Meanwhile
) -> tuple[Outcome, Counter[str]]:
    """A tournament of ``groups`` groups on a service in ``folder``, calling ``meanwhile`` repeatedly.
    ``archive``: one of :data:`tests.soak.archives.KINDS`. Also returns where the records are then.
    """
    folder.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    with (
        archives.archive_of(folder, archive, _BATCH) as place,
        Service(folder, workers=2, BOTEQUIM_LOG_LEVEL="warning", **place.settings) as service,
    ):
        arena = Arena(service.database)
        try:
            arena.cup(kind, groups=groups // PAIRS, house=HOUSE, max_entries=len(HOUSE))
            deadline = time.monotonic() + 1800
            records = GAMES_OF_A_GROUP * groups
            with place.archiving(service):
                while (view := _patiently(lambda: arena.tournaments.view("cup")))["state"] != "finished":
                    assert view["state"] != "cancelled", view
                    assert time.monotonic() < deadline, view["progress"]
                    meanwhile(service, place)
                assert not view["voids"]
                while not place.is_whole(service, records):
                    assert time.monotonic() < deadline, "the records are not archived"
                    meanwhile(service, place)
                place.prove(service, records, counts)
            return _patiently(lambda: _outcome(arena, service)), counts
        finally:
            arena.live.close()


def killing(source: random.Random, pause: float, killed: Counter[str]) -> Meanwhile:
    """Kill one process after another, one every ``pause`` seconds or so. Archivers are the first target, and
    the others follow in random order, so that every target is killed if there is time for it.
    """
    first, *others = TARGETS
    targets = itertools.cycle([first, *source.sample(others, len(others))])

    def kill(service: Service, place: archives.SoakArchive) -> None:
        time.sleep(source.uniform(0.2, 2 * pause - 0.2))
        target = next(targets)
        pids = place.pids(service) if target == "archiver" else service.pids(target)
        if pids:
            with suppress(ProcessLookupError):
                os.kill(source.choice(pids), signal.SIGKILL)
                killed[target] += 1
        place.tend(service)

    return kill


def _outcome(arena: Arena, service: Service) -> Outcome:
    """What is read through the service."""
    client = Client(service.url, patience=120)
    view = client.tournament("cup")
    assert view is not None
    table = arena.tournaments.standings("cup").table
    assert view["records_hash"] == table.records_hash
    records = [json.loads(line) for line in client.tournament_records("cup")]
    for record in records:
        assert verify(record) == []
    # What is downloaded from the service as a whole is the same, each record once.
    prove_downloads(client.records(), records)
    found = collect(records)
    assert record_set_hash(found).hex() == table.records_hash
    hashes = tuple(sorted(record["hash"] for record in records))
    return Outcome(table.as_json(), hashes, table.records_hash, len(records))


def _patiently(look: Callable[[], Any]) -> Any:
    """What ``look`` returns, as soon as the database is there."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return look()
        except ArenaError as error:
            if error.code != "store_unavailable" or time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def compare(
    folder: Path, kind: str, groups: int, pause: float, seed: int, archive: str = "folder"
) -> tuple[Outcome, Counter[str], Counter[str]]:
    """Play undisturbed and disturbed; the common outcome, what was killed how often, and where the records
    are.
    """
    killed: Counter[str] = Counter()
    calm, _ = play(folder / "calm", kind, groups, "folder", lambda service, place: time.sleep(0.5))
    wild, counts = play(folder / "wild", kind, groups, archive, killing(random.Random(seed), pause, killed))
    assert wild == calm
    return calm, killed, counts


@click.command()
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), default=KINDS, show_default=True)
@click.option("--groups", default=504, show_default=True, help="Groups of each tournament, a multiple of 3.")
@click.option("--archive", type=click.Choice(archives.KINDS), default="folder", show_default=True)
@click.option("--pause", default=1.5, show_default=True, help="Mean seconds between two kills.")
@click.option("--seed", default=1, show_default=True, help="Of the kills.")
def main(kinds: tuple[str, ...], groups: int, archive: str, pause: float, seed: int) -> None:
    """Play, kill, compare, and say what was counted."""
    for kind in kinds:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            outcome, killed, counts = compare(Path(folder), kind, groups, pause, seed, archive)
        click.echo(
            f"{kind}: {outcome.records} records {outcome.records_hash[:16]}, the same standings and hash "
            f"with {sum(killed.values())} kills {dict(killed)}; {time.monotonic() - began:.0f} s"
        )
        click.echo(
            f"archive ({archive}): {counts['archived']} records in it, each once; its archiver was started "
            f"{counts['archiver starts']} times; `botequim archive check` finds nothing"
        )


if __name__ == "__main__":
    main()
