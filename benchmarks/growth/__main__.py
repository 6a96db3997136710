"""What a service costs as it grows: ``python -m benchmarks.growth --games 1000 10000 --bots 100``.

For each number of bots a service of its own grows through the numbers of games. The first ``--real`` games
are played by house bots in tournaments of 23. In the others, which are distinct games as well, every choice
is random and no bot is asked, which is quicker; they are planned, recorded, stored and archived by the same
code, with as many processes as cores. Then the boards are published, the groups compacted and the records
archived as workers do it in time, and measured: bytes in the database and in the archive per game; the
processor seconds and the size of a process that publishes one board with one more tournament; and the
milliseconds of processor time of an API process for one answer, the median of 20. With ``--entries``, each
service begins with a round robin of as many bots, which is measured apart, while it runs and when it is over.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from arena.games import GAMES
from arena.ops.service import Service
from arena.play.players import SEALED
from arena.store.embedded import EmbeddedStore
from benchmarks.growth.fill import Filler, Place, settle
from benchmarks.growth.measure import FAMILIES, archive_bytes, families, pages, publish, tournament_pages

_BY_GAME: Final = (*FAMILIES, "other")


def grow(bots: int, games: list[int], real: int, entries: int, folder: Path) -> None:
    """Print the lines of one service."""
    with EmbeddedStore(folder / "store", maxmemory=0) as store:
        place = Place(store.url, str(folder / "archive"))
        service = place.open()
        empty = families(store.url)["used"]
        filler = Filler(place, bots, real, os.cpu_count() or 1)
        if entries:
            _grow_large(service, place, filler, entries)
        for count in games:
            start = time.monotonic()
            filler.fill(service, count)
            settle(service)
            filler.add(service)
            seconds, size = publish(place)
            settle(service)
            found = families(store.url)
            used = found["used"] - empty
            ranked = max(len((service.boards.read(kind, SEALED) or {"rows": ()})["rows"]) for kind in GAMES)
            row = {"games so far": f"{filler.games:,}", "played": f"{filler.real:,}", "bots": f"{ranked:,}"}
            row |= {name: f"{found[name] / filler.games:.0f}" for name in _BY_GAME}
            row |= {"all": f"{used / filler.games:.0f}", "MB": f"{used / 1e6:.1f}"}
            row["archive"] = f"{archive_bytes(place.archive) / filler.games:.0f}"
            row |= {"publish s": f"{seconds:.2f}", "publish MB": f"{size:.0f}"}
            row |= {name: f"{cost:.1f}" for name, cost in pages(place, "played-1", "rookie").items()}
            _print(row)
            print(f"({time.monotonic() - start:.0f} s)", file=sys.stderr, flush=True)
        service.close()


def _grow_large(service: Service, place: Place, filler: Filler, entries: int) -> None:
    """Print the lines of a large tournament: with all its results, and compacted after its end."""
    name = filler.add_large(service, entries)
    for state in ("running", "finished"):
        begin = time.process_time()
        if state == "running":
            service.tournaments.update_standings(name)
        else:
            service.tournaments.step(name)
        seconds = time.process_time() - begin
        settle(service)
        view = service.tournaments.view(name)
        assert view["state"] == state, view["state"]
        row = {"entries": f"{entries}", "groups": f"{view['progress']['planned']:,}", "state": state}
        row["standings s"] = f"{seconds:.2f}"
        row |= {path: f"{cost:.1f}" for path, cost in tournament_pages(place, name).items()}
        _print(row)


_headings: list[str] = []


def _print(row: dict[str, str]) -> None:
    """Print a row of the table, and first its headings if they are others than before."""
    if list(row) != _headings:
        _headings[:] = row
        for line in (_headings, ["---"] * len(row)):
            print("|", " | ".join(line), "|", flush=True)
    print("|", " | ".join(row.values()), "|", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--games", type=int, nargs="*", default=[1_000, 10_000], help="numbers of games")
    parser.add_argument("--bots", type=int, nargs="+", default=[100], help="numbers of bots, 100 or more")
    parser.add_argument("--real", type=int, default=2_000, help="how many games are played by house bots")
    parser.add_argument(
        "--entries", type=int, default=0, help="a tournament of this many bots, measured apart"
    )
    given = parser.parse_args()
    for bots in given.bots:
        with tempfile.TemporaryDirectory() as folder:
            grow(bots, given.games, given.real, given.entries, Path(folder))


if __name__ == "__main__":
    main()
