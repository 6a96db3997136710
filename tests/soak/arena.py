"""``python -m tests.soak.arena``: parts of the service are killed at random while a tournament is played.

A tournament of house bots with a fixed seed is played twice, once undisturbed. Final standings and the
records' hash must be the same.
"""

from __future__ import annotations

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

from arena.errors import ArenaError
from arena.ratings.results import collect, record_set_hash
from arena.records.verify import verify
from tests.live.arenas import Arena
from tests.service import Service

KINDS: Final = ("truco", "toepen")
TARGETS: Final = ("worker", "scheduler", "api", "database")
HOUSE: Final = ("random", "rookie", "regular")
PAIRS: Final = 3


class Outcome(NamedTuple):
    """What must not depend on kills."""

    standings: dict[str, Any]
    records_hash: str
    records: int


def play(folder: Path, kind: str, groups: int, meanwhile: Callable[[Service], object]) -> Outcome:
    """A tournament of ``groups`` groups on a service in ``folder``, calling ``meanwhile`` repeatedly."""
    folder.mkdir(parents=True, exist_ok=True)
    with Service(folder, workers=2, BOTEQUIM_LOG_LEVEL="warning") as service:
        arena = Arena(_store_url(service), archive=str(service.data / "archive"))
        try:
            arena.cup(kind, groups=groups // PAIRS, house=HOUSE, max_entries=len(HOUSE))
            deadline = time.monotonic() + 1800
            while (view := _patiently(lambda: arena.tournaments.view("cup")))["state"] != "finished":
                assert view["state"] != "cancelled", view
                assert time.monotonic() < deadline, view["progress"]
                meanwhile(service)
            return _patiently(lambda: _outcome(arena, view))
        finally:
            arena.live.close()


def killing(source: random.Random, pause: float, killed: Counter[str]) -> Callable[[Service], None]:
    """Kill one process after another, one every ``pause`` seconds or so."""

    def kill(service: Service) -> None:
        time.sleep(source.uniform(0.2, 2 * pause - 0.2))
        target = source.choice(TARGETS)
        pids = service.pids(target)
        if pids:
            with suppress(ProcessLookupError):
                os.kill(source.choice(pids), signal.SIGKILL)
                killed[target] += 1

    return kill


def _outcome(arena: Arena, view: dict[str, Any]) -> Outcome:
    table = arena.tournaments.standings("cup").table
    assert view["records_hash"] == table.records_hash
    records = [json.loads(line) for line in arena.tournaments.records("cup")]
    for record in records:
        assert verify(record) == []
    # What is downloaded from the service as a whole is the same, each record once.
    downloaded = Counter(json.loads(line)["hash"] for _, line in arena.live.iter_records())
    assert downloaded == Counter(record["hash"] for record in records)
    found = collect(records)
    assert record_set_hash(found).hex() == table.records_hash
    assert not view["voids"]
    return Outcome(table.as_json(), table.records_hash, len(records))


def _store_url(service: Service) -> str:
    socket = next(path for path in service.data.rglob("*") if path.is_socket())
    return f"unix://{socket}"


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


def compare(folder: Path, kind: str, groups: int, pause: float, seed: int) -> tuple[Outcome, Counter[str]]:
    """Play undisturbed and disturbed; the common outcome, and what was killed how often."""
    killed: Counter[str] = Counter()
    calm = play(folder / "calm", kind, groups, lambda service: time.sleep(0.5))
    wild = play(folder / "wild", kind, groups, killing(random.Random(seed), pause, killed))
    assert wild == calm
    return calm, killed


@click.command()
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), default=KINDS, show_default=True)
@click.option("--groups", default=504, show_default=True, help="Groups of each tournament, a multiple of 3.")
@click.option("--pause", default=1.5, show_default=True, help="Mean seconds between two kills.")
@click.option("--seed", default=1, show_default=True, help="Of the kills.")
def main(kinds: tuple[str, ...], groups: int, pause: float, seed: int) -> None:
    """Play, kill, compare, and say what was counted."""
    for kind in kinds:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            outcome, killed = compare(Path(folder), kind, groups, pause, seed)
        click.echo(
            f"{kind}: {outcome.records} records {outcome.records_hash[:16]}, the same standings and hash "
            f"with {sum(killed.values())} kills {dict(killed)}; {time.monotonic() - began:.0f} s"
        )


if __name__ == "__main__":
    main()
