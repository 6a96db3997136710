"""What a service costs as it grows: ``python -m benchmarks.growth --games 1000 10000 --bots 100``.

For each number of bots a service of its own grows through the numbers of games. The first ``--real`` games
are played by house bots in tournaments of 23, with seeds of their own and as many processes as cores. The
others are copies of those tournaments with other bots, ids, seeds and hashes, of the same sizes, which are
stored by the same steps. Then the boards are published, the groups compacted and the records archived as
workers do it in time, and measured: bytes in the database and in the archive per game; the processor seconds
and the size of a process that publishes one board with one more tournament; and the milliseconds of processor
time of an API process for one answer, the median of 20.
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
from arena.play.players import SEALED
from arena.store.embedded import EmbeddedStore
from benchmarks.growth.fill import Filler, Place, settle
from benchmarks.growth.measure import FAMILIES, archive_bytes, families, pages, publish

_BY_GAME: Final = (*FAMILIES, "other")


def grow(bots: int, games: list[int], real: int, folder: Path) -> None:
    """Print the lines of one service."""
    with EmbeddedStore(folder / "store", maxmemory=0) as store:
        place = Place(store.url, str(folder / "archive"))
        service = place.open()
        empty = families(store.url)["used"]
        filler = Filler(place, bots, real, os.cpu_count() or 1)
        for count in games:
            start = time.monotonic()
            filler.fill(count)
            settle(service)
            filler.add()
            seconds, size = publish(place)
            settle(service)
            found = families(store.url)
            used = found["used"] - empty
            ranked = max(len((service.boards.read(kind, SEALED) or {"rows": ()})["rows"]) for kind in GAMES)
            line = [f"{filler.games:,}", f"{filler.real:,}", f"{ranked:,}"]
            line += [f"{found[name] / filler.games:.0f}" for name in _BY_GAME]
            line += [f"{used / filler.games:.0f}", f"{used / 1e6:.1f}"]
            line.append(f"{archive_bytes(place.archive) / filler.games:.0f}")
            line += [f"{seconds:.2f}", f"{size:.0f}"]
            costs = pages(place, "played-1", "rookie")
            if count == games[0] and not _printed:
                _row(
                    *(
                        "games",
                        "played",
                        "bots",
                        *_BY_GAME,
                        "all",
                        "MB",
                        "archive",
                        "publish s",
                        "publish MB",
                    ),
                    *costs,
                )
            _row(*line, *(f"{cost:.1f}" for cost in costs.values()))
            print(f"({time.monotonic() - start:.0f} s)", file=sys.stderr, flush=True)
        service.close()


_printed: list[bool] = []


def _row(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)
    if not _printed:
        _printed.append(True)
        print("|", " | ".join("---" for _ in cells), "|", flush=True)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--games", type=int, nargs="+", default=[1_000, 10_000], help="numbers of games")
    parser.add_argument("--bots", type=int, nargs="+", default=[100], help="numbers of bots, 100 or more")
    parser.add_argument("--real", type=int, default=10_000, help="how many games are played")
    parser.add_argument(
        "--many-bots-games",
        type=int,
        default=100_000,
        help="the most games with any but the first number of bots",
    )
    given = parser.parse_args()
    for at, bots in enumerate(given.bots):
        games = [count for count in given.games if at == 0 or count <= given.many_bots_games]
        with tempfile.TemporaryDirectory() as folder:
            grow(bots, games, given.real, Path(folder))


if __name__ == "__main__":
    main()
